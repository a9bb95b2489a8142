package anchoring

import (
	"fmt"

	"manicule/indexer/anchor"
	"manicule/indexer/extract"
	"manicule/indexer/fault"
)

// Resolve finds an anchor in the new state of the tree. It reports a panic in Fault.
func (w *World) Resolve(a anchor.Anchor) (out Resolution) {
	w.mu.Lock()
	defer w.mu.Unlock()
	defer func() {
		if out.Fault != nil {
			out = unknown(a, out.Fault)
		}
	}()
	defer fault.Catch(&out.Fault)
	out = w.resolve(a)
	if n := w.New(a.Path); n != nil && n.fault != nil {
		out.Fault = n.fault
	}
	return out
}

func (w *World) resolve(a anchor.Anchor) Resolution {
	if a.Kind == anchor.KindGlob && w.Paths != nil {
		return ResolveGlob(a, w.Paths())
	}
	n := w.New(a.Path)
	if n != nil && a.Blob != "" && a.Blob == n.Blob {
		return resolveUnchanged(a, n)
	}
	if n == nil {
		if r := w.sameBlob(a); r != nil {
			return w.resolveMovedFile(a, r)
		}
	}
	o := w.oldSource(a)
	switch {
	case a.Kind == anchor.KindFile:
		return w.resolveFile(a, o, n)
	case o == nil || !o.parsed():
		return w.resolveByRecord(a, n)
	case a.Kind == anchor.KindLines && a.Lines != nil:
		return w.resolveLines(a, o)
	}
	i := o.index(a)
	if i < 0 {
		return w.resolveByRecord(a, n)
	}
	return w.resolveSymbol(a, o, i)
}

// resolveUnchanged finds an anchor in the file that it was made in.
func resolveUnchanged(a anchor.Anchor, n *Source) Resolution {
	var f *extract.File
	if !n.quoteMatches(a) && n.parsed() { // unmoved lines need no parse
		f = n.file
	}
	r := resolveIn(a, f, n.Text())
	r.Path, r.Symbol, r.Ordinal, r.Focus, r.Rung = n.Path, a.Symbol, a.Ordinal, a.Focus, anchor.RungBlob
	return r
}

// quoteMatches reports whether cited lines are where their record says.
func (s *Source) quoteMatches(a anchor.Anchor) bool {
	return a.Kind == anchor.KindLines && a.Lines != nil && (a.Quote == "" || s.table().quoteAt(quoteLines(a.Quote), a.Lines.Start))
}

// index finds the symbol of an anchor in the file that it was made in.
func (s *Source) index(a anchor.Anchor) int {
	for i, t := range s.symbols() {
		if t.Path == a.Symbol && t.Ordinal == a.Ordinal {
			return i
		}
	}
	return -1
}

func (w *World) resolveFile(a anchor.Anchor, o, n *Source) Resolution {
	if n != nil {
		return symbolResolution(n, -1, anchor.Fresh, "", anchor.RungPlace, sureExact)
	}
	if o != nil {
		if r := w.renamedTo(o); r != nil {
			return symbolResolution(r, -1, anchor.Followed, fmt.Sprintf("%s is now %s", a.Path, r.Path), anchor.RungFile, sureMoved)
		}
	}
	return orphaned(a, "the file "+a.Path+" is gone", nil)
}

// resolveSymbol decides where a declaration went.
func (w *World) resolveSymbol(a anchor.Anchor, o *Source, i int) Resolution {
	p := w.locate(o, i)
	name := o.symbols()[i].Path
	if !p.found {
		r := orphaned(a, fmt.Sprintf("there is no %s %s any more", o.symbols()[i].Kind, name), p.almost)
		r.Unsettled = p.errors
		return r
	}
	return judgeSymbol(o, i, p)
}

// judgeSymbol determines the state of a found declaration.
func judgeSymbol(o *Source, i int, p location) Resolution {
	was, is := o.symbols()[i], p.source.symbols()[p.symbol]
	var r Resolution
	switch moved := p.changed || p.how != sameName; {
	case p.how == takenIn:
		r = symbolResolution(p.source, p.symbol, anchor.Followed, fmt.Sprintf("most of %s is now in %s", was.Path, is.Path), anchor.RungMerged, sureMoved*p.like)
	case moved && p.like == 1:
		r = symbolResolution(p.source, p.symbol, anchor.Followed, describeMove(o.Path, was, p.source.Path, is), anchor.RungTree, sureMoved)
	case moved && sameButVisibility(o, i, p.source, p.symbol):
		r = symbolResolution(p.source, p.symbol, anchor.Followed, describeMove(o.Path, was, p.source.Path, is)+", and its visibility changed", anchor.RungTree, sureMoved)
	case moved:
		r = symbolResolution(p.source, p.symbol, anchor.Followed, describeMove(o.Path, was, p.source.Path, is)+", and its code changed", anchor.RungAlike, min(p.like, sureAlike))
	case p.like == 1 || sameButVisibility(o, i, p.source, p.symbol):
		r = symbolResolution(p.source, p.symbol, anchor.Fresh, "", anchor.RungPlace, sureExact)
	default:
		r = symbolResolution(p.source, p.symbol, anchor.Drifted, whatChanged(was, is), anchor.RungPlace, sureDrifted+(1-sureDrifted)*p.like*0.9)
	}
	r.Unsettled = r.State != anchor.Fresh && p.source.broken(is.Start, is.End)
	return r
}

