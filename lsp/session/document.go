package session

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"manicule/grammars"
	"manicule/indexer/extract"
	"manicule/lsp/convert"
	"manicule/lsp/notebook"
)

// maxParse is the size in bytes up to which a document is parsed. A larger one is
// generated, and parsing it would block everything else.
const maxParse = extract.MaxSize

// maxEdits is how many edits are tracked from one base. After that the current text
// becomes the base.
const maxEdits = 4096

// Document is one version of one text. It is immutable.
type Document struct {
	URI     uri.URI
	Path    string // absolute, "" if it is not a file
	Lang    string // id of its grammar, "" for none
	Version int32
	Open    bool // the client owns the text
	Lines   *convert.Lines

	base     *Document // the text when it was opened or last saved; nil if this is it
	edits    []Edit    // from base to this version
	buffer   *extract.Buffer
	revision int // of the buffer
	tree     *parseResult
}

// parseResult is the result of parsing a document, computed on demand.
type parseResult struct {
	mu     sync.Mutex
	parsed bool // file and err are set; mu guards all fields
	whole  bool // syntax is set, too, if there is one
	file   *extract.File
	syntax *extract.Tree
	err    error
}

// forget drops the result: the next caller parses again.
func (t *parseResult) forget() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.parsed, t.whole, t.file, t.syntax, t.err = false, false, nil, nil, nil
}

// newDocument returns the first version of a document. Its later versions share one of
// the buffers.
func newDocument(u uri.URI, version int32, text []byte, open bool, buffers *extract.Buffers) *Document {
	d := &Document{URI: u, Version: version, Open: open, Lines: convert.NewLines(text), tree: new(parseResult)}
	path, ok := convert.PathFrom(u)
	d.Path = path
	if !ok {
		path, _, ok = convert.RevisionFrom(u)
	}
	if ok {
		if lang, ok := grammars.ForFile(path, text); ok {
			d.Lang = lang.ID
		}
	}
	d.buffer = buffers.Open(d.Lang)
	return d
}

// Text returns the bytes, which must not be modified.
func (d *Document) Text() []byte { return d.Lines.Text() }

// Parsed returns the document's symbols, nil if it has no grammar or is too large. The
// first call parses. Cancelling it does not affect other callers.
func (d *Document) Parsed(ctx context.Context) (*extract.File, error) {
	if d.Lang == "" || len(d.Text()) > maxParse {
		return nil, nil
	}
	d.tree.mu.Lock()
	defer d.tree.mu.Unlock()
	if !d.tree.parsed {
		d.tree.file, d.tree.err = d.buffer.Parse(context.WithoutCancel(ctx), d.revision, d.Text())
		d.tree.parsed = true
	}
	if d.tree.err != nil {
		return nil, fmt.Errorf("parse %s: %w", d.Path, d.tree.err)
	}
	return d.tree.file, nil
}

// Read is Parsed with the syntax tree. A caller that needs both calls it first, to
// parse once.
func (d *Document) Read(ctx context.Context) (*extract.File, *extract.Tree, error) {
	if d.Lang == "" || len(d.Text()) > maxParse {
		return nil, nil, nil
	}
	d.tree.mu.Lock()
	defer d.tree.mu.Unlock()
	if !d.tree.whole {
		d.tree.file, d.tree.syntax, d.tree.err = d.buffer.ParseTree(context.WithoutCancel(ctx), d.revision, d.Text())
		d.tree.parsed, d.tree.whole = true, true
	}
	if d.tree.err != nil {
		return nil, nil, fmt.Errorf("parse %s: %w", d.Path, d.tree.err)
	}
	return d.tree.file, d.tree.syntax, nil
}

// Facts returns the document's input for the code graph.
func (d *Document) Facts(ctx context.Context) (*extract.Facts, error) {
	return d.buffer.ParseFacts(ctx, d.revision, d.Text())
}

// Base returns the text when it was opened or last saved. [Document.Moved] shifts what
// was found there to this version, so that nothing jumps or vanishes while code is half
// typed.
func (d *Document) Base() *Document {
	if d.base == nil {
		return d
	}
	return d.base
}

