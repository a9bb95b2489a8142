package session

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"manicule/indexer/extract"
	"manicule/indexer/treefile"
	"manicule/lsp/convert"
	"manicule/lsp/notebook"
)

// Notebook is one version of a notebook that the client has open. It is immutable.
type Notebook struct {
	URI  uri.URI   // the client's
	File *Document // its file, with the cells as the client has them

	layout *notebook.Layout // of File
	cells  []*cell
}

// cell is a cell of a notebook.
type cell struct {
	doc    *Document // its text as the client has it
	source func() *notebook.Source
}

// Cell is a cell in one version of its notebook.
type Cell struct {
	Notebook *Notebook
	Doc      *Document // the text of the cell alone
	Index    int
}

// fileScheme begins the URI of a notebook's file in a session. The client may have the same file open as text.
const fileScheme = "manicule-notebook:"

func fileURI(u uri.URI) uri.URI { return fileScheme + u }

func isFile(u uri.URI) bool { return strings.HasPrefix(string(u), fileScheme) }

// Notebooks returns the open notebooks, ordered by URI.
func (s *Snapshot) Notebooks() []*Notebook {
	var out []*Notebook
	for _, u := range slices.Sorted(maps.Keys(s.notebooks)) {
		out = append(out, s.notebooks[u])
	}
	return out
}

// Cell returns an open cell.
func (s *Snapshot) Cell(u uri.URI) (Cell, bool) {
	n, ok := s.notebooks[s.cells[u]]
	if !ok {
		return Cell{}, false
	}
	i := n.index(u)
	if i < 0 {
		return Cell{}, false
	}
	return n.cellAt(i), true
}

// CellIn returns the cell of a notebook's file that has an offset, false if the document is no notebook's or the
// offset is in no cell.
func (s *Snapshot) CellIn(d *Document, offset int) (Cell, bool) {
	n := s.notebookOf(d)
	if n == nil {
		return Cell{}, false
	}
	for i, c := range n.layout.Cells {
		if c.Source.Start <= offset && offset <= c.Source.End {
			return n.cellAt(i), true
		}
	}
	return Cell{}, false
}

func (s *Snapshot) notebookOf(d *Document) *Notebook {
	if !isFile(d.URI) {
		return nil
	}
	return s.notebooks[uri.URI(strings.TrimPrefix(string(d.URI), fileScheme))]
}

// Path returns the path of the file that a document is, or that its cell is in.
func (s *Snapshot) Path(u uri.URI) (string, bool) {
	if n, ok := s.notebooks[s.cells[u]]; ok {
		return n.File.Path, n.File.Path != ""
	}
	return convert.PathFrom(u)
}

// URIs returns the documents of the client that a document is: those of the cells for a notebook's file.
func (s *Snapshot) URIs(d *Document) []uri.URI {
	if n := s.notebookOf(d); n != nil {
		return n.Cells()
	}
	return []uri.URI{d.URI}
}

// Notebook returns an open notebook.
func (s *Snapshot) Notebook(u uri.URI) (*Notebook, bool) {
	n, ok := s.notebooks[u]
	return n, ok
}

// Location returns where a range of a document is for the client: that of a notebook's file is in a cell.
func (s *Snapshot) Location(d *Document, start, end int) protocol.Location {
	n := s.notebookOf(d)
	if n == nil {
		return protocol.Location{URI: d.URI, Range: d.Lines.Range(start, end, s.Encoding)}
	}
	if c, ok := s.CellIn(d, start); ok {
		return protocol.Location{URI: c.Doc.URI, Range: c.Range(start, end, s.Encoding)}
	}
	return protocol.Location{URI: n.URI}
}

// Cells returns the URIs of the notebook's cells, in order.
func (n *Notebook) Cells() []uri.URI {
	out := make([]uri.URI, len(n.cells))
	for i, c := range n.cells {
		out[i] = c.doc.URI
	}
	return out
}

func (n *Notebook) index(u uri.URI) int {
	return slices.IndexFunc(n.cells, func(c *cell) bool { return c.doc.URI == u })
}

