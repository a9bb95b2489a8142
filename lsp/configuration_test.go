package lsp_test

import (
	"encoding/json"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"go.lsp.dev/protocol"

	"manicule/lsp/lsptest"
	"manicule/memory/config"
)

func TestConfiguration(t *testing.T) {
	s := newSandbox(t, small())
	opts := s.options(t)
	opts.Log = slog.New(slog.DiscardHandler)
	opts.Nearest = config.Nearest
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
	set(`{"diagnostics": {"severity": "error"}}`)
	e.Notify(protocol.MethodWorkspaceDidChangeConfiguration, &protocol.DidChangeConfigurationParams{Settings: protocol.LSPAny("null")})
	e.Await(lsptest.When("an error", func(s lsptest.State) bool {
		d := s.Diagnostics[u].Diagnostics
		return len(d) == 1 && d[0].Severity == protocol.DiagnosticSeverityError
	}))
}
