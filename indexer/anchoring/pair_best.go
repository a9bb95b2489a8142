package anchoring

import (
	"cmp"

	"manicule/indexer/sorting"
)

// candidate is a possible pair of declarations and how well they match.
type candidate struct {
	i, j  int // old and new
	score float64
}

// best chooses the best pairs of candidates.
type best struct {
	*pairer
	margin float64 // minimum lead over rivals
	all    []candidate
	ofOld  map[int][]candidate // of an old declaration, the best first
	ofNew  map[int][]candidate // of a new one
	scores map[[2]int]float64
	tiedO  map[int]bool // old ones whose partner is not known
	tiedN  map[int]bool // new ones whose partner is not known
}

func newBest(p *pairer, margin float64) *best {
	return &best{pairer: p, margin: margin, ofOld: map[int][]candidate{}, ofNew: map[int][]candidate{}, scores: map[[2]int]float64{}, tiedO: map[int]bool{}, tiedN: map[int]bool{}}
}

func (b *best) add(c candidate) {
	b.all = append(b.all, c)
	if b.margin > 0 {
		b.scores[[2]int{c.i, c.j}] = c.score
	}
}

func (b *best) free(c candidate) bool {
	return b.old[c.i] < 0 && b.new[c.j] < 0 && !b.tiedO[c.i] && !b.tiedN[c.j]
}

// pair pairs the candidates without rivals from the best one down.
func (b *best) pair(h pairReason) {
	sorting.StableFunc(b.all, func(c, d candidate) int { return cmp.Compare(d.score, c.score) })
	if b.margin > 0 { // without it nothing has rivals
		for _, c := range b.all {
			b.ofOld[c.i], b.ofNew[c.j] = append(b.ofOld[c.i], c), append(b.ofNew[c.j], c)
		}
	}
	for _, c := range b.all {
		if !b.free(c) {
			continue
		}
		rivals := b.rivals(c)
		if len(rivals) == 0 {
			b.pairer.pair(c.i, c.j, h)
			continue
		}
		for _, d := range append(rivals, c) {
			b.tiedO[d.i], b.tiedN[d.j] = true, true
		}
	}
}

// rivals returns the candidates for one side of c that are nearly as good.
func (b *best) rivals(c candidate) []candidate {
	var out []candidate
	for _, list := range [][]candidate{b.ofOld[c.i], b.ofNew[c.j]} {
		for _, d := range list {
			if c.score-d.score >= b.margin {
				break
			}
			if d != c && b.free(d) && !b.worseTogether(c, d) {
				out = append(out, d)
			}
		}
	}
	return out
}

// worseTogether reports whether d, which shares a side with c, takes its other side from
// a declaration that it suits better: so that the pairs together, c and that one, lead
// by the margin what is left with d. Two tests that were renamed alike are the usual case.
func (b *best) worseTogether(c, d candidate) bool {
	others := b.ofNew[d.j]
	if d.j == c.j {
		others = b.ofOld[d.i]
	}
	for _, e := range others {
		if e.score <= d.score {
			return false
		}
		if !b.free(e) || e.i == c.i || e.j == c.j {
			continue
		}
		crossed := b.scores[[2]int{e.i, c.j}]
		if d.j == c.j {
			crossed = b.scores[[2]int{c.i, e.j}]
		}
		return c.score+e.score-d.score-crossed >= b.margin
	}
	return false
}
