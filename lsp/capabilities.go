package lsp

import (
	"slices"

	"go.lsp.dev/protocol"

	"manicule/lsp/convert"
)

// capabilities is what the client can do, as far as it matters here.
type capabilities struct {
	markdown       bool // hovers may be Markdown
	pull           bool // it asks for diagnostics, so none are pushed
	versions       bool // published diagnostics may name a version
	lensRefresh    bool
	hints          bool // it shows inlay hints
	hintRefresh    bool
	extensions     bool // it knows our own notifications
	diagRefresh    bool
	configuration  bool // it answers workspace/configuration
	dynamicConfig  bool // and wants to be asked for change notifications
	dynamicWatch   bool // it watches files for us
	progress       bool
	showDocument   bool
	actionLiterals bool // code actions may be more than commands
}

func capabilitiesFrom(p *protocol.InitializeParams) capabilities {
	var c capabilities
	if t := p.Capabilities.TextDocument; t != nil {
		c.markdown = t.Hover != nil && slices.Contains(t.Hover.ContentFormat, protocol.MarkupKindMarkdown)
		c.pull = t.Diagnostic != nil
		c.versions = t.PublishDiagnostics != nil && isTrue(t.PublishDiagnostics.VersionSupport)
		c.hints = t.InlayHint != nil
		c.actionLiterals = t.CodeAction != nil && len(t.CodeAction.CodeActionLiteralSupport.CodeActionKind.ValueSet) > 0
	}
	if w := p.Capabilities.Workspace; w != nil {
		c.lensRefresh = w.CodeLens != nil && isTrue(w.CodeLens.RefreshSupport)
		c.hintRefresh = w.InlayHint != nil && isTrue(w.InlayHint.RefreshSupport)
		c.diagRefresh = w.Diagnostics != nil && isTrue(w.Diagnostics.RefreshSupport)
		c.configuration = isTrue(w.Configuration)
		c.dynamicConfig = w.DidChangeConfiguration != nil && isTrue(w.DidChangeConfiguration.DynamicRegistration)
		c.dynamicWatch = w.DidChangeWatchedFiles != nil && isTrue(w.DidChangeWatchedFiles.DynamicRegistration)
	}
	if w := p.Capabilities.Window; w != nil {
		c.progress = isTrue(w.WorkDoneProgress)
		c.showDocument = w.ShowDocument != nil && w.ShowDocument.Support
	}
	c.extensions = wantsExtensions(p)
	return c
}

func isTrue(b *bool) bool { return b != nil && *b }

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
		CodeActionProvider:      &protocol.CodeActionOptions{CodeActionKinds: actionKinds()},
		DocumentLinkProvider:    &protocol.DocumentLinkOptions{},
		InlayHintProvider:       protocol.Boolean(true),
		WorkspaceSymbolProvider: protocol.Boolean(true),
		ExecuteCommandProvider: protocol.ExecuteCommandOptions{
			WorkDoneProgressOptions: protocol.WorkDoneProgressOptions{WorkDoneProgress: new(true)}, Commands: commandNames(),
		},
		Workspace: &protocol.WorkspaceOptions{
			WorkspaceFolders: &protocol.WorkspaceFoldersServerCapabilities{Supported: new(true), ChangeNotifications: protocol.Boolean(true)},
			FileOperations:   renames(),
		},
	}
	if s.initial.DocumentSymbols {
		c.DocumentSymbolProvider = protocol.Boolean(true)
	}
	if s.caps.pull {
		c.DiagnosticProvider = &protocol.DiagnosticOptions{Identifier: new("manicule"), WorkspaceDiagnostics: true}
	}
	return c
}
