package lsp

import (
	"go.lsp.dev/protocol"

	"manicule/lsp/action"
	"manicule/lsp/client"
	"manicule/lsp/convert"
)

// serverCapabilities is what the server offers a client with these capabilities and settings.
func serverCapabilities(enc convert.Encoding, of client.Capabilities, settings *Settings) protocol.ServerCapabilities {
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
	if of.ActionLiterals {
		c.CodeActionProvider = &protocol.CodeActionOptions{CodeActionKinds: action.Kinds()}
	}
	if of.Notebooks {
		c.NotebookDocumentSync = notebookSync()
	}
	if settings.DocumentSymbols {
		c.DocumentSymbolProvider = protocol.Boolean(true)
	}
	if of.PullDiagnostics {
		c.DiagnosticProvider = &protocol.DiagnosticOptions{Identifier: new("manicule"), WorkspaceDiagnostics: true}
	}
	return c
}
