package anchors

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"manicule/indexer/anchor"
	"manicule/indexer/anchoring"
	"manicule/indexer/extract"
)

// maxGap is how many lines may be new or changed between two lines that left together.
const maxGap = 2

// extracted adds lines that an arrival took from a function that still exists: an *extract* if that calls it, else
// *lines left*.
func (m *miner) extracted(ctx context.Context, c mined, a arrival, o, now *anchoring.Source, was extract.Symbol) error {
	if !family(was.Kind) || !family(a.symbol.Kind) {
		return nil
	}
	cited, is, ok := leftTogether(a, o, was)
	if !ok || !onlyOnce(o, cited) || !onlyOnce(a.file, is) { // else git takes any of them
		return nil
	}
	c.From.Lines, c.To.Lines = []int{cited.Start, cited.End}, []int{is.Start, is.End}
	if copied, err := m.copied(ctx, o, now, c); err != nil || copied {
		return err
	}
	want := bareText(strings.Join(trimmedLines(o.Text(), cited), ""))
	for _, t := range now.Symbols() {
		if t.Path != was.Path || t.Ordinal != was.Ordinal {
			continue
		}
		body := string(now.Text()[t.NameEnd:t.End])
		if strings.Contains(bareText(body), want) || nameReused(o, was, now, t, a.file, a.symbol) || keepsMost(o, cited, now, t) {
			continue
		}
		if m.far {
			if ok, err := m.atOnce(ctx, c); err != nil || !ok {
				return err
			}
		}
		c.Change = "lines left"
		if calls(body, a.symbol.Name) {
			c.Change = "extract"
		}
		if (target{lines: cited}).bare(o) != (target{lines: is}).bare(a.file) {
			c.Change += ", edit"
		}
		m.add(c)
	}
	return nil
}

// calls reports whether a text has a name followed by an opening parenthesis.
func calls(text, name string) bool {
	return regexp.MustCompile(`\b` + regexp.QuoteMeta(name) + `\s*(?:::<[^>]*>|<[^>]*>)?\s*\(`).MatchString(text)
}

// leftTogether returns the first lines of an old function that came to a new one together, and their place there. Git
// traces at least minTraced of the lines that have words, and the first and the last of them.
func leftTogether(a arrival, o *anchoring.Source, was extract.Symbol) (cited, is anchor.LineRange, ok bool) {
	from, to := o.Line(was.Start), o.Line(was.End-1)
	inside := func(l traced) bool { return l.path == o.Path && from < l.line && l.line < to }
	for i := 0; i < len(a.lines); {
		if !inside(a.lines[i]) {
			i++
			continue
		}
		last := i
		for j := i + 1; j < len(a.lines) && j-last <= maxGap+1; j++ {
			if inside(a.lines[j]) && 0 < a.lines[j].line-a.lines[last].line && a.lines[j].line-a.lines[last].line <= maxGap+1 {
				last = j
			}
		}
		cited = anchor.LineRange{Start: a.lines[i].line, End: a.lines[last].line}
		is = anchor.LineRange{Start: a.first + i, End: a.first + last}
		kept := 0
		for k := i; k <= last; k++ {
			if inside(a.lines[k]) && len(wordLines(a.file, anchor.LineRange{Start: a.first + k, End: a.first + k})) > 0 {
				kept++
			}
		}
		most := max(len(wordLines(o, cited)), len(wordLines(a.file, is)))
		if kept >= minRun && float64(kept) >= minTraced*float64(most) {
			return cited, is, true
		}
		i = last + 1
	}
	return cited, is, false
}

// atOnce reports whether the commit that brought the new function of an extraction took lines from the old one, which
// still stands after it. Over many commits git finds the lines of an old function in any that is like it.
func (m *miner) atOnce(ctx context.Context, c mined) (bool, error) {
	out, err := m.git(ctx, "log", "--reverse", "--topo-order", "--no-merges", "--format=%H %P", c.Parent+".."+c.Commit, "--", c.To.Path)
	if err != nil {
		return false, err
	}
	for line := range strings.Lines(string(out)) {
		ids := strings.Fields(line)
		if len(ids) != 2 {
			continue
		}
		n := m.source(ids[0], c.To.Path)
		i := named(n, c.To.Symbol)
		if i < 0 || named(m.source(ids[1], c.To.Path), c.To.Symbol) >= 0 {
			continue
		}
		s := n.Symbols()[i]
		lines, err := m.blame(ctx, ids[1], ids[0], c.To.Path, n.Line(s.Start), n.Line(s.End-1))
		if err != nil {
			return false, err
		}
		taken := 0
		for _, l := range lines {
			if l.line <= 0 || named(m.source(ids[0], l.path), c.From.Symbol) < 0 {
				continue
			}
			o := m.source(ids[1], l.path)
			if was := enclosing(o, l.line); was >= 0 && o.Symbols()[was].Path == c.From.Symbol {
				taken++
			}
		}
		return taken >= minRun, nil
	}
	return false, nil
}

// nameReused reports whether a whole function has another name now, and its old one is that of another
// function, which does not call it: nothing was extracted.
func nameReused(o *anchoring.Source, was extract.Symbol, now *anchoring.Source, same extract.Symbol, n *anchoring.Source, s extract.Symbol) bool {
	body := wordLines(o, anchor.LineRange{Start: o.Line(was.NameEnd) + 1, End: o.Line(was.End - 1)})
	have := wordLines(n, anchor.LineRange{Start: n.Line(s.Start), End: n.Line(s.End - 1)})
	return 10*common(body, have) >= 9*len(body) && !strings.Contains(string(now.Text()[same.Start:same.End]), s.Name)
}

// copied reports whether three quarters of the lines of a case still stand where they
// were, by git's diff of their file: then they were copied, and which of the two is the
// same code is not known. A few, such as the lines that return an error, match by chance.
func (m *miner) copied(ctx context.Context, o, now *anchoring.Source, c mined) (bool, error) {
	words, stay := 0, 0
	for line := c.From.Lines[0]; line <= c.From.Lines[1]; line++ {
		text := trimmedLines(o.Text(), anchor.LineRange{Start: line, End: line})
		if len(text) == 0 || !strings.ContainsFunc(text[0], unicode.IsLetter) {
			continue // a brace stands everywhere
		}
		words++
		at, ok, err := m.mapLine(ctx, o.Blob, now.Blob, line)
		if err != nil {
			return false, err
		}
		moved := c.From.Path == c.To.Path && c.To.Lines[0] <= at && at <= c.To.Lines[1]
		same := ok && slices.Equal(text, trimmedLines(now.Text(), anchor.LineRange{Start: at, End: at}))
		if same && !moved {
			stay++
		}
	}
	return 4*stay >= 3*words, nil
}