func (n *Notebook) cellAt(i int) Cell { return Cell{n, n.cells[i].doc, i} }

// First reports whether what is about the whole notebook is shown in the cell: in the first one with code, as an editor
// shows other cells as what they look like.
func (c Cell) First() bool {
	first := slices.IndexFunc(c.Notebook.layout.Cells, func(l notebook.Cell) bool { return l.Code })
	return c.Index == max(first, 0)
}

// Holds reports whether an offset of the notebook's file is in the cell.
func (c Cell) Holds(offset int) bool {
	at := c.Notebook.layout.Cells[c.Index].Source
	return at.Start <= offset && offset <= at.End
}

func (c Cell) source() *notebook.Source { return c.Notebook.cells[c.Index].source() }

// Offset returns where a position of the cell is in the notebook's file.
func (c Cell) Offset(p protocol.Position, enc convert.Encoding) int {
	line, column := place(c.Doc.Lines, c.Doc.Lines.Offset(p, enc))
	return c.Notebook.layout.Cells[c.Index].Source.Start + c.source().Offset(line, column)
}

// Position returns which position of the cell an offset of the notebook's file is. Outside of the cell it is the
// nearest.
func (c Cell) Position(offset int, enc convert.Encoding) protocol.Position {
	line, column := c.source().Place(offset - c.Notebook.layout.Cells[c.Index].Source.Start)
	lines := c.Doc.Lines
	return lines.Position(min(lines.Start(line)+column, lines.End(line)), enc)
}

// Range returns the range of the cell that a range of the notebook's file is.
func (c Cell) Range(start, end int, enc convert.Encoding) protocol.Range {
	return protocol.Range{Start: c.Position(start, enc), End: c.Position(max(start, end), enc)}
}

// place returns the line of an offset, and the byte of the line.
func place(l *convert.Lines, offset int) (line, column int) {
	line = l.Line(offset)
	return line, offset - l.Start(line)
}

// withLayout returns the notebook with another text of its file.
func (n *Notebook) withLayout(file *Document, l *notebook.Layout) *Notebook {
	return &Notebook{URI: n.URI, File: file, layout: l, cells: n.cells}
}

// read sets how the text of a cell is found when somebody asks for it.
func (n *Notebook) read(i int) *cell {
	at := n.layout.Cells[i].Source
	raw := bytes.Clone(n.File.Text()[at.Start:at.End]) // without the rest of the file, which may be large
	return &cell{n.cells[i].doc, sync.OnceValue(func() *notebook.Source { return notebook.NewSource(raw) })}
}

// apply makes one edit of the file, inside of a cell, and reads the cell again.
func (n *Notebook) apply(i int, e notebook.Edit) *Notebook {
	next := n.withLayout(n.File.edited(n.File.Version+1, []notebook.Edit{e}), n.layout.Applied(e))
	next.cells = slices.Clone(n.cells)
	next.cells[i] = next.read(i)
	return next
}

// change applies edits of a cell.
func (n *Notebook) change(i int, version int32, changes []protocol.TextDocumentContentChangeEvent, enc convert.Encoding) *Notebook {
	for _, c := range changes {
		was := n.cells[i]
		doc := was.doc.changed(version, []protocol.TextDocumentContentChangeEvent{c}, enc)
		e := n.layout.Rewrite(i, doc.Text())
		if part, ok := c.(*protocol.TextDocumentContentChangePartial); ok {
			start, end := was.doc.Lines.Offsets(part.Range, enc)
			change := notebook.Change{Text: []byte(part.Text)}
			change.StartLine, change.StartColumn = place(was.doc.Lines, start)
			change.EndLine, change.EndColumn = place(was.doc.Lines, end)
			e = n.layout.Change(i, was.source(), change, doc.Text())
		}
		n = n.apply(i, e)
		n.cells[i].doc = doc
		if !notebook.SameText(n.cells[i].source().Text(), doc.Text()) { // line ends that were cut in two
			n = n.apply(i, n.layout.Rewrite(i, doc.Text()))
		}
	}
	return n
}

