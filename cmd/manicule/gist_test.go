package main

import (
	"strings"
	"testing"

	"manicule/indexer/graph"
)

// TestGist holds that a reason is shortened to a line that says something.
func TestGist(t *testing.T) {
	for _, c := range []struct{ why, want string }{
		{"", ""},
		{"It is slow.", "It is slow."},
		{"It is slow.\nBy far.", "It is slow. …"},
		{"- It is slow.\n- It is old.", "It is slow. …"},
		{"| File | Tools |\n|---|---|\n| a | b |\nEach has its own.", "Each has its own."},
		{"```go\nx := 1\n```", ""},
		{"## Heading\n\nThe text.", "The text."},
		{strings.Repeat("It goes on. ", 100) + "\nAnd on.", strings.Repeat("It goes on. ", 24) + "It goes…"},
	} {
		if got := gist(c.why); got != c.want {
			t.Errorf("%q: got %q, want %q", c.why, got, c.want)
		}
	}
}

// TestCallees holds that what is called several times alike is one line of the tree.
func TestCallees(t *testing.T) {
	g := graphJSON{}
	g.File, g.Symbol = "a.go", "Run"
	for _, line := range []int{3, 5, 9} {
		g.Callees = append(g.Callees, graph.Relation{File: "b.go", Symbol: "step", Line: line, Confidence: 1})
	}
	g.Callees = append(g.Callees, graph.Relation{File: "b.go", Symbol: "last", Line: 12, Confidence: 1})
	callees := g.groups()[0].Below
	if len(callees) != 2 || callees[0].Text != "b.go step" || callees[0].Note != "lines 3, 5, 9" || callees[1].Note != "line 12" {
		t.Errorf("got %d: %+v", len(callees), callees[0])
	}
}
