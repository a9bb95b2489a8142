package hooks

import (
	"maps"
	"slices"
	"strings"

	"manicule/indexer/words"
	"manicule/memory/file"
)

// checkKind is a kind of check that a person can ask for, by the names that memories have for it.
type checkKind string

// The kinds of checks. anyCheck is one of which only is said that it is a test.
const (
	endToEnd    checkKind = "end-to-end e2e"
	integration checkKind = "integration tests"
	unitTests   checkKind = "unit tests"
	linting     checkKind = "lint linter"
	anyCheck    checkKind = "tests"
)

// checkKindOf tells the kind of a check by how a text names it, "" for none. The more special kinds come first: integration tests are
// tests, too.
func checkKindOf(spaced string) checkKind {
	for _, k := range []struct {
		kind  checkKind
		names []string
	}{
		{endToEnd, []string{"end to end", "e2e", "playwright", "cypress", "browser tests", "browser test", "ui tests", "ui test", "smoke tests", "smoke test"}},
		{integration, []string{"integration test", "integration tests", "integration suite"}},
		{unitTests, []string{"unit test", "unit tests"}},
		{linting, []string{"lint", "linter", "linters"}},
		{anyCheck, []string{"test", "tests", "test suite"}},
	} {
		if slices.ContainsFunc(k.names, func(n string) bool { return strings.Contains(spaced, " "+n+" ") }) {
			return k.kind
		}
	}
	return ""
}

// spaced returns the words of a text in lower case between single spaces, with one before and after them.
func spaced(text string) string {
	return " " + strings.ToLower(strings.Join(words.Fields(text), " ")) + " "
}

// checkRequest is a prompt that is to run a check, and nothing else: the start of a session that tests what is there.
type checkRequest struct {
	kind    checkKind
	subject map[string]bool // what else it is about; empty for the whole
}

// Words of a request to run a check.
const (
	maxCheckRequest = 40 // words; a longer one asks for more
	beforeRun       = 5  // words before the one that asks for it: "could you please"
)

// asksForCheck reads a request to run a check: its first words ask to run, and name the kind.
func asksForCheck(text string) (c checkRequest, ok bool) {
	list := strings.Fields(spaced(text))
	if len(list) > maxCheckRequest {
		return c, false
	}
	at := slices.IndexFunc(list, func(w string) bool {
		return slices.Contains([]string{"run", "rerun", "execute", "start", "launch", "verify", "check", "test", "qa"}, w)
	})
	if at < 0 || at >= beforeRun {
		return c, false
	}
	for _, w := range list[:at] {
		if !slices.Contains([]string{"please", "can", "could", "would", "you", "now", "let", "lets", "us", "s", "ok", "okay", "so", "just", "and", "then", "re", "i", "want", "to", "go", "ahead", "first"}, w) {
			return c, false // it asks for something else first
		}
	}
	if c.kind = checkKindOf(spaced(strings.Join(list[at+1:], " "))); c.kind == "" {
		return c, false
	}
	if looks := list[at] == "check" || list[at] == "verify"; looks && !slices.ContainsFunc(list, func(w string) bool {
		return slices.Contains([]string{"pass", "passes", "fail", "fails", "failing", "green", "work", "works", "run"}, w)
	}) {
		return c, false // it looks at the text of the tests
	}
	c.subject = map[string]bool{}
	for _, w := range keywords(text) {
		if !fillsCheck(w) {
			c.subject[w] = true
		}
	}
	return c, true
}

// fillsCheck reports whether a stem says how to check or what to tell of it, not what is checked.
func fillsCheck(stem string) bool {
	for w := range strings.FieldsSeq("end e2e integration unit lint linter suite smoke browser ui playwright cypress run rerun execute launch verify check qa report result results output pass passes fail fails failed everything whole entire local locally full whether happens came outcome") {
		if words.Stem(w) == stem {
			return true
		}
	}
	return false
}

// question is what is searched for: the names of the kind and the subject. The other words of the request are in no memory, and each
// would ask for one more that is.
func (c checkRequest) question() string {
	return string(c.kind) + " " + strings.Join(slices.Sorted(maps.Keys(c.subject)), " ")
}

// about reports whether a memory says how such a check goes: its words name the kind, and it is of a type that says how checks go or
// what is dangerous not to know. Where the request names a subject, a memory of a place must share a word of it.
func (c checkRequest) about(m *file.Memory) bool {
	if !ofChecks(m) && (c.kind == anyCheck || !isCritical(m.Type)) || m.Trust.Origin == file.Import && m.Trust.VerifiedBy == "" {
		return false
	}
	kind := checkKindOf(spaced(m.What + " " + strings.Join(m.Tags, " ")))
	if kind == "" && m.Type == file.E2EObservation {
		kind = endToEnd
	}
	if c.kind != kind && (c.kind != anyCheck || kind == "" || kind == linting) {
		return false
	}
	if len(c.subject) == 0 || len(m.Scope)+len(m.Anchors) == 0 {
		return true
	}
	text := m.What
	for _, p := range slices.Concat(m.Scope, anchorPaths(m)) {
		text += " " + placeName(p)
	}
	return both(keywords(text), c.subject) > 0
}

func anchorPaths(m *file.Memory) []string {
	var out []string
	for _, a := range m.Anchors {
		out = append(out, a.Path)
	}
	return out
}
