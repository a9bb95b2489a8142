package observer

import (
	"strings"
	"testing"

	"manicule/indexer/must"
)

func TestKindOf(t *testing.T) {
	for line, want := range map[string]errorKind{
		"=================================== failures ===================================": noError,
		"⎯⎯⎯⎯⎯⎯ failed suites # ⎯⎯⎯⎯⎯⎯⎯":                                                   noError,
		"(no output)":                                   noError,
		"vercel cli #.#.# (node.js #.#.#)":              noError,
		"warning: could not set the locale":             noError,
		"^c":                                            noError,
		"✔ keeps errors of the store":                   noError,
		"undefined":                                     noError,
		"error trace:\tstore_test.go:#":                 finding,
		"test_a.py::testa::test_b failed":               finding,
		"#:#  error  parsing error: unexpected token {": finding,
		"failed tests/test_a.py::test_b - valueerror: not found":     finding,
		"main.go:#:#: undefined: x":                                  finding,
		"error: cannot pull with rebase: you have unstaged changes.": passing,
		"some checks are still pending":                              passing,
		"error: unknown option '--write'":                            ofTheCall,
		"(eval):#: command not found: python":                        ofTheCall,
		"fatal: could not read from remote repository.":              ofTheCall,
		"ls: : no such file or directory":                            ofTheCall,
	} {
		if got := kindOf(line); got != want {
			t.Errorf("%q is %s, want %s", line, got, want)
		}
	}
}

// Each judgement has a kind, and stands once.
func TestJudgedKinds(t *testing.T) {
	kinds, err := readJudged()
	must.OK(t, err)
	if want := strings.Count(judgedLines, "\n"); len(kinds) != want {
		t.Errorf("%d of %d judgements are of different failures", len(kinds), want)
	}
}
