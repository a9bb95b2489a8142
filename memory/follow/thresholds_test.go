package follow

import (
	"strings"
	"testing"

	"manicule/indexer/anchor"
	"manicule/indexer/anchoring"
	"manicule/indexer/gittree"
	"manicule/memory/store"
)

var record = anchor.Anchor{Kind: anchor.KindSymbol, Path: "./a.go", Symbol: "X"}

func at(state anchor.State, path string, confidence float64) anchoring.Resolution {
	return anchoring.Resolution{State: state, Path: path, Symbol: "X", Confidence: confidence}
}

// TestCertain: code that is where it was, or very like it, needs no history.
func TestCertain(t *testing.T) {
	for _, tc := range []struct {
		r    anchoring.Resolution
		want bool
	}{
		{at(anchor.Fresh, "a.go", .1), true},
		{at(anchor.Followed, "b.go", .9), true}, {at(anchor.Followed, "b.go", .89), false},
		{at(anchor.Drifted, "a.go", .9), true}, {at(anchor.Drifted, "a.go", .89), false},
		{at(anchor.Stale, "a.go", 1), false}, {at(anchor.Orphaned, "a.go", 1), false},
	} {
		if got := certain(tc.r); got != tc.want {
			t.Errorf("%s with %v: %t", tc.r.State, tc.r.Confidence, got)
		}
	}
}

// TestUnsure: without history, code in another file is followed from a confidence of .6 on, and
// suggested below.
func TestUnsure(t *testing.T) {
	for _, tc := range []struct {
		r         anchoring.Resolution
		suggested bool
	}{
		{at(anchor.Followed, "b.go", .59), true},
		{at(anchor.Followed, "b.go", .6), false},
		{at(anchor.Followed, "a.go", .1), false},
		{at(anchor.Drifted, "b.go", .1), false},
		{at(anchor.Drifted, "a.go", .1), false},
	} {
		got := unsure(record, tc.r)
		if (got.Suggestion != nil) != tc.suggested || lost(got) != tc.suggested {
			t.Errorf("%s in %s with %v: %+v", tc.r.State, tc.r.Path, tc.r.Confidence, got)
		}
		if tc.suggested && (got.Path != record.Path || got.Suggestion.Path != "b.go" || got.Suggestion.Confidence != .59) {
			t.Errorf("suggested: %+v", got)
		}
	}
}

// TestFromWalk: what a walk found is told as a move, if the path or the name is another one, and as
// drifted if not; it is never surer than its least sure step.
func TestFromWalk(t *testing.T) {
	renamed := at(anchor.Fresh, "a.go", 1)
	renamed.Symbol = "Y"
	drifted := at(anchor.Drifted, "a.go", .8)
	drifted.Reason = "two lines changed"
	for name, tc := range map[string]struct {
		r      anchoring.Resolution
		sure   float64
		state  anchor.State
		reason string
		want   float64
	}{
		"elsewhere":     {at(anchor.Fresh, "b.go", 1), .7, anchor.Followed, "became", .7},
		"another name":  {renamed, .7, anchor.Followed, "became", .7},
		"in place":      {at(anchor.Fresh, "a.go", 1), .7, anchor.Drifted, "changed over several commits", .7},
		"in place, but": {drifted, 1, anchor.Drifted, "two lines changed", .8},
		"lost":          {at(anchor.Stale, "b.go", .3), 1, anchor.Stale, "", .3},
	} {
		got := fromWalk(record, tc.r, tc.sure)
		if got.State != tc.state || !strings.Contains(got.Reason, tc.reason) || got.Confidence != tc.want || got.Rung != rungHistory {
			t.Errorf("%s: %+v", name, got)
		}
	}
	file := record
	file.Symbol = ""
	if got := fromWalk(file, at(anchor.Fresh, "a.go", 1), 1); got.State != anchor.Drifted {
		t.Errorf("a record without a name: %+v", got)
	}
}

