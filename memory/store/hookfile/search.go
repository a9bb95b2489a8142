package hookfile

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"sort"

	"manicule/indexer/sorting"
)

// wordIndex is the word index of a file, the table's documents and the changed ones behind them.
type wordIndex struct {
	file    *File
	hidden  []bool     // documents of the table that changed; nil if none did
	entries []*changed // documents of the changes, numbered from table.stats.docs on
	spent   map[int]bool
	docs    int // all, for the statistics
	live    int // without the superseded ones
	words   int64
	lengths [][]byte // of the table's documents by group, as far as they were read
	later   []int    // lengths of the changed documents; nil before ranking
	added   map[string][]hit
	known   map[string][]hit // phrases that were asked before, in all documents
}

// hit is a phrase in a document.
type hit struct {
	doc, many int
	at        []int // positions of a word; nil for a phrase
}

// index prepares the word index.
func (f *File) index() (*wordIndex, error) {
	if f.words != nil {
		return f.words, nil
	}
	s := f.table.stats
	w := &wordIndex{file: f, spent: map[int]bool{}, docs: s.docs, live: s.docs - s.spent, words: s.words, known: map[string][]hit{}}
	spent, err := f.spent()
	if err != nil {
		return nil, err
	}
	for _, doc := range spent {
		w.spent[doc] = true
	}
	paths := make([]string, 0, len(f.changes))
	for path := range f.changes {
		paths = append(paths, path)
	}
	sort.Strings(paths)
	for _, path := range paths {
		e := f.changes[path]
		if doc := e.before; doc >= 0 && doc < s.docs {
			w.hide(doc)
		}
		if e.UUID != "" && !e.Gone {
			w.docs++
			if e.Superseded {
				w.spent[s.docs+len(w.entries)] = true
			} else {
				w.live++
			}
			w.entries = append(w.entries, e)
		}
	}
	f.words = w
	return w, nil
}

// hide takes a document of the table out, because it changed.
func (w *wordIndex) hide(doc int) {
	if w.hidden == nil {
		w.hidden = make([]bool, w.file.table.stats.docs)
	}
	w.hidden[doc] = true
	w.docs--
	if !w.spent[doc] {
		w.live--
	}
}

// rank prepares what only ranking needs: how long documents are.
func (w *wordIndex) rank() error {
	if w.later != nil {
		return nil
	}
	w.lengths = make([][]byte, w.file.table.stats.docs/lengthGroup+1)
	for doc, hidden := range w.hidden {
		if hidden {
			n, err := w.length(doc)
			if err != nil {
				return err
			}
			w.words -= int64(n)
		}
	}
	w.later = make([]int, len(w.entries))
	for i, e := range w.entries {
		w.later[i] = eachWord(e.Columns, func(string, int) {})
		w.words += int64(w.later[i])
	}
	return nil
}

// length returns the number of words of a document.
func (w *wordIndex) length(doc int) (int, error) {
	if at := doc - w.file.table.stats.docs; at >= 0 {
		return w.later[at], nil
	}
	group, at := doc/lengthGroup, doc%lengthGroup
	if w.lengths[group] == nil {
		list, err := w.file.lengths(group)
		if err != nil {
			return 0, err
		}
		w.lengths[group] = list
	}
	return int(binary.LittleEndian.Uint16(w.lengths[group][2*at:])), nil
}

