package search

import (
	"slices"
	"testing"

	"manicule/indexer/code"
	"manicule/memory/retrieve"
)

// TestWanted: what is about the code stands apart from it, unless the question names it or asks for all.
func TestWanted(t *testing.T) {
	for _, tt := range []struct {
		file, symbol string
		want         bool
	}{
		{"src/serve.rs", "Server.run", true},
		{"src/serve.rs", "tests.stops", false},
		{"src/tests.rs", "run", true},
		{"examples/tls/main.rs", "main", false},
		{"benches/all.rs", "run", false},
		{"documentation/app.js", "run", false},
		{"docs/conf.py", "setup", false},
		{"sub/serve_test.go", "TestRun", false},
		{"examples.go", "run", true},
	} {
		p := code.Piece{File: tt.file, Symbol: tt.symbol}
		if got := (&codeCorpus{}).wanted(p); got != tt.want {
			t.Errorf("%s#%s: wanted %v, want %v", tt.file, tt.symbol, got, tt.want)
		}
		if !(&codeCorpus{all: true}).wanted(p) || !(&codeCorpus{named: map[string]bool{tt.file: true}}).wanted(p) {
			t.Errorf("%s#%s is not wanted where all are, or its file is named", tt.file, tt.symbol)
		}
	}
}

// TestWantsFunction: functions are preferred unless the question is a name, or begins with a type or a value.
func TestWantsFunction(t *testing.T) {
	for text, want := range map[string]bool{
		"renew the token before it expires": true,
		"copy settings for each call":       true,
		"settings of a retry":               false,
		"which struct holds the open files": false,
		"the interfaces of a store":         false,
		"class that keeps what was read":    false,
		"":                                  true,
	} {
		if wantsFunction(retrieve.Identifier, text) || wantsFunction(retrieve.Structural, text) {
			t.Errorf("%q is a name, and wants a function", text)
		}
		if got := wantsFunction(retrieve.Semantic, text); got != want {
			t.Errorf("%q: %t, want %t", text, got, want)
		}
	}
}

// TestPreferred: a type needs a better score than a function, by a little, and only if a function is wanted.
func TestPreferred(t *testing.T) {
	pieces := map[string]code.Piece{"1": {Kind: "class"}, "2": {Kind: "function"}, "3": {Kind: "method"}, "4": {Kind: "text"}}
	list := func() []code.Ranked {
		return []code.Ranked{{ID: 1, Score: .5}, {ID: 2, Score: .45}, {ID: 3, Score: .42}, {ID: 4, Score: .41}}
	}
	for _, tt := range []struct {
		functions bool
		want      []int64
	}{{true, []int64{2, 1, 3, 4}}, {false, []int64{1, 2, 3, 4}}} {
		c := &codeCorpus{functions: tt.functions, pieces: pieces}
		var got []int64
		for _, r := range c.preferred(list(), func(score float64) float64 { return score - otherCosine }) {
			got = append(got, r.ID)
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("functions wanted %t: %v, want %v", tt.functions, got, tt.want)
		}
	}
}
