package retrieve

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"manicule/indexer/words"
)

// Kind is the kind of a question. It decides the weights of the retrievers.
type Kind string

// The kinds of question.
const (
	Identifier Kind = "identifier" // by a name in the code
	Semantic   Kind = "semantic"   // by meaning
	Structural Kind = "structural" // by dependencies
)

// structural matches questions about dependencies. It is applied to the question as typed, in lower
// case.
func structural() *regexp.Regexp {
	return regexp.MustCompile(`\b(what|who|which|where)\b.*\b(calls?|uses?|imports?|depends? on|breaks?|affect(s|ed)?)\b|\b(callers?|callees?|dependents?|dependenc(y|ies)|impact|used by|called by|blast radius)\b`)
}

// identifiers is the maximum number of plain words around a name. A longer text that mentions a
// name is no question for it.
const identifiers = 4

// Detect returns a question's kind: structural by its verbs, identifier if it is little more than a
// path or a name in camelCase or snake_case, else semantic.
func Detect(text string) Kind {
	if structural().MatchString(strings.ToLower(text)) {
		return Structural
	}
	if names, plain := countNames(text); names > 0 && plain <= identifiers*names {
		return Identifier
	}
	return Semantic
}

// countNames counts the names of a text, and its other words without the common ones.
func countNames(text string) (names, plain int) {
	for _, f := range strings.Fields(text) {
		f = strings.Trim(f, ".,;:!?()[]{}<>\"'`")
		switch {
		case f == "":
		case isName(f):
			names++
		case !words.IsStopWord(f):
			plain++
		}
	}
	return names, plain
}

// DetectInCode is [Detect] for a search of code. known reports whether the code has one of some names. A sentence with a
// name in it asks for code by what it does ("swap usage on FreeBSD", "accept yes/no as bool"), and so does a question
// about dependencies that names nothing which is there.
func DetectInCode(text string, known func(names []string) bool) Kind {
	kind := Detect(text)
	switch kind {
	case Structural:
		if !known(Names(text)) {
			return Semantic
		}
	case Identifier:
		if names, plain := countNames(text); plain >= sentence*names {
			return Semantic
		}
	}
	return kind
}

// sentence is how many other words a sentence has beside each name.
const sentence = 2

// isName reports whether a word is a path or looks like a name in code.
func isName(w string) bool {
	if strings.Contains(w, "://") {
		return false
	}
	if strings.ContainsAny(w, "/\\") || strings.Contains(w, "::") {
		return strings.IndexFunc(w, unicode.IsLetter) >= 0
	}
	if i := strings.Index(w, "_"); i > 0 && i < len(w)-1 {
		return true
	}
	if i := strings.LastIndexByte(w, '.'); i > 0 && i < len(w)-1 && strings.IndexFunc(w[:i], unicode.IsLetter) >= 0 && strings.IndexFunc(w[i+1:], unicode.IsLetter) >= 0 {
		return true // token.go, json.Marshal
	}
	return len(words.SplitIdentifier(strings.TrimSuffix(w, "()"))) > 1
}

// Names returns the distinct words of a text that may be paths or names in the code (see [Detect]),
// without quotes and brackets.
func Names(text string) []string {
	var out []string
	seen := map[string]bool{}
	for _, f := range strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("\"'`,;(){}[]<>=", r) }) {
		f = strings.Trim(f, ".:!?")
		if !seen[f] && isName(f) {
			seen[f] = true
			out = append(out, f)
		}
	}
	return out
}

// coverage returns the share and the number of a question's terms in a text.
func coverage(stems *words.Stemmer, terms []string, text string) overlap {
	if len(terms) == 0 {
		return overlap{}
	}
	all := stems.Terms(text)
	have := make(map[string]bool, len(all))
	for _, t := range all {
		have[t] = true
	}
	if slices.ContainsFunc(terms, func(t string) bool { return !have[t] }) { // "github" asks for GitHub
		for t := range words.Joined(text) {
			have[t] = true
		}
	}
	n := 0
	for _, t := range terms {
		if have[t] {
			n++
		}
	}
	return overlap{share: float64(n) / float64(len(terms)), n: n, have: len(all)}
}
