package lsp_test

import (
	"encoding/json"
	"log/slog"
	"testing"
	"time"

	"go.lsp.dev/protocol"

	"manicule/lsp"
	"manicule/lsp/lsptest"
)

// TestAnswersFitTheProtocol checks every message of the server against the protocol's
// metamodel, for two clients that use everything.
func TestAnswersFitTheProtocol(t *testing.T) {
	seen := make(map[string]bool)
	for _, pull := range []bool{false, true} {
		e := useEverything(t, pull)
		for _, m := range e.Traffic() {
			seen[m.Method] = true // and the editor has checked it
		}
	}
	for _, method := range []string{
		"initialize", "textDocument/hover", "textDocument/codeLens", "codeLens/resolve", "textDocument/codeAction",
		"textDocument/documentLink", "textDocument/inlayHint", "textDocument/diagnostic", "workspace/diagnostic", "workspace/symbol",
		"workspace/executeCommand", "workspace/willRenameFiles", "shutdown", "textDocument/publishDiagnostics", "client/registerCapability",
		"workspace/configuration", "workspace/codeLens/refresh", "workspace/diagnostic/refresh", "window/showMessage",
		"window/showDocument", "window/showMessageRequest", "window/logMessage", "window/workDoneProgress/create", "$/progress",
	} {
		if !seen[method] {
			t.Errorf("no %s was checked", method)
		}
	}
}

// TestPlainClient: a client that announces nothing gets what every client takes; the editor checks the rest.
func TestPlainClient(t *testing.T) {
	s := newSandbox(t, small())
	e := s.edit(t, s.options(t))
	r := e.Initialize(lsptest.Client{})
	if r.Capabilities.CodeActionProvider != protocol.CodeActionProvider(protocol.Boolean(true)) || r.Capabilities.NotebookDocumentSync != nil {
		t.Errorf("%+v", r.Capabilities)
	}
	e.Open("a.go")
	e.Open(where + uuid1 + ".json")
	told := e.Await(lsptest.When("diagnostics", func(s lsptest.State) bool { return len(s.Diagnostics[e.URI("a.go")].Diagnostics) > 0 }))
	if d := told.Diagnostics[e.URI("a.go")].Diagnostics[0]; len(d.Data) > 0 {
		t.Errorf("data that it would not give back: %s", d.Data)
	}
	links := lsptest.Do[[]protocol.DocumentLink](e, protocol.MethodTextDocumentDocumentLink, &protocol.DocumentLinkParams{TextDocument: protocol.TextDocumentIdentifier{URI: e.URI(where + uuid1 + ".json")}})
	if len(links) == 0 || links[0].Tooltip != nil {
		t.Errorf("links %+v", links)
	}
	hoverText(t, e, "a.go", 2, 5)
	action := &protocol.CodeActionParams{TextDocument: protocol.TextDocumentIdentifier{URI: e.URI("a.go")}, Range: protocol.Range{Start: protocol.Position{Line: 2}, End: protocol.Position{Line: 2, Character: 8}}}
	action.Context.Diagnostics = told.Diagnostics[e.URI("a.go")].Diagnostics
	if all := lsptest.Do[[]protocol.CommandOrCodeAction](e, protocol.MethodTextDocumentCodeAction, action); len(all) == 0 {
		t.Error("no commands are offered")
	}
	execute(t, e, "manicule.status")
	e.Shutdown()
}

