package hookfile

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"
	"sort"

	"manicule/indexer/sorting"
)

// wordIndex is the word index of a file, the table's documents and the changed ones behind them.
type wordIndex struct {
	file    *File
	hidden  map[int]bool // documents of the table that changed
	entries []*changed   // documents of the changes, numbered from table.stats.docs on
	spent   map[int]bool
	docs    int // all, for the statistics
	live    int // without the superseded ones
	words   int64
	lengths []byte
	added   map[string][]hit // words of the changed documents
	known   map[string][]hit // phrases that were asked before
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
	w := &wordIndex{file: f, hidden: map[int]bool{}, spent: map[int]bool{}, docs: s.docs, live: s.docs - s.spent, words: s.words, known: map[string][]hit{}}
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
			w.hidden[doc] = true
			w.docs--
			if !w.spent[doc] {
				w.live--
			}
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

// rank prepares what only ranking needs: the lengths of documents.
func (w *wordIndex) rank() (err error) {
	if w.lengths != nil {
		return nil
	}
	if w.lengths, err = w.file.lengths(); err != nil {
		return err
	}
	for doc := range w.hidden {
		w.words -= lengthAt(w.lengths, doc)
	}
	w.lengths = slices.Clone(w.lengths)
	for _, e := range w.entries {
		n := eachWord(e.Columns, func(string, int) {})
		w.words += int64(n)
		w.lengths = binary.LittleEndian.AppendUint32(w.lengths, uint32(n))
	}
	return nil
}

// word returns where a word occurs, by document. places says whether to return the positions, which
// only a phrase needs.
func (w *wordIndex) word(stem string, places bool) ([]hit, error) {
	value, err := w.file.table.get(append([]byte{keyWord}, stem...))
	if err != nil {
		return nil, err
	}
	n, err := w.countInTable(stem)
	if err != nil {
		return nil, err
	}
	d := decoder{data: value}
	out := make([]hit, 0, min(n, len(value)))
	for doc := 0; d.more(); {
		doc += int(d.number())
		h := hit{doc: doc, many: int(d.number())}
		at := d.bytes()
		if doc >= w.file.table.stats.docs || len(w.hidden) > 0 && w.hidden[doc] {
			continue
		}
		if places {
			h.at = positions(at)
		}
		out = append(out, h)
	}
	return append(out, w.addedWords()[stem]...), d.err("a word")
}

// positions decodes the places of a word in a document.
func positions(data []byte) (out []int) {
	at := 0
	for d := (decoder{data: data}); d.more(); {
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

// phrase returns the documents in which the words of a text follow one another.
func (w *wordIndex) phrase(text string) ([]hit, error) {
	if list, ok := w.known[text]; ok {
		return list, nil
	}
	var list []hit
	stems := tokens(text)
	for i, stem := range stems {
		next, err := w.word(stem, len(stems) > 1)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			list = next
			continue
		}
		list = followed(list, next)
	}
	w.known[text] = list
	return list, nil
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
		list, err := w.phrase(text)
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
	if all && len(terms) > 1 {
		if none, err := w.none(terms); err != nil || none {
			return nil, err
		}
	}
	if err := w.rank(); err != nil {
		return nil, err
	}
	list, err := w.scores(terms, all)
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

// none reports whether no document has all terms. It reads the rarest first, so that what is in most
// documents is rarely read.
func (w *wordIndex) none(terms []Term) (bool, error) {
	type counted struct {
		term Term
		n    int
	}
	list := make([]counted, len(terms))
	for i, t := range terms {
		list[i].term = t
		for _, text := range t {
			least := 0
			for k, stem := range tokens(text) {
				n, err := w.count(stem)
				if err != nil {
					return false, err
				}
				if k == 0 || n < least {
					least = n
				}
			}
			list[i].n += least
		}
	}
	sorting.StableFunc(list, func(a, b counted) int { return cmp.Compare(a.n, b.n) })
	var left map[int]bool
	for _, c := range list {
		has := map[int]bool{}
		for _, text := range c.term {
			hits, err := w.phrase(text)
			if err != nil {
				return false, err
			}
			for _, h := range hits {
				if left == nil || left[h.doc] {
					has[h.doc] = true
				}
			}
		}
		if left = has; len(left) == 0 {
			return true, nil
		}
	}
	return false, nil
}

// scores returns the documents that match with their scores, in no order. Each phrase of a term
// counts for itself, as in FTS5.
func (w *wordIndex) scores(terms []Term, all bool) ([]scored, error) {
	mean := float64(w.words) / float64(max(1, w.docs))
	last := w.file.table.stats.docs + len(w.entries)
	scores, matched := make([]float64, last), make([]int32, last) // matched: how many of the terms
	var docs []int
	for i, term := range terms {
		for _, text := range term {
			list, err := w.phrase(text)
			if err != nil {
				return nil, err
			}
			n := float64(len(list))
			idf := math.Log((float64(w.docs) - n + 0.5) / (n + 0.5))
			if idf <= 0 {
				idf = 1e-6
			}
			for _, h := range list {
				if scores[h.doc] == 0 {
					docs = append(docs, h.doc)
				}
				many, length := float64(h.many), float64(lengthAt(w.lengths, h.doc))
				scores[h.doc] += idf * (many * (bm25K1 + 1)) / (many + bm25K1*(1-bm25B+bm25B*length/mean))
				if matched[h.doc] == int32(i) {
					matched[h.doc]++
				}
			}
		}
	}
	var out []scored
	for _, doc := range docs {
		if !all || int(matched[doc]) == len(terms) {
			out = append(out, scored{doc, scores[doc]})
		}
	}
	return out, nil
}
