package graph

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"manicule/indexer/extract"
	"manicule/indexer/fault"
	"manicule/indexer/hashing"
	"manicule/indexer/treefile"
)

// parsed is a file that was read again.
type parsed struct {
	row    *row
	rec    *record // nil if it can't be indexed
	decls  []byte
	uses   []byte
	names  []uint32
	packed []byte // the encoded names
	chunks []byte
	isNew  bool // the file was not indexed before
	same   bool // the content is unchanged
	fault  error
}

// hashName returns the stored hash of a mentioned name: FNV-1a.
func hashName(s string) uint32 {
	h := uint32(2166136261)
	for i := range len(s) {
		h = (h ^ uint32(s[i])) * 16777619
	}
	return h
}

// isNameByte reports whether a byte may be part of a name in some language.
func isNameByte(c byte) bool {
	return c == '_' || c == '$' || c >= 0x80 || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// nameHashes collects the hashes of names. Most names recur: recent ones are skipped
// at once, the others are removed at the end.
type nameHashes struct {
	all    []uint32
	lately [256]uint32
}

func (h *nameHashes) add(name string) {
	n := hashName(name)
	if at := &h.lately[n%256]; *at != n || n == 0 {
		*at = n
		h.all = append(h.all, n)
	}
}

// words adds all names in a piece of code.
func (h *nameHashes) words(s string) {
	start := -1
	for i := 0; i <= len(s); i++ {
		in := i < len(s) && isNameByte(s[i])
		switch {
		case in && start < 0:
			start = i
		case !in && start >= 0:
			h.add(s[start:i])
			start = -1
		}
	}
}

// mentions returns the sorted hashes of all names in a file whose meaning a
// declaration elsewhere could change.
func mentions(f *extract.Facts) []uint32 {
	h := nameHashes{all: make([]uint32, 0, 64+len(f.Refs)/2)}
	for i := range f.Refs {
		h.add(f.Refs[i].Name)
		h.words(f.Refs[i].Recv)
	}
	for i := range f.Binds {
		h.words(f.Binds[i].Type)
		h.words(f.Binds[i].Value)
	}
	for i := range f.Symbols {
		h.words(f.Symbols[i].Type)
		h.words(f.Symbols[i].Value)
	}
	for i := range f.Uses {
		h.words(f.Uses[i].Module)
		h.words(f.Uses[i].Name)
	}
	slices.Sort(h.all)
	return slices.Clone(slices.Compact(h.all))
}

// fileReader reads and parses files, in one goroutine.
type fileReader struct {
	root string
	seen int64 // as in row
	w    *writer
}

// read reads and parses a file that was stored as old, or never. Manicule's own fault becomes the reason
// why the file has no data.
func (fr *fileReader) read(ctx context.Context, f found, old *row) (p *parsed, err error) {
	defer func() {
		if fault.Is(err) {
			row := &row{path: f.path, lang: f.lang, stat: f.stat, seen: fr.seen, hash: []byte{}, reason: faultReason}
			if p != nil && p.row.hash != nil {
				row.hash = p.row.hash
			}
			p, err = &parsed{row: row, fault: err}, nil
		}
	}()
	defer fault.Catch(&err)
	p = &parsed{row: &row{path: f.path, lang: f.lang, stat: f.stat, seen: fr.seen, stale: true}}
	if f.stat.size > extract.MaxSize {
		p.row.reason = fmt.Sprintf("larger than %d MB", extract.MaxSize>>20)
		p.row.hash = []byte{}
		return p, nil
	}
	src, err := treefile.ReadWithin(fr.root, f.path, extract.MaxSize)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		p.row.reason, p.row.hash = "can't be read", []byte{}
		return p, nil
	}
	sum := hashing.Sum256(src)
	p.row.hash = sum[:hashBytes]
	if old != nil && bytes.Equal(old.hash, p.row.hash) && old.lang == f.lang {
		p.same = true
		return p, nil
	}
	if f.lang == "" {
		p.row.reason = "build file"
		return p, nil
	}
	if p.row.reason = skipReason(f.path, src); p.row.reason != "" {
		return p, nil
	}
	facts, err := extract.ParseFacts(ctx, f.lang, src)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if fault.Is(err) {
			return p, err
		}
		p.row.reason = err.Error()
		return p, nil
	}
	p.row.errors = len(facts.Errors)
	p.rec = &record{facts: facts}
	pieces := chunks(f.path, facts, src)
	p.row.chunks = len(pieces)
	p.uses, p.chunks, p.names = encodeUses(fr.w, facts), encodeChunks(fr.w, pieces), mentions(facts)
	p.packed = encodeNames(p.names)
	return p, nil
}

// assignIDs gives the symbols of a file their stable ids: a symbol keeps the id that
// its path had.
func assignIDs(rec *record, old *record) {
	rec.next = 1
	ids := map[string][]int32{}
	if old != nil {
		rec.next = old.next
		for i, s := range old.facts.Symbols {
			ids[s.Path] = append(ids[s.Path], old.locals[i])
		}
	}
	rec.locals = make([]int32, len(rec.facts.Symbols))
	for i, s := range rec.facts.Symbols {
		if was := ids[s.Path]; len(was) > 0 {
			rec.locals[i], ids[s.Path] = was[0], was[1:]
			continue
		}
		rec.locals[i] = rec.next
		rec.next++
	}
}

// read reads the changed files in parallel, with a bounded queue. It takes them in this goroutine, and
// writes them batch by batch, also those that were taken before an error.
func (rd *rebuilder) read(ctx context.Context, c change, progress func(Progress)) error {
	type item struct {
		file found
		old  *row // before this synchronization
	}
	items := make([]item, 0, len(c.files))
	for _, f := range c.files {
		items = append(items, item{f, rd.tree.rows[f.path]})
	}
	begin := func(ctx context.Context) func(item) (*parsed, error) {
		fr := &fileReader{root: rd.held.o.Root, seen: c.seen, w: newWriter()}
		return func(i item) (*parsed, error) { return fr.read(ctx, i.file, i.old) }
	}
	n := 0
	err := inParallel(ctx, rd.held.o.Workers, items, begin, func(p *parsed) error {
		n++
		if p != nil {
			if err := rd.takeSafely(ctx, p); err != nil {
				return err
			}
		}
		progress(Progress{Phase: "read", Done: n, Total: len(items)})
		if p != nil && n%batchFiles == 0 {
			return rd.flush(ctx)
		}
		return nil
	})
	return errors.Join(err, rd.flush(ctx))
}
