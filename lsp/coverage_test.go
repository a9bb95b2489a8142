package lsp_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"manicule/indexer/must"
	"manicule/lsp"
	"manicule/lsp/lsptest"
	"manicule/memory/coverage"
)

// theCoverage is the answer of manicule/coverage as a client reads it.
type theCoverage struct {
	Folders []struct {
		URI                     uri.URI
		Score, Changes, Covered int
		Folders                 []struct {
			URI                            uri.URI
			Path                           string
			Score, Files, Changes, Covered int
		}
		Files []struct {
			URI     uri.URI
			Path    string
			Changes int
		}
	}
}

// TestCoverage: a client is told what changes much and has no memory, folder by folder and by file, with URIs that it can mark;
// nothing without a history, and an error as an error.
func TestCoverage(t *testing.T) {
	name, text := memoryJSON(1, `"type": "gotcha", "what": "lesson", "anchors": [{"kind": "file", "path": "src/a.go"}]`)
	s := newSandbox(t, map[string]string{"src/a.go": "package a\n", "src/b c.go": "package a\n", "doc/x.md": "x\n", name: text})
	churn := map[string]int{"src/a.go": 6, "src/b c.go": coverage.LeastChanges, "doc/x.md": coverage.LeastChanges - 1}
	var failed error
	opts := s.options(t)
	opts.Coverage = func(lsp.Memories) lsp.CoverageFunc {
		return func(context.Context) (coverage.Report, bool, error) {
			return coverage.Of(churn, 0, func(path string) bool { return path == "src/a.go" }), churn != nil, failed
		}
	}
	e := s.edit(t, opts)
	e.Initialize(lsptest.Client{})

	got := askOwn[theCoverage](t, e, "manicule/coverage", `{}`)
	if len(got.Folders) != 1 {
		t.Fatalf("%d workspaces: %+v", len(got.Folders), got)
	}
	root := got.Folders[0]
	if root.URI != e.URI("") || root.Score != 40 || root.Changes != 15 || root.Covered != 6 {
		t.Errorf("the workspace: %+v", root)
	}
	if len(root.Folders) != 2 || root.Folders[0].URI != e.URI("src") || root.Folders[0].Path != "src" || root.Folders[0].Score != 55 || root.Folders[0].Files != 2 || root.Folders[1].Path != "doc" || root.Folders[1].Score != 0 {
		t.Errorf("the folders, most without a memory first: %+v", root.Folders)
	}
	if len(root.Files) != 1 || root.Files[0].URI != e.URI("src/b c.go") || root.Files[0].Changes != coverage.LeastChanges {
		t.Errorf("the files that are worth a word: %+v", root.Files)
	}

	of, err := json.Marshal(map[string]any{"folder": e.URI("")})
	must.OK(t, err)
	if of := askOwn[theCoverage](t, e, "manicule/coverage", string(of)); len(of.Folders) != 1 || of.Folders[0].Score != 40 {
		t.Errorf("of one folder: %+v", of)
	}

	churn = nil
	if none := askOwn[theCoverage](t, e, "manicule/coverage", `{}`); none.Folders == nil || len(none.Folders) != 0 {
		t.Errorf("without a history: %+v", none)
	}
	failed = errors.New("git is not there")
	if raw, err := e.Call("manicule/coverage", protocol.LSPAny(`{}`)); err == nil || !strings.Contains(err.Error(), "git is not there") {
		t.Errorf("a failure: %s, %v", raw, err)
	}
}

// TestCoverageIsNotTold: a server that has no history at all answers with no folders.
func TestCoverageIsNotTold(t *testing.T) {
	s := newSandbox(t, map[string]string{"a.go": "package a\n"})
	e := s.edit(t, s.options(t))
	e.Initialize(lsptest.Client{})
	if got := askOwn[theCoverage](t, e, "manicule/coverage", `{}`); got.Folders == nil || len(got.Folders) != 0 {
		t.Errorf("%+v", got)
	}
}
