package lsp

import (
	"context"
	"strings"

	"go.lsp.dev/protocol"
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
	s.idle.reset()
	s.opened.Add(1)
	if err := s.session.OpenNotebook(p); err != nil {
		return err
	}
	snap := s.session.Snapshot()
	if n, ok := snap.Notebook(p.NotebookDocument.URI); ok {
		if n.File.Path != "" {
			s.folders.AddNested(strings.Clone(n.File.Path))
		}
		s.diags.documentDue(snap, n.File)
	}
	s.changes.soon() // lists name cells from now on
	return nil
}

// DidChangeNotebookDocument applies edits of cells and of their list. Like [server.DidChange] it computes nothing.
func (s *server) DidChangeNotebookDocument(_ context.Context, p *protocol.DidChangeNotebookDocumentParams) error {
	s.idle.reset()
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
	s.idle.reset()
	u := cloneURI(p.NotebookDocument.URI)
	s.session.SaveNotebook(u, s.pages.BeforeSave)
	snap := s.session.Snapshot()
	n, ok := snap.Notebook(u)
	if !ok {
		return nil
	}
	s.impacts.forget(n.File.URI)
	if n.File.Path != "" {
		s.files.codeSaved(strings.Clone(n.File.Path), snap, n.File.URI)
	}
	s.diags.documentDue(snap, n.File)
	return nil
}

// DidCloseNotebookDocument removes a notebook and its cells from the session.
func (s *server) DidCloseNotebookDocument(_ context.Context, p *protocol.DidCloseNotebookDocumentParams) error {
	s.idle.reset()
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
	s.files.closed(n.File.Path)
	s.changes.soon() // a client that opens it again may give another cell the same name
	return nil
}