// retype makes cells ones of code or of text.
func (n *Notebook) retype(cells []protocol.NotebookCell) *Notebook {
	for _, c := range cells {
		i, code := n.index(c.Document), c.Kind == protocol.NotebookCellKindCode
		if i < 0 || n.layout.Cells[i].Code == code || n.isRaw(i) {
			continue
		}
		n = n.apply(i, n.layout.Retype(i, code))
		n.layout = n.layout.Typed(i, code)
	}
	return n
}

// isRaw reports whether a cell of the file is neither code nor Markdown. A client counts it as code.
func (n *Notebook) isRaw(i int) bool {
	at := n.layout.Cells[i].Type
	return string(n.File.Text()[at.Start:at.End]) == `"raw"`
}

// arrange makes the cells those of a list. docs holds their texts.
func (n *Notebook) arrange(list []protocol.NotebookCell, docs map[uri.URI]*Document) (*Notebook, error) {
	items := make([]notebook.Item, len(list))
	cells := make([]*cell, len(list))
	for i, c := range list {
		old := n.index(c.Document)
		if doc, again := docs[c.Document]; again && old >= 0 && doc != n.cells[old].doc { // closed and opened in one message
			if bytes.Equal(doc.Text(), n.cells[old].doc.Text()) {
				items[i], cells[i] = notebook.Item{Old: old}, &cell{doc, n.cells[old].source}
				continue
			}
			old = -1
		}
		if old >= 0 {
			items[i], cells[i] = notebook.Item{Old: old}, n.cells[old]
			continue
		}
		doc, ok := docs[c.Document]
		if !ok {
			return n, fmt.Errorf("cell %s: %w", c.Document, errNotOpen)
		}
		items[i] = notebook.Item{Old: -1, Code: c.Kind == protocol.NotebookCellKindCode, Text: doc.Text()}
		cells[i] = &cell{doc: doc}
	}
	edits, layout := n.layout.Arrange(n.File.Text(), items)
	next := n.withLayout(n.File.edited(n.File.Version+1, edits), layout)
	next.cells = cells
	for i := range cells {
		if items[i].Old < 0 {
			next.cells[i] = next.read(i)
		}
	}
	return next.retype(list), nil
}

// errTwice means that a list names a cell more than once.
var errTwice = errors.New("the list of cells names one twice")

// OpenNotebook adds a notebook that the client opened. Its file is read from disk; where the client's cells differ, as
// after a restart with unsaved cells, they are unsaved edits.
func (s *Session) OpenNotebook(p *protocol.DidOpenNotebookDocumentParams) error {
	n := p.NotebookDocument
	if twice(n.Cells) {
		return fmt.Errorf("open %s: %w", n.URI, errTwice)
	}
	docs := cellDocuments(p.CellTextDocuments, s.buffers)
	opened, err := openNotebook(cloneURI(n.URI), n.Cells, docs, s.buffers)
	if err != nil {
		return fmt.Errorf("open %s: %w", n.URI, err)
	}
	s.update(func(next *Snapshot) {
		next.drop(opened.URI)
		next.put(opened)
	})
	return nil
}

func cloneURI(u uri.URI) uri.URI { return uri.URI(strings.Clone(string(u))) }

func twice(cells []protocol.NotebookCell) bool {
	seen := make(map[uri.URI]bool, len(cells))
	for _, c := range cells {
		if seen[c.Document] {
			return true
		}
		seen[c.Document] = true
	}
	return false
}

// cellDocuments returns the texts of cells. Their symbols are those of the notebook's file, so they have no language.
func cellDocuments(items []protocol.TextDocumentItem, buffers *extract.Buffers) map[uri.URI]*Document {
	docs := make(map[uri.URI]*Document, len(items))
	for _, item := range items {
		u := cloneURI(item.URI)
		d := &Document{URI: u, Version: item.Version, Open: true, Lines: convert.NewLines([]byte(item.Text)), tree: new(parseResult)}
		d.buffer = buffers.Open("")
		docs[u] = d
	}
	return docs
}

