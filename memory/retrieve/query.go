package retrieve

import (
	"regexp"
	"strings"
	"unicode"

	"manicule/indexer/words"
)

// Kind is what a question asks by. It decides what the ways to look weigh
// (V5-RET-06).
type Kind string

// The kinds of question.
const (
	Identifier Kind = "identifier" // by the name of something in the code
	Semantic   Kind = "semantic"   // by what it means
	Structural Kind = "structural" // by what depends on what
)

// structural are the ways to ask what hangs together. They are read on the
// question as it was typed, in lower case.
func structural() *regexp.Regexp {
	return regexp.MustCompile(`\b(what|who|which|where)\b.*\b(calls?|uses?|imports?|depends? on|breaks?|affect(s|ed)?)\b|\b(callers?|callees?|dependents?|dependenc(y|ies)|impact|used by|called by|blast radius)\b`)
}

// identifiers bounds how many plain words may stand around a name: a page that
// mentions one is no question for it.
const identifiers = 4

// Detect tells a question's kind: structural by its verbs, identifier where it
// is little more than a path or a name in camelCase or snake_case, else semantic.
func Detect(text string) Kind {
	if structural().MatchString(strings.ToLower(text)) {
		return Structural
	}
	names, plain := 0, 0
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
	if names > 0 && plain <= identifiers*names {
		return Identifier
	}
	return Semantic
}

// isName reports whether a word is a path, or a name as code has them.
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

// Names are the parts of a text that may be names in the code: paths and names
// as [Detect] knows them, without quotes and brackets, each once.
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

// coverage is which share of a question's terms a text has, and how many.
func coverage(terms []string, text string) (share float64, n int) {
	if len(terms) == 0 {
		return 0, 0
	}
	have := map[string]bool{}
	for _, t := range words.Terms(text) {
		have[t] = true
	}
	for _, t := range terms {
		if have[t] {
			n++
		}
	}
	return float64(n) / float64(len(terms)), n
}
