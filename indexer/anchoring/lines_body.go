package anchoring

// newBody looks for the lines in the function that most of the surrounding
// code moved to: a new one in the same file, as when a function was split or became a
// call of one with more parameters. The surrounding code is evidence, so the lines may
// have changed, but they must match better than c, the best match at their old place.
func (s search) newBody(c lineMatch) (location, lineMatch, bool) {
	if s.symbol < 0 || family(s.o.symbols()[s.symbol].Kind) != "code" {
		return location{}, lineMatch{}, false
	}
	n := s.now(s.o.Path)
	if n == nil || !n.parsed() {
		return location{}, lineMatch{}, false
	}
	body := newBag(s.o.tree, s.o.bodyOf(s.symbol))
	if body.count() < lowEntropy {
		return location{}, lineMatch{}, false
	}
	pairs := s.comparisons.pairing(s.o, n)
	best, most, next := -1, 0.0, 0.0
	for j, t := range n.symbols() {
		if !pairs.appeared(j) || family(t.Kind) != "code" {
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
	code := s.comparisons.lineFinder(s.o, s.symbol, n, best)
	d := code.find(s.lines, s.focus)
	if !d.found || d.like < likeCited || c.found && d.like < c.like+margin || !code.keepsWhole(s.lines) {
		return location{}, lineMatch{}, false
	}
	return location{source: n, symbol: best, how: alike, like: most, found: true}, d, true
}
