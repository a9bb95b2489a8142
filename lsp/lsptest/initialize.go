package lsptest

import (
	"cmp"

	"go.lsp.dev/protocol"
)

// Client are the capabilities of the editor. The zero value has the protocol's minimum.
type Client struct {
	Encodings    []protocol.PositionEncodingKind
	Markdown     bool
	Pull         bool // asks for diagnostics
	Refresh      bool // code lens and diagnostic refresh
	Watch        bool // watches files for the server
	Config       bool // answers workspace/configuration
	Progress     bool
	ShowDocument bool
	Literals     bool // code actions, not only commands
	Questions    bool // shows questions with answers to choose from
	Hints        bool // shows inlay hints
	Notebooks    bool // sends notebooks
	Data         bool // gives back the data of diagnostics
	Tooltips     bool // shows the tooltips of links
	Nested       bool // shows the symbols of a document as a tree
	Extensions   bool // knows Manicule's own notifications
	Options      string
	Folders      []string // relative to the root; the root itself when nil
	NoFolders    bool
	Name         string // of the editor
	ProcessID    int32
}

// Full returns an editor with all capabilities, as VS Code has them.
func Full() Client {
	return Client{
		Markdown: true, Refresh: true, Watch: true, Config: true, Progress: true, ShowDocument: true, Literals: true,
		Questions: true, Notebooks: true, Data: true, Tooltips: true, Nested: true,
	}
}

// Initialize does the initialize handshake.
func (e *Editor) Initialize(c Client) protocol.InitializeResult {
	e.t.Helper()
	res := Do[protocol.InitializeResult](e, protocol.MethodInitialize, e.initializeParams(c))
	e.Notify(protocol.MethodInitialized, &protocol.InitializedParams{})
	return res
}

func (e *Editor) initializeParams(c Client) *protocol.InitializeParams {
	p := &protocol.InitializeParams{ClientInfo: protocol.ClientInfo{Name: cmp.Or(c.Name, "lsptest")}, Capabilities: c.capabilities()}
	if c.ProcessID != 0 {
		p.ProcessID = &c.ProcessID
	}
	if c.Options != "" {
		p.InitializationOptions = protocol.LSPAny(c.Options)
	}
	folders := c.Folders
	if folders == nil {
		folders = []string{"."}
	}
	if !c.NoFolders {
		p.WorkspaceFolders = protocol.NewNullable(e.folders(folders))
	}
	return p
}

func (e *Editor) folders(rels []string) []protocol.WorkspaceFolder {
	out := []protocol.WorkspaceFolder{}
	for _, rel := range rels {
		out = append(out, protocol.WorkspaceFolder{URI: e.URI(rel), Name: rel})
	}
	return out
}

func (c Client) capabilities() protocol.ClientCapabilities {
	hover := &protocol.HoverClientCapabilities{ContentFormat: []protocol.MarkupKind{protocol.MarkupKindPlainText}}
	if c.Markdown {
		hover.ContentFormat = []protocol.MarkupKind{protocol.MarkupKindMarkdown, protocol.MarkupKindPlainText}
	}
	caps := protocol.ClientCapabilities{
		General: &protocol.GeneralClientCapabilities{PositionEncodings: c.Encodings},
		TextDocument: &protocol.TextDocumentClientCapabilities{
			Hover:      hover,
			CodeAction: new(protocol.CodeActionClientCapabilities),
			PublishDiagnostics: &protocol.PublishDiagnosticsClientCapabilities{
				DiagnosticsCapabilities: protocol.DiagnosticsCapabilities{DataSupport: &c.Data}, VersionSupport: new(true),
			},
			DocumentLink:   &protocol.DocumentLinkClientCapabilities{TooltipSupport: &c.Tooltips},
			DocumentSymbol: &protocol.DocumentSymbolClientCapabilities{HierarchicalDocumentSymbolSupport: &c.Nested},
		},
		Window: &protocol.WindowClientCapabilities{
			WorkDoneProgress: &c.Progress,
			ShowDocument:     &protocol.ShowDocumentClientCapabilities{Support: c.ShowDocument},
		},
		Workspace: &protocol.WorkspaceClientCapabilities{
			Configuration:          &c.Config,
			CodeLens:               &protocol.CodeLensWorkspaceClientCapabilities{RefreshSupport: &c.Refresh},
			Diagnostics:            &protocol.DiagnosticWorkspaceClientCapabilities{RefreshSupport: &c.Refresh},
			DidChangeWatchedFiles:  &protocol.DidChangeWatchedFilesClientCapabilities{DynamicRegistration: &c.Watch},
			DidChangeConfiguration: &protocol.DidChangeConfigurationClientCapabilities{DynamicRegistration: &c.Config},
		},
	}
	if c.Hints {
		caps.TextDocument.InlayHint = new(protocol.InlayHintClientCapabilities)
	}
	if c.Notebooks {
		caps.NotebookDocument = new(protocol.NotebookDocumentClientCapabilities)
	}
	if c.Extensions {
		caps.Experimental = protocol.LSPAny(`{"manicule": true}`)
	}
	if c.Pull {
		caps.TextDocument.Diagnostic = new(protocol.DiagnosticClientCapabilities)
	}
	if c.Questions {
		caps.Window.ShowMessage = new(protocol.ShowMessageRequestClientCapabilities)
	}
	if c.Literals {
		caps.TextDocument.CodeAction.CodeActionLiteralSupport.CodeActionKind.ValueSet = []protocol.CodeActionKind{"", "quickfix", "refactor"}
	}
	return caps
}

// ChangeFolders adds and removes workspace folders, relative to the root.
func (e *Editor) ChangeFolders(added, removed []string) {
	e.t.Helper()
	e.Notify(protocol.MethodWorkspaceDidChangeWorkspaceFolders, &protocol.DidChangeWorkspaceFoldersParams{
		Event: protocol.WorkspaceFoldersChangeEvent{Added: e.folders(added), Removed: e.folders(removed)},
	})
}

// Watched reports that a file changed, as an editor that watches files does.
func (e *Editor) Watched(rel string, kind protocol.FileChangeType) {
	e.t.Helper()
	e.Notify(protocol.MethodWorkspaceDidChangeWatchedFiles, &protocol.DidChangeWatchedFilesParams{
		Changes: []protocol.FileEvent{{URI: e.URI(rel), Type: kind}},
	})
}

// Shutdown ends the session in the order of the protocol.
func (e *Editor) Shutdown() {
	e.t.Helper()
	if _, err := e.Call(protocol.MethodShutdown, nil); err != nil {
		e.t.Fatal(err)
	}
	e.Notify(protocol.MethodExit, nil)
}