// describeMove says where a declaration went.
func describeMove(from string, was extract.Symbol, to string, is extract.Symbol) string {
	switch {
	case from == to:
		return fmt.Sprintf("%s is now %s", was.Path, is.Path)
	case was.Path == is.Path:
		return fmt.Sprintf("%s moved from %s to %s", was.Path, from, to)
	default:
		return fmt.Sprintf("%s of %s is now %s in %s", was.Path, from, is.Path, to)
	}
}

func whatChanged(was, is extract.Symbol) string {
	switch {
	case was.Kind != is.Kind:
		return fmt.Sprintf("%s was a %s and is now a %s", was.Path, was.Kind, is.Kind)
	case was.Arity != is.Arity && was.Arity >= 0 && is.Arity >= 0:
		return fmt.Sprintf("%s took %d parameters and now takes %d", was.Path, was.Arity, is.Arity)
	default:
		return "the code of " + was.Path + " changed"
	}
}

// likeCited is the minimum similarity of cited lines to count as the same.
const likeCited = 0.5

// resolveLines finds cited lines: first their enclosing declaration, then the lines in
// it.
func (w *World) resolveLines(a anchor.Anchor, o *Source) Resolution {
	lines := o.table().clamp(*a.Lines)
	i := o.enclosingIndex(lines)
	p := w.locate(o, i)
	needed := likeCited
	for !p.found && i >= 0 { // the function is gone, but maybe not its parent
		if r, ok := w.findExtracted(o, i, lines, a.Focus, w.New(o.Path)); ok {
			return r
		}
		i = o.symbols()[i].Parent
		p = w.locate(o, i)
		needed = likeFar
	}
	if !p.found || !p.source.parsed() {
		r := orphaned(a, "the cited lines are gone with their declaration", nil)
		r.Unsettled = p.errors
		return r
	}
	code := w.lineFinder(o, i, p.source, p.symbol)
	c := code.find(lines, a.Focus)
	if r, ok := w.findMovedOut(o, i, lines, a.Focus, p, c); ok {
		return r
	}
	if !c.found || c.like < needed && !c.head && !(c.kept && needed == likeCited) {
		if r, ok := w.findExtracted(o, i, lines, a.Focus, p.source); ok {
			return r
		}
	}
	if !c.found || c.like < likeFar {
		if q, d, ok := w.searchNewBody(o, i, lines, a.Focus, c); ok {
			return judgeLines(o, i, lines, q, d)
		}
	}
	if !c.found || c.like < needed && needed > likeCited {
		r := linesResolution(p, code.expectedLines(lines), anchor.Stale, "the cited lines no longer exist", anchor.RungQuote, sureStale)
		r.Unsettled = len(p.source.file.Errors) > 0
		return r
	}
	return judgeLines(o, i, lines, p, c)
}

func judgeLines(o *Source, i int, lines anchor.LineRange, p location, c lineMatch) Resolution {
	reason := ""
	if i >= 0 && p.symbol >= 0 && (p.changed || p.how != sameName) {
		reason = describeMove(o.Path, o.symbols()[i], p.source.Path, p.source.symbols()[p.symbol])
	} else if p.changed {
		reason = fmt.Sprintf("%s is now %s", o.Path, p.source.Path)
	}
	var r Resolution
	switch {
	case c.like == 1 && reason == "":
		if c.lines.Start != lines.Start {
			reason = fmt.Sprintf("moved from line %d to line %d", lines.Start, c.lines.Start)
		}
		r = linesResolution(p, c.lines, anchor.Fresh, reason, anchor.RungLines, sureExact)
	case c.like == 1:
		r = linesResolution(p, c.lines, anchor.Followed, reason, anchor.RungLines, sureMoved)
	case c.like < likeCited && !c.kept && !(c.head && c.like >= leastLike):
		r = linesResolution(p, c.lines, anchor.Stale, "little is left of the cited lines", anchor.RungLines, sureStale)
	default:
		r = linesResolution(p, c.lines, anchor.Drifted, "the cited lines changed", anchor.RungLines, sureStale+(sureChanged-sureStale)*c.like)
	}
	r.Focus = c.focus
	r.Unsettled = r.State != anchor.Fresh && p.source.broken(r.Start, r.End)
	return r
}

