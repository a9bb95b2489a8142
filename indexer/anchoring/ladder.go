package anchoring

import (
	"fmt"
	"sync"

	"manicule/indexer/anchor"
	"manicule/indexer/extract"
	"manicule/indexer/fault"
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

	mu     sync.Mutex
	places *locator // guarded by mu; nil before the first resolution
}

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
	if w.places == nil {
		w.places = newLocator(w)
	}
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
		if r := w.places.differences.ofBlob(a.Blob); r != nil {
			return resolveMovedFile(a, r)
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
		if r := w.places.renames.of(o); r != nil {
			return symbolResolution(r, -1, anchor.Followed, fmt.Sprintf("%s is now %s", a.Path, r.Path), anchor.RungFile, sureMoved)
		}
	}
	return orphaned(a, "the file "+a.Path+" is gone", nil)
}

// resolveSymbol decides where a declaration went.
func (w *World) resolveSymbol(a anchor.Anchor, o *Source, i int) Resolution {
	p := w.places.locate(o, i)
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
	p := w.places.locate(o, i)
	needed := likeCited
	elsewhere := search{locator: w.places, o: o, symbol: i, lines: lines, focus: a.Focus}
	for !p.found && i >= 0 { // the function is gone, but maybe not its parent
		if r, ok := elsewhere.extracted(w.New(o.Path)); ok {
			return r
		}
		i = o.symbols()[i].Parent
		elsewhere.symbol = i
		p = w.places.locate(o, i)
		needed = likeFar
	}
	if !p.found || !p.source.parsed() {
		r := orphaned(a, "the cited lines are gone with their declaration", nil)
		r.Unsettled = p.errors
		return r
	}
	code := w.places.comparisons.lineFinder(o, i, p.source, p.symbol)
	c := code.find(lines, a.Focus)
	if r, ok := elsewhere.movedOut(p, c); ok {
		return r
	}
	if !c.found || c.like < needed && !c.head && !(c.kept && needed == likeCited) {
		if r, ok := elsewhere.extracted(p.source); ok {
			return r
		}
	}
	if !c.found || c.like < likeFar {
		if q, d, ok := elsewhere.newBody(c); ok {
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
