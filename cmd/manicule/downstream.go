package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"manicule/indexer/anchor"
	"manicule/indexer/graph"
	"manicule/indexer/resolve"
	"manicule/memory"
	"manicule/memory/follow"
	"manicule/memory/gate"
)

// downstreamDepth is how many edges of the code graph a change is followed to
// memories of what depends on it, as the language server does for an edit.
const downstreamDepth = 2

// downstream is a memory on code that depends on what a change touches: its own
// code is as it was, and what it says may not hold any more.
type downstream struct {
	UUID     string          `json:"uuid"`
	What     string          `json:"what"`
	File     string          `json:"path"` // of the memory
	Number   int             `json:"number"`
	At       *placeJSON      `json:"at"`
	On       graph.Ref       `json:"depends_on"` // what the change touches
	Distance int             `json:"distance"`   // edges between them
	Kind     graph.Certainty `json:"kind"`

	key string
	hit memory.Hit
}

// downstreamOf finds the memories on what depends on the change since a commit.
// Memories in worse, by uuid, are said to be worse themselves and left out.
func (a *app) downstreamOf(ctx context.Context, w *memory.Workspace, t *follow.Tracker, commit string, worse map[string]bool) (out []downstream, err error) {
	ix := a.graphIndex(w.Place())
	defer func() { err = errors.Join(err, ix.Close()) }()
	roomy()
	if _, err := a.syncGraph(ctx, ix); err != nil && !errors.Is(err, graph.ErrBusy) {
		return nil, graphFault(err)
	}
	g, err := ix.Graph(ctx)
	if err != nil {
		return nil, graphFault(err)
	}
	changes, deleted, err := a.changes(ctx, w, ix, commit)
	if err != nil {
		return nil, err
	}
	changed := slices.DeleteFunc(changes.symbols(g, deleted), func(s *resolve.Symbol) bool { return s.Kind == "file" }) // all of a file depends on it
	return dependents(w, t, g, changed, deleted, worse), nil
}

// dependents are the memories on what uses symbols that changed, or on what
// still uses symbols that are gone; the nearest first, each anchor once.
func dependents(w *memory.Workspace, t *follow.Tracker, g *graph.Graph, changed []*resolve.Symbol, deleted []graph.Deletion, worse map[string]bool) []downstream {
	out := []downstream{}
	seen := map[string]bool{}
	touched := map[string]bool{}
	for _, r := range g.Refs(changed) {
		touched[r.File+"#"+r.Symbol] = true
	}
	add := func(at graph.Ref, on graph.Ref, distance int, kind graph.Certainty) {
		if touched[at.File+"#"+at.Symbol] {
			return
		}
		for _, p := range t.In(at.File) {
			key := fmt.Sprintf("%s %d", p.Memory, p.Index)
			hit, known := w.View().Get(p.Memory)
			if !known || worse[p.Memory] || seen[key] || !p.Anchor.Declared() || p.Symbol != at.Symbol || p.State == anchor.Orphaned {
				continue
			}
			seen[key] = true
			out = append(out, downstream{UUID: p.Memory, What: firstLine(hit.Memory.What), File: relative(w.Root(), hit.Path), Number: p.Index + 1, At: placeAt(p.Place),
				On: on, Distance: distance, Kind: kind, key: p.Key, hit: hit})
		}
	}
	for _, d := range deleted {
		for _, r := range d.References {
			add(graph.Ref{File: r.File, Symbol: r.Symbol}, d.Ref, 1, r.Kind)
		}
	}
	for _, s := range changed {
		one := []*resolve.Symbol{s}
		refs := g.Refs(one)
		if len(refs) == 0 {
			continue
		}
		for _, x := range g.Impact(one, downstreamDepth).Affected {
			add(x.Ref, refs[0], x.Distance, x.Kind)
		}
	}
	slices.SortStableFunc(out, func(x, y downstream) int { return x.Distance - y.Distance })
	return out
}

func (a *app) printDownstream(list []downstream) {
	if len(list) == 0 {
		return
	}
	a.printf("\n%s\n", a.paint(bold, "on code that depends on the change"))
	for _, x := range list {
		a.lineOf(x.hit)
		how := "uses"
		if x.Distance > 1 {
			how = fmt.Sprintf("is %d edges from", x.Distance)
		}
		a.printf("          %s\n", a.paint(faint, fmt.Sprintf("%s %s %s", gate.Clean(anchor.Place{Path: x.At.File, Symbol: x.At.Symbol}.String()), how,
			gate.Clean(anchor.Place{Path: x.On.File, Symbol: x.On.Symbol}.String()))))
	}
}

// sarifDownstream is a result for code scanning.
func sarifDownstream(x downstream, rule int) sarifResult {
	one, two := 1, 2
	at := sarifLocation{Physical: sarifPhysical{Artifact: artifact(x.At.File)}}
	if x.At.Line > 0 {
		at.Physical.Region = &sarifRegion{x.At.Line, max(x.At.Line, x.At.EndLine)}
	}
	on := sarifLocation{ID: &two, Physical: sarifPhysical{Artifact: artifact(x.On.File)}, Message: &sarifMessage{"what the change touches"}}
	if x.On.Line > 0 {
		on.Physical.Region = &sarifRegion{x.On.Line, x.On.Line}
	}
	place := anchor.Place{Path: x.On.File, Symbol: x.On.Symbol}
	return sarifResult{RuleID: ruleID(downstreamState), RuleIndex: rule, Level: sarifRules()[rule].level,
		Message:   sarifMessage{fmt.Sprintf("%s “%s” is about code that depends on %s, which the change touches", x.hit.Memory.Type.Label(), plainLine(x.What), place.String())},
		Locations: []sarifLocation{at},
		Related:   []sarifLocation{{ID: &one, Physical: sarifPhysical{Artifact: artifact(x.File)}, Message: &sarifMessage{"the memory"}}, on},

		Fingerprint: map[string]string{"maniculeAnchor/v1": x.UUID + ":" + x.key + ":downstream"}}
}
