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
)

// maxParse is the size in bytes above which a document is not parsed: it is
// generated, and a parse of it would hold up everything else.
const maxParse = 4 << 20

// maxEdits is how many edits are followed from one base. Past it the current
// text becomes the base.
const maxEdits = 4096

// Document is one version of one text. It is immutable.
type Document struct {
	URI     uri.URI
	Path    string // absolute, "" for what is not a file
	Lang    string // id of its grammar, "" when there is none
	Version int32
	Open    bool // the client owns the text
	Lines   *convert.Lines

	base     *Document // the text as it was opened or last saved; nil when this is it
	edits    []Edit    // from base to this
	buffer   *extract.Buffer
	revision int // of the buffer
	tree     *tree
}

// tree is what a parse of a document gave, when it was first asked for.
type tree struct {
	mu     sync.Mutex
	parsed bool // file and err are set; guarded by mu, like all here
	whole  bool // syntax is set too, where there is one
	file   *extract.File
	syntax *extract.Tree
	err    error
}

// forget drops what a parse gave: the next to ask parses again.
func (t *tree) forget() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.parsed, t.whole, t.file, t.syntax, t.err = false, false, nil, nil, nil
}

// newDocument returns the first version of a document, whose later versions
// share one of the buffers.
func newDocument(u uri.URI, version int32, text []byte, open bool, buffers *extract.Buffers) *Document {
	d := &Document{URI: u, Version: version, Open: open, Lines: convert.NewLines(text), tree: new(tree)}
	path, ok := convert.PathFrom(u)
	d.Path = path
	if !ok {
		path, _, ok = convert.RevisionFrom(u)
	}
	if ok {
		if lang, ok := grammars.ForPath(path); ok {
			d.Lang = lang.ID
		}
	}
	d.buffer = buffers.Open(d.Lang)
	return d
}

// Text returns the bytes, which must not be changed.
func (d *Document) Text() []byte { return d.Lines.Text() }

// Parsed returns the document's symbols, and nil where it has no grammar or is
// too large. The first call parses; a cancelled one does not spoil the result
// for others.
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

// Read is Parsed with the syntax tree. Whoever needs both asks for this one
// first, since that is one parse.
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

// Facts returns what the code graph needs of the document.
func (d *Document) Facts(ctx context.Context) (*extract.Facts, error) {
	return d.buffer.ParseFacts(ctx, d.revision, d.Text())
}

// Base returns the text as it was opened or last saved. What was found there
// is carried to this version by [Document.Moved], so that nothing jumps or
// vanishes while the code is half typed.
func (d *Document) Base() *Document {
	if d.base == nil {
		return d
	}
	return d.base
}

// Moved carries a byte range of the base to this version. It returns false
// when the edits since then removed or replaced the range as a whole.
func (d *Document) Moved(start, end int) (int, int, bool) {
	return moved(d.edits, start, end)
}

// Edited returns the ranges of the base that the edits since then replaced, or
// before which they inserted something, in their order.
func (d *Document) Edited() []extract.Span {
	out := make([]extract.Span, len(d.edits))
	for i, e := range d.edits {
		out[i] = extract.Span{Start: original(d.edits[:i], e.Start), End: original(d.edits[:i], e.OldEnd)}
	}
	return out
}

// Original carries an offset of this version back to the base.
func (d *Document) Original(offset int) int { return original(d.edits, offset) }

// changed returns the document after the protocol's changes, which are applied
// one after another.
func (d *Document) changed(version int32, changes []protocol.TextDocumentContentChangeEvent, enc convert.Encoding) *Document {
	lines, edits, revision := d.Lines, d.edits, d.revision
	for _, c := range changes {
		var e Edit
		lines, e = applied(lines, c, enc)
		edits = appended(edits, e)
		if e.Start != e.OldEnd || e.NewLen != 0 {
			revision = d.buffer.Record(e)
		}
	}
	next := &Document{
		URI: d.URI, Path: d.Path, Lang: d.Lang, Version: version, Open: true,
		Lines: lines, base: d.Base(), edits: edits, buffer: d.buffer, revision: revision, tree: new(tree),
	}
	if len(edits) > maxEdits {
		next.base, next.edits = nil, nil
	}
	if len(edits) == 0 { // the same text again: keep its tree
		next.base, next.tree = d.base, d.tree
	}
	return next
}

func applied(lines *convert.Lines, c protocol.TextDocumentContentChangeEvent, enc convert.Encoding) (*convert.Lines, Edit) {
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
		return lines, Edit{}
	}
	e := trimmed(old, start, end, text)
	if e.Start == e.OldEnd && e.NewLen == 0 {
		return lines, e
	}
	return convert.NewLines(slices.Concat(old[:start], []byte(text), old[end:])), e
}

// saved returns the document as its own new base.
func (d *Document) saved() *Document {
	if d.base == nil {
		return d
	}
	c := *d
	c.base, c.edits = nil, nil
	return &c
}
