package extract

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"sync"

	"manicule/indexer/extract/treesitter"
)

const (
	// minIncremental is the size in bytes below which a text is parsed whole: that
	// takes less time than anybody could notice (docs/benchmarks.md).
	minIncremental = 8 << 10
	// maxRecorded is how many edits are kept between two parses. After more, the texts
	// themselves are compared.
	maxRecorded = 512
	// DefaultKept is how many bytes of source Buffers keep trees of. A tree takes
	// about fifteen times as much.
	DefaultKept = 2 << 20
)

// Buffers caches the syntax trees of edited texts up to its limit and evicts the least
// recently parsed. Parsing a text without its tree means one full parse.
type Buffers struct {
	limit          int // in bytes of source
	minIncremental int // bytes below which a text is parsed whole

	mu    sync.Mutex // guards all below
	kept  map[*Buffer]int
	order []*Buffer // buffers with a tree, the most recently used last
	bytes int
}

// NewBuffers returns a cache for the trees of at most limit bytes of source.
func NewBuffers(limit int) *Buffers {
	return &Buffers{limit: limit, minIncremental: minIncremental, kept: map[*Buffer]int{}}
}

// Open returns a buffer for a text in the language with that grammars.Language ID.
func (o *Buffers) Open(lang string) *Buffer { return &Buffer{owner: o, lang: lang} }

// keep records that a buffer has a tree for size bytes of source, and returns the
// buffers that must drop theirs.
func (o *Buffers) keep(b *Buffer, size int) (drop []*Buffer) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.remove(b)
	o.kept[b], o.bytes = size, o.bytes+size
	o.order = append(o.order, b)
	for o.bytes > o.limit && len(o.order) > 0 {
		first := o.order[0]
		o.remove(first)
		drop = append(drop, first)
	}
	return drop
}

// DropAll drops all trees, when nobody is editing. The next parse of each text is a
// full one.
func (o *Buffers) DropAll() {
	o.mu.Lock()
	all := o.order
	o.kept, o.order, o.bytes = map[*Buffer]int{}, nil, 0
	o.mu.Unlock()
	for _, b := range all {
		b.drop()
	}
}

// remove takes a buffer off the list. The caller holds the lock.
func (o *Buffers) remove(b *Buffer) {
	if size, ok := o.kept[b]; ok {
		delete(o.kept, b)
		o.bytes -= size
		o.order = slices.DeleteFunc(o.order, func(x *Buffer) bool { return x == b })
	}
}

// Buffer follows an edited text, so that a parse after an edit reads only the affected
// part. Its results equal those of Parse and ParseFacts for the same text. It is safe
// for concurrent use.
type Buffer struct {
	owner *Buffers
	lang  string

	mu       sync.Mutex // guards all below; never held during a parse
	closed   bool
	recorded int    // number of edits since the text was opened
	edits    []Edit // the last of them: those since tree, or all if there is no tree
	tree     *keptTree
}

// keptTree is the tree of one revision of a text. It is immutable.
type keptTree struct {
	tree     *treesitter.Tree
	of       *language
	text     []byte // as given to the grammar
	revision int
}

// Record records an edit and returns the resulting revision of the text: the number of
// edits so far.
func (b *Buffer) Record(e Edit) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.recorded++
	b.edits = append(b.edits, e)
	if n := len(b.edits); n > maxRecorded {
		b.edits = slices.Clone(b.edits[n-maxRecorded/2:])
	}
	return b.recorded
}

// Close releases the tree. The text can still be parsed in full.
func (b *Buffer) Close() {
	b.mu.Lock()
	b.closed = true
	b.mu.Unlock()
	b.owner.mu.Lock()
	b.owner.remove(b)
	b.owner.mu.Unlock()
	b.drop()
}

func (b *Buffer) drop() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.tree != nil {
		b.tree.tree.Close()
		b.tree = nil
	}
}

// Parse is [Parse] for a revision of the text.
func (b *Buffer) Parse(ctx context.Context, revision int, src []byte) (*File, error) {
	f, err := guard(ctx, src, func(ctx context.Context) (*File, error) { return b.file(ctx, revision, src, nil) })
	if err != nil {
		return nil, fmt.Errorf("parse %s: %w", b.lang, err)
	}
	return f, nil
}

// ParseTree is [ParseTree] for a revision of the text.
func (b *Buffer) ParseTree(ctx context.Context, revision int, src []byte) (*File, *Tree, error) {
	lang := DetectDialect(b.lang, src)
	l, err := languageFor(lang)
	if err != nil {
		return nil, nil, fmt.Errorf("read %s: %w", b.lang, err)
	}
	if err := check(src); err != nil {
		return nil, nil, fmt.Errorf("read %s: %w", b.lang, err)
	}
	if l.symbolFinder != nil || l.outlined != nil {
		return ParseTree(ctx, lang, src)
	}
	var t *Tree
	f, err := guard(ctx, src, func(ctx context.Context) (f *File, err error) {
		parsed, err := b.parse(ctx, l, revision, l.blankOut(src))
		if err != nil {
			return nil, err
		}
		defer parsed.Close()
		f, t, err = l.read(ctx, lang, parsed, src)
		return f, err
	})
	if err != nil {
		return nil, nil, fmt.Errorf("read %s: %w", b.lang, err)
	}
	return f, t, nil
}

