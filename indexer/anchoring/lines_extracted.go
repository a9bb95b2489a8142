package anchoring

import (
	"slices"

	"manicule/indexer/anchor"
)

// search looks for cited lines outside of the place where their declaration is.
type search struct {
	*locator
	o      *Source // where they were cited
	symbol int     // the declaration around them there, -1 for the file
	lines  anchor.LineRange
	focus  string
}

// extracted looks for the lines in new functions, first of the same file, whose new state is n: they may have been
// extracted.
func (s search) extracted(n *Source) (Resolution, bool) {
	small := s.o.tokensOn(s.lines) < lowEntropy
	if n != nil && n.parsed() {
		needed := likeFar
		if small {
			needed = likeElsewhere
		}
		if r, ok := s.extractedTo([]Change{{Old: s.o, New: n}}, needed); ok {
			return r, true
		}
	}
	if s.symbol < 0 || small { // too little evidence for another file
		return Resolution{}, false
	}
	return s.extractedTo(s.likelyFiles(n), likeElsewhere)
}

// likelyFiles lists the other files that may have the lines.
func (s search) likelyFiles(but *Source) []Change {
	return slices.DeleteFunc(s.differences.likely(s.o, s.symbol), func(c Change) bool { return c.New == but })
}

// extractedTo looks in the functions of files that have no partner in the old state of their file.
func (s search) extractedTo(files []Change, atLeast float64) (Resolution, bool) {
	var best, second lineMatch
	var to location
	for _, file := range files {
		n := file.New
		if !n.parsed() {
			continue
		}
		pairs := s.comparisons.pairingOf(file)
		for j, t := range n.symbols() {
			if !pairs.appeared(j) || family(t.Kind) != "code" || s.isCopy(n, j) {
				continue
			}
			code := s.comparisons.lineFinder(s.o, s.symbol, n, j)
			c := code.find(s.lines, s.focus)
			if c.found && !code.keepsWhole(s.lines) {
				continue
			}
			if c.found && c.like > best.like {
				best, second = c, best
				to = location{source: n, symbol: j, how: sameTree, found: true, changed: n.Path != s.o.Path}
			} else if c.found && c.like > second.like {
				second = c
			}
		}
	}
	if !to.found || best.like < atLeast || best.like-second.like < margin {
		return Resolution{}, false
	}
	reason := "the cited lines are now in " + to.source.symbols()[to.symbol].Path
	r := linesResolution(to, best.lines, anchor.Followed, reason, anchor.RungSplit, best.like*sureMoved)
	r.Focus = best.focus
	return r, true
}

// isCopy reports whether a function is a copy of the lines' original function, which
// still exists, or stands among tests: then nothing was extracted to it.
func (s search) isCopy(n *Source, j int) bool {
	if n.Path == s.o.Path || s.symbol < 0 {
		return false
	}
	return n.amongTests() && !s.o.amongTests() || s.isNamesake(n, j)
}

// isNamesake reports whether a function of another file has the name of one that still exists.
func (s search) isNamesake(n *Source, j int) bool {
	return n.Path != s.o.Path && s.o.symbols()[s.symbol].Path == n.symbols()[j].Path && s.locate(s.o, s.symbol).found
}
