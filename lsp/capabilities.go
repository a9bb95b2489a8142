package lsp

import (
	"go.lsp.dev/protocol"

	"manicule/lsp/action"
	"manicule/lsp/convert"
)

// serverCapabilities is what the server offers this client.
func (s *server) serverCapabilities(enc convert.Encoding) protocol.ServerCapabilities {
	c := protocol.ServerCapabilities{
		PositionEncoding: enc.Kind(),
		TextDocumentSync: &protocol.TextDocumentSyncOptions{
			OpenClose: new(true),
			Change:    new(protocol.TextDocumentSyncKindIncremental),
			Save:      &protocol.SaveOptions{IncludeText: new(false)},
		},
		HoverProvider:           protocol.Boolean(true),
		CodeLensProvider:        &protocol.CodeLensOptions{ResolveProvider: new(true)},
		CodeActionProvider:      protocol.Boolean(true),
		DocumentLinkProvider:    &protocol.DocumentLinkOptions{},
		InlayHintProvider:       protocol.Boolean(true),
		WorkspaceSymbolProvider: protocol.Boolean(true),
		ExecuteCommandProvider: protocol.ExecuteCommandOptions{
			WorkDoneProgressOptions: protocol.WorkDoneProgressOptions{WorkDoneProgress: new(true)}, Commands: action.CommandNames(),
		},
		Workspace: &protocol.WorkspaceOptions{
			WorkspaceFolders: &protocol.WorkspaceFoldersServerCapabilities{Supported: new(true), ChangeNotifications: protocol.Boolean(true)},
			FileOperations:   renames(),
		},
	}
	if s.client.Capabilities.ActionLiterals {
		c.CodeActionProvider = &protocol.CodeActionOptions{CodeActionKinds: action.Kinds()}
	}
	if s.client.Capabilities.Notebooks {
		c.NotebookDocumentSync = notebookSync()
	}
	if s.baseSettings.DocumentSymbols {
		c.DocumentSymbolProvider = protocol.Boolean(true)
	}
	if s.client.Capabilities.PullDiagnostics {
		c.DiagnosticProvider = &protocol.DiagnosticOptions{Identifier: new("manicule"), WorkspaceDiagnostics: true}
	}
	return c
}
