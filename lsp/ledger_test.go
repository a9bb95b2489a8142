package lsp_test

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"manicule/lsp"
	"manicule/lsp/lsptest"
)

// account is a ledger that knows one memory.
type account struct {
	mu     sync.Mutex
	shown  []string // guarded by mu
	closed int      // guarded by mu
}

func (a *account) Sentence(uuid string) string {
	if strings.HasSuffix(uuid, "1") {
		return "shown 12 times to agents, followed 7; last 3 days ago to claude_code"
	}
	return ""
}

func (a *account) Shown(path string, uuids []string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, id := range uuids {
		a.shown = append(a.shown, path+" "+id[len(id)-1:])
	}
}

func (a *account) Close() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.closed++
	return nil
}

// TestHoverShowsLedger: a hover has a line about the results of a memory, if there are
// any, and is itself recorded.
func TestHoverShowsLedger(t *testing.T) {
	memory := func(n string) string {
		return `{"format": 1, "uuid": "0198f0c2-7a41-7c3e-9d7a-00000000000` + n + `", "type": "gotcha", "what": "lesson ` + n + `",
			"anchors": [{"kind": "file", "path": "a.go"}], "trust": {"origin": "user_taught", "tainted": false},
			"created_at": "2026-04-06T12:00:00.000Z", "updated_at": "2026-05-01T10:00:00.000Z"}`
	}
	const dir = ".manicule/memories/area_context/0198f0c2-7a41-7c3e-9d7a-00000000000"
	s := newSandbox(t, map[string]string{"a.go": "package a\n", dir + "1.json": memory("1"), dir + "2.json": memory("2")})
	a := &account{}
	opts := s.options(t)
	opts.Ledger = func(lsp.Memories) lsp.Ledger { return a }
	e := s.edit(t, opts)
	e.Initialize(lsptest.Client{})
	e.Open("a.go")
	got := hoverText(t, e, "a.go", 0, 0)
	if strings.Count(got, "shown 12 times to agents, followed 7; last 3 days ago to") != 1 || !strings.Contains(got, "lesson 2") {
		t.Errorf("%s", got)
	}
	e.Shutdown()
	if err := e.Served(); err != nil {
		t.Error(err)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if slices.Sort(a.shown); !slices.Equal(a.shown, []string{"a.go 1", "a.go 2"}) || a.closed != 1 {
		t.Errorf("shown %q, closed %d times", a.shown, a.closed)
	}
}
