package hookfile

import (
	"fmt"
	"sort"
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