// Moved shifts a byte range of the base to this version. It returns false if the edits
// removed or replaced the whole range.
func (d *Document) Moved(start, end int) (int, int, bool) {
	return moved(d.edits, start, end)
}

// Edited returns the ranges of the base that the edits replaced or inserted before, in
// order.
func (d *Document) Edited() []extract.Span {
	out := make([]extract.Span, len(d.edits))
	for i, e := range d.edits {
		out[i] = extract.Span{Start: original(d.edits[:i], e.Start), End: original(d.edits[:i], e.OldEnd)}
	}
	return out
}

// Original shifts an offset of this version back to the base.
func (d *Document) Original(offset int) int { return original(d.edits, offset) }

// changed returns the document after changes, which are applied in order.
func (d *Document) changed(version int32, changes []protocol.TextDocumentContentChangeEvent, enc convert.Encoding) *Document {
	lines, edits, revision := d.Lines, d.edits, d.revision
	for _, c := range changes {
		var made []Edit
		lines, made = applied(lines, c, enc)
		for _, e := range made {
			edits = appendEdit(edits, e)
			revision = d.buffer.Record(e)
		}
	}
	return d.next(version, lines, edits, revision)
}

// edited returns the document after edits, which are in order and apart from each other.
func (d *Document) edited(version int32, changes []notebook.Edit) *Document {
	old := d.Text()
	lines, edits, revision := d.Lines, d.edits, d.revision
	for _, c := range slices.Backward(changes) { // from the end, so that earlier offsets stay valid
		e := trimEdit(old, c.Start, c.End, string(c.Text))
		if e.Start == e.OldEnd && e.NewLen == 0 {
			continue
		}
		edits = appendEdit(edits, e)
		revision = d.buffer.Record(e)
	}
	if len(changes) == 1 {
		lines = lines.Replace(changes[0].Start, changes[0].End, string(changes[0].Text))
	} else if len(changes) > 1 {
		var text []byte
		from := 0
		for _, c := range changes {
			text = append(append(text, old[from:c.Start]...), c.Text...)
			from = c.End
		}
		lines = convert.NewLines(append(text, old[from:]...))
	}
	return d.next(version, lines, edits, revision)
}

// next returns a later version of the document.
func (d *Document) next(version int32, lines *convert.Lines, edits []Edit, revision int) *Document {
	next := &Document{
		URI: d.URI, Path: d.Path, Lang: d.Lang, Version: version, Open: true,
		Lines: lines, base: d.Base(), edits: edits, buffer: d.buffer, revision: revision, tree: new(parseResult),
	}
	if len(edits) > maxEdits {
		next.base, next.edits = nil, nil
	}
	if len(edits) == 0 { // the text of the base: keep its parse
		next.base, next.tree = d.base, d.Base().tree
	}
	return next
}

// applied returns the text after one change, and the edits that it consists of, each of the text that those before it left.
func applied(lines *convert.Lines, c protocol.TextDocumentContentChangeEvent, enc convert.Encoding) (*convert.Lines, []Edit) {
	old := lines.Text()
	var text string
	start, end := 0, len(old)
	switch c := c.(type) {
	case *protocol.TextDocumentContentChangePartial:
		text = c.Text
		start, end = lines.Offsets(c.Range, enc)
	case *protocol.TextDocumentContentChangeWholeDocument:
		text = c.Text
	default:
		return lines, nil
	}
	e := trimEdit(old, start, end, text)
	if e.Start == e.OldEnd && e.NewLen == 0 {
		return lines, nil
	}
	now := lines.Replace(start, end, text)
	if start != 0 || end != len(old) {
		return now, []Edit{e}
	}
	return now, splitEdit(old, e, string(now.Text()[e.Start:e.Start+e.NewLen]))
}

// saved returns the document with itself as its base.
func (d *Document) saved() *Document {
	if d.base == nil {
		return d
	}
	c := *d
	c.base, c.edits = nil, nil
	return &c
}
