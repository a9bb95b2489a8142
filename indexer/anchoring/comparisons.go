package anchoring

// comparisons are what files and their declarations have in common, each found once.
type comparisons struct {
	pairs   map[[2]*Source]*pairing
	names   map[[2]*Source]renaming
	finders map[finderKey]*lineFinder
}

func newComparisons() *comparisons {
	return &comparisons{pairs: map[[2]*Source]*pairing{}, names: map[[2]*Source]renaming{}, finders: map[finderKey]*lineFinder{}}
}

type finderKey struct{ o, n symbolKey }

// pairing compares two states of a file once.
func (c *comparisons) pairing(o, n *Source) *pairing {
	key := [2]*Source{o, n}
	if p, ok := c.pairs[key]; ok {
		return p
	}
	p := pairSymbols(o, n, c.replacedNames(o, n))
	c.pairs[key] = p
	return p
}

// pairingOf compares the two states of a changed file, whose new one is code. It is nil if there is no old one.
func (c *comparisons) pairingOf(file Change) *pairing {
	if file.Old == nil || !file.Old.parsed() {
		return nil
	}
	return c.pairing(file.Old, file.New)
}

// replacedNames finds the names that were replaced throughout a file, once.
func (c *comparisons) replacedNames(o, n *Source) renaming {
	key := [2]*Source{o, n}
	if r, ok := c.names[key]; ok {
		return r
	}
	c.names[key] = replacedNames(o, o.tree.Tokens, n, n.tree.Tokens)
	return c.names[key]
}

// lineFinder compares a declaration, or, for -1, the whole file, with its new state
// once.
func (c *comparisons) lineFinder(o *Source, i int, n *Source, j int) *lineFinder {
	key := finderKey{symbolKey{o, i}, symbolKey{n, j}}
	if f, ok := c.finders[key]; ok {
		return f
	}
	f := newLineFinder(o, o.span(i), n, n.span(j), c.replacedNames(o, n))
	c.finders[key] = f
	return f
}
