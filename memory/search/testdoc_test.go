package search

import (
	"testing"

	"manicule/indexer/code"
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
