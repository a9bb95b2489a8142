package graph

import (
	"encoding/binary"
	"errors"
	"fmt"

	"manicule/indexer/extract"
	"manicule/indexer/resolve"
)

// errDamaged means that a blob is not what this version writes.
var errDamaged = errors.New("damaged graph data")

// record is the stored form of one file: its facts, in two blobs because most queries
// need only the declarations.
type record struct {
	facts  *extract.Facts
	locals []int32 // stable ids of the symbols
	next   int32   // next free id
}

// writer builds a blob: numbers as varints, each string once. It is reused for many
// blobs.
type writer struct {
	body    []byte
	strings []byte
	index   map[string]uint64
	count   uint64
}

func newWriter() *writer { return &writer{index: map[string]uint64{"": 0}, count: 1} }

// manyStrings is the largest string table that a writer keeps: clearing it takes time
// in proportion to its size.
const manyStrings = 4096

// reset prepares the writer for the next blob.
func (w *writer) reset() {
	if w.count > manyStrings {
		*w = *newWriter()
		return
	}
	clear(w.index)
	w.index[""] = 0
	w.body, w.strings, w.count = w.body[:0], w.strings[:0], 1
}

func (w *writer) int(n int)     { w.body = binary.AppendVarint(w.body, int64(n)) }
func (w *writer) uint(n uint64) { w.body = binary.AppendUvarint(w.body, n) }

func (w *writer) string(s string) {
	i, ok := w.index[s]
	if !ok {
		i = w.count
		w.count++
		w.index[s] = i
		w.strings = binary.AppendUvarint(w.strings, uint64(len(s)))
		w.strings = append(w.strings, s...)
	}
	w.uint(i)
}

func (w *writer) bool(b bool) {
	if b {
		w.uint(1)
	} else {
		w.uint(0)
	}
}

// bytes returns the blob (number of strings, strings, body) and resets the writer.
func (w *writer) bytes() []byte {
	defer w.reset()
	out := binary.AppendUvarint(make([]byte, 0, len(w.strings)+len(w.body)+8), w.count-1)
	return append(append(out, w.strings...), w.body...)
}

// reader reads a blob. The first error stays in err, and all later reads return zero.
type reader struct {
	data    []byte
	strings []string
	err     error
}

func newReader(data []byte) *reader {
	r := &reader{data: data}
	n := r.uint()
	if n > uint64(len(data)) {
		r.fail()
		return r
	}
	r.strings = make([]string, 1, n+1)
	// One allocation holds all strings of the blob.
	text := string(data)
	base := len(data)
	for range n {
		size := r.uint()
		if size > uint64(len(r.data)) {
			r.fail()
			return r
		}
		at := base - len(r.data)
		r.strings = append(r.strings, text[at:at+int(size)])
		r.data = r.data[size:]
	}
	return r
}

// skipStrings passes over the strings of a blob.
func (r *reader) skipStrings() {
	n := r.uint()
	if n > uint64(len(r.data)) {
		r.fail()
		return
	}
	for range n {
		size := r.uint()
		if size > uint64(len(r.data)) {
			r.fail()
			return
		}
		r.data = r.data[size:]
	}
}

func (r *reader) fail() {
	if r.err == nil {
		r.err = errDamaged
	}
	r.data = nil
}

func (r *reader) uint() uint64 {
	n, size := binary.Uvarint(r.data)
	if size <= 0 {
		r.fail()
		return 0
	}
	r.data = r.data[size:]
	return n
}

func (r *reader) int() int {
	n, size := binary.Varint(r.data)
	if size <= 0 {
		r.fail()
		return 0
	}
	r.data = r.data[size:]
	return int(n)
}

// length reads a count. Each counted thing has at least one byte.
func (r *reader) length() int {
	n := r.uint()
	if n > uint64(len(r.data)) {
		r.fail()
		return 0
	}
	return int(n)
}

func (r *reader) string() string {
	i := r.uint()
	if i >= uint64(len(r.strings)) {
		r.fail()
		return ""
	}
	return r.strings[i]
}

func (r *reader) bool() bool { return r.uint() != 0 }

