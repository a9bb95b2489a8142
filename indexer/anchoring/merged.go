package anchoring

import "manicule/indexer/extract"

// Thresholds for a declaration that was merged into another one.
const (
	likeTakenIn = 0.85 // share of its code that must have moved to the other one
	likeOffered = 0.6  // the same to suggest it
)

// mergedInto finds the declaration of a file that absorbed a deleted one: when two
// functions became one, the surviving function is the place, if most code of the other
// moved to it in this change.
func (l *locator) mergedInto(o *Source, i int, n *Source) location {
	s := o.symbols()[i]
	lost := newBag(o.tree, o.bodyOf(i)) // its signature ends with it
	if lost.count() < lowEntropy || !n.parsed() {
		return location{}
	}
	p := l.comparisons.pairing(o, n)
	best, most, next := -1, 0.0, 0.0
	for j, t := range n.symbols() {
		was := p.new[j]
		if was < 0 || !kindsCompatible(s.Kind, t.Kind) {
			continue
		}
		switch kept := lost.keptIn(n.bag(j), o.bag(was)); {
		case kept > most:
			best, most, next = j, kept, most
		case kept > next:
			next = kept
		}
	}
	if best < 0 || most < likeOffered || most-next < margin {
		return location{}
	}
	m := location{source: n, symbol: best, how: takenIn, like: min(most, 0.99), found: true}
	if most < likeTakenIn {
		return location{almost: &m}
	}
	return m
}

// bodyOf returns a declaration without its signature.
func (s *Source) bodyOf(i int) extract.Symbol {
	t := s.symbols()[i]
	t.Start = signatureEnd(s.tree, t)
	return t
}

func (b bag) count() int {
	n := 0
	for _, k := range b {
		n += int(k)
	}
	return n
}

// keptIn returns the share of a bag that is in another one now and was not before.
func (b bag) keptIn(now, before bag) float64 {
	var kept, all int32
	for k, n := range b {
		all += n
		kept += min(n, max(0, now[k]-before[k]))
	}
	if all == 0 {
		return 0
	}
	return float64(kept) / float64(all)
}