// openNotebook reads the file of a notebook, and makes its cells those of the client.
func openNotebook(u uri.URI, list []protocol.NotebookCell, docs map[uri.URI]*Document, buffers *extract.Buffers) (*Notebook, error) {
	text := notebook.Empty()
	path, ok := convert.PathFrom(u)
	if ok {
		if onDisk, err := treefile.Read(path, maxRead); err == nil {
			text = onDisk
		}
	}
	layout, err := notebook.Parse(text)
	if err != nil { // the client has found cells in it
		text = notebook.Empty()
		if layout, err = notebook.Parse(text); err != nil {
			return nil, fmt.Errorf("notebook: %w", err)
		}
	}
	n := &Notebook{URI: u, File: newDocument(u, 0, text, true, buffers), layout: layout, cells: make([]*cell, len(layout.Cells))}
	n.File.URI = fileURI(u)
	texts := make([]string, len(layout.Cells))
	for i := range layout.Cells {
		n.cells[i] = &cell{doc: &Document{}}
		n.cells[i] = n.read(i)
		texts[i] = string(n.cells[i].source().Text())
	}
	return n.follow(list, docs, texts)
}

// follow makes the cells of a file those of a client. texts are those in the file.
func (n *Notebook) follow(list []protocol.NotebookCell, docs map[uri.URI]*Document, texts []string) (*Notebook, error) {
	now := make([]string, len(list))
	for i, c := range list {
		doc, ok := docs[c.Document]
		if !ok {
			return nil, fmt.Errorf("cell %s: %w", c.Document, errNotOpen)
		}
		now[i] = strings.ReplaceAll(strings.ReplaceAll(string(doc.Text()), "\r\n", "\n"), "\r", "\n")
	}
	old := notebook.Match(texts, now)
	for i, c := range list { // which cell of the file is which of the client
		if old[i] >= 0 {
			n.cells[old[i]] = &cell{docs[c.Document], n.cells[old[i]].source}
		}
	}
	n, err := n.arrange(list, docs)
	if err != nil {
		return nil, err
	}
	for i := range n.cells {
		if s := n.cells[i].source(); !s.Regular || !notebook.SameText(s.Text(), n.cells[i].doc.Text()) {
			n = n.apply(i, n.layout.Rewrite(i, n.cells[i].doc.Text()))
		}
	}
	return n, nil
}

// put adds a version of a notebook.
func (s *Snapshot) put(n *Notebook) {
	s.notebooks[n.URI], s.open[n.File.URI] = n, n.File
	for _, c := range n.cells {
		s.cells[c.doc.URI] = n.URI
	}
}

// drop removes a notebook.
func (s *Snapshot) drop(u uri.URI) {
	n, ok := s.notebooks[u]
	if !ok {
		return
	}
	n.File.buffer.Close()
	delete(s.open, n.File.URI)
	delete(s.notebooks, u)
	maps.DeleteFunc(s.cells, func(_, of uri.URI) bool { return of == u })
}

// ChangeNotebook applies edits to an open notebook.
func (s *Session) ChangeNotebook(p *protocol.DidChangeNotebookDocumentParams) error {
	cells := p.Change.Cells
	if cells == nil {
		return nil
	}
	u := p.NotebookDocument.URI
	var err error
	s.update(func(next *Snapshot) {
		n, ok := next.notebooks[u]
		if !ok {
			err = fmt.Errorf("change %s: %w", u, errNotOpen)
			return
		}
		changed, failed := n.changed(cells, next.Encoding, s.buffers)
		if failed != nil { // what came before the error holds
			err = fmt.Errorf("change %s: %w", u, failed)
		}
		maps.DeleteFunc(next.cells, func(_, of uri.URI) bool { return of == n.URI })
		next.put(changed)
	})
	return err
}