// ParseFacts is [ParseFacts] for a revision of the text.
func (b *Buffer) ParseFacts(ctx context.Context, revision int, src []byte) (*Facts, error) {
	lang := DetectDialect(b.lang, src)
	l, err := languageFor(lang)
	if err != nil {
		return nil, fmt.Errorf("index %s: %w", b.lang, err)
	}
	u := &uses{src: l.text(src), ecma: ecmaScript(lang)}
	facts, err := guard(ctx, src, func(ctx context.Context) (*Facts, error) {
		f, err := b.file(ctx, revision, src, u)
		if err != nil {
			return nil, err
		}
		facts := u.facts(f)
		return facts, l.addMarkup(ctx, src, facts)
	})
	if err != nil {
		return nil, fmt.Errorf("index %s: %w", b.lang, err)
	}
	return facts, nil
}

func (b *Buffer) file(ctx context.Context, revision int, src []byte, u *uses) (*File, error) {
	lang := DetectDialect(b.lang, src)
	l, err := languageFor(lang)
	if err != nil {
		return nil, err
	}
	if err := check(src); err != nil {
		return nil, err
	}
	if l.symbolFinder != nil || l.outlined != nil {
		return l.file(ctx, lang, src, u)
	}
	tree, err := b.parse(ctx, l, revision, l.blankOut(src))
	if err != nil {
		return nil, err
	}
	defer tree.Close()
	return l.fileOf(ctx, lang, tree, src, u)
}

// parse returns the tree of a text, which the caller closes, and keeps a copy for the
// next revision. A text without edits is not kept.
func (b *Buffer) parse(ctx context.Context, l *language, revision int, text []byte) (*treesitter.Tree, error) {
	if revision == 0 || len(text) < b.owner.minIncremental {
		return l.parseText(ctx, nil, text)
	}
	old, hunks := b.changedSince(l, revision, text)
	tree, err := l.reparse(ctx, old, hunks, text)
	if old != nil {
		old.tree.Close()
	}
	if err != nil {
		return nil, err
	}
	b.put(&keptTree{tree: tree.Copy(), of: l, text: text, revision: revision}) // a copy shares all nodes; a queried tree remembers them
	return tree, nil
}

// changedSince returns a copy of the kept tree, which the caller closes, and the hunks
// that lead to the text.
func (b *Buffer) changedSince(l *language, revision int, text []byte) (*keptTree, []hunk) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.tree == nil || b.tree.of != l || b.tree.revision > revision {
		return nil, nil
	}
	old := &keptTree{tree: b.tree.tree.Copy(), text: b.tree.text, revision: b.tree.revision}
	var hunks []hunk
	first := b.recorded - len(b.edits) // the revision before the first of them
	if old.revision >= first {
		for _, e := range b.edits[old.revision-first : revision-first] {
			hunks = compose(hunks, e)
		}
	}
	if !explains(hunks, old.text, text) { // some edits were dropped, or blanking changed other places too
		hunks = diffHunk(old.text, text)
	}
	return old, wholeLines(hunks, old.text)
}

// put keeps a tree unless there is a newer one.
func (b *Buffer) put(k *keptTree) {
	b.mu.Lock()
	if b.closed || b.tree != nil && b.tree.revision > k.revision {
		b.mu.Unlock()
		k.tree.Close()
		return
	}
	if b.tree != nil {
		b.tree.tree.Close()
	}
	b.tree = k
	if first := b.recorded - len(b.edits); k.revision > first {
		b.edits = slices.Clone(b.edits[k.revision-first:])
	}
	b.mu.Unlock()
	for _, d := range b.owner.keep(b, len(k.text)) {
		d.drop()
	}
}

// reparse parses a text incrementally from an earlier tree. Where syntax is broken,
// the grammar's recovery depends on the earlier tree, so the text is then parsed in
// full: the same text always yields the same tree.
func (l *language) reparse(ctx context.Context, old *keptTree, hunks []hunk, text []byte) (*treesitter.Tree, error) {
	if old == nil {
		return l.parseText(ctx, nil, text)
	}
	if len(hunks) == 0 && bytes.Equal(old.text, text) {
		return old.tree.Copy(), nil
	}
	for _, h := range slices.Backward(hunks) { // from the end, so that earlier offsets stay valid
		old.tree.Edit(treesitter.EditInput{
			StartIndex: uint32(h.start), OldEndIndex: uint32(h.end), NewEndIndex: uint32(h.start + h.length),
			StartPoint: point(old.text, h.start), OldEndPoint: point(old.text, h.end), NewEndPoint: point(text, h.now+h.length),
		})
	}
	tree, err := l.parseText(ctx, old.tree, text)
	if err != nil || !tree.RootNode().HasError() {
		return tree, err
	}
	tree.Close()
	return l.parseText(ctx, nil, text)
}

// point returns the row and the column in bytes of an offset.
func point(text []byte, at int) treesitter.Point {
	return treesitter.Point{Row: uint32(bytes.Count(text[:at], []byte{'\n'})), Column: uint32(at - 1 - bytes.LastIndexByte(text[:at], '\n'))}
}
