package thread

import (
	"slices"
	"strings"
	"unicode"
)

// mayTell reports whether a session is told of a thread as far as its owner goes. What is on this machine was left for
// whoever works here.
func (f From) mayTell(t *Thread) bool {
	return !t.Shared || f.IsFor(t)
}

// IsFor reports whether a thread is for the person or the agent of a session, or for nobody in particular.
func (f From) IsFor(t *Thread) bool {
	return t.Owner == "" || f.Names != nil && slices.ContainsFunc(f.Names(), func(name string) bool { return names(t.Owner, name) })
}

// names reports whether an owner, as somebody wrote it, can be who has a name: "ahmed" and "@Ahmed" are Ahmed Masri, and so is
// "Ahmed M." to whom git knows as ahmed. Of an address the part before the @ counts, and all of it
// where the owner is an address, too.
func names(owner, name string) bool {
	if before, _, ok := strings.Cut(name, "@"); ok && before != "" && !strings.Contains(strings.TrimPrefix(owner, "@"), "@") {
		name = before
	}
	a, b := wordsOf(owner), wordsOf(name)
	within := func(a, b []string) bool {
		return len(a) > 0 && !slices.ContainsFunc(a, func(w string) bool { return !slices.Contains(b, w) })
	}
	return within(a, b) || within(b, a)
}

func wordsOf(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r) })
}
