package lsp

import (
	"context"
	"strings"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"manicule/lsp/convert"
	"manicule/lsp/page"
)

// DidOpen adds a document to the session.
func (s *server) DidOpen(_ context.Context, p *protocol.DidOpenTextDocumentParams) error {
	s.idle.reset()
	s.opened.Add(1)
	p.TextDocument.URI = cloneURI(p.TextDocument.URI)
	s.session.Open(p.TextDocument)
	if path, ok := convert.PathFrom(p.TextDocument.URI); ok {
		s.folders.AddNested(path)
	}
	s.diags.now(p.TextDocument.URI)
	return nil
}

// DidChange applies edits and computes nothing: the next request or the publisher
// parses if needed.
func (s *server) DidChange(_ context.Context, p *protocol.DidChangeTextDocumentParams) error {
	s.idle.reset()
	p.TextDocument.URI = cloneURI(p.TextDocument.URI)
	if err := s.session.Change(p.TextDocument, p.ContentChanges); err != nil {
		return err
	}
	s.diags.soon(p.TextDocument.URI)
	s.impacts.schedule(p.TextDocument.URI)
	return nil
}

// DidSave makes the text the new base that edits are counted from. It also syncs a
// memory file.
func (s *server) DidSave(_ context.Context, p *protocol.DidSaveTextDocumentParams) error {
	s.idle.reset()
	p.TextDocument.URI = cloneURI(p.TextDocument.URI)
	if d, ok := s.session.Snapshot().Get(p.TextDocument.URI); ok {
		s.pages.BeforeSave(d)
	}
	s.session.Save(p.TextDocument.URI)
	s.impacts.forget(p.TextDocument.URI)
	if path, ok := convert.PathFrom(p.TextDocument.URI); ok {
		if page.IsMemoryFile(path) || page.IsThreadFile(path) {
			s.files.memorySaved(path)
		} else {
			s.files.codeSaved(path, s.session.Snapshot(), p.TextDocument.URI)
		}
	}
	s.diags.now(p.TextDocument.URI)
	return nil
}

// cloneURI copies a URI out of its message. A decoded string shares the memory of the
// message, which may hold a whole text. Trackers and schedulers keep paths cut from the
// URI, and would keep the message alive.
func cloneURI(u uri.URI) uri.URI { return uri.URI(strings.Clone(string(u))) }

// DidClose removes a document from the session.
func (s *server) DidClose(_ context.Context, p *protocol.DidCloseTextDocumentParams) error {
	s.idle.reset()
	s.session.Close(p.TextDocument.URI)
	s.pages.Forget(p.TextDocument.URI)
	s.sent.forget(p.TextDocument.URI)
	s.impacts.forget(p.TextDocument.URI)
	s.diags.now(p.TextDocument.URI)
	if path, ok := convert.PathFrom(p.TextDocument.URI); ok {
		s.files.closed(path)
	}
	return nil
}
