package lsp_test

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.lsp.dev/protocol"

	"manicule/lsp/lsptest"
)

// TestHoverBesideDiagnostics: a hover repeats what a diagnostic says until the client is sure to show that.
func TestHoverBesideDiagnostics(t *testing.T) {
	s := newSandbox(t, small())
	var later atomic.Int64
	opts := s.options(t)
	opts.Now = func() time.Time { return clock().Add(time.Duration(later.Load())) }
	e := s.edit(t, opts)
	c := lsptest.Full()
	c.Pull, c.Config, c.Options = true, false, `{"diagnosticsInHover": true}`
	e.Initialize(c)
	e.Open("a.go")
	pull := func() {
		lsptest.Do[any](e, protocol.MethodTextDocumentDiagnostic, &protocol.DocumentDiagnosticParams{TextDocument: protocol.TextDocumentIdentifier{URI: e.URI("a.go")}})
	}
	expect := func(when string, repeated bool) {
		t.Helper()
		got := hoverText(t, e, "a.go", 2, 6)
		if strings.Contains(got, ": first") != repeated || strings.Contains(got, ", as above") == repeated {
			t.Errorf("%s: %s", when, got)
		}
	}
	expect("before the diagnostics", true)
	pull()
	expect("at once after them", true)
	later.Store(int64(time.Second))
	expect("a second later", false)
	for char, where := range map[uint32]string{0: "beside the diagnostic's range", 8: "in the middle of a name, of which VS Code gives a hint two characters"} {
		if got := hoverText(t, e, "a.go", 2, char); !strings.Contains(got, ": first") {
			t.Errorf("%s: %s", where, got)
		}
	}
	// An editor drops the diagnostic with the text that somebody types over.
	e.Edit("a.go", protocol.Range{Start: protocol.Position{Line: 2, Character: 4}, End: protocol.Position{Line: 2, Character: 5}}, "  ")
	expect("moved, and not told again", true)
	pull()
	later.Store(int64(2 * time.Second))
	expect("told again, a second later", false)
	e.Notify(protocol.MethodTextDocumentDidClose, &protocol.DidCloseTextDocumentParams{TextDocument: protocol.TextDocumentIdentifier{URI: e.URI("a.go")}})
	e.Open("a.go")
	expect("opened again", true)
}
