package hookfile

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"math"
	"slices"

	"manicule/indexer/sorting"
)

// Builder collects the entries of a table.
type Builder struct {
	// Brief chooses the lines that are kept for the brief, if it is set.
	Brief   func(lines []string) []string
	entries []Entry
	words   map[string]*posting // by stem
	spelled map[string]*posting // by word: each is stemmed once
	touched []*posting          // of the words of the document that is indexed
}

// posting is where a word occurs. data has for each document twice the distance to the one before, and one more if the
// word occurs in it several times, which is followed by how often. places has the distances between its places.
type posting struct {
	docs, last   int
	data, places []byte
	many, at     int // of the document that is indexed: how often it has the word, and where last
}

// NewBuilder starts a table.
func NewBuilder() *Builder {
	return &Builder{words: map[string]*posting{}, spelled: map[string]*posting{}}
}

// Add adds an entry. Each path is added once.
func (b *Builder) Add(e Entry) { b.entries = append(b.entries, e) }

// columnGap is how far apart the words of two columns are counted: no phrase spans them.
const columnGap = maxColumn

// eachWord calls f with the words of an entry and their positions, and returns their number.
func eachWord(columns []string, f func(stem string, at int)) (n int) {
	for c, text := range columns {
		at := c * columnGap
		eachToken(text, func(stem string) {
			f(stem, at)
			at++
			n++
		})
	}
	return n
}

// WriteTo writes the table and returns its size.
func (b *Builder) WriteTo(w io.Writer) (int64, error) {
	sorting.Func(b.entries, func(x, y Entry) int { return cmp.Compare(x.Path, y.Path) })
	c := b.contents()
	t := newTableWriter(w)
	b.write(t, &c)
	size, err := t.finish(c.statistics)
	if err != nil {
		return size, fmt.Errorf("write the hooks' file: %w", err)
	}
	return size, nil
}

// contents are the values of a table but for the words, which are in the Builder. A document is a memory; its number
// is its place among them.
type contents struct {
	statistics
	lines      [][]byte          // by document: outline and text
	brief      []string          // outlines
	superseded []byte            // documents
	lengths    [][]byte          // numbers of words, in groups of documents
	reaches    map[string][]byte // outlines, by key and filter
	filters    map[string][]byte // filters, by key
	paths      map[string]int    // document and 1, or 0 for a file without a memory
	uuids      map[string]int    // document
}

// contents goes through the entries, and counts their words.
func (b *Builder) contents() contents {
	c := contents{reaches: map[string][]byte{}, filters: map[string][]byte{}, paths: map[string]int{}, uuids: map[string]int{}}
	for _, e := range b.entries {
		if e.UUID == "" {
			c.paths[e.Path] = 0
			continue
		}
		doc := c.docs
		c.docs++
		c.paths[e.Path], c.uuids[e.UUID] = doc+1, doc
		n := b.index(doc, e.Columns)
		c.words += int64(n)
		if doc%lengthGroup == 0 {
			c.lengths = append(c.lengths, nil)
		}
		group := &c.lengths[len(c.lengths)-1]
		*group = binary.LittleEndian.AppendUint16(*group, uint16(min(n, math.MaxUint16))) // columns are bounded
		c.lines = append(c.lines, appendString(appendString(nil, e.Line), e.Text))
		if e.Superseded {
			c.spent++
			c.superseded = binary.AppendUvarint(c.superseded, uint64(doc))
			continue
		}
		c.reach(e)
		if inBrief(e) {
			c.brief = append(c.brief, e.Line)
		}
	}
	if b.Brief != nil {
		c.brief = b.Brief(c.brief)
	}
	return c
}

// reach adds the outline of an entry under the keys of what it is about.
func (c *contents) reach(e Entry) {
	for _, key := range e.Reaches {
		group := reachKey(key, e.Filter)
		if c.reaches[group] == nil {
			c.filters[key] = appendString(c.filters[key], e.Filter)
		}
		c.reaches[group] = appendString(c.reaches[group], e.Line)
	}
}

// write puts all rows, by the order of their keys.
func (b *Builder) write(t *tableWriter, c *contents) {
	var brief []byte
	for _, line := range c.brief {
		brief = appendString(brief, line)
	}
	t.put([]byte{keyBrief}, brief)
	for doc, line := range c.lines {
		t.put(docKey(doc), line)
	}
	for _, path := range slices.Sorted(maps.Keys(c.paths)) {
		t.put(append([]byte{keyPath}, path...), binary.AppendUvarint(nil, uint64(c.paths[path])))
	}
	words := slices.Sorted(maps.Keys(b.words))
	for _, word := range words {
		t.put(append([]byte{keyCount}, word...), binary.AppendUvarint(nil, uint64(b.words[word].docs)))
	}
	for _, key := range slices.Sorted(maps.Keys(c.reaches)) {
		t.put([]byte(key), c.reaches[key])
	}
	for _, key := range slices.Sorted(maps.Keys(c.filters)) {
		t.put(append([]byte{keyFilter}, key...), c.filters[key])
	}
	t.put([]byte{keySpent}, c.superseded)
	for _, word := range words {
		t.put(append([]byte{keyPlaces}, word...), b.words[word].places)
	}
	for _, id := range slices.Sorted(maps.Keys(c.uuids)) {
		t.put(append([]byte{keyUUID}, id...), binary.AppendUvarint(nil, uint64(c.uuids[id])))
	}
	for group, list := range c.lengths {
		t.put(lengthKey(group), list)
	}
	for _, word := range words {
		t.put(append([]byte{keyWord}, word...), b.words[word].data)
	}
}

