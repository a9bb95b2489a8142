package mcp

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"manicule/indexer/graph"
	"manicule/indexer/sorting"
	"manicule/memory"
	"manicule/memory/nearby"
)

type impactIn struct {
	Targets []string `json:"targets"`
	Diff    string   `json:"diff"` // a revision of git
	Depth   int      `json:"depth"`
	Limit   int      `json:"limit"`
	Budget  int      `json:"budget"`
	Cursor  string   `json:"cursor"`
}

// broken is what a change may break in one root.
type broken struct {
	graph.Impact
	deleted []graph.Deletion
	hits    []memory.Hit
}

func (s *server) impact(ctx context.Context, c *call, in impactIn) (string, CodeAnswer, error) {
	rev := strings.TrimSpace(in.Diff)
	if none(in.Targets) && rev == "" {
		return "", CodeAnswer{}, userError("there is no target", "Name a file, or a symbol as FILE#Symbol, or a revision as `diff`.")
	}
	if none(in.Targets) {
		in.Targets = nil
	}
	parts, places, err := s.places(ctx, in.Targets)
	if err != nil {
		return "", CodeAnswer{}, err
	}
	offset, err := offsetOf(in.Cursor, in.Targets, rev, in.Depth)
	if err != nil {
		return "", CodeAnswer{}, err
	}
	if in.Depth < 0 || in.Depth > graph.MaxDepth {
		return "", CodeAnswer{}, userError(fmt.Sprintf("depth %d is not between 1 and %d", in.Depth, graph.MaxDepth), fmt.Sprintf("Leave it out for %d.", graph.DefaultDepth))
	}
	depth := in.Depth
	if depth == 0 {
		depth = graph.DefaultDepth
	}
	all := make([]broken, len(parts))
	errs := s.awaiting(ctx, c, parts, func(ctx context.Context, i int, p *rooted) (err error) {
		x := &all[i]
		if rev == "" {
			x.Impact, err = p.Impact(ctx, places[i], depth)
		} else {
			x.Impact, x.deleted, err = p.Change(ctx, rev, places[i], depth)
		}
		if err == nil {
			err = p.Fresh(ctx)
		}
		if err == nil {
			x.hits, err = nearby.AlongImpact(ctx, viewOf(ctx, p.Memories), x.Impact, deletedFiles(x.deleted)...)
		}
		return err
	})
	a := CodeAnswer{Affected: []Use{}}
	ok, err := successful(ctx, parts, errs, a.Warnings.add)
	if err != nil {
		return "", CodeAnswer{}, err
	}
	var left, uses []Use // of deleted and of existing code
	var lists [][]found
	files := map[string]bool{}
	cosmetic, unjudged := 0, 0
	for _, i := range ok {
		x, root := all[i], parts[i].root
		cosmetic += x.Cosmetic
		unjudged += x.Unjudged
		for _, t := range x.Targets {
			a.Targets = append(a.Targets, targetText(graph.Ref{File: t.File, Line: t.Line, Symbol: t.Symbol}, root))
		}
		for _, t := range x.Tests {
			a.Tests = append(a.Tests, inRoot(placeText(t), root))
		}
		if x.Cut > 0 {
			a.Warnings.add("the limit of the walk was reached: %d more were not followed", x.Cut)
		}
		for _, d := range x.deleted {
			a.Deleted = append(a.Deleted, inRoot(goneText(d), root))
			left = append(left, stillUses(d, root)...)
		}
		uses = append(uses, affected(x.Impact, root)...)
		lists = append(lists, parts[i].found(x.hits))
		for _, r := range x.Affected {
			files[root+"\x00"+r.File] = true
		}
		for _, d := range x.deleted {
			for _, r := range d.References {
				files[root+"\x00"+r.File] = true
			}
		}
	}
	sorting.StableFunc(uses, func(a, b Use) int { return cmp.Compare(a.Distance, b.Distance) })
	uses = append(left, uses...)
	a.Files = len(files)
	head := fmt.Sprintf("%s in %s may break", count(len(uses), "symbol", "symbols"), count(a.Files, "file", "files"))
	switch {
	case len(left) > 0:
		head = fmt.Sprintf("%s in %s break or may break", count(len(uses), "use", "uses"), count(a.Files, "file", "files"))
	case len(uses) == 0 && len(a.Targets)+len(a.Deleted) == 0 && unjudged > 0 && cosmetic > 0:
		head = fmt.Sprintf("only comments or white space changed in %s; what changed in %s is not known as code", count(cosmetic, "file", "files"), count(unjudged, "other file", "other files"))
	case len(uses) == 0 && len(a.Targets)+len(a.Deleted) == 0 && unjudged > 0:
		head = fmt.Sprintf("what changed in %s is not known as code", count(unjudged, "file", "files"))
	case len(uses) == 0 && len(a.Targets)+len(a.Deleted) == 0 && cosmetic > 0:
		head = fmt.Sprintf("nothing may break: only comments or white space changed in %s", count(cosmetic, "file", "files"))
	case len(uses) == 0 && len(a.Targets)+len(a.Deleted) == 0:
		head = "nothing has changed"
	case len(uses) == 0:
		head = "nothing in this workspace uses it"
	}
	w := window{offset: offset, limit: limitOf(in.Limit), budget: budgetOf(in.Budget, defaultBudget), next: func(n int) string { return cursorFor(n, in.Targets, rev, in.Depth) }}
	text, shown := a.fill(ctx, head, &a.Affected, uses, interleave(lists), s.opts.Now(), w)
	s.shownOf(c, shown, text, in.Targets...)
	return text, a, nil
}

// affected lists the results of an impact query.
func affected(im graph.Impact, root string) []Use {
	uses := make([]Use, len(im.Affected))
	for i, x := range im.Affected {
		u := Use{At: at(x.File, x.Line), Root: root, Symbol: symbolText(x.Symbol), How: x.Edge, Distance: x.Distance, Test: x.Test, Stale: x.Stale}
		if x.Kind == graph.May {
			u.May = x.Confidence
		}
		if x.Distance > 1 && len(x.Path) > 1 {
			u.Through = symbolText(shortName(x.Path[1]))
		}
		uses[i] = u
	}
	return uses
}

// stillUses lists the remaining uses of a deleted symbol.
func stillUses(d graph.Deletion, root string) []Use {
	var uses []Use
	for _, r := range d.References {
		u := Use{At: at(r.File, r.Line), Root: root, Symbol: symbolText(r.Symbol), How: "still uses", Gone: goneText(d), Stale: r.Stale}
		if r.Kind == graph.May {
			u.How, u.May = "may still use", r.Confidence
		}
		uses = append(uses, u)
	}
	return uses
}

func goneText(d graph.Deletion) string {
	if d.Symbol == "" {
		return placeText(d.File)
	}
	return placeText(d.File) + "#" + symbolText(d.Symbol)
}

// deletedFiles returns the files of the deleted symbols.
func deletedFiles(deleted []graph.Deletion) []string {
	var out []string
	for _, d := range deleted {
		out = append(out, d.File)
	}
	return out
}

// shortName returns a node's symbol, or the name of its file.
func shortName(node string) string {
	file, symbol, ok := strings.Cut(node, "#")
	if ok {
		return symbol
	}
	return file[strings.LastIndexByte(file, '/')+1:]
}
