package lsp_test

import (
	"encoding/json"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"go.lsp.dev/protocol"

	"manicule/lsp"
	"manicule/lsp/lsptest"
	"manicule/memory/config"
)

func TestConfiguration(t *testing.T) {
	s := newSandbox(t, small())
	opts := s.options(t)
	opts.Log = slog.New(slog.DiscardHandler)
	opts.SuggestKey = config.Nearest
	e := s.edit(t, opts)
	var mu sync.Mutex
	answer := `{"hovr": true, "max_items": 0, "editor": {"severity": "warning"}, "server": {"path": "x"}}`
	set := func(s string) { mu.Lock(); answer = s; mu.Unlock() }
	e.Answer = func(method string, _ json.RawMessage) (any, bool) {
		mu.Lock()
		defer mu.Unlock()
		return []protocol.LSPAny{protocol.LSPAny(answer)}, method == protocol.MethodWorkspaceConfiguration
	}
	c := lsptest.Full()
	c.Options = `{"commandLinks": true}`
	e.Initialize(c)
	e.Open("a.go")
	u := e.URI("a.go")
	st := e.Await(lsptest.When("a warning and two log lines", func(s lsptest.State) bool {
		return len(s.Diagnostics[u].Diagnostics) == 1 && len(s.Logs) >= 2 &&
			s.Diagnostics[u].Diagnostics[0].Severity == protocol.DiagnosticSeverityWarning
	}))
	var logs strings.Builder
	for _, l := range st.Logs {
		logs.WriteString(l.Message + "\n")
	}
	for _, want := range []string{"manicule.hovr; did you mean manicule.hover?", "manicule.max_items is ignored"} {
		if !strings.Contains(logs.String(), want) {
			t.Errorf("the log lacks %q:\n%s", want, logs.String())
		}
	}
	if strings.Contains(logs.String(), "server") {
		t.Errorf("a setting of the extension is reported:\n%s", logs.String())
	}
	if got := hoverText(t, e, "a.go", 2, 5); !strings.Contains(got, "command:") {
		t.Errorf("the initialization options are lost: %s", got)
	}
	e.Notify(protocol.MethodWorkspaceDidChangeConfiguration, &protocol.DidChangeConfigurationParams{
		Settings: protocol.LSPAny(`{"manicule": {"hover": {"enabled": false}, "codeLens": false, "codeActions": false, "diagnostics": {"enabled": false}}}`),
	})
	e.Await(lsptest.When("no diagnostics", func(s lsptest.State) bool { return len(s.Diagnostics[u].Diagnostics) == 0 }))
	if got := hoverText(t, e, "a.go", 2, 5); got != "null" {
		t.Errorf("hover: %s", got)
	}
	if got := lensText(t, e, "a.go"); got != "" {
		t.Errorf("lens: %s", got)
	}
	offered := func(only ...protocol.CodeActionKind) int {
		at := protocol.Position{Line: 2, Character: 5}
		return len(lsptest.Do[[]any](e, protocol.MethodTextDocumentCodeAction, &protocol.CodeActionParams{
			TextDocument: protocol.TextDocumentIdentifier{URI: u}, Range: protocol.Range{Start: at, End: at}, Context: protocol.CodeActionContext{Only: only},
		}))
	}
	if bulb, asked := offered(), offered("refactor.manicule.remember"); bulb != 0 || asked == 0 {
		t.Errorf("the light bulb offers %d acts, and the command that asks what a new memory is about %d", bulb, asked)
	}
	set(`{"diagnostics": {"severity": "error"}}`)
	e.Notify(protocol.MethodWorkspaceDidChangeConfiguration, &protocol.DidChangeConfigurationParams{Settings: protocol.LSPAny("null")})
	e.Await(lsptest.When("an error", func(s lsptest.State) bool {
		d := s.Diagnostics[u].Diagnostics
		return len(d) == 1 && d[0].Severity == protocol.DiagnosticSeverityError
	}))
}

// TestSettingsPrecedence: the client overrides the folder's files, and the environment
// overrides the client.
func TestSettingsPrecedence(t *testing.T) {
	s := newSandbox(t, small())
	opts := s.options(t)
	opts.Settings = func(dir string) *lsp.Settings {
		d := lsp.DefaultSettings()
		d.Severity = "hint"
		d.CodeLens = dir == "" // known only once the client has named its folder
		return d
	}
	opts.Override = func(s *lsp.Settings) { s.Hover = false }
	e := s.edit(t, opts)
	c := lsptest.Full()
	c.Options = `{"hover": true, "severity": "error"}`
	e.Initialize(c)
	e.Open("a.go")
	u := e.URI("a.go")
	e.Await(lsptest.When("an error", func(s lsptest.State) bool {
		d := s.Diagnostics[u].Diagnostics
		return len(d) == 1 && d[0].Severity == protocol.DiagnosticSeverityError
	}))
	if got := hoverText(t, e, "a.go", 2, 5); got != "null" {
		t.Errorf("the environment switched hovers off, the client sees %s", got)
	}
	if got := lensText(t, e, "a.go"); got != "" {
		t.Errorf("the folder switched lenses off, the client sees %s", got)
	}
}

// TestPulledAgainAfterReopening: some clients drop a document's diagnostics when it is
// opened again, and pull with the old result id.
func TestPulledAgainAfterReopening(t *testing.T) {
	s := newSandbox(t, small())
	e := s.edit(t, s.options(t))
	c := lsptest.Full()
	c.Pull = true
	e.Initialize(c)
	id := protocol.TextDocumentIdentifier{URI: e.URI("a.go")}
	pull := func(previous *string) protocol.RelatedFullDocumentDiagnosticReport {
		return lsptest.Do[protocol.RelatedFullDocumentDiagnosticReport](e, protocol.MethodTextDocumentDiagnostic,
			&protocol.DocumentDiagnosticParams{TextDocument: id, PreviousResultID: previous})
	}
	e.Open("a.go")
	first := pull(nil)
	if again := pull(first.ResultID); again.Kind != "unchanged" {
		t.Errorf("asked again: %q", again.Kind)
	}
	e.CloseDocument("a.go")
	e.Open("a.go")
	if again := pull(first.ResultID); again.Kind != "full" || len(again.Items) != len(first.Items) || len(first.Items) == 0 {
		t.Errorf("after reopening: %q with %d of %d", again.Kind, len(again.Items), len(first.Items))
	}
}
