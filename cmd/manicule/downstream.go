package main

import (
	"context"
	"fmt"

	"manicule/indexer/anchor"
	"manicule/indexer/graph"
	"manicule/memory"
	"manicule/memory/change"
	"manicule/memory/sarif"
	"manicule/memory/services"
)

// downstream is a memory on code that depends on the change.
type downstream struct {
	UUID     string          `json:"uuid"`
	What     string          `json:"what"`
	File     string          `json:"path"` // of the memory
	Number   int             `json:"number"`
	At       *placeJSON      `json:"at"`
	On       graph.Ref       `json:"depends_on"` // the changed symbol or file
	Distance int             `json:"distance"`   // edges between them
	Kind     graph.Certainty `json:"kind"`

	key string
	hit memory.Hit
}

// downstreamOf finds the memories on code that depends on the change since a commit.
// Memories in worse (by uuid) are left out, because the change affects them directly.
func (vc *verifyCommand) downstreamOf(ctx context.Context, w *services.Workspace, commit string, worse map[string]bool) ([]downstream, error) {
	out := []downstream{}
	changed, err := change.Since(ctx, w.Root(), commit)
	if err != nil || changed.IsOwn() { // for memories alone no code is read
		return out, err
	}
	if err := vc.updateGraph(ctx, w); err != nil {
		return nil, err
	}
	deleted, err := services.DeletedBy(ctx, w.Graph(), w.Root(), changed)
	if err != nil {
		return nil, err
	}
	var found []change.Dependent
	err = askGraph(ctx, w, func(g *graph.Graph) error {
		found = changed.Dependents(w.View(), w.Tracker(), g, deleted, worse)
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, d := range found {
		out = append(out, downstream{UUID: d.Anchor.Memory, What: firstLine(d.Hit.Memory.What), File: relative(w.Root(), d.Hit.Path), Number: d.Anchor.Index + 1,
			At: placeAt(d.Anchor.Place), On: d.On, Distance: d.Distance, Kind: d.Kind, key: d.Anchor.Key, hit: d.Hit})
	}
	return out, nil
}

func (vc *verifyCommand) printDownstream(list []downstream, limit int) {
	if len(list) == 0 {
		return
	}
	vc.printf("\n%s\n", vc.paint(bold, "on code that depends on the change"))
	shown := room(limit, len(list))
	for _, x := range list[:shown] {
		vc.lineOf(x.hit)
		how := "uses"
		if x.Distance > 1 {
			how = fmt.Sprintf("is %d edges from", x.Distance)
		}
		vc.printf("          %s\n", vc.paint(faint, fmt.Sprintf("%s %s %s", plainPath(anchor.Place{Path: x.At.File, Symbol: x.At.Symbol}.String()), how,
			plainPath(anchor.Place{Path: x.On.File, Symbol: x.On.Symbol}.String()))))
	}
	moreLeft(vc.cli, len(list)-shown, "")
}

// sarifResults converts the doubtful anchors for code scanning.
func sarifResults(v verifyJSON) []sarif.Result {
	var out []sarif.Result
	for _, x := range v.List {
		r := sarif.Result{State: x.State, Text: fmt.Sprintf("%s “%s” is %s: %s", x.hit.Memory.Type.Label(), plainLine(x.What), x.State, plainLine(x.Reason)),
			At: sarif.Place{File: x.hit.Memory.Anchors[x.Number-1].Path}, Memory: x.File, Key: x.UUID + ":" + x.key}
		if x.At != nil {
			r.At = sarif.Place{File: x.At.File, Line: x.At.Line, EndLine: x.At.EndLine}
		}
		out = append(out, r)
	}
	for _, x := range v.Below {
		place := anchor.Place{Path: x.On.File, Symbol: x.On.Symbol}
		out = append(out, sarif.Result{State: sarif.Downstream,
			Text: fmt.Sprintf("%s “%s” is about code that depends on %s, which the change touches", x.hit.Memory.Type.Label(), plainLine(x.What), place.String()),
			At:   sarif.Place{File: x.At.File, Line: x.At.Line, EndLine: x.At.EndLine}, Memory: x.File, On: &sarif.Place{File: x.On.File, Line: x.On.Line}, Key: x.UUID + ":" + x.key + ":downstream"})
	}
	return out
}