func useEverything(t *testing.T, pull bool) *lsptest.Editor {
	files := small()
	files[where+"broken.json"] = "{"
	files[where+uuid2+".json"] = `{"uuid": "` + uuid2 + `", "type": "convention", "what": "x", "scope": ["*.go"], "trust": {"origin": "user_taught"}, "created_at": "2026-05-04T11:00:00.000Z"}`
	s := slow{newSandbox(t, files), make(chan struct{})}
	opts := s.options(t)
	opts.Files = func(lsp.Memories) lsp.Files { return fakeFiles{} }
	opts.Log, opts.Open, opts.ProgressAfter = slog.New(slog.DiscardHandler), s.open, time.Millisecond
	e := s.edit(t, opts)
	e.Answer = func(method string, _ json.RawMessage) (any, bool) {
		return []protocol.LSPAny{protocol.LSPAny(`{"hovr": 1}`)}, method == protocol.MethodWorkspaceConfiguration
	}
	c := lsptest.Full()
	c.Pull, c.Hints = pull, pull
	e.Initialize(c)
	e.Await(lsptest.When("progress", func(s lsptest.State) bool { return s.Seen[protocol.MethodProgress] == 1 }))
	close(s.let)
	e.Open("a.go")
	e.Open(where + uuid1 + ".json")
	refreshed := protocol.MethodTextDocumentPublishDiagnostics
	if pull {
		refreshed = protocol.MethodWorkspaceDiagnosticRefresh
	}
	e.Await(lsptest.When("diagnostics, a lens refresh and a log line", func(s lsptest.State) bool {
		return s.Seen[refreshed] > 0 && s.Seen[protocol.MethodWorkspaceCodeLensRefresh] > 0 && len(s.Logs) > 0
	}))
	hoverText(t, e, "a.go", 2, 5)
	hoverText(t, e, "a.go", 1, 0)
	lensText(t, e, "a.go")
	doc := protocol.TextDocumentIdentifier{URI: e.URI("a.go")}
	action := &protocol.CodeActionParams{TextDocument: doc, Range: protocol.Range{Start: protocol.Position{Line: 2}, End: protocol.Position{Line: 2, Character: 8}}}
	action.Context.Diagnostics = []protocol.Diagnostic{}
	lsptest.Do[[]protocol.CommandOrCodeAction](e, protocol.MethodTextDocumentCodeAction, action)
	lsptest.Do[[]protocol.DocumentLink](e, protocol.MethodTextDocumentDocumentLink, &protocol.DocumentLinkParams{TextDocument: protocol.TextDocumentIdentifier{URI: e.URI(where + uuid1 + ".json")}})
	lsptest.Do[[]protocol.InlayHint](e, protocol.MethodTextDocumentInlayHint, &protocol.InlayHintParams{TextDocument: protocol.TextDocumentIdentifier{URI: e.URI(where + uuid2 + ".json")}, Range: protocol.Range{End: protocol.Position{Line: 100}}})
	lsptest.Do[[]protocol.CodeLens](e, protocol.MethodTextDocumentCodeLens, &protocol.CodeLensParams{TextDocument: protocol.TextDocumentIdentifier{URI: e.URI(where + uuid2 + ".json")}})
	lsptest.Do[[]protocol.SymbolInformation](e, protocol.MethodWorkspaceSymbol, &protocol.WorkspaceSymbolParams{Query: "first"})
	if pull {
		r := lsptest.Do[protocol.RelatedFullDocumentDiagnosticReport](e, protocol.MethodTextDocumentDiagnostic, &protocol.DocumentDiagnosticParams{TextDocument: doc})
		lsptest.Do[json.RawMessage](e, protocol.MethodTextDocumentDiagnostic, &protocol.DocumentDiagnosticParams{TextDocument: doc, PreviousResultID: r.ResultID})
		lsptest.Do[protocol.WorkspaceDiagnosticReport](e, protocol.MethodWorkspaceDiagnostic, &protocol.WorkspaceDiagnosticParams{PreviousResultIds: []protocol.PreviousResultId{}})
	}
	renamed := &protocol.RenameFilesParams{Files: []protocol.FileRename{{OldURI: string(e.URI("a.go")), NewURI: string(e.URI("b.go"))}}}
	if raw, err := e.Call(protocol.MethodWorkspaceWillRenameFiles, renamed); err != nil || string(raw) != "null" {
		t.Errorf("willRenameFiles: %s %v", raw, err)
	}
	e.Notify(protocol.MethodWorkspaceDidRenameFiles, renamed)
	execute(t, e, "manicule.showMemories", `"file://ROOT/a.go"`, `{"line": 2, "character": 0}`)
	execute(t, e, "manicule.remember", `"file://ROOT/a.go"`, `"a.go"`)
	execute(t, e, "manicule.openMemory", quoted(uuid1))
	execute(t, e, "manicule.status")
	e.Await(lsptest.When("an offer, a message and a document", func(s lsptest.State) bool {
		return len(s.Offers) > 0 && len(s.Messages) > 0 && len(s.Shown) > 0
	}))
	e.Shutdown()
	return e
}