// findExtracted looks for cited lines in new functions, first of the same file: they
// may have been extracted.
func (w *World) findExtracted(o *Source, i int, lines anchor.LineRange, focus string, n *Source) (Resolution, bool) {
	small := o.tokensOn(lines) < lowEntropy
	if n != nil && n.parsed() {
		needed := likeFar
		if small {
			needed = likeElsewhere
		}
		if r, ok := w.searchExtracted(o, i, lines, focus, needed, []*pairing{w.pairing(o, n)}, []*Source{n}); ok {
			return r, true
		}
	}
	if i < 0 || small { // too little evidence for another file
		return Resolution{}, false
	}
	var files []*Source
	var pairs []*pairing
	for _, c := range w.likelyFiles(o, i) {
		if c.New == n || !c.New.parsed() {
			continue
		}
		var p *pairing
		if c.Old != nil && c.Old.parsed() {
			p = w.pairing(c.Old, c.New)
		}
		files, pairs = append(files, c.New), append(pairs, p)
	}
	return w.searchExtracted(o, i, lines, focus, likeElsewhere, pairs, files)
}

// searchExtracted looks in the functions of files that have no partner in the file's
// pairing; without a pairing, in all.
func (w *World) searchExtracted(o *Source, i int, lines anchor.LineRange, focus string, atLeast float64, pairs []*pairing, files []*Source) (Resolution, bool) {
	var best, second lineMatch
	var to location
	for k, n := range files {
		for j, s := range n.symbols() {
			if pairs[k] != nil && pairs[k].new[j] >= 0 || family(s.Kind) != "code" || w.isCopy(o, i, n, j) {
				continue
			}
			code := w.lineFinder(o, i, n, j)
			c := code.find(lines, focus)
			if c.found && !code.keepsWhole(lines) {
				continue
			}
			if c.found && c.like > best.like {
				best, second = c, best
				to = location{source: n, symbol: j, how: sameTree, found: true, changed: n.Path != o.Path}
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
func (w *World) isCopy(o *Source, i int, n *Source, j int) bool {
	if n.Path == o.Path || i < 0 {
		return false
	}
	return n.amongTests() && !o.amongTests() || w.isNamesake(o, i, n, j)
}

// isNamesake reports whether a function of another file has the name of one that still exists.
func (w *World) isNamesake(o *Source, i int, n *Source, j int) bool {
	return n.Path != o.Path && o.symbols()[i].Path == n.symbols()[j].Path && w.locate(o, i).found
}

// tokensOn counts the tokens that begin on lines.
func (s *Source) tokensOn(lines anchor.LineRange) int {
	return len(s.citedTokens(lines))
}

// enclosingIndex returns the innermost symbol that holds the text of all the lines, -1
// for none.
func (s *Source) enclosingIndex(lines anchor.LineRange) int {
	if !s.parsed() {
		return -1
	}
	m := maker{file: s.file, lines: s.table()}
	best, ok := m.around(lines)
	if !ok {
		return -1
	}
	for i, t := range s.symbols() {
		if t.Start == best.Start && t.Path == best.Path && t.Ordinal == best.Ordinal {
			return i
		}
	}
	return -1
}

// orphaned is the last rung: the whole file, with a suggestion.
func orphaned(a anchor.Anchor, reason string, almost *location) Resolution {
	r := Resolution{State: anchor.Orphaned, Reason: reason, Path: a.Path, Symbol: a.Symbol, Ordinal: a.Ordinal, Rung: anchor.RungNone, Line: 1, EndLine: 1}
	if almost != nil && almost.source != nil && almost.symbol >= 0 {
		s := almost.source.symbols()[almost.symbol]
		r.Suggestion = &Suggestion{Path: almost.source.Path, Symbol: s.Path, Ordinal: s.Ordinal, Confidence: almost.like}
	}
	return r
}

// symbolResolution returns a resolution at a symbol, or, for -1, at a file.
func symbolResolution(n *Source, j int, state anchor.State, reason string, rung anchor.Rung, sure float64) Resolution {
	r := resolver{lines: n.table()}
	if j < 0 {
		out := r.at(state, reason, 0, 0, sure)
		out.Path, out.Rung = n.Path, rung
		return out
	}
	s := n.symbols()[j]
	out := r.declaration(state, reason, s, sure)
	out.Path, out.Symbol, out.Ordinal, out.Rung = n.Path, s.Path, s.Ordinal, rung
	return out
}

func linesResolution(p location, lines anchor.LineRange, state anchor.State, reason string, rung anchor.Rung, sure float64) Resolution {
	r := resolver{lines: p.source.table()}
	out := r.atLines(state, reason, lines, sure)
	out.Path, out.Rung = p.source.Path, rung
	if p.symbol >= 0 {
		s := p.source.symbols()[p.symbol]
		out.Symbol, out.Ordinal = s.Path, s.Ordinal
	}
	return out
}