func (n *Notebook) changed(p *protocol.NotebookDocumentCellChanges, enc convert.Encoding, buffers *extract.Buffers) (*Notebook, error) {
	if st := p.Structure; st != nil {
		list := n.list()
		from := min(int(st.Array.Start), len(list))
		to := min(from+int(st.Array.DeleteCount), len(list))
		list = slices.Concat(list[:from], st.Array.Cells, list[to:])
		if twice(list) {
			return n, errTwice
		}
		next, err := n.arrange(list, cellDocuments(st.DidOpen, buffers))
		if err != nil {
			return n, err
		}
		n = next
	}
	n = n.retype(p.Data)
	for _, c := range p.TextContent {
		i := n.index(c.Document.URI)
		if i < 0 {
			return n, fmt.Errorf("cell %s: %w", c.Document.URI, errNotOpen)
		}
		n = n.change(i, c.Document.Version, c.Changes, enc)
	}
	return n, nil
}

// SaveNotebook makes the text that was saved the base of later edits. before is told the
// file with its edits up to that text: an editor writes more than the cells, as what they printed.
func (s *Session) SaveNotebook(u uri.URI, before func(*Document)) {
	s.update(func(next *Snapshot) {
		n, open := next.notebooks[u]
		if !open {
			return
		}
		now, same := n.saved()
		if !same { // somebody else has written the file, too
			if again, err := n.reopened(s.buffers); err == nil {
				next.drop(u)
				next.put(again)
				return
			}
		}
		before(now.File)
		next.put(now.withLayout(now.File.saved(), now.layout))
	})
}

// reopened returns the notebook with the file that is on disk.
func (n *Notebook) reopened(buffers *extract.Buffers) (*Notebook, error) {
	docs := make(map[uri.URI]*Document, len(n.cells))
	for _, c := range n.cells {
		docs[c.doc.URI] = c.doc
	}
	return openNotebook(n.URI, n.list(), docs, buffers)
}

// list returns the cells as a client lists them.
func (n *Notebook) list() []protocol.NotebookCell {
	list := make([]protocol.NotebookCell, len(n.cells))
	for i, c := range n.cells {
		list[i] = protocol.NotebookCell{Kind: protocol.NotebookCellKindMarkup, Document: c.doc.URI}
		if n.layout.Cells[i].Code {
			list[i].Kind = protocol.NotebookCellKindCode
		}
	}
	return list
}

// saved returns the notebook with the text that is on disk, if that has the same cells.
func (n *Notebook) saved() (now *Notebook, same bool) {
	text, err := treefile.Read(n.File.Path, maxRead)
	if err != nil {
		return n, false
	}
	layout, err := notebook.Parse(text)
	if err != nil || len(layout.Cells) != len(n.cells) {
		return n, false
	}
	var edits []notebook.Edit
	old := n.File.Text()
	from, to := 0, 0 // what was compared so far
	part := func(end, now int) {
		if !bytes.Equal(old[from:end], text[to:now]) {
			edits = append(edits, notebook.Edit{Span: notebook.Span{Start: from, End: end}, Text: text[to:now]})
		}
		from, to = end, now
	}
	cells := make([]*cell, len(n.cells))
	for i, c := range layout.Cells {
		was := n.layout.Cells[i].Source
		part(was.Start, c.Source.Start)
		part(was.End, c.Source.End)
		source := notebook.NewSource(bytes.Clone(text[c.Source.Start:c.Source.End]))
		if !source.Regular || c.Code != n.layout.Cells[i].Code || !notebook.SameText(source.Text(), n.cells[i].doc.Text()) {
			return n, false
		}
		cells[i] = &cell{n.cells[i].doc, func() *notebook.Source { return source }}
	}
	part(len(old), len(text))
	next := n.withLayout(n.File.edited(n.File.Version+1, edits), layout)
	next.cells = cells
	return next, true
}

// CloseNotebook removes a notebook, which is read from disk from now on.
func (s *Session) CloseNotebook(u uri.URI) {
	s.update(func(next *Snapshot) { next.drop(u) })
}
