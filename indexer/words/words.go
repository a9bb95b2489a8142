// Package words owns how texts and identifiers are cut into words, for the
// keyword indexes and for what is compared with them. It must not know what the
// words are searched in.
package words

import (
	"strings"
	"unicode"

	"github.com/kljensen/snowball/english"
)

// Fields are the runs of letters and digits of a text.
func Fields(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// Split splits camelCase and PascalCase into words: "parseHTTPRequest2" gives
// parse, HTTP, Request2.
func Split(w string) []string {
	var out []string
	rs := []rune(w)
	start := 0
	for i := 1; i < len(rs); i++ {
		lowerUpper := unicode.IsLower(rs[i-1]) && unicode.IsUpper(rs[i])
		acronymEnd := i+1 < len(rs) && unicode.IsUpper(rs[i-1]) && unicode.IsUpper(rs[i]) && unicode.IsLower(rs[i+1])
		if lowerUpper || acronymEnd {
			out = append(out, string(rs[start:i]))
			start = i
		}
	}
	return append(out, string(rs[start:]))
}

// Parts is what an index holds beside a text: the words of each identifier in
// it that has several, with a space after each.
func Parts(texts ...string) string {
	var b strings.Builder
	for _, t := range texts {
		for _, w := range Fields(t) {
			if parts := Split(w); len(parts) > 1 {
				b.WriteString(strings.Join(parts, " "))
				b.WriteByte(' ')
			}
		}
	}
	return b.String()
}

// Common reports whether a word says nothing of what a text is about ("the",
// "which"), in English.
func Common(w string) bool { return english.IsStopWord(strings.ToLower(w)) }

// Stem is the stem of an English word, in lower case.
func Stem(w string) string { return english.Stem(strings.ToLower(w), false) }

// Terms are the stems of the words of a text, identifiers split, each once, in
// their order, common ones left out.
func Terms(text string) []string {
	var out []string
	seen := map[string]bool{}
	for _, w := range Fields(text) {
		for _, p := range Split(w) {
			if Common(p) {
				continue
			}
			if s := Stem(p); len(s) > 1 && !seen[s] {
				seen[s] = true
				out = append(out, s)
			}
		}
	}
	return out
}

// Match turns what a person typed into an FTS5 expression: each word a quoted
// string, once, joined by op ("AND" or "OR"); an identifier matches as itself or
// by its words. Common words are left out where there are others, and what comes
// after the first limit words: a pasted page is no question. It returns "" when
// there is no word in the text.
func Match(text, op string, limit int) string {
	var all, telling []string
	seen := map[string]bool{}
	for _, w := range Fields(text) {
		low := strings.ToLower(w)
		if seen[low] {
			continue
		}
		seen[low] = true
		term := `"` + w + `"`
		if parts := Split(w); len(parts) > 1 {
			term = `("` + w + `" OR "` + strings.Join(parts, " ") + `")`
		}
		all = append(all, term)
		if !Common(w) {
			telling = append(telling, term)
		}
	}
	if len(telling) == 0 {
		telling = all
	}
	return strings.Join(telling[:min(limit, len(telling))], " "+op+" ")
}
