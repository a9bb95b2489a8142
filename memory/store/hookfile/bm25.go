package hookfile

import (
	"encoding/binary"
	"math"
)

// Parameters of BM25, those of FTS5.
const (
	bm25K1 = 1.2
	bm25B  = 0.75
)

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