// encodeDecls writes what other files need to know of a file.
func encodeDecls(w *writer, rec *record) []byte {
	f := rec.facts
	w.string(f.Language)
	w.string(f.Package)
	w.uint(uint64(rec.next))
	w.uint(uint64(len(f.Symbols)))
	at := 0
	for i, s := range f.Symbols {
		w.uint(uint64(rec.locals[i]))
		w.string(s.Name)
		w.string(s.Path)
		w.string(s.Kind)
		w.string(s.Signature)
		w.string(s.Type)
		w.string(s.Value)
		w.int(s.Arity)
		w.int(s.Parent)
		w.uint(uint64(s.Ordinal))
		w.int(s.Start - at)
		w.uint(uint64(s.End - s.Start))
		w.int(s.NameStart - s.Start)
		w.int(s.NameEnd - s.NameStart)
		w.int(s.Start - s.DocStart)
		w.uint(uint64(s.Line))
		w.uint(uint64(s.EndLine))
		at = s.Start
	}
	w.uint(uint64(len(f.Uses)))
	for _, i := range f.Uses {
		w.string(i.Module)
		w.string(i.Name)
		w.string(i.Alias)
		w.bool(i.Reexport)
		w.uint(uint64(i.Start))
		w.uint(uint64(i.Line))
	}
	bases := 0
	for _, ref := range f.Refs {
		if ref.Kind == extract.RefInherit {
			bases++
		}
	}
	w.uint(uint64(bases))
	for _, ref := range f.Refs {
		if ref.Kind == extract.RefInherit {
			w.string(ref.Name)
			w.string(ref.Recv)
			w.int(ref.In)
		}
	}
	return w.bytes()
}

// decodeDecls reads the declarations. The only references in its facts are those to
// bases.
func decodeDecls(data []byte) (*record, error) {
	r := newReader(data)
	rec := &record{facts: &extract.Facts{File: &extract.File{}}}
	f := rec.facts
	f.Language, f.Package = r.string(), r.string()
	rec.next = int32(r.uint())
	n := r.length()
	f.Symbols, rec.locals = make([]extract.Symbol, n), make([]int32, n)
	at := 0
	for i := range n {
		s := &f.Symbols[i]
		rec.locals[i] = int32(r.uint())
		s.Name, s.Path, s.Kind, s.Signature, s.Type, s.Value = r.string(), r.string(), r.string(), r.string(), r.string(), r.string()
		s.Arity, s.Parent, s.Ordinal = r.int(), r.int(), int(r.uint())
		s.Start = at + r.int()
		s.End = s.Start + int(r.uint())
		s.NameStart = s.Start + r.int()
		s.NameEnd = s.NameStart + r.int()
		s.DocStart = s.Start - r.int()
		s.Line, s.EndLine = int(r.uint()), int(r.uint())
		if s.Parent >= i {
			r.fail()
		}
		at = s.Start
	}
	n = r.length()
	f.Uses = make([]extract.Import, n)
	for i := range n {
		f.Uses[i] = extract.Import{Module: r.string(), Name: r.string(), Alias: r.string(), Reexport: r.bool(), Start: int(r.uint()), Line: int(r.uint())}
	}
	n = r.length()
	f.Refs = make([]extract.Ref, n)
	for i := range n {
		f.Refs[i] = extract.Ref{Kind: extract.RefInherit, Name: r.string(), Recv: r.string(), In: r.int()}
		if f.Refs[i].In >= len(f.Symbols) {
			r.fail()
		}
	}
	if r.err != nil {
		return nil, fmt.Errorf("read declarations: %w", r.err)
	}
	return rec, nil
}

// eachName calls f for the names of the symbols in encoded declarations. What f gets is valid until
// it returns. The memory of strings is used again.
func eachName(data []byte, strings *[][]byte, f func(name []byte)) error {
	r := reader{data: data}
	all := append((*strings)[:0], nil)
	for range r.length() {
		size := r.uint()
		if size > uint64(len(r.data)) {
			r.fail()
			break
		}
		all = append(all, r.data[:size])
		r.data = r.data[size:]
	}
	*strings = all
	for range 3 { // the language, the package and the next id
		r.uint()
	}
	for range r.length() {
		r.uint() // its id
		name := r.uint()
		for range 15 {
			r.uint() // of a signed number the size is the same
		}
		if name >= uint64(len(all)) {
			r.fail()
		}
		if r.err == nil {
			f(all[name])
		}
	}
	if r.err != nil {
		return fmt.Errorf("read declarations: %w", r.err)
	}
	return nil
}

