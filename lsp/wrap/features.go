package wrap

import "github.com/go-json-experiment/json/jsontext"

// feature is a request that our server answers too.
type feature struct {
	provider string // the member of the server's capabilities that offers it
	// merge joins two results. It reports false where the wrapped server's stays
	// as it is.
	merge func(child, own []byte) (jsontext.Value, bool)
	// items says that our result is a list of items that the client may have
	// resolved, so each names its owner.
	items bool
	// one says that our result is one such item.
	one bool
	// alone says that our server is asked only where the wrapped one does not
	// offer the feature.
	alone bool
	// aside says that our server only wants to know: nobody waits for its answer.
	aside bool
}

// featureOf returns what a request of the client is to our server.
func featureOf(method string) (feature, bool) {
	switch method {
	case "textDocument/hover":
		return feature{provider: "hoverProvider", merge: mergeHover}, true
	case "textDocument/codeLens":
		return feature{provider: "codeLensProvider", merge: joined, items: true}, true
	case "textDocument/inlayHint":
		return feature{provider: "inlayHintProvider", merge: joined, items: true}, true
	case "textDocument/codeAction":
		return feature{provider: "codeActionProvider", merge: joined, items: true}, true
	case "textDocument/documentLink":
		return feature{provider: "documentLinkProvider", merge: joined, items: true}, true
	case "workspace/symbol":
		return feature{provider: "workspaceSymbolProvider", merge: joined}, true
	case "textDocument/documentSymbol":
		return feature{provider: "documentSymbolProvider", alone: true}, true
	case methodPull:
		return feature{provider: "diagnosticProvider"}, true // merged by [diagnostics.pulled]
	case "workspace/diagnostic":
		return feature{provider: "diagnosticProvider", merge: mergeReports}, true
	case "workspace/willRenameFiles":
		return feature{aside: true}, true
	}
	return feature{}, false
}

// methodPull asks for the diagnostics of a document.
const methodPull = "textDocument/diagnostic"

// resolvedBy returns the provider whose items a request resolves.
func resolvedBy(method string) (provider string, ok bool) {
	switch method {
	case "codeLens/resolve":
		return "codeLensProvider", true
	case "inlayHint/resolve":
		return "inlayHintProvider", true
	case "codeAction/resolve":
		return "codeActionProvider", true
	case "documentLink/resolve":
		return "documentLinkProvider", true
	case "workspaceSymbol/resolve":
		return "workspaceSymbolProvider", true
	}
	return "", false
}

// told reports whether our server receives a notification of the client.
func told(method string) bool {
	switch method {
	case "initialized", "exit", "$/setTrace",
		"textDocument/didOpen", "textDocument/didChange", "textDocument/didSave", "textDocument/didClose",
		"workspace/didChangeConfiguration", "workspace/didChangeWatchedFiles",
		"workspace/didChangeWorkspaceFolders", "workspace/didRenameFiles":
		return true
	}
	return false
}