// TestCombine: code that a commit took away is followed to what came later only from a confidence of
// .85 on, and suggested below; code that was never lost is told by the two ends.
func TestCombine(t *testing.T) {
	s := newSolver(func(string) {}, nil, "c2", tree{}) // the walk's last record leads nowhere
	gone := walkState{anchor: record, at: "c1", sure: 1, last: at(anchor.Orphaned, "a.go", 0)}
	known := walkState{anchor: record, at: "c1", sure: 1, last: at(anchor.Drifted, "a.go", .8)}
	for name, tc := range map[string]struct {
		r         anchoring.Resolution
		is        walkState
		suggested string
	}{
		"back, and like it":     {at(anchor.Followed, "b.go", .85), gone, ""},
		"back, and less like":   {at(anchor.Followed, "b.go", .84), gone, "was taken away"},
		"still there, less":     {at(anchor.Drifted, "a.go", .84), gone, ""},
		"never lost, less like": {at(anchor.Followed, "b.go", .84), known, ""},
		"never lost, unlike":    {at(anchor.Followed, "b.go", .59), known, "not like enough"},
	} {
		got := s.combine(record, tc.r, tc.is)
		if (got.Suggestion != nil) != (tc.suggested != "") || !strings.Contains(got.Reason, tc.suggested) || tc.suggested == "" && got != tc.r {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if got := s.combine(record, at(anchor.Orphaned, "a.go", 0), gone); !lost(got) || got.Suggestion != nil {
		t.Errorf("lost both ways: %+v", got)
	}
}

// TestMemos: a walk is read from the cache as it was written, and nothing else is taken for one.
func TestMemos(t *testing.T) {
	is := walkState{anchor: anchor.Anchor{Kind: anchor.KindLines, Path: "b.go", Symbol: "Y", Ordinal: 2, Focus: "a word", Lines: &anchor.LineRange{Start: 3, End: 5}}, at: "c1", sure: .7}
	f := is.memo("k", "c2")
	m, ok := memoOf(f)
	p := m.place
	if !ok || m.to != "c2" || m.at != "c1" || m.focus != "a word" || p.State != anchor.Fresh || p.Path != "b.go" || p.Symbol != "Y" || p.Ordinal != 2 || p.Line != 3 || p.EndLine != 5 || p.Confidence != .7 {
		t.Errorf("%t %+v", ok, m)
	}
	is.last.State = anchor.Orphaned
	if m, ok := memoOf(is.memo("k", "c2")); !ok || m.place.State != anchor.Orphaned {
		t.Errorf("lost: %t %+v", ok, m)
	}
	for _, seen := range []string{"", "a.go=1", memoPrefix, memoPrefix + "c2", memoPrefix + "c2 c1", "x " + memoPrefix + "c2 c1 "} {
		if m, ok := memoOf(store.CachedResolution{Seen: seen}); ok {
			t.Errorf("%q: %+v", seen, m)
		}
	}
}

// tree is a state of the tree: the contents' ids by path.
// TestRecordOfARenamedWord: a step of the walk that renamed the cited word records its new name, so that
// the next step looks for that one.
func TestRecordOfARenamedWord(t *testing.T) {
	cited := anchor.Anchor{Kind: anchor.KindLines, Path: "a.go", Focus: "retries"}
	for found, want := range map[string]string{"attempts": "attempts", "": "retries"} {
		r := anchoring.Resolution{Path: "a.go", Line: 3, EndLine: 3, Focus: found}
		if is, _ := recordIn(cited, r, gittree.Tree{}); is.Focus != want {
			t.Errorf("found as %q: the next record looks for %q, want %q", found, is.Focus, want)
		}
	}
}

type tree struct {
	id    string
	blobs map[string]string
}

func (s tree) Blob(path string) string     { return s.blobs[path] }
func (s tree) Exists(path string) bool     { return s.blobs[path] != "" }
func (s tree) Is(path, id string) bool     { return s.blobs[path] == id }
func (s tree) Read(string) ([]byte, error) { return nil, gittree.ErrAbsent }
func (s tree) Paths() []string             { return nil }
func (s tree) Diff(gittree.Tree) []string  { return nil }
func (s tree) ID() string                  { return s.id }
func (s tree) with(path, blob string) (t tree) {
	return tree{s.id + "+", map[string]string{"a.go": s.blobs["a.go"], "b.go": s.blobs["b.go"], path: blob}}
}

// TestDependsOn: a resolution that is kept is used again until a file changes on which it depends:
// for code in place its own, for code that moved both, and for code that is missing or that was
// chosen among others any.
func TestDependsOn(t *testing.T) {
	alike := at(anchor.Drifted, "a.go", .7)
	alike.Rung = anchor.RungAlike
	alikeMoved := at(anchor.Followed, "b.go", .7)
	alikeMoved.Rung = anchor.RungAlike
	glob := record
	glob.Kind = anchor.KindGlob
	now := tree{"t", map[string]string{"a.go": "1", "b.go": "2"}}
	for name, tc := range map[string]struct {
		a       anchor.Anchor
		r       anchoring.Resolution
		depends string // on the changes of these
	}{
		"in place":                 {record, at(anchor.Fresh, "a.go", 1), "a.go"},
		"drifted":                  {record, at(anchor.Drifted, "a.go", .9), "a.go"},
		"followed":                 {record, at(anchor.Followed, "b.go", 1), "a.go b.go"},
		"lost":                     {record, at(anchor.Orphaned, "a.go", 0), "a.go b.go c.go"},
		"the most alike":           {record, alike, "a.go b.go c.go"},
		"the most alike, followed": {record, alikeMoved, "a.go b.go"},
		"many files":               {glob, at(anchor.Fresh, "a.go", 1), "a.go b.go c.go"},
	} {
		seen := dependsOn(tc.a, tc.r, now)
		if !holds(seen, now) {
			t.Errorf("%s: %q does not hold where nothing changed", name, seen)
		}
		var depends []string
		for _, p := range []string{"a.go", "b.go", "c.go"} {
			if !holds(seen, now.with(p, "9")) {
				depends = append(depends, p)
			}
		}
		if got := strings.Join(depends, " "); got != tc.depends {
			t.Errorf("%s: depends on %s, want %s", name, got, tc.depends)
		}
	}
	if holds("", now) || holds("tree=", tree{}) || dependsOn(glob, at(anchor.Fresh, "a.go", 1), tree{}) != "" {
		t.Error("what depends on a tree without an id is kept")
	}
}
