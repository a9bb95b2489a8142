package wrap

import "github.com/go-json-experiment/json/jsontext"

// feature describes a request that our server answers, too.
type feature struct {
	provider string // the server capability that offers it
	// merge joins two results. It reports false if the wrapped server's result stays as
	// it is.
	merge func(child, own []byte) (jsontext.Value, bool)
	// items says that our result is a list of items that the client may resolve, so
	// each is tagged with its owner.
	items bool
	// isItem says that our result is one such item.
	isItem bool
	// fallback says that our server answers only if the wrapped one does not offer the
	// feature.
	fallback bool
	// inform says that our server only takes note: its answer is dropped.
	inform bool
}

// featureOf returns how a request of the client is shared, false for one that our
// server does not answer.
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
		return feature{provider: "documentSymbolProvider", fallback: true}, true
	case methodPull:
		return feature{provider: "diagnosticProvider"}, true // merged by [diagnostics.mergePulled]
	case "workspace/diagnostic":
		return feature{provider: "diagnosticProvider", merge: mergeReports}, true
	case "workspace/willRenameFiles":
		return feature{inform: true}, true
	}
	return feature{}, false
}

// methodPull pulls the diagnostics of a document.
const methodPull = "textDocument/diagnostic"

// providerResolving returns the capability whose items a request resolves.
func providerResolving(method string) (provider string, ok bool) {
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

// ownReceives reports whether our server receives a notification of the client.
func ownReceives(method string) bool {
	switch method {
	case "initialized", "exit", "$/setTrace",
		"textDocument/didOpen", "textDocument/didChange", "textDocument/didSave", "textDocument/didClose",
		"workspace/didChangeConfiguration", "workspace/didChangeWatchedFiles",
		"workspace/didChangeWorkspaceFolders", "workspace/didRenameFiles":
		return true
	}
	return false
}
