// Package session owns the documents that the client has open, their edits, and the
// immutable snapshots from which requests are answered. It must not know memories or
// any feature of the server.
package session

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"manicule/indexer/extract"
	"manicule/indexer/sorting"
	"manicule/indexer/treefile"
	"manicule/lsp/convert"
)

// maxRead is the size in bytes of the largest file that is read from disk.
const maxRead = 16 << 20

// errNotOpen is returned for a change to a document that is not open.
var errNotOpen = errors.New("the document is not open")

// Session tracks the client's documents. Notification handlers write, one after
// another; any goroutine may read.
type Session struct {
	buffers *extract.Buffers
	mu      sync.Mutex // serializes writers
	current atomic.Pointer[Snapshot]
}

// Snapshot is the state of the session at one moment.
type Snapshot struct {
	Encoding convert.Encoding
	open     map[uri.URI]*Document // also the files of notebooks, see fileURI
	buffers  *extract.Buffers

	notebooks map[uri.URI]*Notebook
	cells     map[uri.URI]uri.URI // the notebook of each cell
}

// New returns a session without documents.
func New() *Session {
	s := &Session{buffers: extract.NewBuffers(extract.DefaultKept)}
	s.current.Store(&Snapshot{
		buffers: s.buffers, open: make(map[uri.URI]*Document), notebooks: make(map[uri.URI]*Notebook), cells: make(map[uri.URI]uri.URI),
	})
	return s
}

// SetEncoding sets the position encoding, before the first document is opened.
func (s *Session) SetEncoding(enc convert.Encoding) {
	s.update(func(next *Snapshot) { next.Encoding = enc })
}

// ReleaseIdle frees the caches that only speed up typing.
func (s *Session) ReleaseIdle() {
	s.buffers.DropAll()
	for _, d := range s.Snapshot().open {
		d.tree.forget()
		d.Base().tree.forget()
	}
}

// Snapshot returns the current state.
func (s *Session) Snapshot() *Snapshot { return s.current.Load() }

func (s *Session) update(change func(next *Snapshot)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.current.Load()
	next := &Snapshot{
		Encoding: now.Encoding, open: maps.Clone(now.open), buffers: s.buffers,
		notebooks: maps.Clone(now.notebooks), cells: maps.Clone(now.cells),
	}
	change(next)
	s.current.Store(next)
}

// Open adds a document that the client opened.
func (s *Session) Open(item protocol.TextDocumentItem) {
	// A decoded string may keep its whole message alive, so it is copied.
	u := uri.URI(strings.Clone(string(item.URI)))
	d := newDocument(u, item.Version, []byte(item.Text), true, s.buffers)
	s.update(func(next *Snapshot) {
		if old, ok := next.open[u]; ok { // opened twice
			old.buffer.Close()
		}
		next.open[u] = d
	})
}

// Change applies edits to an open document.
func (s *Session) Change(id protocol.VersionedTextDocumentIdentifier, changes []protocol.TextDocumentContentChangeEvent) error {
	var err error
	s.update(func(next *Snapshot) {
		d, ok := next.open[id.URI]
		if !ok {
			err = fmt.Errorf("change %s: %w", id.URI, errNotOpen)
			return
		}
		next.open[d.URI] = d.changed(id.Version, changes, next.Encoding)
	})
	return err
}

// Save makes the current text the base of later edits.
func (s *Session) Save(u uri.URI) {
	s.update(func(next *Snapshot) {
		if d, ok := next.open[u]; ok {
			next.open[d.URI] = d.saved()
		}
	})
}

// Close removes a document, which is read from disk from now on.
func (s *Session) Close(u uri.URI) {
	s.update(func(next *Snapshot) {
		if d, ok := next.open[u]; ok {
			d.buffer.Close()
			delete(next.open, u)
		}
	})
}

// Get returns an open document. That of a notebook's cell has the text of the cell alone.
func (s *Snapshot) Get(u uri.URI) (*Document, bool) {
	if c, ok := s.Cell(u); ok {
		return c.Doc, true
	}
	return s.named(u)
}

// named returns an open document by its URI, or by its path: clients escape different characters of it than we do, such as
// those of app/(shop)/+page.svelte.
func (s *Snapshot) named(u uri.URI) (*Document, bool) {
	if d, ok := s.open[u]; ok {
		return d, true
	}
	path, ok := convert.PathFrom(u)
	if !ok {
		return nil, false
	}
	for _, d := range s.open {
		if d.Path == path && !isFile(d.URI) {
			return d, true
		}
	}
	return nil, false
}

// Shown returns the open documents as the client names them: the cells of a notebook, not its file.
func (s *Snapshot) Shown() []*Document {
	docs := slices.DeleteFunc(s.Documents(), func(d *Document) bool { return isFile(d.URI) })
	for _, n := range s.Notebooks() {
		for _, c := range n.cells {
			docs = append(docs, c.doc)
		}
	}
	return docs
}

// Documents returns the open documents, ordered by URI. That of a notebook is its file, with the cells as the client
// has them.
func (s *Snapshot) Documents() []*Document {
	docs := slices.Collect(maps.Values(s.open))
	sorting.Func(docs, byURI)
	return docs
}

// Unsaved returns the open documents with edits that are not saved, ordered by URI.
func (s *Snapshot) Unsaved() []*Document {
	var docs []*Document
	for _, d := range s.open {
		if d.Base() != d {
			docs = append(docs, d)
		}
	}
	sorting.Func(docs, byURI)
	return docs
}

func byURI(a, b *Document) int { return strings.Compare(string(a.URI), string(b.URI)) }

// Read returns a document as the client sees it: the open one, else the file on disk. The document of a cell is the
// file of its notebook.
func (s *Snapshot) Read(ctx context.Context, u uri.URI) (*Document, error) {
	if c, ok := s.Cell(u); ok {
		return c.Notebook.File, nil
	}
	if d, ok := s.named(u); ok {
		return d, nil
	}
	path, ok := convert.PathFrom(u)
	for _, n := range s.notebooks {
		if ok && n.File.Path == path {
			return n.File, nil
		}
	}
	if !ok {
		return nil, fmt.Errorf("read %s: %w", u, errNotOpen)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	text, err := treefile.Read(path, maxRead)
	if err != nil {
		return nil, fmt.Errorf("read document: %w", err)
	}
	return newDocument(u, 0, text, false, s.buffers), nil
}
