package main

import (
	"context"
	"fmt"
	"strings"

	"manicule/indexer/graph"
	"manicule/memory"
	"manicule/memory/nearby"
	"manicule/memory/services"
)

// moduleJSON is the shape "module".
type moduleJSON struct {
	graph.Module
	Memories  []hitJSON     `json:"memories"`
	Knowledge []memory.Edge `json:"knowledge"`
}

func (gc *graphCommand) printModule(ctx context.Context, w *services.Workspace, m graph.Module) error {
	whole := nearby.WholeFile()
	if gc.json || gc.format != formatText {
		cutModule(&m, gc.limit)
	}
	out := moduleJSON{m, hitsJSON(w.Root(), gc.memoriesAt(ctx, w, m.Dir, whole)), list(edgesAt(w, m.Dir, whole))}
	if gc.json {
		gc.printJSON("module", out)
		return nil
	}
	root := moduleTree(m)
	if gc.format != formatText {
		roots := []*branch{root}
		if len(out.Memories) > 0 {
			roots = append(roots, memoryTree("memories", out.Memories))
		}
		return picture(gc.console, gc.format, m.Dir, moduleDrawing(m), roots)
	}
	roots, left := bounded([]*branch{root}, gc.limit)
	forest(gc.console, roots)
	moreLeft(gc.cli, left, "")
	gc.printKnowledge(w, out.Memories, out.Knowledge)
	return nil
}

// cutModule keeps so many of each list.
func cutModule(m *graph.Module, limit int) {
	cutTo(&m.FlowsTo, limit)
	cutTo(&m.UsedBy, limit)
	cutTo(&m.Inside, limit)
	cutTo(&m.Entries, limit)
}

// edgesAt returns the knowledge edges at a file or folder. If symbols are given, edges at
// other symbols are left out.
func edgesAt(w *services.Workspace, rel string, at []graph.Ref) []memory.Edge {
	var out []memory.Edge
	for _, e := range w.View().Edges(rel) {
		if e.Symbol == "" || nearby.Covers(e.Symbol, at) {
			out = append(out, e)
		}
	}
	return out
}

// printKnowledge lists memories, and their relations to each other and to code elsewhere.
func (gc *graphCommand) printKnowledge(w *services.Workspace, hits []hitJSON, edges []memory.Edge) {
	if len(hits) > 0 {
		gc.printf("\n%s\n", gc.paint(bold, "memories"))
	}
	for _, h := range hits[:min(aboutShown, len(hits))] {
		gc.hit(memory.Hit{Memory: h.Memory, Places: h.now})
	}
	gc.notShown(len(hits))
	title := false
	for _, e := range edges {
		if e.Relation == memory.Documents || e.Relation == memory.AppliesPattern {
			continue // listed above
		}
		if !title {
			gc.printf("\n%s\n", gc.paint(bold, "relations of memories"))
			title = true
		}
		to := e.File
		if e.To != "" {
			to = memoryName(w, e.To)
		}
		gc.printf("  %s %s %s\n", memoryName(w, e.Memory), strings.ReplaceAll(e.Relation, "_", " "), to)
	}
}

// aboutShown is how many memories follow an answer about code, the narrowest first: rules for whole
// folders must not bury the answer.
const aboutShown = 10

// notShown says how many memories of an answer about code are left out.
func (cc *codeCommand) notShown(all int) {
	if left := all - aboutShown; left > 0 {
		cc.printf("%s\n", cc.paint(faint, fmt.Sprintf("and %d more: `manicule recall FILE` shows those about a file, --json all", left)))
	}
}

// memoryName returns the name of a memory for a person.
func memoryName(w *services.Workspace, uuid string) string {
	if h, ok := w.View().Get(uuid); ok {
		return fmt.Sprintf("%s (%s)", h.Memory.ShortID(), firstLine(h.Memory.What))
	}
	return uuid
}
