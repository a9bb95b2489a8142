package anchoring

import (
	"slices"

	"manicule/indexer/anchor"
	"manicule/indexer/extract"
)

// How many tokens cited lines need before their exact copy in a new function counts as
// them. Fewer, such as a lone return, stand in many functions by chance.
const (
	minExact          = 8
	minExactElsewhere = 12 // likewise in another file
)

// movedOut looks for the only exact copy of cited lines in new functions, first of the
// same file: their function stayed and calls what it was taken apart into. c is what is
// left of the lines at their old place. If that is still most of them, the copy is
// another function like it, and nothing moved. If nothing is left, a namesake in another file may have
// them: what stayed only calls it.
func (s search) movedOut(p location, c lineMatch) (Resolution, bool) {
	if s.symbol < 0 || s.focus != "" || c.found && (c.kept || c.like >= likeFar) {
		return Resolution{}, false
	}
	want := s.o.citedTokens(s.lines)
	if len(want) < minExact {
		return s.movedAlong(p, c)
	}
	if j := p.symbol; j >= 0 && len(p.source.wholeLines(want, p.source.span(j))) > 0 {
		return Resolution{}, false // they only changed their place in it
	}
	n, gone := s.now(s.o.Path), !c.found || c.like < likeCited
	if n != nil && n.parsed() {
		if at, ok := s.onlyCopy(want, []Change{{Old: s.o, New: n}}, gone); ok {
			return s.copied(at), true
		}
	}
	if len(want) < minExactElsewhere {
		return Resolution{}, false
	}
	if at, ok := s.onlyCopy(want, s.likelyFiles(n), gone); ok {
		return s.copied(at), true
	}
	return Resolution{}, false
}

// maxAlong is how many lines beside cited ones are taken along to find their copy.
const maxAlong = 4

// movedAlong looks for lines that are too short to be known alone, such as a call
// without arguments, by the lines beside them: a run of whole lines that left together for
// a new function of the file. The run must be gone from the old place, and its longest
// extension on both sides decides, as a shorter one may stand in another function too.
func (s search) movedAlong(p location, c lineMatch) (Resolution, bool) {
	n := s.now(s.o.Path)
	if n == nil || !n.parsed() || len(s.o.citedTokens(s.lines)) == 0 {
		return Resolution{}, false
	}
	code := s.o.span(s.symbol)
	within := anchor.LineRange{Start: s.o.table().line(code.Start), End: s.o.table().line(max(code.Start, code.End-1))}
	for size := maxAlong; size > 0; size-- {
		for up := range size + 1 {
			run := anchor.LineRange{Start: s.lines.Start - up, End: s.lines.End + size - up}
			// The first line of a function is its head, which doesn't leave.
			if run.Start <= within.Start || run.End > within.End {
				continue
			}
			want := s.o.citedTokens(run)
			if len(want) < minExact || len(s.o.wholeLines(want, code)) != 1 {
				continue
			}
			if j := p.symbol; j >= 0 && len(p.source.wholeLines(want, p.source.span(j))) > 0 {
				return Resolution{}, false // they only changed their place in it
			}
			at, ok := s.onlyCopy(want, []Change{{Old: s.o, New: n}}, !c.found || c.like < likeCited)
			if !ok {
				continue
			}
			// The cited tokens are as far from the first of the run as before.
			before, _ := slices.BinarySearchFunc(want, s.o.citedTokens(s.lines)[0].Start, func(t extract.Token, at uint32) int { return int(t.Start) - int(at) })
			at.tokens[0] += before
			at.tokens[1] = at.tokens[0] + len(s.o.citedTokens(s.lines))
			return s.copied(at), true
		}
	}
	return Resolution{}, false
}

// copyAt is an exact copy of cited tokens in a function.
type copyAt struct {
	source *Source
	symbol int
	tokens [2]int // the first one, and behind the last
}

// onlyCopy returns the only place where tokens fill whole lines of functions that have no
// partner in the old state of their file. Namesakes of the lines' function count if said.
func (s search) onlyCopy(want []extract.Token, files []Change, namesakes bool) (at copyAt, ok bool) {
	for _, f := range files {
		if !f.New.parsed() {
			continue
		}
		pairs := s.comparisons.pairingOf(f)
		for j, t := range f.New.symbols() {
			if !pairs.appeared(j) || family(t.Kind) != "code" {
				continue
			}
			if s.isCopy(f.New, j) && !(namesakes && s.isNamesake(f.New, j) && f.New.amongTests() == s.o.amongTests()) {
				continue
			}
			for _, tokens := range f.New.wholeLines(want, extract.Span{Start: t.Start, End: t.End}) {
				found := copyAt{f.New, j, tokens}
				switch {
				case !ok:
					at, ok = found, true
				case at.source != found.source || at.tokens != found.tokens:
					return copyAt{}, false
				case t.End-t.Start < at.source.symbols()[at.symbol].End-at.source.symbols()[at.symbol].Start:
					at = found // a function inside the other one
				}
			}
		}
	}
	return at, ok
}

// copied is the resolution at a copy of the lines.
func (s search) copied(at copyAt) Resolution {
	n := at.source
	first := n.table().line(int(n.tree.Tokens[at.tokens[0]].Start))
	// A comment may stand on the cited lines before their first token.
	cited := s.o.citedTokens(s.lines)
	first = max(1, first-(s.o.table().line(int(cited[0].Start))-s.lines.Start))
	last := n.table().line(int(n.tree.Tokens[at.tokens[1]-1].End) - 1)
	to := location{source: n, symbol: at.symbol, how: sameTree, found: true, changed: n.Path != s.o.Path}
	return linesResolution(to, anchor.LineRange{Start: first, End: max(first, last)}, anchor.Followed,
		"the cited lines are now in "+n.symbols()[at.symbol].Path, anchor.RungSplit, sureMoved)
}

// citedTokens returns the tokens that begin on lines.
func (s *Source) citedTokens(lines anchor.LineRange) []extract.Token {
	t := s.table()
	lines = t.clamp(lines)
	first, last := s.tree.Range(extract.Span{Start: t.start(lines.Start), End: t.end(lines.End)})
	return s.tree.Tokens[first:last]
}

// wholeLines lists where tokens stand one after the other in a piece of code, with no other
// token on their first and last line.
func (s *Source) wholeLines(want []extract.Token, within extract.Span) (found [][2]int) {
	from, to := s.tree.Range(within)
	t, all := s.table(), s.tree.Tokens
	for f := from; f+len(want) <= to; f++ {
		l := f + len(want)
		if all[f].Hash != want[0].Hash || !slices.EqualFunc(all[f:l], want, func(x, y extract.Token) bool { return x.Hash == y.Hash }) {
			continue
		}
		begins := f == 0 || t.line(int(all[f-1].End)-1) < t.line(int(all[f].Start))
		ends := l == len(all) || t.line(int(all[l-1].End)-1) < t.line(int(all[l].Start))
		if begins && ends {
			found = append(found, [2]int{f, l})
		}
	}
	return found
}
