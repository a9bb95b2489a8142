package anchors

import (
	"context"
	"slices"

	"manicule/grammars"
	"manicule/indexer/anchor"
	"manicule/indexer/anchoring"
	"manicule/indexer/extract"
)

// minable reports whether a declaration is long enough, and of a kind, that its lines say where it went.
func minable(f *anchoring.Source, s extract.Symbol) bool {
	lines := f.Line(s.End-1) - f.Line(s.Start) + 1
	if isOutlined(f) {
		return lines >= minLinesShort && (s.Kind != "section" || f.Lang == "dockerfile") // a section holds all that follows it
	}
	switch s.Kind {
	case "function", "method", "class", "struct", "interface", "type":
		return lines >= minLinesMined
	}
	return false
}

// isOutlined reports whether the language of a file has no grammar: its declarations are of other kinds.
func isOutlined(f *anchoring.Source) bool {
	l, _ := grammars.ByID(f.Lang)
	return l.Outline != nil
}

func has(f *anchoring.Source, s extract.Symbol) bool {
	return slices.ContainsFunc(f.Symbols(), func(t extract.Symbol) bool { return t.Path == s.Path && t.Ordinal == s.Ordinal })
}

// hasCopies reports whether a file has the text of a declaration several times.
func hasCopies(f *anchoring.Source, s extract.Symbol) bool {
	count := 0
	for _, t := range f.Symbols() {
		if t.Name == s.Name && bareText(string(f.Text()[t.Start:t.End])) == bareText(string(f.Text()[s.Start:s.End])) {
			count++
		}
	}
	return count > 1
}

// hasRival reports whether another declaration that is new in a file has nearly as many of the lines of
// an old one as the one that git names.
func hasRival(o *anchoring.Source, was extract.Symbol, n *anchoring.Source, s extract.Symbol) bool {
	lines := func(f *anchoring.Source, t extract.Symbol) []string {
		return wordLines(f, anchor.LineRange{Start: f.Line(t.Start), End: f.Line(t.End - 1)})
	}
	want := lines(o, was)
	kept := common(want, lines(n, s))
	for _, t := range n.Symbols() {
		if (t.Path != s.Path || t.Ordinal != s.Ordinal) && family(t.Kind) == family(s.Kind) && minable(n, t) && !has(o, t) &&
			(t.End <= s.Start || s.End <= t.Start) && 10*common(want, lines(n, t)) >= 8*kept {
			return true
		}
	}
	return false
}

// arrival is a declaration that the parent did not have, with the origin of its lines.
type arrival struct {
	parent string
	file   *anchoring.Source
	symbol extract.Symbol
	first  int // its first line
	lines  []traced
}

// origin is the declaration in the parent that the most lines of an arrival came from.
type origin struct {
	path   string
	symbol int // index of its symbols
	lines  int // how many of them
	of     int // how many lines the arrival has, without blank ones and inner declarations
}

// origin finds where the lines of an arrival came from.
func (m *miner) origin(a arrival) origin {
	type place struct {
		path   string
		symbol int
	}
	votes := make(map[place]int)
	var best origin
	for k, l := range a.lines {
		if l.line < 0 {
			continue
		}
		// The lines of a declaration inside this one say where that came from.
		if inner := enclosing(a.file, a.first+k); inner >= 0 && a.file.Symbols()[inner].Path != a.symbol.Path {
			continue
		}
		best.of++
		if l.line == 0 {
			continue
		}
		if o := m.source(a.parent, l.path); o != nil {
			if i := enclosing(o, l.line); i >= 0 {
				votes[place{l.path, i}]++
			}
		}
	}
	for v, c := range votes {
		if c > best.lines || c == best.lines && (v.path < best.path || v.path == best.path && v.symbol < best.symbol) {
			best.path, best.symbol, best.lines = v.path, v.symbol, c
		}
	}
	return best
}

// appeared adds a declaration that did not exist in the parent, if most of it came from one that is gone, or the lines
// that it took from one that stays.
func (m *miner) appeared(ctx context.Context, parent, commit string, n *anchoring.Source, s extract.Symbol) error {
	if m.traced++; m.far && m.traced > m.maxTraced() {
		return nil
	}
	a := arrival{parent: parent, file: n, symbol: s, first: n.Line(s.Start)}
	last := n.Line(s.End - 1)
	var err error
	if a.lines, err = m.blame(ctx, parent, commit, n.Path, a.first, last); err != nil {
		return err
	}
	best := m.origin(a)
	if best.lines < minRun {
		return nil
	}
	o := m.source(parent, best.path)
	was := o.Symbols()[best.symbol]
	c := mined{Repo: m.name, Lang: m.src.lang, Parent: parent, Commit: commit, Share: share(best.lines, best.of),
		From: spot{Path: best.path, Symbol: was.Path, Ordinal: was.Ordinal}, To: spot{Path: n.Path, Symbol: s.Path, Ordinal: s.Ordinal}}
	if now := m.source(commit, best.path); now != nil && has(now, was) {
		return m.extracted(ctx, c, a, o, now, was)
	}
	size := o.Line(was.End-1) - o.Line(was.Start) + 1
	if float64(best.lines) < minTraced*float64(best.of) || float64(best.lines) < 0.5*float64(size) || family(was.Kind) != family(s.Kind) {
		return nil
	}
	if hasCopies(n, s) || // git takes any of them
		hasRival(o, was, n, s) { // it was split in two
		return nil
	}
	switch {
	case best.path == n.Path:
		c.Change = "rename"
	case was.Path == s.Path:
		c.Change = "move"
	default:
		c.Change = "move, rename"
	}
	if best.lines < best.of-1 || size != last-a.first+1 {
		c.Change += ", edit"
	}
	m.add(c)
	return nil
}

// family groups kinds that can turn into each other.
func family(kind string) bool { return kind == "function" || kind == "method" }

// enclosing returns the innermost function or type that holds a line, or -1.
func enclosing(f *anchoring.Source, line int) int {
	best := -1
	for i, s := range f.Symbols() {
		if minable(f, s) && f.Line(s.Start) <= line && line <= f.Line(s.End-1) && (best < 0 || s.End-s.Start < f.Symbols()[best].End-f.Symbols()[best].Start) {
			best = i
		}
	}
	return best
}

// named returns the first declaration of a path in a file, or -1.
func named(f *anchoring.Source, path string) int {
	if f == nil {
		return -1
	}
	return slices.IndexFunc(f.Symbols(), func(s extract.Symbol) bool { return s.Path == path })
}
