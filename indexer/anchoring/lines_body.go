package anchoring

import "manicule/indexer/anchor"

// searchNewBody looks for cited lines in the function that most of the surrounding
// code moved to: a new one in the same file, as when a function was split or became a
// call of one with more parameters. The surrounding code is evidence, so the lines may
// have changed, but they must match better than c, the best match at their old place.
func (w *World) searchNewBody(o *Source, i int, lines anchor.LineRange, focus string, c lineMatch) (location, lineMatch, bool) {
	if i < 0 || family(o.symbols()[i].Kind) != "code" {
		return location{}, lineMatch{}, false
	}
	n := w.New(o.Path)
	if n == nil || !n.parsed() {
		return location{}, lineMatch{}, false
	}
	body := newBag(o.tree, o.bodyOf(i))
	if body.count() < lowEntropy {
		return location{}, lineMatch{}, false
	}
	pairs := w.pairing(o, n)
	best, most, next := -1, 0.0, 0.0
	for j, t := range n.symbols() {
		if pairs.new[j] >= 0 || family(t.Kind) != "code" {
			continue
		}
		switch kept := body.keptIn(n.bag(j), nil); {
		case kept > most:
			best, most, next = j, kept, most
		case kept > next:
			next = kept
		}
	}
	if best < 0 || most < likeOffered || most-next < margin {
		return location{}, lineMatch{}, false
	}
	code := w.lineFinder(o, i, n, best)
	d := code.find(lines, focus)
	if !d.found || d.like < likeCited || c.found && d.like < c.like+margin || !code.keepsWhole(lines) {
		return location{}, lineMatch{}, false
	}
	return location{source: n, symbol: best, how: alike, like: most, found: true}, d, true
}
