package refactor

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

var identifier = regexp.MustCompile(`[A-Za-z_$][A-Za-z0-9_$]*`)

// vocabulary is the words in the identifiers of a state.
type vocabulary struct {
	count map[string]int // count of each identifier, with comments and strings
	parts []string       // lower-case words in identifiers, sorted
}

func newVocabulary(s State) *vocabulary {
	v := &vocabulary{count: map[string]int{}}
	for _, text := range s {
		for _, w := range identifier.FindAllString(text, -1) {
			v.count[w]++
		}
	}
	seen := map[string]bool{}
	for w := range v.count {
		for _, p := range split(w) {
			if p = strings.ToLower(p); len(p) >= 4 && !seen[p] && strings.Trim(p, "abcdefghijklmnopqrstuvwxyz") == "" {
				seen[p] = true
				v.parts = append(v.parts, p)
			}
		}
	}
	slices.Sort(v.parts)
	return v
}

// split splits a name into its words, with punctuation as separate words.
func split(name string) []string {
	var all []string
	start := 0
	r := []rune(name)
	for i := 1; i < len(r); i++ {
		mark := !unicode.IsLetter(r[i]) && !unicode.IsDigit(r[i])
		markBefore := !unicode.IsLetter(r[i-1]) && !unicode.IsDigit(r[i-1])
		up := unicode.IsUpper(r[i]) && (!unicode.IsUpper(r[i-1]) || i+1 < len(r) && unicode.IsLower(r[i+1]))
		if up || mark != markBefore {
			all = append(all, string(r[start:i]))
			start = i
		}
	}
	return append(all, string(r[start:]))
}

// matchCase writes a word in the case of another.
func matchCase(word, model string) string {
	switch {
	case len(model) > 1 && strings.ToUpper(model) == model && strings.ToLower(model) != model:
		return strings.ToUpper(word)
	case unicode.IsUpper([]rune(model)[0]):
		return strings.ToUpper(word[:1]) + word[1:]
	default:
		return word
	}
}

// unusedName returns an unused name that differs from another in one of its words, or in all.
func (v *vocabulary) unusedName(r *rand.Rand, name string) string {
	for range 50 {
		parts := split(name)
		var words []int
		for i, p := range parts {
			if unicode.IsLetter([]rune(p)[0]) {
				words = append(words, i)
			}
		}
		if len(words) == 0 || len(v.parts) == 0 {
			return ""
		}
		change := []int{words[r.IntN(len(words))]}
		if r.IntN(2) == 0 {
			change = words
		}
		for _, i := range change {
			parts[i] = matchCase(v.parts[r.IntN(len(v.parts))], parts[i])
		}
		if to := strings.Join(parts, ""); v.count[to] == 0 && to != name {
			return to
		}
	}
	return ""
}

// derivedNames lists the identifiers that contain the words of a name, with their new names when
// the name changes: for FramedConnection also framedConnection.
func (v *vocabulary) derivedNames(name, to string) map[string]string {
	forms := func(s string) []string {
		lower := strings.Split(strings.ToLower(strings.Join(split(s), " ")), " ")
		camel := strings.ToLower(s[:1]) + s[1:]
		snake := strings.Join(lower, "_")
		return []string{s, camel, snake, strings.ToUpper(snake)}
	}
	was, is := forms(name), forms(to)
	all := map[string]string{}
	used := map[string]bool{}
	for w := range v.count {
		for i, f := range was {
			at := strings.Index(w, f)
			if at < 0 || i != 0 && at > 0 && unicode.IsLetter(rune(w[at-1])) && w[at-1] != '_' {
				continue
			}
			if end := at + len(f); end < len(w) && unicode.IsLower(rune(w[end])) {
				continue
			}
			if n := w[:at] + is[i] + w[at+len(f):]; v.count[n] == 0 && !used[n] {
				all[w] = n
				used[n] = true
			}
			break
		}
	}
	return all
}
