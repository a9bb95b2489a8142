package episode

import (
	"slices"
	"strings"
	"sync"
	"unicode"
)

// Words returns the words of a task that tell it from others, each once and without its ending.
// Numbers, ids, paths and words of courtesy are left out, so that the same task about other things
// has the same words.
func Words(text string) []string {
	var out []string
	for _, field := range strings.Fields(strings.ToLower(text)) {
		if strings.Contains(field, "://") || strings.Count(field, "/") > 1 || strings.HasPrefix(field, "@") || strings.HasPrefix(field, "<") {
			continue
		}
		for _, w := range strings.FieldsFunc(field, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\'' }) {
			if w = strings.Trim(w, "'"); len(w) < 2 || common()[w] || strings.ContainsFunc(w, unicode.IsDigit) {
				continue
			}
			if w = stem(w); !slices.Contains(out, w) {
				out = append(out, w)
			}
		}
	}
	return out
}

// stem cuts the endings of English words that don't change what a task is.
func stem(w string) string {
	switch {
	case len(w) > 5 && strings.HasSuffix(w, "ies"):
		return w[:len(w)-3] + "y"
	case len(w) > 5 && strings.HasSuffix(w, "ing"):
		w = w[:len(w)-3]
	case len(w) > 4 && strings.HasSuffix(w, "ed"):
		w = w[:len(w)-2]
	case len(w) > 3 && strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") && !strings.HasSuffix(w, "us") && !strings.HasSuffix(w, "is"):
		w = w[:len(w)-1]
	}
	if n := len(w); n > 3 && w[n-1] == w[n-2] && w[n-1] != 's' && w[n-1] != 'l' && w[n-1] != 'e' {
		w = w[:n-1] // running, committed
	}
	if len(w) > 4 {
		w = strings.TrimSuffix(w, "e")
	}
	return w
}

// common are words of courtesy, reference and grammar.
var common = sync.OnceValue(func() map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(`a about above after all also am an and any are as at be been before being below but by can can't could did do does doesn't don't
		each else for from get give got had has have hello help here hey hi how i i'd i'm i've if in into is isn't it it's its just kind know let let's like
		lot make may maybe me might more most my need needs new no not now of off on once one only or other our out over please re really right same see
		should so some something still such take than thank thanks that that's the their them then there these they thing things think this those to too
		try up us use using very want was wasn't way we we're we've well were what what's when where which while who why will with would yes you your
		ok okay currently already actually maybe think sure current following via per etc eg ie`) {
		out[w] = true
	}
	return out
})
