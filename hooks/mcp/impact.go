package mcp

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"manicule/indexer/anchor"
	"manicule/indexer/graph"
	"manicule/indexer/sorting"
	"manicule/memory"
	"manicule/memory/change"
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

func (t *codeTools) impact(ctx context.Context, c *call, in impactIn) (string, CodeAnswer, error) {
	rev := strings.TrimSpace(in.Diff)
	if none(in.Targets) {
		in.Targets = nil
	}
	if in.Targets == nil && rev == "" {
		return "", CodeAnswer{}, userError("there is no target", "Name a file, or a symbol as FILE#Symbol, or a revision as `diff`.")
	}
	roots, places, err := t.spaces.places(ctx, in.Targets)
	if err != nil {
		return "", CodeAnswer{}, err
	}
	offset, err := offsetOf(in.Cursor, in.Targets, rev, in.Depth)
	if err != nil {
		return "", CodeAnswer{}, err
	}
	depth, err := depthOf(in.Depth)
	if err != nil {
		return "", CodeAnswer{}, err
	}
	all := make([]broken, len(roots))
	errs := t.awaiting(ctx, c, roots, func(ctx context.Context, i int, p *rooted) (err error) {
		all[i], err = p.breaks(ctx, rev, places[i], depth)
		return err
	})
	a := CodeAnswer{}
	ok, err := successful(ctx, roots, errs, a.Warnings.add)
	if err != nil {
		return "", CodeAnswer{}, err
	}
	sum := impactSum{files: map[string]bool{}}
	for _, i := range ok {
		sum.add(&a, roots[i], all[i])
	}
	a.Files = len(sum.files)
	w := window{offset: offset, limit: limitOf(in.Limit), budget: budgetOf(in.Budget, defaultBudget), next: func(n int) string { return cursorFor(n, in.Targets, rev, in.Depth) }}
	text, uses, shown := a.fill(ctx, codePage{sum.head(), sum.uses(), interleave(sum.memories), t.now()}, w)
	a.Affected = uses
	t.sessions.shownOf(c, shown, text, in.Targets...)
	return text, a, nil
}

// depthOf returns the depth of the walk that is asked for.
func depthOf(asked int) (int, error) {
	if asked < 0 || asked > graph.MaxDepth {
		return 0, userError(fmt.Sprintf("depth %d is not between 1 and %d", asked, graph.MaxDepth), fmt.Sprintf("Leave it out for %d.", graph.DefaultDepth))
	}
	return cmp.Or(asked, graph.DefaultDepth), nil
}

// breaks looks up what a change of some places, and of what differs from a revision unless that is "", may break in the root.
func (p *rooted) breaks(ctx context.Context, rev string, places []nearby.Place, depth int) (out broken, err error) {
	if rev == "" {
		out.Impact, err = p.Impact(ctx, places, depth)
	} else {
		out.Impact, out.deleted, err = p.Change(ctx, rev, places, depth)
	}
	if err != nil {
		return out, err
	}
	if err := p.Fresh(ctx); err != nil {
		return out, err
	}
	out.hits, err = nearby.AlongImpact(ctx, viewOf(ctx, p.Memories), out.Impact, deletedFiles(out.deleted)...)
	return out, err
}

// impactSum joins what a change may break in several roots.
type impactSum struct {
	ofDeleted, ofExisting []Use
	memories              [][]found // by root
	files                 map[string]bool
	changed               int          // symbols that the change is about
	quiet                 graph.Impact // the files that change no symbol
}

// add adds what breaks in one root, and names in the answer what the change is about.
func (x *impactSum) add(a *CodeAnswer, p *rooted, b broken) {
	x.quiet.Cosmetic += b.Cosmetic
	x.quiet.Renamed += b.Renamed
	x.quiet.Unjudged += b.Unjudged
	x.changed += len(b.Targets) + len(b.deleted)
	for _, t := range b.Targets {
		a.Targets = append(a.Targets, targetText(graph.Ref{File: t.File, Line: t.Line, Symbol: t.Symbol}, p.root))
	}
	for _, t := range b.Tests {
		a.Tests = append(a.Tests, inRoot(placeText(t), p.root))
	}
	if b.Cut > 0 {
		a.Warnings.add("the limit of the walk was reached: %d more were not followed", b.Cut)
	}
	for _, r := range b.Affected {
		x.files[p.root+"\x00"+r.File] = true
	}
	for _, d := range b.deleted {
		a.Deleted = append(a.Deleted, inRoot(goneText(d), p.root))
		x.ofDeleted = append(x.ofDeleted, stillUses(d, p.root)...)
		for _, r := range d.References {
			x.files[p.root+"\x00"+r.File] = true
		}
	}
	x.ofExisting = append(x.ofExisting, affected(b.Impact, p.root)...)
	x.memories = append(x.memories, p.found(b.hits))
}

// uses lists all uses, those of deleted code first, then the nearest.
func (x *impactSum) uses() []Use {
	sorting.StableFunc(x.ofExisting, func(a, b Use) int { return cmp.Compare(a.Distance, b.Distance) })
	return append(x.ofDeleted, x.ofExisting...)
}

// head says in one sentence what may break.
func (x *impactSum) head() string {
	uses, files := len(x.ofDeleted)+len(x.ofExisting), count(len(x.files), "file", "files")
	switch {
	case len(x.ofDeleted) > 0:
		return fmt.Sprintf("%s in %s break or may break", count(uses, "use", "uses"), files)
	case uses > 0:
		return fmt.Sprintf("%s in %s may break", count(uses, "symbol", "symbols"), files)
	case x.changed > 0:
		return "nothing in this workspace uses it"
	}
	return change.Quiet(x.quiet)
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
	file, symbol, ok := anchor.CutSymbol(node)
	if ok {
		return symbol
	}
	return file[strings.LastIndexByte(file, '/')+1:]
}
