package lsp

import (
	"context"
	"strings"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"manicule/lsp/convert"
	"manicule/lsp/page"
)

// DidOpen takes over a document.
func (s *server) DidOpen(_ context.Context, p *protocol.DidOpenTextDocumentParams) error {
	s.busy()
	s.opened.Add(1)
	p.TextDocument.URI = detached(p.TextDocument.URI)
	s.session.Open(p.TextDocument)
	if path, ok := convert.PathFrom(p.TextDocument.URI); ok {
		s.folders.AddNested(path)
	}
	s.diags.now(p.TextDocument.URI)
	return nil
}

// DidChange applies edits. Nothing is computed here: the next request or the
// publisher parses, if anyone asks.
func (s *server) DidChange(_ context.Context, p *protocol.DidChangeTextDocumentParams) error {
	s.busy()
	p.TextDocument.URI = detached(p.TextDocument.URI)
	if err := s.session.Change(p.TextDocument, p.ContentChanges); err != nil {
		return err
	}
	s.diags.soon(p.TextDocument.URI)
	s.impacts.edited(p.TextDocument.URI)
	return nil
}

// DidSave makes the text the base that edits are followed from, and reads a
// memory file again.
func (s *server) DidSave(_ context.Context, p *protocol.DidSaveTextDocumentParams) error {
	s.busy()
	p.TextDocument.URI = detached(p.TextDocument.URI)
	if d, ok := s.session.Snapshot().Get(p.TextDocument.URI); ok {
		s.pages.Saving(d)
	}
	s.session.Save(p.TextDocument.URI)
	s.impacts.forget(p.TextDocument.URI)
	if path, ok := convert.PathFrom(p.TextDocument.URI); ok {
		if page.IsMemoryFile(path) {
			s.syncOwner(path)
		} else {
			s.savedCode(path)
			s.settleSaved(p.TextDocument.URI)
		}
	}
	s.diags.now(p.TextDocument.URI)
	return nil
}

// detached copies a URI out of its message. A decoded string shares the memory of
// the message, which holds a whole text: paths that are cut from the URI are kept
// by trackers and schedulers, and would keep that text with them.
func detached(u uri.URI) uri.URI { return uri.URI(strings.Clone(string(u))) }

// settleSaved looks where the marks of a saved document are, which tells the
// tracker what the files can't: not every client asks for anything after a save.
func (s *server) settleSaved(u uri.URI) {
	snap := s.session.Snapshot()
	s.spawn(func(ctx context.Context) {
		if p, ok := s.pages.Open(ctx, snap, u); ok {
			p.Marks(ctx)
		}
	})
}

// DidClose gives a document back to the disk.
func (s *server) DidClose(_ context.Context, p *protocol.DidCloseTextDocumentParams) error {
	s.busy()
	s.session.Close(p.TextDocument.URI)
	s.pages.Closed(p.TextDocument.URI)
	s.impacts.forget(p.TextDocument.URI)
	s.diags.now(p.TextDocument.URI)
	if path, ok := convert.PathFrom(p.TextDocument.URI); ok {
		s.spawn(func(ctx context.Context) {
			if f, rel, ok := s.folders.Owner(ctx, path); ok && f.Tracker != nil {
				f.Tracker.Release(rel)
			}
		})
	}
	return nil
}

// syncOwner has the memories of a memory file's folder read again.
func (s *server) syncOwner(path string) {
	s.spawn(func(ctx context.Context) {
		if f, _, ok := s.folders.Owner(ctx, path); ok {
			f.SyncSoon()
		}
	})
}

// savedCode tells a folder that a file of its code was saved.
func (s *server) savedCode(path string) {
	s.spawn(func(ctx context.Context) {
		if f, rel, ok := s.folders.Owner(ctx, path); ok {
			f.FilesChanged()
			f.RefreshSoon()
			f.SavedCode(ctx, rel)
		}
	})
}
