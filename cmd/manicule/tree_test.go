package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"manicule/indexer/graph"
)

// TestForest holds that a tree is drawn on a terminal only, and that its levels are two
// spaces elsewhere.
func TestForest(t *testing.T) {
	root := &branch{Text: "a.go:1 F", Title: true}
	callers := root.group("callers (2)")
	callers.add("b.go:2 G", "may").add("c.go:3 H", "")
	callers.add("d.go:4 I", "")
	root.group("callees (1)").add("e.go K", "line 5")
	for _, c := range []struct {
		tty  bool
		env  map[string]string
		want string
	}{
		{true, map[string]string{"NO_COLOR": "1"}, `a.go:1 F
├── callers (2)
│   ├── b.go:2 G  may
│   │   └── c.go:3 H
│   └── d.go:4 I
└── callees (1)
    └── e.go K  line 5
`},
		{false, nil, `a.go:1 F
  callers (2)
    b.go:2 G  may
      c.go:3 H
    d.go:4 I
  callees (1)
    e.go K  line 5
`},
	} {
		var out bytes.Buffer
		con := &console{out: &out, tty: c.tty, env: func(name string) string { return c.env[name] }}
		forest(con, []*branch{root})
		if out.String() != c.want {
			t.Errorf("terminal %t:\n%s\nwant:\n%s", c.tty, out.String(), c.want)
		}
	}
}

// TestDrawingsQuote holds that no name ends a string or begins an element: files have the
// names that anybody gave them.
func TestDrawingsQuote(t *testing.T) {
	d := &drawing{}
	d.about(`a"b\c<script>.go#F`)
	d.line(drawnLine{from: "x.go", to: `a"b\c<script>.go#F`, label: "call"})
	if got, want := d.dot(), `n0 [label="a\"b\\c<script>.go#F", style="rounded,bold"];`; !strings.Contains(got, want) {
		t.Errorf("dot: %s lacks %s", got, want)
	}
	if got, want := d.mermaid(), `n0(["a#quot;b\c#lt;script#gt;.go#35;F"])`; !strings.Contains(got, want) {
		t.Errorf("mermaid: %s lacks %s", got, want)
	}
	var out bytes.Buffer
	con := &console{out: &out}
	printPage(con, "<script>", []*branch{{Text: "<script>alert(1)</script>", Note: "<b>", Below: []*branch{{Text: "<script>", Title: true}}}})
	if strings.Contains(out.String(), "<script") || strings.Contains(out.String(), "<b>") {
		t.Errorf("a name is markup:\n%s", out.String())
	}
}

// TestDoublesAreCounted: the doubles of tests are not listed among what code calls, unless that is a
// test itself.
func TestDoublesAreCounted(t *testing.T) {
	callees := []graph.Relation{
		{File: "a.go", Symbol: "Store.Close", Kind: graph.Must},
		{File: "a_test.go", Symbol: "fake.Close", Kind: graph.May, Confidence: .7},
		{File: "b_test.go", Symbol: "stub.Close", Kind: graph.May, Confidence: .7},
	}
	for file, want := range map[string][]string{"run.go": {"a.go Store.Close", "and 2 doubles in tests"}, "run_test.go": {"a.go Store.Close", "a_test.go fake.Close", "b_test.go stub.Close"}} {
		out := graphJSON{}
		out.File, out.Callees = file, callees
		var got []string
		for _, b := range out.groups()[0].Below {
			got = append(got, b.Text)
		}
		if !slices.Equal(got, want) {
			t.Errorf("callees of %s: %q, want %q", file, got, want)
		}
	}
}

