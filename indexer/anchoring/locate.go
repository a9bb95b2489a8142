package anchoring

import (
	"sync"

	"manicule/indexer/extract"
)

// Change is one file that differs between two states of a tree. Old is nil for an
// added file, New for a deleted one.
type Change struct{ Old, New *Source }

// World is the input of a resolution: the current tree and, if known, the tree in
// which the anchors were made. It caches its comparisons. It is safe for concurrent
// use if its functions are.
type World struct {
	// New returns the current file at a path, nil if there is none.
	New func(path string) *Source
	// Old returns the old file at a path, nil if that is unknown. It may be nil.
	Old func(path string) *Source
	// Blob returns a file by the git blob id that an anchor recorded, nil if it does
	// not exist: after a history rewrite, Old may have another file at the path, or
	// none. It may be nil.
	Blob func(path, blob string) *Source
	// Changed returns the files that may hold moved code: those that differ between
	// the states. It may be nil.
	Changed func() []Change
	// Renamed returns the new path of a file whose rename is known, from git or the
	// editor, and "" for others. It may be nil.
	Renamed func(path string) string
	// Paths lists all current files, for patterns. It may be nil.
	Paths func() []string

	mu      sync.Mutex
	pairs   map[[2]*Source]*pairing // guarded by mu, like all below
	names   map[[2]*Source]renaming
	finders map[finderKey]*lineFinder
	placed  map[symbolKey]location
	moved   map[*Source]*Source
	changes []Change
	weights map[uint64]float64
	asked   bool
}

type symbolKey struct {
	source *Source
	symbol int
}

type finderKey struct{ o, n symbolKey }

// location is the place of an old declaration in the new state.
type location struct {
	source  *Source
	symbol  int // -1 for the file
	how     pairReason
	like    float64
	found   bool
	almost  *location // a candidate without enough certainty
	errors  bool      // the file is broken where it should be
	changed bool      // another file
}

func (w *World) old(path string) *Source {
	if w.Old == nil {
		return nil
	}
	return w.Old(path)
}

// pairing compares two states of a file once.
func (w *World) pairing(o, n *Source) *pairing {
	key := [2]*Source{o, n}
	if p, ok := w.pairs[key]; ok {
		return p
	}
	p := pairSymbols(o, n, w.replacedNames(o, n))
	if w.pairs == nil {
		w.pairs = make(map[[2]*Source]*pairing)
	}
	w.pairs[key] = p
	return p
}

// locate follows a declaration, or, for -1, the file, from its old state to the new
// one.
func (w *World) locate(o *Source, symbol int) location {
	key := symbolKey{o, symbol}
	if p, ok := w.placed[key]; ok {
		return p
	}
	if w.placed == nil {
		w.placed = make(map[symbolKey]location)
	}
	p := w.locateDeclaration(o, symbol)
	w.placed[key] = p
	return p
}

// locateDeclaration is the ladder for a declaration, from the most certain rung down.
func (w *World) locateDeclaration(o *Source, i int) location {
	n := w.New(o.Path)
	var almost *location
	if n != nil {
		if i < 0 {
			return location{source: n, symbol: -1, how: sameName, like: 1, found: true}
		}
		if !n.parsed() {
			return location{source: n, symbol: -1, errors: true}
		}
		if p := w.locateIn(o, i, n); p.found {
			if p.how != alike {
				return p
			}
			almost = &p
		}
	}
	if n == nil {
		if r := w.renamedTo(o); r != nil {
			if i < 0 {
				return location{source: r, symbol: -1, how: sameName, like: 1, found: true, changed: true}
			}
			if p := w.locateIn(o, i, r); p.found {
				return p
			}
		}
	}
	if i < 0 {
		return location{}
	}
	if parent := o.symbols()[i].Parent; parent >= 0 {
		if q := w.locate(o, parent); q.found && q.changed && q.source.parsed() {
			if p := w.locateIn(o, i, q.source); p.found {
				if p.like >= likeFar {
					return p
				}
				almost = &p
			}
		}
	}
	far := w.locateElsewhere(o, i)
	if far.found && (almost == nil || far.how == sameTree || keepsName(o, i, far) && far.like > almost.like && !almost.changed) {
		return far
	}
	if almost != nil {
		return *almost
	}
	if n != nil && len(n.file.Errors) > 0 {
		far.errors = true
		return far
	}
	if !far.found && n != nil {
		if m := w.mergedInto(o, i, n); m.found || far.almost == nil {
			return m
		}
	}
	return far
}

