package anchoring

import "manicule/indexer/extract"

type symbolKey struct {
	source *Source
	symbol int
}

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

// locator finds where declarations are in the new state.
type locator struct {
	now         func(path string) *Source // World.New
	comparisons *comparisons
	differences *differences
	renames     *renames
	placed      map[symbolKey]location // those found before
}

func newLocator(w *World) *locator {
	d := &differences{read: w.Changed}
	return &locator{
		now: w.New, comparisons: newComparisons(), differences: d,
		renames: &renames{now: w.New, to: w.Renamed, differences: d, moved: map[*Source]*Source{}},
		placed:  map[symbolKey]location{},
	}
}

// locate follows a declaration, or, for -1, the file, from its old state to the new
// one.
func (l *locator) locate(o *Source, symbol int) location {
	key := symbolKey{o, symbol}
	if p, ok := l.placed[key]; ok {
		return p
	}
	p := l.locateDeclaration(o, symbol)
	l.placed[key] = p
	return p
}

// locateDeclaration is the ladder for a declaration, from the most certain rung down.
func (l *locator) locateDeclaration(o *Source, i int) location {
	n := l.now(o.Path)
	var almost *location
	if n != nil {
		if i < 0 {
			return location{source: n, symbol: -1, how: sameName, like: 1, found: true}
		}
		if !n.parsed() {
			return location{source: n, symbol: -1, errors: true}
		}
		if p := l.locateIn(o, i, n); p.found {
			if p.how != alike {
				return p
			}
			almost = &p
		}
	}
	if n == nil {
		if r := l.renames.of(o); r != nil {
			if i < 0 {
				return location{source: r, symbol: -1, how: sameName, like: 1, found: true, changed: true}
			}
			if p := l.locateIn(o, i, r); p.found {
				return p
			}
		}
	}
	if i < 0 {
		return location{}
	}
	if parent := o.symbols()[i].Parent; parent >= 0 {
		if q := l.locate(o, parent); q.found && q.changed && q.source.parsed() {
			if p := l.locateIn(o, i, q.source); p.found {
				if p.like >= likeFar {
					return p
				}
				almost = &p
			}
		}
	}
	far := l.locateElsewhere(o, i)
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
		if m := l.mergedInto(o, i, n); m.found || far.almost == nil {
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
func (l *locator) locateIn(o *Source, i int, n *Source) location {
	if !n.parsed() {
		return location{}
	}
	p := l.comparisons.pairing(o, n)
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
func (l *locator) locateElsewhere(o *Source, i int) location {
	s := o.symbols()[i]
	small := o.print(i).Size < lowEntropy // siblingShare asks only about larger ones, so that the recursion ends
	var best, second location
	var bestScore, secondScore float64
	files := l.differences.likely(o, i)
	if small { // its few words say little about the file
		files = l.withSiblingFiles(files, o, i)
	}
	for _, c := range files {
		if !c.New.parsed() {
			continue
		}
		pairs := l.comparisons.pairingOf(c)
		for j, t := range c.New.symbols() {
			if !pairs.appeared(j) || !kindsCompatible(s.Kind, t.Kind) {
				continue
			}
			e := compare(o, i, c.New, j)
			p := location{source: c.New, symbol: j, how: alike, found: true, changed: c.New.Path != o.Path, like: e.similarity}
			if small && e.names == 1 {
				e.movedSiblings = l.siblingShare(o, i, c.New, t.Parent)
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

// span returns a declaration with its documentation, or, for -1, the whole file.
func (s *Source) span(i int) extract.Span {
	if i < 0 {
		return extract.Span{Start: 0, End: len(s.Text())}
	}
	return extract.Span{Start: s.file.Symbols[i].DocStart, End: s.file.Symbols[i].End}
}
