package client

import (
	"slices"

	"go.lsp.dev/protocol"
)

// Capabilities are the client's capabilities that the server depends on.
type Capabilities struct {
	Markdown             bool // it shows Markdown in hovers
	PullDiagnostics      bool // it pulls diagnostics, so none are pushed
	VersionedDiagnostics bool // published diagnostics may name a version
	DiagnosticData       bool // it gives back the data of diagnostics
	LinkTooltips         bool
	NestedSymbols        bool // it takes the symbols of a document as a tree
	LensRefresh          bool
	LensTitles           bool // it wants the titles of lenses with the lenses
	Notebooks            bool // it sends notebooks
	InlayHints           bool // it shows inlay hints
	HintRefresh          bool
	Extensions           bool // it handles the manicule/* notifications
	DiagnosticRefresh    bool
	Configuration        bool // it answers workspace/configuration
	DynamicConfiguration bool // it takes a registration for changes of it
	DynamicWatch         bool // it takes a registration to watch files
	Progress             bool
	ShowDocument         bool
	Questions            bool // it shows questions with answers to choose from
	ActionLiterals       bool // it supports code action literals
}

// CapabilitiesFrom reads the capabilities from the initialize request.
func CapabilitiesFrom(p *protocol.InitializeParams) Capabilities {
	var c Capabilities
	if t := p.Capabilities.TextDocument; t != nil {
		c.Markdown = t.Hover != nil && slices.Contains(t.Hover.ContentFormat, protocol.MarkupKindMarkdown)
		c.PullDiagnostics = t.Diagnostic != nil
		c.VersionedDiagnostics = t.PublishDiagnostics != nil && isTrue(t.PublishDiagnostics.VersionSupport)
		c.DiagnosticData = t.PublishDiagnostics != nil && isTrue(t.PublishDiagnostics.DataSupport) || t.Diagnostic != nil && isTrue(t.Diagnostic.DataSupport)
		c.LinkTooltips = t.DocumentLink != nil && isTrue(t.DocumentLink.TooltipSupport)
		c.NestedSymbols = t.DocumentSymbol != nil && isTrue(t.DocumentSymbol.HierarchicalDocumentSymbolSupport)
		c.InlayHints = t.InlayHint != nil
		c.ActionLiterals = t.CodeAction != nil && len(t.CodeAction.CodeActionLiteralSupport.CodeActionKind.ValueSet) > 0
	}
	c.Notebooks = p.Capabilities.NotebookDocument != nil
	if w := p.Capabilities.Workspace; w != nil {
		c.LensRefresh = w.CodeLens != nil && isTrue(w.CodeLens.RefreshSupport)
		c.HintRefresh = w.InlayHint != nil && isTrue(w.InlayHint.RefreshSupport)
		c.DiagnosticRefresh = w.Diagnostics != nil && isTrue(w.Diagnostics.RefreshSupport)
		c.Configuration = isTrue(w.Configuration)
		c.DynamicConfiguration = w.DidChangeConfiguration != nil && isTrue(w.DidChangeConfiguration.DynamicRegistration)
		c.DynamicWatch = w.DidChangeWatchedFiles != nil && isTrue(w.DidChangeWatchedFiles.DynamicRegistration)
	}
	if w := p.Capabilities.Window; w != nil {
		c.Progress = isTrue(w.WorkDoneProgress)
		c.Questions = w.ShowMessage != nil
		c.ShowDocument = w.ShowDocument != nil && w.ShowDocument.Support
	}
	c.Extensions = wantsExtensions(p)
	// Neovim 0.12 leaves an empty line in the place of a lens whose title it asked for when it was told of other lenses.
	c.LensTitles = p.ClientInfo.Name == "Neovim"
	return c
}

func isTrue(b *bool) bool { return b != nil && *b }

// wantsExtensions reports whether the client handles our notifications:
// initializationOptions.extensions or capabilities.experimental.manicule says so.
func wantsExtensions(p *protocol.InitializeParams) bool {
	var options struct {
		Extensions any `json:"extensions"`
	}
	var experimental struct {
		Manicule any `json:"manicule"`
	}
	// Anything but an object says nothing.
	if len(p.InitializationOptions) > 0 && protocol.Unmarshal(p.InitializationOptions, &options) == nil && options.Extensions == true {
		return true
	}
	return len(p.Capabilities.Experimental) > 0 && protocol.Unmarshal(p.Capabilities.Experimental, &experimental) == nil && experimental.Manicule == true
}
