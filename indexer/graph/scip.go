package graph

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"manicule/indexer/extract"
	"manicule/indexer/resolve"
	"manicule/indexer/scip"
	"manicule/indexer/treefile"
)

// maxSCIP is the size in bytes above which a SCIP index is not read: it is held in
// memory as a whole.
const maxSCIP = 2 << 30

// ImportSCIP imports the edges of a SCIP index; each file keeps them until it changes.
// It returns their number. An index without edges is an error, and earlier imports
// stay.
func (ix *Index) ImportSCIP(ctx context.Context, name string) (int, error) {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	data, err := treefile.Read(name, maxSCIP)
	if err != nil {
		return 0, fmt.Errorf("read the SCIP index: %w", err)
	}
	docs, err := scip.Read(data)
	if err != nil {
		return 0, fmt.Errorf("read %s: %w", name, err)
	}
	h := ix.held
	unlock, err := h.s.lock()
	if err != nil {
		return 0, err
	}
	defer unlock()
	if err := h.catchUp(ctx); err != nil {
		return 0, err
	}
	g, err := h.graph(ctx)
	if err != nil {
		return 0, err
	}
	files := map[string]*scipFile{}
	for _, d := range docs {
		if f := h.scipFile(ctx, g, d); f != nil {
			files[f.st.path] = f
		}
	}
	if len(files) == 0 {
		return 0, errors.New("import the SCIP index: no document matches a current file of this workspace; try: create the index again from the current files")
	}
	nodes := map[string]resolve.Node{}
	for _, p := range slices.Sorted(maps.Keys(files)) {
		files[p].define(nodes)
	}
	total, found := 0, map[int32][]Link{}
	for _, f := range files {
		links := f.links(nodes)
		total += len(links)
		found[f.st.file.ID] = links
	}
	if total == 0 {
		return 0, fmt.Errorf("import the SCIP index: it has %d files of this workspace and no use of a symbol; try: check how the indexer was run", len(files))
	}
	h.scip = found
	w := newWriter()
	err = h.s.batch(ctx, func(b *batch) error {
		if err := b.exec(ctx, qDropSCIP); err != nil {
			return err
		}
		for _, p := range slices.Sorted(maps.Keys(files)) {
			id := files[p].st.file.ID
			if err := b.exec(ctx, qPutSCIP, id, h.tree.rows[p].hash, encodeLinks(w, found[id])); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	h.g, h.overlays, h.half = nil, nil, nil // the next load merges the edges of both
	return total, nil
}

// scipFile pairs a document with its file.
type scipFile struct {
	doc  scip.Document
	st   *fileState
	rec  *record
	src  []byte
	rows [][]byte // the lines
	at   []int    // offset of each line
}

// scipFile finds the file of a document; nil if there is none, or if the indexed
// content differs.
func (h *held) scipFile(ctx context.Context, g *Graph, d scip.Document) *scipFile {
	st := g.byPath[path.Clean(strings.ReplaceAll(d.Path, `\`, "/"))]
	if st == nil || st.stale {
		return nil
	}
	src, err := treefile.ReadWithin(h.o.Root, st.path, extract.MaxSize)
	if err != nil {
		return nil
	}
	rec, err := h.s.record(ctx, st.file.ID)
	if err != nil || rec == nil {
		return nil
	}
	f := &scipFile{doc: d, st: st, rec: rec, src: src}
	at := 0
	for line := range bytes.Lines(src) {
		f.rows, f.at = append(f.rows, line), append(f.at, at)
		at += len(line)
	}
	return f
}

// offset converts a position of the document to a byte offset, -1 if it does not
// exist.
func (f *scipFile) offset(line, char int) int {
	if line < 0 || line >= len(f.rows) || char < 0 {
		return -1
	}
	text := f.rows[line]
	n := 0
	for i := 0; i < len(text); {
		if n >= char {
			return f.at[line] + i
		}
		r, size := utf8.DecodeRune(text[i:])
		switch f.doc.Encoding {
		case scip.UTF8:
			n += size
		case scip.UTF16:
			n += max(1, utf16.RuneLen(r))
		default: // UTF-32, or unspecified: the same for ASCII
			n++
		}
		i += size
	}
	return f.at[line] + len(text)
}

// define records the nodes of the symbols that the document defines.
func (f *scipFile) define(nodes map[string]resolve.Node) {
	byName := map[int]int{}
	for i, s := range f.rec.facts.Symbols {
		byName[s.NameStart] = i
	}
	for _, o := range f.doc.Occurrences {
		if !o.Definition {
			continue
		}
		if i, ok := byName[f.offset(o.Line, o.From)]; ok {
			nodes[f.key(o)] = resolve.MakeNode(f.st.file.ID, f.rec.locals[i])
		}
	}
}

// key returns a symbol's name. A local name is unique in its document only.
func (f *scipFile) key(o scip.Occurrence) string {
	if o.Local() {
		return f.st.path + "\x00" + o.Symbol
	}
	return o.Symbol
}

// links returns the document's uses of symbols that the workspace declares.
func (f *scipFile) links(nodes map[string]resolve.Node) []Link {
	var out []Link
	id := f.st.file.ID
	for _, o := range f.doc.Occurrences {
		to, ok := nodes[f.key(o)]
		if o.Definition || !ok {
			continue
		}
		start, end := f.offset(o.Line, o.From), f.offset(o.EndLine, o.To)
		if start < 0 {
			continue
		}
		l := Link{From: resolve.MakeNode(id, 0), To: to, Kind: extract.RefRead, Line: o.Line + 1, Sure: 1, How: howSCIP}
		best := -1
		for i, s := range f.rec.facts.Symbols {
			if s.Start <= start && start < s.End && (best < 0 || s.End-s.Start <= f.rec.facts.Symbols[best].End-f.rec.facts.Symbols[best].Start) {
				best = i
			}
		}
		if best >= 0 {
			l.From = resolve.MakeNode(id, f.rec.locals[best])
		}
		if l.From == to {
			continue
		}
		if end > 0 && calls(f.src[end:]) {
			l.Kind = extract.RefCall
		}
		out = append(out, l)
	}
	return out
}

// calls reports whether arguments follow a name.
func calls(after []byte) bool {
	after = bytes.TrimLeft(after, " \t")
	if len(after) > 0 && after[0] == '[' || len(after) > 0 && after[0] == '<' { // type arguments
		closer := map[byte]byte{'[': ']', '<': '>'}[after[0]]
		if i := bytes.IndexByte(after[:min(len(after), 200)], closer); i > 0 && i+1 < len(after) {
			after = after[i+1:]
		}
	}
	return len(after) > 0 && after[0] == '('
}
