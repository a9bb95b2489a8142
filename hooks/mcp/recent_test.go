package mcp

import (
	"path/filepath"
	"strings"
	"testing"

	"manicule/hooks/eventlog"
	"manicule/indexer/must"
	"manicule/memory"
	"manicule/memory/file"
)

// TestRecentFiles: what the session read and changed last below the root, the latest first, each once.
func TestRecentFiles(t *testing.T) {
	b := newSandbox(t)
	sp, err := b.server.spaces.current(t.Context())
	must.OK(t, err)
	touched := func(class string, paths ...string) {
		for i, p := range paths {
			if !strings.HasPrefix(p, "/") && !strings.HasPrefix(p, "rel:") {
				paths[i] = filepath.Join(b.w.Root(), p)
			}
			paths[i] = strings.TrimPrefix(paths[i], "rel:")
		}
		logEvent(b, "s-1", eventlog.Record{Kind: "post_tool", Calls: []eventlog.Call{{Tool: "T", Class: class, Paths: paths}}})
	}
	if got := recentFiles(sp, "s-1"); len(got) != 0 {
		t.Errorf("before anything: %q", got)
	}
	touched("read", "src/auth/token.go")
	touched("edit", "rel:src/b.go")
	touched("search", "docs")
	touched("read", "/etc/hosts", "rel:../outside.go")
	touched("create", "src/auth/token.go")
	if got := strings.Join(recentFiles(sp, "s-1"), " "); got != "src/auth/token.go src/b.go" {
		t.Errorf("%q", got)
	}
	for _, p := range []string{"1.go", "2.go", "3.go", "4.go", "5.go"} {
		touched("read", p)
	}
	if got := strings.Join(recentFiles(sp, "s-1"), " "); got != "5.go 4.go 3.go 2.go 1.go" {
		t.Errorf("%q", got)
	}
	if got := append(recentFiles(sp, ""), recentFiles(sp, "other")...); len(got) != 0 {
		t.Errorf("of no session: %q", got)
	}
}

// TestSearchNearRecent: a search in a session that is known puts what is about the files that it used before what matches alike.
func TestSearchNearRecent(t *testing.T) {
	b := newSandbox(t)
	b.env["CLAUDE_CODE_SESSION_ID"] = "s-1"
	for at, what := range map[string]string{"src/auth/token.go": "Requests are tried three times by the token's client", "src/auth/token_test.go": "Requests are tried three times by the test's client"} {
		if r, err := b.w.Remember(t.Context(), memory.Draft{Type: file.Gotcha, What: what, At: []string{at}}); err != nil || !r.Accepted {
			t.Fatalf("%+v, %v", r, err)
		}
	}
	first := func() string {
		t.Helper()
		r, fault := b.call("search", map[string]any{"query": "requests are tried three times by which client"})
		text := textOf(r)
		token, test := strings.Index(text, "token's client"), strings.Index(text, "test's client")
		if fault != "" || token < 0 || test < 0 {
			t.Fatalf("%s %s", text, fault)
		}
		if token < test {
			return "token"
		}
		return "test"
	}
	for file, want := range map[string]string{"src/auth/token.go": "token", "src/auth/token_test.go": "test"} {
		logEvent(b, "s-1", eventlog.Record{Kind: "post_tool", Calls: []eventlog.Call{{Tool: "Read", Class: "read", Paths: []string{filepath.Join(b.w.Root(), file)}}}})
		if got := first(); got != want {
			t.Errorf("after a read of %s the first is about the %s's", file, got)
		}
	}
}