// word returns where a word occurs in some documents, and in how many of all. only are the documents in
// order, nil for all. places says whether to return the positions, which only a phrase needs.
func (w *wordIndex) word(stem string, only []int, places bool) (out []hit, docs int, err error) {
	value, err := w.file.table.get(append([]byte{keyWord}, stem...))
	if err != nil {
		return nil, 0, err
	}
	var at decoder
	if places {
		if at.data, err = w.file.table.get(append([]byte{keyPlaces}, stem...)); err != nil {
			return nil, 0, err
		}
	}
	if only == nil {
		n, err := w.countInTable(stem)
		if err != nil {
			return nil, 0, err
		}
		out = make([]hit, 0, min(n, len(value)))
	}
	last := w.file.table.stats.docs
	rest := only
	wanted := func(doc int) bool { // documents are asked for in order
		if only == nil {
			return true
		}
		for len(rest) > 0 && rest[0] < doc {
			rest = rest[1:]
		}
		return len(rest) > 0 && rest[0] == doc
	}
	p := postings{data: value}
	for p.next() {
		var from decoder
		if places {
			from = at
			at.skip(p.many)
		}
		if p.doc >= last || w.hidden != nil && w.hidden[p.doc] {
			continue
		}
		docs++
		if !wanted(p.doc) {
			continue
		}
		h := hit{doc: p.doc, many: p.many}
		if places {
			h.at = from.positions(p.many)
		}
		out = append(out, h)
	}
	for _, h := range w.addedWords()[stem] {
		docs++
		if wanted(h.doc) {
			out = append(out, h)
		}
	}
	if p.bad || at.bad {
		return nil, 0, fmt.Errorf("a word: %w", ErrCorrupt)
	}
	return out, docs, nil
}

// postings reads the occurrences of a word. A common word has a hundred thousand, of mostly one byte.
type postings struct {
	data      []byte
	at        int // of the next byte
	doc, many int // the occurrence that was read last
	bad       bool
}

func (p *postings) next() bool {
	if p.at >= len(p.data) {
		return false
	}
	step := int(p.data[p.at])
	p.at++
	if step >= 0x80 {
		p.at--
		step = p.number()
	}
	if step < 0 || step>>1 > math.MaxInt32 {
		p.bad = true
		return false
	}
	p.doc += step >> 1
	p.many = 1
	if step&1 != 0 {
		p.many = p.number()
	}
	return !p.bad
}

func (p *postings) number() int {
	n, size := binary.Uvarint(p.data[p.at:])
	if size <= 0 {
		p.bad = true
		return 0
	}
	p.at += size
	return int(n)
}

// skip passes over some numbers.
func (d *decoder) skip(n int) {
	for ; n > 0 && !d.bad; n-- {
		d.number()
	}
}

// positions decodes the places of a word in a document.
func (d *decoder) positions(n int) (out []int) {
	at := 0
	for ; n > 0 && !d.bad; n-- {
		at += int(d.number())
		out = append(out, at)
	}
	return out
}

// countInTable returns in how many documents of the table a word occurs.
func (w *wordIndex) countInTable(stem string) (int, error) {
	value, err := w.file.table.get(append([]byte{keyCount}, stem...))
	if err != nil || value == nil {
		return 0, err
	}
	d := decoder{data: value}
	return int(d.number()), d.err("the count of a word")
}

// addedWords returns the words of the changed documents.
func (w *wordIndex) addedWords() map[string][]hit {
	if w.added != nil {
		return w.added
	}
	w.added = map[string][]hit{}
	for i, e := range w.entries {
		doc := w.file.table.stats.docs + i
		eachWord(e.Columns, func(stem string, at int) {
			list := w.added[stem]
			if n := len(list); n == 0 || list[n-1].doc != doc {
				list = append(list, hit{doc: doc})
			}
			last := &list[len(list)-1]
			last.many++
			last.at = append(last.at, at)
			w.added[stem] = list
		})
	}
	return w.added
}

// count returns in how many documents a word occurs. Those that changed may count twice: to look where
// each word was takes longer than it is worth.
func (w *wordIndex) count(stem string) (int, error) {
	n, err := w.countInTable(stem)
	return n + len(w.addedWords()[stem]), err
}

// phrase returns those of some documents in which the words of a text follow one another, and the number
// of all with it. only is as in word.
func (w *wordIndex) phrase(text string, only []int) (list []hit, docs int, err error) {
	if list, ok := w.known[text]; ok {
		return list, len(list), nil
	}
	stems := tokens(text)
	if len(stems) == 1 {
		list, docs, err = w.word(stems[0], only, false)
	} else {
		only = nil
		list, err = w.following(stems)
		docs = len(list)
	}
	if only == nil && err == nil {
		w.known[text] = list
	}
	return list, docs, err
}

