package hookfile

import (
	"cmp"
	"slices"
	"sort"

	"manicule/indexer/sorting"
)

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