// TestUsersAreListedOnce: who calls a symbol often is one line, and where many call it each file is.
func TestUsersAreListedOnce(t *testing.T) {
	out := graphJSON{}
	for line := range 9 {
		out.Callers = append(out.Callers, graph.Relation{File: "a.go", Symbol: "F", Line: line + 1})
	}
	out.Callers = append(out.Callers, graph.Relation{File: "a.go", Symbol: "G", Line: 20, Kind: graph.May, Confidence: 1})
	lines := func() (got []string) {
		group := out.groups()[0]
		for _, b := range append([]*branch{group}, group.Below...) {
			got = append(got, strings.TrimSuffix(b.Text+"  "+b.Note, "  "))
		}
		return got
	}
	want := []string{"callers (2)", "a.go:1 F  also lines 2, 3, 4, 5, 6, 3 more", "a.go:20 G  may, 99 %"}
	if got := lines(); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	for i := range mostUsers {
		out.Callers = append(out.Callers, graph.Relation{File: "b.go", Symbol: fmt.Sprintf("T%d", i), Line: i + 1})
	}
	want = []string{"callers (42)", "a.go  F, G", "b.go  T0, T1, T2, T3, T4, 35 more"}
	if got := lines(); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestDeletedIsListedOnce: what still uses a deleted symbol often is one line.
func TestDeletedIsListedOnce(t *testing.T) {
	gone := graph.Deletion{Ref: graph.Ref{File: "a.go", Symbol: "F"}}
	for line := range 8 {
		gone.References = append(gone.References, graph.Relation{File: "b.go", Symbol: "G", Line: line + 1})
	}
	gone.References = append(gone.References, graph.Relation{File: "c.go", Line: 3}, graph.Relation{File: "c.go", Symbol: "H", Line: 5, Kind: graph.May, Confidence: 1})
	var got []string
	for _, b := range deletedTree([]graph.Deletion{gone})[0].Below[0].Below {
		got = append(got, b.Text+"  "+b.Note)
	}
	want := []string{"b.go:1 G  still uses it, also lines 2, 3, 4, 5, 6, 2 more", "c.go:3 (file)  still uses it", "c.go:5 H  may still use it, 99 %"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestImpactOfOverloads: a function that is declared three times is one root.
func TestImpactOfOverloads(t *testing.T) {
	im := graph.Impact{
		Targets:  []graph.Ref{{File: "a.ts", Symbol: "f", Line: 1}, {File: "a.ts", Symbol: "f", Line: 2}, {File: "a.ts", Symbol: "unused", Line: 9}},
		Affected: []graph.Affected{{Ref: graph.Ref{File: "b.ts", Symbol: "g", Line: 3}, Edge: "call", Distance: 1, Path: []string{"b.ts#g", "a.ts#f"}}},
	}
	var got []string
	for _, b := range impactTree(im) {
		got = append(got, b.Text)
	}
	if len(got) != 2 || got[1] != "a.ts:9 unused" {
		t.Errorf("%q", got)
	}
}

// TestIsCode: init names a file of code to begin with, where there is one.
func TestIsCode(t *testing.T) {
	for file, want := range map[string]bool{"a/b.ts": true, "run.py": true, "data.json": false, "README.md": false, "LICENSE": false, "a.yaml": false} {
		if got := isCode(file); got != want {
			t.Errorf("%s: %v", file, got)
		}
	}
}

// TestExtent: that nothing uses what changed is not said below what still uses what was deleted.
func TestExtent(t *testing.T) {
	target := []graph.Ref{{File: "a.go", Symbol: "F"}}
	used := []graph.Deletion{{Ref: graph.Ref{File: "a.go", Symbol: "G"}, References: []graph.Relation{{File: "b.go"}}}}
	gone := []graph.Deletion{{Ref: graph.Ref{File: "a.go", Symbol: "G"}}}
	for _, c := range []struct {
		im      graph.Impact
		deleted []graph.Deletion
		want    string
	}{
		{graph.Impact{Targets: target}, nil, "nothing in this workspace uses it"},
		{graph.Impact{Targets: target}, used, "nothing else in this workspace uses what changed"},
		{graph.Impact{}, used, ""},
		{graph.Impact{}, gone, "nothing in this workspace uses what was deleted"},
		{graph.Impact{Targets: target, Affected: make([]graph.Affected, 2), Files: 1, Tests: []string{"t"}}, used, "2 symbols in 1 file, reached by 1 file of tests"},
	} {
		if got := extent(c.im, c.deleted); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
