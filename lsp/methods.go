package lsp

import (
	"go.lsp.dev/protocol"

	"manicule/lsp/panel"
)

// served reports whether the server handles a method. All others, such as definitions,
// references and completion, are answered with "not supported" before they are decoded.
func served(method string) bool {
	switch method {
	case protocol.MethodInitialize, protocol.MethodInitialized, protocol.MethodShutdown, protocol.MethodExit,
		protocol.MethodSetTrace, protocol.MethodWindowWorkDoneProgressCancel,
		protocol.MethodTextDocumentDidOpen, protocol.MethodTextDocumentDidChange,
		protocol.MethodTextDocumentDidSave, protocol.MethodTextDocumentDidClose,
		protocol.MethodNotebookDocumentDidOpen, protocol.MethodNotebookDocumentDidChange,
		protocol.MethodNotebookDocumentDidSave, protocol.MethodNotebookDocumentDidClose,
		protocol.MethodTextDocumentHover, protocol.MethodTextDocumentCodeLens, protocol.MethodCodeLensResolve,
		protocol.MethodTextDocumentCodeAction, protocol.MethodTextDocumentDocumentLink,
		protocol.MethodTextDocumentDiagnostic, protocol.MethodWorkspaceDiagnostic,
		protocol.MethodWorkspaceSymbol, protocol.MethodWorkspaceExecuteCommand,
		protocol.MethodWorkspaceDidChangeConfiguration, protocol.MethodWorkspaceDidChangeWatchedFiles,
		protocol.MethodWorkspaceDidChangeWorkspaceFolders, protocol.MethodTextDocumentDocumentSymbol,
		protocol.MethodWorkspaceWillRenameFiles, protocol.MethodWorkspaceDidRenameFiles,
		protocol.MethodTextDocumentInlayHint:
		return true
	}
	return panel.Serves(method)
}
