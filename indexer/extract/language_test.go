package extract

import (
	"testing"

	"manicule/grammars"
)

// TestPatterns holds the count of patterns, by which matches are told apart,
// to what the grammar's own parser of queries finds.
func TestPatterns(t *testing.T) {
	for _, data := range grammars.All() {
		l, err := languageFor(data.ID)
		if err != nil {
			t.Fatal(err)
		}
		if l.grammar == nil { // a language with a parser of its own
			continue
		}
		whole, err := l.whole()
		if err != nil {
			t.Fatalf("%s: %v", data.ID, err)
		}
		if want := l.definitions + l.imports + countPatterns(data.Queries().References); whole.compiled.Patterns != want {
			t.Errorf("%s: %d patterns, counted %d", data.ID, whole.compiled.Patterns, want)
		}
		outline, err := l.outline()
		if err != nil {
			t.Fatalf("%s: %v", data.ID, err)
		}
		if want := l.definitions + l.imports; outline.compiled.Patterns != want {
			t.Errorf("%s: %d patterns in the outline, counted %d", data.ID, outline.compiled.Patterns, want)
		}
	}
}