// refKinds lists the kinds of references in the order of their codes.
func refKinds() []extract.RefKind {
	return []extract.RefKind{extract.RefCall, extract.RefNew, extract.RefType, extract.RefInherit, extract.RefRead, extract.RefKey, extract.RefImport}
}

func kindCode(k extract.RefKind) uint64 {
	for i, x := range refKinds() {
		if x == k {
			return uint64(i)
		}
	}
	return uint64(len(refKinds()) - 1)
}

// encodeUses writes the uses in a file's code.
func encodeUses(w *writer, f *extract.Facts) []byte {
	w.uint(uint64(len(f.Refs)))
	at, line := 0, 0
	for _, r := range f.Refs {
		w.uint(kindCode(r.Kind))
		w.string(r.Name)
		w.string(r.Recv)
		w.int(r.Start - at)
		w.uint(uint64(r.End - r.Start))
		w.int(r.Line - line)
		w.int(r.In)
		if r.Kind == extract.RefCall {
			w.uint(uint64(r.Args))
		}
		at, line = r.Start, r.Line
	}
	w.uint(uint64(len(f.Binds)))
	at = 0
	for _, b := range f.Binds {
		w.string(b.Name)
		w.string(b.Type)
		w.string(b.Value)
		w.bool(b.Each)
		w.int(b.Result)
		w.int(b.Start - at)
		w.uint(uint64(b.Scope.Start))
		w.uint(uint64(b.Scope.End))
		at = b.Start
	}
	return w.bytes()
}

// sized returns a slice of a length, in the memory of the given one if that suffices. What
// it holds is not defined.
func sized[T any](s []T, n int) []T {
	if n > cap(s) {
		return make([]T, n)
	}
	return s[:n]
}

// decodeUses restores references and binds into facts, whose memory it reuses.
func decodeUses(data []byte, f *extract.Facts) error {
	r := newReader(data)
	kinds := refKinds()
	n := r.length()
	f.Refs = sized(f.Refs, n)
	at, line := 0, 0
	for i := range n {
		ref := &f.Refs[i]
		ref.Kind = ""
		if k := r.uint(); k < uint64(len(kinds)) {
			ref.Kind = kinds[k]
		}
		ref.Name, ref.Recv = r.string(), r.string()
		ref.Start = at + r.int()
		ref.End = ref.Start + int(r.uint())
		ref.Line = line + r.int()
		ref.In = r.int()
		ref.Args = 0
		if ref.Kind == extract.RefCall {
			ref.Args = int(r.uint())
		}
		if ref.In >= len(f.Symbols) {
			r.fail()
		}
		at, line = ref.Start, ref.Line
	}
	n = r.length()
	f.Binds = sized(f.Binds, n)
	at = 0
	for i := range n {
		b := &f.Binds[i]
		b.Name, b.Type, b.Value, b.Each, b.Result = r.string(), r.string(), r.string(), r.bool(), r.int()
		b.Start = at + r.int()
		b.Scope = extract.Span{Start: int(r.uint()), End: int(r.uint())}
		at = b.Start
	}
	if r.err != nil {
		return fmt.Errorf("read uses: %w", r.err)
	}
	return nil
}

// Link is a stored edge: to another node, or to a name outside of the workspace.
type Link struct {
	From     resolve.Node
	To       resolve.Node // 0 where External is set
	External string
	Kind     extract.RefKind
	Line     int
	Sure     float64
	May      bool
	How      Provenance
}

// Provenance says what an edge was derived from.
type Provenance uint8

// The sources of edges.
const (
	howAST Provenance = iota
	howSCIP
)

// String returns the name of the source.
func (h Provenance) String() string {
	if h == howSCIP {
		return "scip"
	}
	return "ast"
}

// encodeLinks writes the edges of one file.
func encodeLinks(w *writer, links []Link) []byte {
	w.uint(uint64(len(links)))
	line := 0
	for _, l := range links {
		w.uint(uint64(l.From.Local()))
		w.uint(uint64(l.To))
		w.string(l.External)
		flags := kindCode(l.Kind)<<2 | uint64(l.How)<<1
		if l.May {
			flags |= 1
		}
		w.uint(flags)
		w.uint(uint64(l.Sure*100 + .5))
		w.int(l.Line - line)
		line = l.Line
	}
	return w.bytes()
}

