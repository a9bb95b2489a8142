package consolidate

import (
	"cmp"
	"path"
	"slices"
	"strconv"
	"strings"

	"manicule/indexer/anchor"
	"manicule/memory"
	"manicule/memory/embed"
	"manicule/memory/file"
	"manicule/memory/restate"
)

// block identifies the memories that are compared with each other. They have the same visibility,
// kind and folders, and agree in what is known without a comparison.
func block(m *file.Memory, t *restate.Text) string {
	owner := ""
	if m.Owner != nil {
		owner = m.Owner.Kind + ":" + m.Owner.ID
	}
	return strings.Join([]string{
		string(m.Visibility), owner, string(m.Type), string(m.Layer), module(m), strings.Join(excluded(m), "\x01"),
		strconv.FormatBool(m.Trust.Unreviewed),
		strconv.FormatBool(m.Trust.Tainted),                             // untrusted text must not be merged into trusted text
		strconv.FormatBool(m.Trust.Tainted && m.Trust.VerifiedBy != ""), // nor into text that a person vouched for
		strconv.FormatBool(t.Negated), strconv.FormatBool(t.Excepts), strings.Join(t.Numbers, " "),
	}, "\x00")
}

// module returns the folders that a memory is about: those of its anchors' files and of its
// patterns. The whole project is a module of its own.
func module(m *file.Memory) string {
	if m.Scope == nil && len(m.Anchors) == 0 {
		return "project"
	}
	var out []string
	for _, a := range m.Anchors {
		out = append(out, path.Dir(a.Path))
	}
	for _, s := range m.Scope {
		if strings.HasPrefix(s, "!") {
			continue
		}
		lit := embed.Literal(s)
		if trimmed := strings.TrimRight(lit, "/"); trimmed == strings.TrimRight(s, "/") && path.Ext(trimmed) != "" {
			lit = path.Dir(trimmed) // a file
		}
		out = append(out, path.Clean("./"+lit))
	}
	slices.Sort(out)
	return "in " + strings.Join(slices.Compact(out), ", ")
}

// excluded returns the patterns that a scope excludes.
func excluded(m *file.Memory) []string {
	var out []string
	for _, s := range m.Scope {
		if strings.HasPrefix(s, "!") {
			out = append(out, s)
		}
	}
	slices.Sort(out)
	return out
}

// overlap reports whether two memories may be about the same code: one has no anchors, or an anchor
// of each is at the same place.
func overlap(a, b *file.Memory) bool {
	if len(a.Anchors) == 0 || len(b.Anchors) == 0 {
		return true
	}
	for _, x := range a.Anchors {
		for _, y := range b.Anchors {
			if meet(x, y) {
				return true
			}
		}
	}
	return false
}

// meet reports whether two anchors share code: the same or a nested declaration, overlapping lines,
// or the whole file.
func meet(x, y anchor.Anchor) bool {
	if x.Path != y.Path {
		return false
	}
	switch {
	case x.Kind == anchor.KindFile || y.Kind == anchor.KindFile:
		return true
	case x.Symbol != "" && y.Symbol != "":
		return x.Symbol == y.Symbol && x.Ordinal == y.Ordinal || strings.HasPrefix(x.Symbol, y.Symbol+".") || strings.HasPrefix(y.Symbol, x.Symbol+".")
	case x.Lines != nil && y.Lines != nil:
		return x.Lines.Start <= y.Lines.End && y.Lines.Start <= x.Lines.End
	}
	return x.Quote == y.Quote && x.Symbol == y.Symbol
}

// unfit says why a memory is excluded from comparison, or "". named is true if another memory
// refers to it, so that it must stay.
func unfit(h memory.Hit, named bool) string {
	t := h.Memory.Trust
	switch {
	case named:
		return "another memory refers to it"
	case t.Disputed():
		return "disputed"
	case t.NeedsReview:
		return "waits for a review"
	case h.Freshness().Doubtful():
		return "may be stale: `manicule verify` first"
	}
	switch h.Memory.Type {
	case file.WorkState, file.WorkUnitOutcome, file.TaskCalibration, file.ContextCost, file.Episode:
		return "a record of one piece of work"
	}
	return ""
}

// where describes in words what a block is about.
func where(m *file.Memory) string {
	return cmp.Or(strings.TrimPrefix(module(m), "in "), "project")
}
