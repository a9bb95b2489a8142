// Package store owns the two databases of the memories: memories.db, derived
// from the memory files, and state.db, this machine's own truth. Only this
// package of the memory side holds SQL. It must not know editors or agents,
// nor what makes a memory worth keeping.
package store

import (
	"embed"
	"encoding/json"
	"io/fs"
	"strings"
	"time"
	"unicode"
)

//go:embed memories/*.sql
var memoriesSQL embed.FS

//go:embed state/*.sql
var stateSQL embed.FS

// busyTimeout is how long a command waits for another's short transaction.
const busyTimeout = 10 * time.Second

func migrations(f embed.FS, dir string) fs.FS {
	sub, err := fs.Sub(f, dir)
	if err != nil {
		panic(err) // the folder is embedded above
	}
	return sub
}

// likeEscape quotes a text for LIKE ... ESCAPE '\'.
func likeEscape(s string) string {
	return strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(s)
}

// FTSQuery turns what a person typed into an FTS5 expression: each word a
// quoted string, joined by op ("AND" or "OR"); an identifier matches as itself
// or by its words. It returns "" when there is no word in the text.
func FTSQuery(text, op string) string {
	var terms []string
	for _, w := range strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		term := `"` + w + `"`
		if parts := SplitWords(w); len(parts) > 1 {
			term = `("` + w + `" OR "` + strings.Join(parts, " ") + `")`
		}
		terms = append(terms, term)
		if len(terms) == 32 {
			break // a pasted page is not a query
		}
	}
	return strings.Join(terms, " "+op+" ")
}

// SplitWords splits camelCase and PascalCase into words: "parseHTTPRequest2"
// gives parse, HTTP, Request2.
func SplitWords(w string) []string {
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

// splitAll is the words column: the parts of every identifier in the texts.
func splitAll(texts ...string) string {
	var b strings.Builder
	for _, t := range texts {
		for _, w := range strings.FieldsFunc(t, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
			if parts := SplitWords(w); len(parts) > 1 {
				b.WriteString(strings.Join(parts, " "))
				b.WriteByte(' ')
			}
		}
	}
	return b.String()
}

// jsonList is a list of strings as JSON, for json_each.
func jsonList(list []string) string {
	b, err := json.Marshal(list)
	if err != nil {
		panic(err) // strings always marshal
	}
	return string(b)
}
