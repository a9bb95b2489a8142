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

func (gc *graphCommand) printModule(ctx context.Context, w *services.Workspace, m graph.Module) {
	whole := nearby.WholeFile()
	out := moduleJSON{m, hitsJSON(w.Root(), gc.memoriesAt(ctx, w, m.Dir, whole)), list(edgesAt(w, m.Dir, whole))}
	if gc.json {
		gc.printJSON("module", out)
		return
	}
	gc.printf("%s %s, %s\n", gc.paint(bold, m.Dir), count(m.Files, "file", "files"), count(m.Symbols, "symbol", "symbols"))
	gc.printFlows("uses", m.FlowsTo, func(f graph.Flow) string { return f.To })
	gc.printFlows("used by", m.UsedBy, func(f graph.Flow) string { return f.From })
	gc.printFlows("inside", m.Inside, func(f graph.Flow) string { return f.From + " → " + f.To })
	if len(m.Entries) > 0 {
		gc.printf("\n%s (%d)\n", gc.paint(bold, "programs that come here"), len(m.Entries))
	}
	for _, e := range m.Entries {
		gc.printf("  %s %s  %s\n", spot(e.File, e.Line), orFile(e.Symbol), gc.paint(faint, strings.Join(e.Path, " → ")))
	}
	gc.printKnowledge(w, out.Memories, out.Knowledge)
}

func (gc *graphCommand) printFlows(name string, all []graph.Flow, label func(graph.Flow) string) {
	if len(all) > 0 {
		gc.printf("\n%s (%d)\n", gc.paint(bold, name), len(all))
	}
	for _, f := range all {
		var notes []string
		for _, n := range []struct {
			n         int
			one, many string
		}{{f.Calls, "call", "calls"}, {f.Types, "type", "types"}, {f.Imports, "import", "imports"}, {f.Other, "other use", "other uses"}} {
			if n.n > 0 {
				notes = append(notes, count(n.n, n.one, n.many))
			}
		}
		if f.Kind == graph.May {
			notes = append(notes, fmt.Sprintf("may, %.0f %%", 100*f.Confidence))
		}
		if f.Stale {
			notes = append(notes, "stale")
		}
		gc.printf("  %s  %s\n", label(f), gc.paint(faint, strings.Join(notes, ", ")))
	}
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
	for _, h := range hits {
		gc.hit(memory.Hit{Memory: h.Memory, Places: h.now})
	}
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

// memoryName returns the name of a memory for a person.
func memoryName(w *services.Workspace, uuid string) string {
	if h, ok := w.View().Get(uuid); ok {
		return fmt.Sprintf("%s (%s)", h.Memory.ShortID(), firstLine(h.Memory.What))
	}
	return uuid
}
