package graph

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"

	"manicule/indexer/extract"
	"manicule/indexer/resolve"
)

// The numbers of the fields that are read of a SCIP index (scip.proto, v0.10).
// The messages are read with protowire, since the generated package registers
// its types in every process that links it, hooks too.
const (
	scipDocuments    = 2 // of Index
	scipRelativePath = 1 // of Document
	scipOccurrences  = 2
	scipEncoding     = 6
	scipRange        = 1 // of Occurrence
	scipSymbol       = 2
	scipRoles        = 3
	scipDefinition   = 1 // a role
	scipUTF8         = 1 // an encoding
	scipUTF16        = 2
	maxSCIP          = 2 << 30
	scipLocal        = "local "
)

// occurrence is a place in a document where a symbol is named.
type occurrence struct {
	line, from, to int // from 0, in the document's units
	symbol         string
	definition     bool
}

type scipDocument struct {
	path        string
	encoding    int
	occurrences []occurrence
}

// ImportSCIP takes the edges of a SCIP index. They hold for each file until it
// changes. It returns how many there are.
func (ix *Index) ImportSCIP(ctx context.Context, name string) (int, error) {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	info, err := os.Stat(name)
	if err != nil {
		return 0, fmt.Errorf("read the SCIP index: %w", err)
	}
	if info.Size() > maxSCIP {
		return 0, fmt.Errorf("%s has %d MB, more than %d", name, info.Size()>>20, maxSCIP>>20)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return 0, fmt.Errorf("read the SCIP index: %w", err)
	}
	docs, err := readSCIP(data)
	if err != nil {
		return 0, fmt.Errorf("%s is no SCIP index: %w", name, err)
	}
	if len(docs) == 0 {
		return 0, fmt.Errorf("%s is no SCIP index: it has no documents", name)
	}
	g, err := ix.graph(ctx)
	if err != nil {
		return 0, err
	}
	unlock, err := ix.s.lock()
	if err != nil {
		return 0, err
	}
	defer unlock()
	files := map[string]*scipFile{}
	for _, d := range docs {
		if f := ix.scipFile(ctx, g, d); f != nil {
			files[f.st.path] = f
		}
	}
	if len(files) == 0 {
		return 0, errors.New("none of the documents of the SCIP index is a file of this workspace as it is now")
	}
	nodes := map[string]resolve.Node{}
	for _, p := range sortedPaths(files) {
		files[p].define(nodes)
	}
	total := 0
	ix.scip = map[int32][]Link{}
	err = ix.s.batch(ctx, func(b *batch) error {
		if err := b.exec(ctx, qDropSCIP); err != nil {
			return err
		}
		for _, p := range sortedPaths(files) {
			f := files[p]
			links := f.links(nodes)
			total += len(links)
			id := f.st.file.ID
			ix.scip[id] = links
			if err := b.exec(ctx, qPutSCIP, id, ix.rows[p].hash, encodeLinks(links)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	ix.g, ix.overlays = nil, nil // its edges are put together again from both
	return total, nil
}

func sortedPaths(files map[string]*scipFile) []string {
	out := make([]string, 0, len(files))
	for p := range files {
		out = append(out, p)
	}
	slices.Sort(out)
	return out
}

// scipFile is a document beside the file that it is about.
type scipFile struct {
	doc  scipDocument
	st   *fileState
	rec  *record
	src  []byte
	rows [][]byte // the lines
	at   []int    // where each begins
}

// scipFile finds the file of a document; nil where there is none, or where its
// content is not what is indexed.
func (ix *Index) scipFile(ctx context.Context, g *Graph, d scipDocument) *scipFile {
	st := g.byPath[path.Clean(strings.ReplaceAll(d.path, `\`, "/"))]
	if st == nil || st.stale {
		return nil
	}
	src, err := os.ReadFile(filepath.Join(ix.o.Root, filepath.FromSlash(st.path)))
	if err != nil {
		return nil
	}
	rec, err := ix.record(ctx, st.file.ID)
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

// offset turns a place of the document into a byte offset, -1 where it isn't there.
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
		switch f.doc.encoding {
		case scipUTF8:
			n += size
		case scipUTF16:
			n += max(1, utf16.RuneLen(r))
		default: // UTF-32, or not said: the same for ASCII
			n++
		}
		i += size
	}
	return f.at[line] + len(text)
}

// define notes which nodes the symbols are that the document defines.
func (f *scipFile) define(nodes map[string]resolve.Node) {
	byName := map[int]int{}
	for i, s := range f.rec.facts.Symbols {
		byName[s.NameStart] = i
	}
	for _, o := range f.doc.occurrences {
		if !o.definition {
			continue
		}
		if i, ok := byName[f.offset(o.line, o.from)]; ok {
			nodes[f.key(o.symbol)] = resolve.MakeNode(f.st.file.ID, f.rec.locals[i])
		}
	}
}

// key is a symbol's name; that of a local one holds in its document only.
func (f *scipFile) key(symbol string) string {
	if strings.HasPrefix(symbol, scipLocal) {
		return f.st.path + "\x00" + symbol
	}
	return symbol
}

// links are the document's uses of symbols that the workspace declares.
func (f *scipFile) links(nodes map[string]resolve.Node) []Link {
	var out []Link
	id := f.st.file.ID
	for _, o := range f.doc.occurrences {
		to, ok := nodes[f.key(o.symbol)]
		if o.definition || !ok {
			continue
		}
		start, end := f.offset(o.line, o.from), f.offset(o.line, o.to)
		if start < 0 {
			continue
		}
		l := Link{From: resolve.MakeNode(id, 0), To: to, Kind: extract.RefRead, Line: o.line + 1, Sure: 1, How: HowSCIP}
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

// readSCIP reads the documents of an index.
func readSCIP(data []byte) ([]scipDocument, error) {
	var docs []scipDocument
	err := fields(data, func(n protowire.Number, _ uint64, value []byte) error {
		if n != scipDocuments || value == nil {
			return nil
		}
		d := scipDocument{}
		err := fields(value, func(n protowire.Number, v uint64, value []byte) error {
			switch {
			case n == scipRelativePath && value != nil:
				d.path = string(value)
			case n == scipEncoding && value == nil:
				d.encoding = int(v)
			case n == scipOccurrences && value != nil:
				o, err := readOccurrence(value)
				if err != nil {
					return err
				}
				if o.symbol != "" {
					d.occurrences = append(d.occurrences, o)
				}
			}
			return nil
		})
		docs = append(docs, d)
		return err
	})
	return docs, err
}

func readOccurrence(data []byte) (occurrence, error) {
	var o occurrence
	var numbers []int
	err := fields(data, func(n protowire.Number, v uint64, value []byte) error {
		switch {
		case n == scipRange && value != nil: // packed
			for len(value) > 0 {
				x, size := protowire.ConsumeVarint(value)
				if size < 0 {
					return protowire.ParseError(size)
				}
				numbers = append(numbers, int(x))
				value = value[size:]
			}
		case n == scipRange:
			numbers = append(numbers, int(v))
		case n == scipSymbol && value != nil:
			o.symbol = string(value)
		case n == scipRoles:
			o.definition = v&scipDefinition != 0
		}
		return nil
	})
	switch len(numbers) {
	case 3:
		o.line, o.from, o.to = numbers[0], numbers[1], numbers[2]
	case 4:
		o.line, o.from, o.to = numbers[0], numbers[1], numbers[3]
	default:
		o.symbol = ""
	}
	return o, err
}

// fields calls f with each field of a message: with its number, and its value
// as a varint or, for what has a length, as bytes that are not nil.
func fields(data []byte, f func(n protowire.Number, v uint64, value []byte) error) error {
	for len(data) > 0 {
		n, typ, size := protowire.ConsumeTag(data)
		if size < 0 {
			return protowire.ParseError(size)
		}
		data = data[size:]
		var v uint64
		var value []byte
		switch typ {
		case protowire.VarintType:
			v, size = protowire.ConsumeVarint(data)
		case protowire.BytesType:
			if value, size = protowire.ConsumeBytes(data); value == nil {
				value = []byte{}
			}
		default:
			size = protowire.ConsumeFieldValue(n, typ, data)
		}
		if size < 0 {
			return protowire.ParseError(size)
		}
		data = data[size:]
		if err := f(n, v, value); err != nil {
			return err
		}
	}
	return nil
}