// reachKey is the key of the lines of a key that have a filter. Neither contains a zero.
func reachKey(key, filter string) string { return string(keyReach) + key + "\x00" + filter }

func inBrief(e Entry) bool { return e.Pinned || slices.Contains(e.Reaches, projectWide) }

// index adds the words of a document and returns their number.
func (b *Builder) index(doc int, columns []string) (n int) {
	b.touched = b.touched[:0]
	for c, text := range columns {
		at := c * columnGap
		eachUnstemmed(text, func(word []byte) {
			p := b.spelled[string(word)]
			if p == nil {
				p = b.spell(string(word))
			}
			if p.many == 0 {
				b.touched, p.at = append(b.touched, p), 0
			}
			p.places = binary.AppendUvarint(p.places, uint64(at-p.at))
			p.at = at
			p.many++
			at++
			n++
		})
	}
	for _, p := range b.touched {
		if step := uint64(doc-p.last) << 1; p.many == 1 {
			p.data = binary.AppendUvarint(p.data, step)
		} else {
			p.data = binary.AppendUvarint(binary.AppendUvarint(p.data, step|1), uint64(p.many))
		}
		p.docs, p.last, p.many = p.docs+1, doc, 0
	}
	return n
}

// spell returns the posting of a word that is seen for the first time.
func (b *Builder) spell(word string) *posting {
	s := stem(word)
	p := b.words[s]
	if p == nil {
		p = &posting{}
		b.words[s] = p
	}
	b.spelled[word] = p
	return p
}

// Change returns an entry as what is appended to this file.
func (f *File) Change(e Entry) ([]byte, error) {
	doc, _, err := f.document(e.Path)
	if err != nil {
		return nil, err
	}
	data := binary.AppendUvarint(nil, uint64(doc+1))
	for _, s := range []string{e.Path, e.UUID, e.Line, e.Text, e.Filter} {
		data = appendString(data, s)
	}
	for _, list := range [][]string{e.Reaches, e.Columns} {
		data = binary.AppendUvarint(data, uint64(len(list)))
		for _, s := range list {
			data = appendString(data, s[:min(len(s), maxColumn)])
		}
	}
	var flags uint64
	for i, set := range []bool{e.Pinned, e.Superseded, e.Gone} {
		if set {
			flags |= 1 << i
		}
	}
	data = binary.AppendUvarint(data, flags)
	return appendChange(nil, data), nil
}

// appendChange appends a change with its length and sum.
func appendChange(to, body []byte) []byte {
	to = binary.AppendUvarint(to, uint64(len(body)))
	to = binary.LittleEndian.AppendUint32(to, crc32.ChecksumIEEE(body))
	return append(to, body...)
}

// changed is an entry that came after the table.
type changed struct {
	Entry
	before int // its document in the table, -1 for none
}

// changes decodes what was appended. The last change of a path counts, and no other is decoded: each recall of a memory
// changes it, so that most have many.
func changes(data []byte) (map[string]*changed, error) {
	bodies, err := lastChanges(data)
	if err != nil {
		return nil, err
	}
	out := make(map[string]*changed, len(bodies))
	for _, body := range bodies {
		e, err := decodeChange(body)
		if err != nil {
			return nil, err
		}
		out[e.Path] = e
	}
	return out, nil
}

// Compact returns changes without those that later ones replaced.
func Compact(data []byte) ([]byte, error) {
	bodies, err := lastChanges(data)
	if err != nil {
		return nil, err
	}
	var out []byte
	for _, body := range bodies {
		out = appendChange(out, body)
	}
	return out, nil
}

// lastChanges returns the last change of each path, without its length and sum.
func lastChanges(data []byte) (bodies [][]byte, err error) {
	last := map[string]int{} // by path: the place of its change
	for d := (decoder{data: data}); d.more(); {
		size := d.count()
		if d.bad || len(d.data) < size+4 {
			return nil, fmt.Errorf("a change: %w", ErrCorrupt)
		}
		sum, body := d.data[:4], d.data[4:4+size]
		d.data = d.data[4+size:]
		if binary.LittleEndian.Uint32(sum) != crc32.ChecksumIEEE(body) {
			return nil, fmt.Errorf("a change: %w", ErrCorrupt)
		}
		c := decoder{data: body}
		c.number()
		path := c.bytes()
		if err := c.err("a change"); err != nil {
			return nil, err
		}
		if at, ok := last[string(path)]; ok {
			bodies[at] = body
			continue
		}
		last[string(path)] = len(bodies)
		bodies = append(bodies, body)
	}
	return bodies, nil
}

// decodeChange decodes what [File.Change] wrote, without its length and sum.
func decodeChange(body []byte) (*changed, error) {
	c := decoder{data: body}
	e := &changed{before: int(c.number()) - 1}
	for _, to := range []*string{&e.Path, &e.UUID, &e.Line, &e.Text, &e.Filter} {
		*to = c.text()
	}
	for _, list := range []*[]string{&e.Reaches, &e.Columns} {
		for range c.count() {
			*list = append(*list, c.text())
		}
	}
	flags := c.number()
	e.Pinned, e.Superseded, e.Gone = flags&1 != 0, flags&2 != 0, flags&4 != 0
	return e, c.err("a change")
}
