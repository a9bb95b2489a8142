package retrieve

import (
	"cmp"
	"slices"
	"strings"

	"manicule/indexer/sorting"
	"manicule/indexer/words"
)

// answerable removes results that must not be answered, and of code all but the first ones: each
// takes a read of its file.
func (r *run) answerable(list []Fused) []Fused {
	most := len(list)
	if r.q.Code {
		most = max(r.t.Words+r.t.Meaning, r.q.Limit)
	}
	var out []Fused
	for _, f := range list {
		if len(out) < most && r.known(f.ID) {
			out = append(out, f)
		}
	}
	return out
}

// relevant removes results with too little evidence: the question names no code of theirs, and they
// are too far from it in meaning and words. For an explicit question the best of them stay, marked
// as weak. Otherwise no result is better than noise.
func (r *run) relevant(list []Fused) []Fused {
	shown := 0
	if r.q.Explicit {
		shown = r.t.Weak
	}
	out := list[:0]
	for i, f := range list {
		switch {
		case r.isRelevant(f):
			out = append(out, f)
		case i < shown:
			r.weak[f.ID] = true
			out = append(out, f)
		default:
			r.omit(OmitIrrelevant, f.ID)
		}
	}
	return out
}

func (r *run) isRelevant(f Fused) bool {
	words := r.overlap(f.ID)
	near := 0.0
	for _, c := range f.By {
		switch c.Leg {
		case ByStructure:
			if r.named[f.ID] {
				return true
			}
		case ByWords:
			if len(r.terms) == 0 && r.q.Explicit {
				return true // common words only: an explicit question wants those
			}
		case ByMeaning, ByImagined:
			near = max(near, c.Score)
		}
	}
	if r.answer.Meaning {
		return near+r.t.WordsEvidence*words.share >= r.t.MinEvidence
	}
	return words.n > 0 && (words.n >= r.t.MinTerms || words.share >= r.t.MinCoverage)
}

// overlap is the number and the share of a question's terms that a text has.
type overlap struct {
	share float64
	n     int
	have  int // different terms of the text
}

// weighCoverage lets the share of the question's words count beside the keyword score, which a
// single rare word can decide.
func (r *run) weighCoverage(list []Ranked) []Ranked {
	if r.q.Code {
		return list // the longest function would have the most words
	}
	if r.t.Covered == 0 {
		return list
	}
	best, have, known := 0.0, 0, 0
	for _, x := range list {
		if r.known(x.ID) {
			o := r.overlap(x.ID)
			best, have, known = max(best, o.share), have+o.have, known+1
		}
	}
	if best == 0 {
		return list
	}
	covered := r.t.Covered * min(1, r.t.CoveredTerms*float64(known)/float64(have))
	list = slices.Clone(list)
	for i, x := range list {
		list[i].Score = (1-covered)*x.Score + covered*r.overlap(x.ID).share/best
	}
	sorting.StableFunc(list, func(a, b Ranked) int { return cmp.Compare(b.Score, a.Score) })
	return list
}

// leastKeywords is the number of words from which a text that has all of them is hardly one by chance.
const leastKeywords = 3

// isKeywords reports whether the question is a list of words that a text has, all of them: who
// remembers the words of a memory wants that one, and not what means about the same.
func (r *run) isKeywords(list []Ranked) bool {
	asked := strings.Fields(r.q.Text)
	if r.q.Code || r.t.Keywords.Words == 0 || len(asked) < leastKeywords || len(r.terms) < leastKeywords { // the parts of one name are not words that somebody chose
		return false
	}
	for _, word := range asked {
		if len(words.Terms(word)) == 0 { // a common word: a sentence
			return false
		}
	}
	return slices.ContainsFunc(list, func(x Ranked) bool { return r.known(x.ID) && r.overlap(x.ID).share == 1 })
}
