package anchors

import (
	"context"
	"strings"

	"manicule/indexer/anchor"
	"manicule/indexer/anchoring"
)

// variants counts the declarations of one path in a file.
func variants(f *anchoring.Source, path string) (n int) {
	for _, s := range f.Symbols() {
		if s.Path == path {
			n++
		}
	}
	return n
}

// edits adds declarations that were edited in place, and unedited lines in them.
func (m *miner) edits(ctx context.Context, parent, commit string, o, n *anchoring.Source) error {
	for _, s := range o.Symbols() {
		if !minable(o, s) || s.Kind != "function" && s.Kind != "method" && !isOutlined(o) {
			continue
		}
		if m.count["edit"] >= maxCases && m.count["unrelated edit"] >= maxCases {
			return nil
		}
		if variants(o, s.Path) != variants(n, s.Path) { // which one is which is not known
			continue
		}
		for _, t := range n.Symbols() {
			if t.Path != s.Path || t.Ordinal != s.Ordinal || string(o.Text()[s.Start:s.End]) == string(n.Text()[t.Start:t.End]) {
				continue
			}
			c := mined{Repo: m.name, Lang: m.src.lang, Change: "edit", Parent: parent, Commit: commit,
				From: spot{Path: o.Path, Symbol: s.Path, Ordinal: s.Ordinal}, To: spot{Path: n.Path, Symbol: t.Path, Ordinal: t.Ordinal}}
			m.add(c)
			from, to := o.Line(s.Start)+1, o.Line(s.End-1)-1
			line := from + (to-from)/2
			at, ok, err := m.mapLine(ctx, o.Blob, n.Blob, line)
			if err != nil {
				return err
			}
			if !ok || at <= n.Line(t.Start) || n.Line(t.End-1) <= at {
				continue // a diff may find it in another function
			}
			was, is := trimmedLines(o.Text(), anchor.LineRange{Start: line, End: line}), trimmedLines(n.Text(), anchor.LineRange{Start: at, End: at})
			if len(was) != 1 || len(is) != 1 || was[0] != is[0] || len(was[0]) < 12 || strings.HasPrefix(was[0], "//") || strings.HasPrefix(was[0], "#") || strings.HasPrefix(was[0], "*") {
				continue
			}
			c.Change = "unrelated edit"
			c.From.Lines, c.To.Lines = []int{line, line}, []int{at, at}
			m.add(c)
		}
	}
	return nil
}
