package lsp

import (
	"context"
	"strings"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"manicule/lsp/session"
)

// notebookSync says that the client sends notebooks with all of their cells: those with text show memories, too, and
// places in the file follow from all.
func notebookSync() *protocol.NotebookDocumentSyncOptions {
	return &protocol.NotebookDocumentSyncOptions{
		NotebookSelector: []protocol.NotebookSelector{&protocol.NotebookDocumentFilterWithNotebook{
			Notebook: &protocol.NotebookDocumentFilterPattern{Scheme: new("file"), Pattern: protocol.Pattern("**/*.ipynb")},
		}},
		Save: new(true),
	}
}

// DidOpenNotebookDocument adds a notebook to the session. Its cells are documents from now on.
func (s *server) DidOpenNotebookDocument(_ context.Context, p *protocol.DidOpenNotebookDocumentParams) error {
	s.resetIdle()
	s.opened.Add(1)
	if err := s.session.OpenNotebook(p); err != nil {
		return err
	}
	if path, ok := s.notebookPath(p.NotebookDocument.URI); ok {
		s.folders.AddNested(path)
	}
	s.cellsDue(p.NotebookDocument.URI)
	s.changes.soon() // lists name cells from now on
	return nil
}

// DidChangeNotebookDocument applies edits of cells and of their list. Like [server.DidChange] it computes nothing.
func (s *server) DidChangeNotebookDocument(_ context.Context, p *protocol.DidChangeNotebookDocumentParams) error {
	s.resetIdle()
	err := s.session.ChangeNotebook(p) // what came before an error holds
	n, ok := s.session.Snapshot().Notebook(p.NotebookDocument.URI)
	if !ok || p.Change.Cells == nil {
		return err
	}
	for _, c := range p.Change.Cells.TextContent {
		s.diags.soon(cloneURI(c.Document.URI))
	}
	if st := p.Change.Cells.Structure; st != nil {
		for _, c := range st.DidClose {
			s.sent.forget(c.URI)
			s.diags.now(cloneURI(c.URI)) // to clear those that the client has
		}
		for _, u := range n.Cells() { // what is about the whole file may be in another one now
			s.diags.soon(u)
		}
	}
	s.impacts.schedule(n.File.URI)
	return err
}

// DidSaveNotebookDocument makes the text of the file the new base that edits are counted from.
func (s *server) DidSaveNotebookDocument(_ context.Context, p *protocol.DidSaveNotebookDocumentParams) error {
	s.resetIdle()
	u := cloneURI(p.NotebookDocument.URI)
	s.session.SaveNotebook(u, s.pages.BeforeSave)
	n, ok := s.session.Snapshot().Notebook(u)
	if !ok {
		return nil
	}
	s.impacts.forget(n.File.URI)
	if path, ok := s.notebookPath(u); ok {
		s.codeSaved(path)
		s.resolveSaved(n.File.URI)
	}
	s.cellsDue(u)
	return nil
}

// DidCloseNotebookDocument removes a notebook and its cells from the session.
func (s *server) DidCloseNotebookDocument(_ context.Context, p *protocol.DidCloseNotebookDocumentParams) error {
	s.resetIdle()
	u := p.NotebookDocument.URI
	n, ok := s.session.Snapshot().Notebook(u)
	if !ok {
		return nil
	}
	s.session.CloseNotebook(u)
	s.pages.Forget(n.File.URI)
	s.impacts.forget(n.File.URI)
	for _, cell := range n.Cells() {
		s.sent.forget(cell)
		s.diags.now(cell)
	}
	s.releasePlaces(n.File.Path)
	s.changes.soon() // a client that opens it again may give another cell the same name
	return nil
}

func (s *server) notebookPath(u uri.URI) (string, bool) {
	n, ok := s.session.Snapshot().Notebook(u)
	if !ok {
		return "", false
	}
	return strings.Clone(n.File.Path), n.File.Path != ""
}

// cellsDue makes the diagnostics of all cells of a notebook due.
func (s *server) cellsDue(u uri.URI) {
	if n, ok := s.session.Snapshot().Notebook(u); ok {
		s.documentDue(n.File)
	}
}

// documentDue makes the diagnostics of a document due, those of all cells if it is a notebook's file.
func (s *server) documentDue(d *session.Document) {
	for _, u := range s.session.Snapshot().URIs(d) {
		s.diags.now(u)
	}
}
