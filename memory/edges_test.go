package memory

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"manicule/memory/file"
)

// TestEdges holds what memories are to code and to each other.
func TestEdges(t *testing.T) {
	w := fixture(t)
	write(t, filepath.Join(w.Root(), "src/db/db.go"), "package db\n\nfunc Open() {}\n")
	why := remember(t, w, Draft{What: "tokens are opaque", Type: file.Decision, At: []string{"src/auth/token.go#Validate"}})
	how := remember(t, w, Draft{What: "check first", Type: file.Pattern, At: []string{"src/auth/token.go"},
		Relations: []file.Relation{{Type: "required_with", Memory: why.UUID, Confidence: .5, Auto: true}, {Type: "validates", File: "src/db/db.go", Confidence: .75}}})
	far := remember(t, w, Draft{What: "far away", Type: file.Gotcha, Scope: []string{"docs/**"},
		Relations: []file.Relation{{Type: "conflicts_with", Memory: how.UUID, Confidence: 1}}})
	old := remember(t, w, Draft{What: "old", Type: file.Gotcha, At: []string{"src/auth/token.go#Validate"}})
	remember(t, w, Draft{What: "new", Type: file.Gotcha, Scope: []string{"docs/**"}, Relations: []file.Relation{{Type: "supersedes", Memory: old.UUID, Confidence: 1}}})
	if _, err := w.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	names := map[string]string{why.UUID: "why", how.UUID: "how", far.UUID: "far", old.UUID: "old", "": ""}
	edges := func(rel string) (out []string) {
		for _, e := range w.View().Edges(rel) {
			out = append(out, fmt.Sprintf("%s %s %s#%s>%s %.2f %v", names[e.Memory], e.Relation, e.File, e.Symbol, names[e.To], e.Confidence, e.Auto))
		}
		return out
	}
	sure := fmt.Sprintf("%.2f", why.Confidence)
	token := []string{"far conflicts_with #>how 1.00 false", "how required_with #>why 0.50 true",
		"how applies_pattern src/auth/token.go#> " + sure + " false", "why documents src/auth/token.go#Validate> " + sure + " false"}
	if got := edges("src/auth/token.go"); !slices.Equal(got, token) {
		t.Errorf("at the file %q", got)
	}
	if got := edges("src/auth/"); !slices.Equal(got, token) {
		t.Errorf("at the folder %q", got)
	}
	if got := edges("src/db"); !slices.Contains(got, "how validates src/db/db.go#> 0.75 false") || len(got) != 3 {
		t.Errorf("where a relation leads %q", got)
	}
	if got := edges("src/a"); len(got) > 0 {
		t.Errorf("at a folder that only begins alike: %q", got)
	}
}
