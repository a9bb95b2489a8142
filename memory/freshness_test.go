package memory

import (
	"math"
	"slices"
	"testing"

	"manicule/indexer/anchor"
	"manicule/memory/file"
	"manicule/memory/store"
)

func TestStanding(t *testing.T) {
	place := func(s anchor.State, reason string) store.Place { return store.Place{State: s, Reason: reason} }
	var none store.Place
	for name, c := range map[string]struct {
		anchors    int
		places     []store.Place
		state      anchor.State
		confidence float64 // of 0.8
		warning    string
	}{
		"no anchors":         {0, nil, "", 0.8, ""},
		"nothing known":      {2, nil, anchor.Fresh, 0.8, ""},
		"all fresh":          {2, []store.Place{place(anchor.Fresh, ""), none}, anchor.Fresh, 0.8, ""},
		"followed":           {1, []store.Place{place(anchor.Followed, "x is now y")}, anchor.Followed, 0.8, ""},
		"drifted":            {1, []store.Place{place(anchor.Drifted, "changed")}, anchor.Drifted, 0.72, ""},
		"stale":              {1, []store.Place{place(anchor.Stale, "little is left")}, anchor.Stale, 0.48, "may be stale: little is left"},
		"orphaned":           {1, []store.Place{place(anchor.Orphaned, "gone")}, anchor.Orphaned, 0.4, "may be stale, its code is gone: gone"},
		"one of two":         {2, []store.Place{none, place(anchor.Orphaned, "gone")}, anchor.Orphaned, 0.6, "may be stale, its code is gone: gone"},
		"one reason for all": {2, []store.Place{place(anchor.Orphaned, "gone"), place(anchor.Orphaned, "gone")}, anchor.Orphaned, 0.4, "may be stale, its code is gone: gone"},
		"two reasons":        {2, []store.Place{place(anchor.Drifted, "changed"), place(anchor.Orphaned, "gone")}, anchor.Orphaned, 0.56, "may be stale, its code is gone: gone"},
		"the worst is told":  {3, []store.Place{place(anchor.Stale, "a"), none, place(anchor.Drifted, "b")}, anchor.Stale, 0.8 * (1 - 0.5/3), "may be stale: a"},
		"followed and stale": {2, []store.Place{place(anchor.Followed, "a"), place(anchor.Stale, "b")}, anchor.Stale, 0.64, "may be stale: b"},
	} {
		t.Run(name, func(t *testing.T) {
			h := Hit{Memory: &file.Memory{Confidence: 0.8, Anchors: make([]anchor.Anchor, c.anchors)}, Places: c.places}
			s := h.Freshness()
			if s.State != c.state || s.Warning() != c.warning || s.Doubtful() != (c.warning != "") {
				t.Errorf("%+v, warning %q", s, s.Warning())
			}
			if got := h.Confidence(); math.Abs(got-c.confidence) > 1e-9 {
				t.Errorf("confidence %v, want %v", got, c.confidence)
			}
		})
	}
}

// TestWhere: a declaration, a key and a section are named by their path, a place of several lines with its
// range, as it was and where the code was followed to.
func TestWhere(t *testing.T) {
	lines := func(from, to int) *anchor.LineRange { return &anchor.LineRange{Start: from, End: to} }
	m := &file.Memory{Scope: []string{"ci/**"}, Anchors: []anchor.Anchor{
		{Path: "a.go", Kind: anchor.KindLines, Lines: lines(1086, 1100)},
		{Path: "a.go", Kind: anchor.KindLines, Lines: lines(7, 7)},
		{Path: "a.go", Kind: anchor.KindSymbol, Symbol: "Open", Lines: lines(3, 9)},
		{Path: "a.go", Kind: anchor.KindFile},
		{Path: "a.go", Kind: anchor.KindLines, Lines: lines(20, 30)},
		{Path: "main.tf", Kind: anchor.KindKey, Symbol: "aws_vpc.this", Lines: lines(1, 4)},
		{Path: "README.md", Kind: anchor.KindHeading, Symbol: "Use", Lines: lines(5, 6)},
	}}
	moved := make([]store.Place, 7)
	moved[4] = store.Place{State: anchor.Fresh, Path: "b.go", Line: 40, EndLine: 51}
	want := []string{"a.go:1086-1100", "a.go:7", "a.go#Open", "a.go", "b.go:40-51", "main.tf#aws_vpc.this", "README.md#Use", "ci/**"}
	if got := (Hit{Memory: m, Places: moved}).Where(); !slices.Equal(got, want) {
		t.Errorf("where %q, want %q", got, want)
	}
}