// following returns the documents in which words follow one another. The rarest says which documents can
// have them all.
func (w *wordIndex) following(stems []string) ([]hit, error) {
	rarest, least := 0, -1
	for i, stem := range stems {
		n, err := w.count(stem)
		if err != nil {
			return nil, err
		}
		if least < 0 || n < least {
			rarest, least = i, n
		}
	}
	if least <= 0 {
		return nil, nil
	}
	first, _, err := w.word(stems[rarest], nil, true)
	if err != nil {
		return nil, err
	}
	docs := documents(first)
	var list []hit
	for i, stem := range stems {
		next := first
		if i != rarest {
			if next, _, err = w.word(stem, docs, true); err != nil {
				return nil, err
			}
		}
		if i == 0 {
			list = next
			continue
		}
		list = followed(list, next)
	}
	return list, nil
}

// documents returns the documents of hits. It is not nil.
func documents(list []hit) []int {
	out := make([]int, len(list))
	for i, h := range list {
		out[i] = h.doc
	}
	return out
}

// followed returns the hits of a phrase with one more word; at are the positions of the last word.
func followed(phrase, word []hit) []hit {
	var out []hit
	for len(phrase) > 0 && len(word) > 0 {
		switch p, n := phrase[0], word[0]; {
		case p.doc < n.doc:
			phrase = phrase[1:]
		case p.doc > n.doc:
			word = word[1:]
		default:
			var at []int
			for _, x := range p.at {
				if _, ok := slices.BinarySearch(n.at, x+1); ok {
					at = append(at, x+1)
				}
			}
			if len(at) > 0 {
				out = append(out, hit{doc: p.doc, many: len(at), at: at})
			}
			phrase, word = phrase[1:], word[1:]
		}
	}
	return out
}

// Term are phrases of which one is to occur.
type Term []string

// Having counts the memories with a term. A few that changed may count twice.
func (f *File) Having(t Term) (int, error) {
	w, err := f.index()
	if err != nil {
		return 0, err
	}
	if len(t) == 1 {
		if stems := tokens(t[0]); len(stems) == 1 {
			return w.count(stems[0])
		}
	}
	docs := map[int]bool{}
	for _, text := range t {
		list, _, err := w.phrase(text, nil)
		if err != nil {
			return 0, err
		}
		for _, h := range list {
			docs[h.doc] = true
		}
	}
	return len(docs), nil
}

// Parameters of BM25, those of FTS5.
const (
	bm25K1 = 1.2
	bm25B  = 0.75
)

// Ranked is a memory with its rank; smaller is better, as of FTS5.
type Ranked struct {
	Found
	Rank float64
}

// Search ranks the memories with all of the terms, or with any, by BM25, best first.
func (f *File) Search(terms []Term, all bool, limit int) ([]Ranked, error) {
	w, err := f.index()
	if err != nil {
		return nil, err
	}
	ask := w.any
	if all && len(terms) > 1 {
		ask = w.all
	}
	list, err := ask(terms)
	if err != nil {
		return nil, err
	}
	list = slices.DeleteFunc(list, func(s scored) bool { return w.spent[s.doc] })
	list = best(list, limit)
	var out []Ranked
	for _, s := range list {
		m, err := w.found(s.doc)
		if err != nil {
			return nil, err
		}
		out = append(out, Ranked{m, -s.score})
	}
	return out, nil
}

func (w *wordIndex) found(doc int) (Found, error) {
	if at := doc - w.file.table.stats.docs; at >= 0 {
		return Found{w.entries[at].Line, w.entries[at].Text}, nil
	}
	return w.file.line(doc)
}

type scored struct {
	doc   int
	score float64
}

func (s scored) before(o scored) bool {
	return s.score > o.score || s.score == o.score && s.doc < o.doc
}

// best returns the first of a list, in order. The list is far longer.
func best(list []scored, limit int) []scored {
	if limit <= 0 {
		return nil
	}
	var out []scored
	for _, s := range list {
		if len(out) == limit && !s.before(out[limit-1]) {
			continue
		}
		at, _ := slices.BinarySearchFunc(out, s, func(a, b scored) int {
			if a.before(b) {
				return -1
			}
			return 1
		})
		if out = slices.Insert(out, at, s); len(out) > limit {
			out = out[:limit]
		}
	}
	return out
}