// keepsName reports whether a declaration has its name at another place. Beside it, another
// name at the old place counts only if its code is more alike.
func keepsName(o *Source, i int, p location) bool {
	return p.symbol >= 0 && p.source.symbols()[p.symbol].Name == o.symbols()[i].Name
}

// locateIn returns the location of a declaration in one file.
func (w *World) locateIn(o *Source, i int, n *Source) location {
	if !n.parsed() {
		return location{}
	}
	p := w.pairing(o, n)
	j := p.old[i]
	if j < 0 {
		return location{}
	}
	return location{source: n, symbol: j, how: p.reason[i], like: similarityOf(o, i, n, j), found: true, changed: n.Path != o.Path}
}

// similarityOf compares two declarations; only equal ones have similarity 1.
func similarityOf(o *Source, i int, n *Source, j int) float64 {
	if a, b := o.print(i), n.print(j); a.Tree == b.Tree || sameButSpace(o, i, n, j) {
		return 1
	}
	return min(0.99, o.bag(i).similarity(n.bag(j)))
}

// Thresholds for code that moved to another file.
const (
	keptSameBase  = 0.25 // share of its words that a renamed file of the same base name must have
	likeOtherBase = 0.6  // minimum similarity of a renamed file with another base name
	bonusBase     = 0.5  // bonus for the same base name
	weightPath    = 0.3  // weight of the same folders
	marginFile    = 0.02 // minimum lead over the next file
	// The next three were chosen by the examples of terraform-aws-vpc, which are copies of each other. Of 646 mined
	// cases of other repositories they change none.
	keptCopy      = 0.8  // share of its words from which files of the same base name may be copies of one template
	marginFolder  = 0.05 // minimum lead of a folder's name over the next
	marginCopy    = 0.1  // lead in it with which one of them is ahead all the same
	likeFarName   = 0.5  // minimum similarity of a suggested declaration
	likeFar       = 0.85 // minimum similarity of cited lines in another function
	likeElsewhere = 0.95 // likewise in another file
	maxFiles      = 8    // how many files are parsed to find one declaration
)

// locateElsewhere looks for a declaration among the new ones of other files.
func (w *World) locateElsewhere(o *Source, i int) location {
	s := o.symbols()[i]
	small := o.print(i).Size < lowEntropy // siblingShare asks only about larger ones, so that the recursion ends
	var best, second location
	var bestScore, secondScore float64
	files := w.likelyFiles(o, i)
	if small { // its few words say little about the file
		files = w.withSiblingFiles(files, o, i)
	}
	for _, c := range files {
		if !c.New.parsed() {
			continue
		}
		var appeared *pairing
		if c.Old != nil && c.Old.parsed() {
			appeared = w.pairing(c.Old, c.New)
		}
		for j, t := range c.New.symbols() {
			if appeared != nil && appeared.new[j] >= 0 || !kindsCompatible(s.Kind, t.Kind) {
				continue
			}
			e := compare(o, i, c.New, j)
			p := location{source: c.New, symbol: j, how: alike, found: true, changed: c.New.Path != o.Path, like: e.similarity}
			if small && e.names == 1 {
				e.movedSiblings = w.siblingShare(o, i, c.New, t.Parent)
			}
			score := e.scoreMoved()
			if p.found = score > 0; !p.found {
				score = e.similarity
			} else if e.similarity == 1 {
				p.how = sameTree
			}
			score += weightPath * pathSimilarity(o.Path, c.New.Path) / 3
			if score > bestScore {
				second, secondScore = best, bestScore
				best, bestScore = p, score
			} else if score > secondScore {
				second, secondScore = p, score
			}
		}
	}
	if best.found && (second.source == nil || bestScore-secondScore >= margin) {
		return best
	}
	if best.source != nil && best.like >= likeFarName {
		offer := best
		return location{almost: &offer}
	}
	return location{}
}

// lineFinder compares a declaration, or, for -1, the whole file, with its new state
// once.
func (w *World) lineFinder(o *Source, i int, n *Source, j int) *lineFinder {
	key := finderKey{symbolKey{o, i}, symbolKey{n, j}}
	if c, ok := w.finders[key]; ok {
		return c
	}
	if w.finders == nil {
		w.finders = make(map[finderKey]*lineFinder)
	}
	c := newLineFinder(o, o.span(i), n, n.span(j), w.replacedNames(o, n))
	w.finders[key] = c
	return c
}

// span returns a declaration with its documentation, or, for -1, the whole file.
func (s *Source) span(i int) extract.Span {
	if i < 0 {
		return extract.Span{Start: 0, End: len(s.Text())}
	}
	return extract.Span{Start: s.file.Symbols[i].DocStart, End: s.file.Symbols[i].End}
}
