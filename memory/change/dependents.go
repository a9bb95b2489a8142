package change

import (
	"fmt"
	"slices"

	"manicule/indexer/anchor"
	"manicule/indexer/graph"
	"manicule/indexer/resolve"
	"manicule/indexer/sorting"
	"manicule/memory"
	"manicule/memory/follow"
)

// dependentDepth is how many edges of the code graph lead from a change to dependent memories. The
// language server uses the same number for edits.
const dependentDepth = 2

// Dependent is a memory's anchor on code that depends on a change. The code itself is unchanged,
// but the memory may no longer hold.
type Dependent struct {
	Hit      memory.Hit
	Anchor   follow.Place
	On       graph.Ref // the changed symbol
	Distance int       // edges between them
	Kind     graph.Certainty
}

// Dependents returns the memories on code that uses changed or removed symbols, nearest first, each
// anchor once. skip has the uuids of memories to exclude.
func (c *Change) Dependents(view *memory.View, t *follow.Tracker, g *graph.Graph, deleted []graph.Deletion, skip map[string]bool) []Dependent {
	changed := slices.DeleteFunc(c.Symbols(g, deleted), func(s *resolve.Symbol) bool { return s.Kind == "file" }) // everything in a file depends on it
	found := dependents{view: view, tracker: t, skip: skip, seen: map[string]bool{}, touched: map[string]bool{}}
	for _, r := range g.Refs(changed) {
		found.touched[r.File+"#"+r.Symbol] = true
	}
	for _, d := range deleted {
		for _, r := range d.References {
			found.add(graph.Ref{File: r.File, Symbol: r.Symbol}, Dependent{On: d.Ref, Distance: 1, Kind: r.Kind})
		}
	}
	for _, s := range changed {
		one := []*resolve.Symbol{s}
		refs := g.Refs(one)
		if len(refs) == 0 {
			continue
		}
		for _, x := range g.Impact(one, dependentDepth).Affected {
			found.add(x.Ref, Dependent{On: refs[0], Distance: x.Distance, Kind: x.Kind})
		}
	}
	sorting.StableFunc(found.list, func(x, y Dependent) int { return x.Distance - y.Distance })
	return found.list
}

// dependents collects Dependents.
type dependents struct {
	view    *memory.View
	tracker *follow.Tracker
	skip    map[string]bool // memories, by uuid
	touched map[string]bool // symbols that changed themselves
	seen    map[string]bool // anchors
	list    []Dependent
}

// add adds the anchors at a symbol.
func (f *dependents) add(at graph.Ref, d Dependent) {
	if f.touched[at.File+"#"+at.Symbol] {
		return
	}
	for _, p := range f.tracker.In(at.File) {
		key := fmt.Sprintf("%s %d", p.Memory, p.Index)
		hit, known := f.view.Get(p.Memory)
		if !known || f.skip[p.Memory] || f.seen[key] || !p.Anchor.HasSymbol() || p.Symbol != at.Symbol || p.State == anchor.Orphaned {
			continue
		}
		f.seen[key] = true
		d.Hit, d.Anchor = hit, p
		f.list = append(f.list, d)
	}
}