// rarestFirst returns the order in which to read terms, so that what is in most documents is read last and
// for few documents.
func (w *wordIndex) rarestFirst(terms []Term) ([]int, error) {
	counts := make([]int, len(terms))
	order := make([]int, len(terms))
	for i, t := range terms {
		order[i] = i
		for _, text := range t {
			least := 0
			for k, stem := range tokens(text) {
				n, err := w.count(stem)
				if err != nil {
					return nil, err
				}
				if k == 0 || n < least {
					least = n
				}
			}
			counts[i] += least
		}
	}
	sorting.StableFunc(order, func(a, b int) int { return cmp.Compare(counts[a], counts[b]) })
	return order, nil
}

// phraseFound is a phrase in the documents that are looked at.
type phraseFound struct {
	hits []hit
	docs int // in how many of all documents it is
}

// all returns the documents with all of the terms and their scores, in no order.
func (w *wordIndex) all(terms []Term) ([]scored, error) {
	order, err := w.rarestFirst(terms)
	if err != nil {
		return nil, err
	}
	var docs []int // that have the terms so far; nil: nothing is known yet
	found := map[string]phraseFound{}
	for _, i := range order {
		has := []int{}
		for _, text := range terms[i] {
			p, ok := found[text]
			if !ok {
				if p.hits, p.docs, err = w.phrase(text, docs); err != nil {
					return nil, err
				}
				found[text] = p
			}
			has = append(has, documents(p.hits)...)
		}
		sort.Ints(has)
		has = slices.Compact(has)
		if docs != nil {
			has = slices.DeleteFunc(has, func(doc int) bool { _, ok := slices.BinarySearch(docs, doc); return !ok })
		}
		if docs = has; len(docs) == 0 {
			return nil, nil
		}
	}
	if err := w.rank(); err != nil {
		return nil, err
	}
	out := make([]scored, len(docs))
	for i, doc := range docs {
		out[i].doc = doc
	}
	for _, term := range terms {
		for _, text := range term {
			if out, err = w.add(out, found[text].hits, found[text].docs, false); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// any returns the documents with any of the terms and their scores, in order of the documents.
func (w *wordIndex) any(terms []Term) (out []scored, err error) {
	if err := w.rank(); err != nil {
		return nil, err
	}
	for _, term := range terms {
		for _, text := range term {
			list, n, err := w.phrase(text, nil)
			if err != nil {
				return nil, err
			}
			if out, err = w.add(out, list, n, true); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// add adds what a phrase that is in n documents says of some to their scores. grow adds the documents that have none yet.
// Both lists are in order of their documents. Each phrase of a term counts for itself, as in FTS5.
func (w *wordIndex) add(to []scored, hits []hit, n int, grow bool) ([]scored, error) {
	idf := math.Log((float64(w.docs) - float64(n) + 0.5) / (float64(n) + 0.5))
	if idf <= 0 {
		idf = 1e-6
	}
	mean := float64(w.words) / float64(max(1, w.docs))
	var out []scored
	if grow {
		out = make([]scored, 0, len(to)+len(hits))
	}
	at := 0
	for _, h := range hits {
		for at < len(to) && to[at].doc < h.doc {
			if grow {
				out = append(out, to[at])
			}
			at++
		}
		known := at < len(to) && to[at].doc == h.doc
		if !known && !grow {
			continue
		}
		length, err := w.length(h.doc)
		if err != nil {
			return nil, err
		}
		many := float64(h.many)
		score := idf * (many * (bm25K1 + 1)) / (many + bm25K1*(1-bm25B+bm25B*float64(length)/mean))
		switch {
		case !grow:
			to[at].score += score
		case known:
			out = append(out, scored{h.doc, to[at].score + score})
			at++
		default:
			out = append(out, scored{h.doc, score})
		}
	}
	if !grow {
		return to, nil
	}
	return append(out, to[at:]...), nil
}