func decodeLinks(data []byte, file int32) ([]Link, error) {
	r := newReader(data)
	kinds := refKinds()
	n := r.length()
	out := make([]Link, n)
	line := 0
	for i := range n {
		l := &out[i]
		l.From = resolve.MakeNode(file, int32(r.uint()))
		l.To = resolve.Node(r.uint())
		l.External = r.string()
		flags := r.uint()
		if k := flags >> 2; k < uint64(len(kinds)) {
			l.Kind = kinds[k]
		}
		l.How, l.May = Provenance(flags>>1&1), flags&1 != 0
		l.Sure = float64(r.uint()) / 100
		l.Line = line + r.int()
		line = l.Line
	}
	if r.err != nil {
		return nil, fmt.Errorf("read edges: %w", r.err)
	}
	return out, nil
}

// eachLink calls f for the edges of one file to nodes of the workspace, in their order. It takes a
// quarter of the time of decodeLinks.
func eachLink(data []byte, f func(link)) error {
	r := reader{data: data}
	r.skipStrings()
	last := uint64(len(refKinds()) - 1)
	line := 0
	for range r.length() {
		l := link{from: int32(r.uint()), to: resolve.Node(r.uint())}
		r.uint() // the name of something outside
		flags := r.uint()
		l.kind = uint8(min(flags>>2, last))
		l.how, l.may = Provenance(flags>>1&1), flags&1 != 0
		l.sure = uint8(r.uint())
		line += r.int()
		l.line = int32(line)
		if l.to != 0 && r.err == nil {
			f(l)
		}
	}
	if r.err != nil {
		return fmt.Errorf("read edges: %w", r.err)
	}
	return nil
}

// encodeChunks writes the chunks of a file. It omits their prefixes, which follow from
// the file, the kind and the symbol.
func encodeChunks(w *writer, all []Chunk) []byte {
	w.uint(uint64(len(all)))
	at, line := 0, 0
	for _, c := range all {
		w.string(c.Kind)
		w.string(c.Symbol)
		w.int(c.Start - at)
		w.uint(uint64(c.End - c.Start))
		w.int(c.Line - line)
		w.uint(uint64(c.EndLine - c.Line))
		w.body = append(w.body, c.Hash[:]...)
		at, line = c.Start, c.Line
	}
	return w.bytes()
}

func decodeChunks(data []byte, path string) ([]Chunk, error) {
	r := newReader(data)
	n := r.length()
	out := make([]Chunk, n)
	at, line := 0, 0
	for i := range n {
		c := &out[i]
		c.Kind, c.Symbol = r.string(), r.string()
		c.Start = at + r.int()
		c.End = c.Start + int(r.uint())
		c.Line = line + r.int()
		c.EndLine = c.Line + int(r.uint())
		c.Prefix = prefix(path, c.Kind, c.Symbol)
		if len(r.data) < len(c.Hash) {
			r.fail()
			break
		}
		r.data = r.data[copy(c.Hash[:], r.data):]
		at, line = c.Start, c.Line
	}
	if r.err != nil {
		return nil, fmt.Errorf("read chunks: %w", r.err)
	}
	return out, nil
}

// encodeTargets writes the nodes that a file's edges, sorted by target, lead to in other files.
func encodeTargets(links []link, own int32) []byte {
	out := []byte{}
	last := int32(0)
	for i := 0; i < len(links); {
		file, from := links[i].to.File(), i
		n, before := uint64(0), resolve.Node(-1)
		for ; i < len(links) && links[i].to.File() == file; i++ {
			if links[i].to != before {
				before = links[i].to
				n++
			}
		}
		if file == own {
			continue
		}
		out = binary.AppendUvarint(binary.AppendUvarint(out, uint64(file-last)), n)
		last = file
		local := int32(0)
		before = -1
		for _, l := range links[from:i] {
			if l.to != before {
				before = l.to
				out = binary.AppendUvarint(out, uint64(l.to.Local()-local))
				local = l.to.Local()
			}
		}
	}
	return out
}

// eachTarget calls f for the nodes that encodeTargets wrote.
func eachTarget(data []byte, f func(file, local int32)) error {
	r := reader{data: data}
	for file := int32(0); len(r.data) > 0; {
		file += int32(r.uint())
		local := int32(0)
		for range r.length() {
			local += int32(r.uint())
			if file < 0 || local < 0 {
				r.fail()
			}
			if r.err == nil {
				f(file, local)
			}
		}
	}
	return r.err
}
