package mcp

import (
	"slices"
	"testing"

	"manicule/indexer/graph"
	"manicule/memory/nearby"
)

// TestUsesOfOnePlaceAreOne: a test file that calls a function fifty times takes one line of an agent's
// context, and what is only possible is never certain.
func TestUsesOfOnePlaceAreOne(t *testing.T) {
	code := nearby.Code{File: "a.go", Symbol: "F"}
	for line := range 50 {
		code.Callers = append(code.Callers, graph.Relation{File: "a_test.go", Line: 10 + line})
	}
	code.Callers = append(code.Callers,
		graph.Relation{File: "b.go", Symbol: "G", Line: 7},
		graph.Relation{File: "b.go", Symbol: "G", Line: 9, Kind: graph.May, Confidence: .999},
	)
	code.Callees = []graph.Relation{
		{File: "c.go", Symbol: "H", Line: 3}, {File: "c.go", Symbol: "H", Line: 4},
		{File: "c_test.go", Symbol: "fake", Line: 4}, {File: "c_test.go", Symbol: "fake", Line: 5},
	}
	var got []string
	for _, u := range describe(code) {
		got = append(got, u.line())
	}
	want := []string{"- caller a_test.go:10 (50 times)", "- caller b.go:7 G", "- caller b.go:9 G (may, 99 %)", "- callee c.go H (2 times)", "- callee c_test.go fake (2 times)"}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}
