package anchoring_test

import (
	"strings"
	"testing"

	"manicule/indexer/anchor"
)

// TestExtractedVariable keeps a line at its statement when a part of it became a variable.
func TestExtractedVariable(t *testing.T) {
	const was = "package a\n\nfunc load(q Query) error {\n\tcheck(q)\n\tresolver, err := parse(strings.NewReader(`{\"flag\": 5000}`))\n\tuse(resolver)\n\treturn err\n}\n"
	const now = "package a\n\nfunc load(q Query) error {\n\tcheck(q)\n\tsource := strings.NewReader(`{\"flag\": 5000}`)\n\tresolver, err := parse(source)\n\tuse(resolver)\n\treturn err\n}\n"
	for _, c := range []struct {
		name, focus, after string
		want               int
	}{
		{"with the variable cited", "resolver", now, 6},
		{"with the line cited", "", now, 6},
		{"with the type given", "resolver", strings.Replace(now, "source := ", "var source *strings.Reader = ", 1), 6},
		{"when the variable was renamed and nothing was extracted", "resolver", strings.ReplaceAll(was, "resolver", "source"), 5},
	} {
		a := linesOf(was, "resolver, err", "resolver, err")
		a.Focus = c.focus
		got := world(tree{"a.go": was}, tree{"a.go": c.after}).Resolve(a)
		if got.Line != c.want || got.State == anchor.Stale || got.State == anchor.Orphaned {
			t.Errorf("%s: %s at line %d, not %d (%s)", c.name, got.State, got.Line, c.want, got.Reason)
		}
	}
}
