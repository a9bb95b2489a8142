package main

import (
	"fmt"
	"strconv"
	"strings"

	"manicule/indexer/graph"
)

// groups returns what is around the code that was asked about. The files that a symbol's
// file uses are the file's, not the symbol's, so they are only counted there, and so are the
// doubles of tests, which code that is no test hardly calls.
func (out *graphJSON) groups() []*branch {
	around := &branch{}
	relations := func(name string, all []graph.Relation) {
		if len(all) == 0 {
			return
		}
		group, doubles := around.group(fmt.Sprintf("%s (%d)", name, len(all))), 0
		var called []*call
		for _, r := range all {
			switch {
			case name != "callees":
				group.add(spot(r.File, r.Line)+" "+orFile(r.Symbol), relationNote(r))
			case r.Double(out.File):
				doubles++
			default:
				called = addCall(called, call{r.File + " " + orFile(r.Symbol), relationNote(r), []int{r.Line}})
			}
		}
		for _, c := range called {
			group.add(c.to, c.text())
		}
		if doubles > 0 {
			group.add("and "+count(doubles, "double in a test", "doubles in tests"), "--json lists them")
		}
	}
	relations("callers", out.Callers)
	if out.Possible != nil {
		relations("possible callers", *out.Possible)
	}
	relations("callees", out.Callees)
	if len(out.Callers) == 0 {
		relations("references", out.References)
	}
	files := func(name string, paths []string) {
		if len(paths) == 0 {
			return
		}
		group := around.group(fmt.Sprintf("%s (%d)", name, len(paths)))
		if out.Symbol != "" {
			group.Note = "`manicule graph " + out.File + "` lists them"
			return
		}
		for _, f := range paths {
			group.add(f, "")
		}
	}
	files("file uses", out.Imports)
	files("file used by", out.Dependents)
	return around.Below
}

// call is a callee with the lines of its calls, which are in the queried file.
type call struct {
	to, note string
	lines    []int
}

// addCall adds a call to those of the same callee.
func addCall(all []*call, c call) []*call {
	for _, have := range all {
		if have.to == c.to && have.note == c.note {
			have.lines = append(have.lines, c.lines...)
			return all
		}
	}
	return append(all, &c)
}

func (c *call) text() string {
	at := make([]string, len(c.lines))
	for i, line := range c.lines {
		at[i] = strconv.Itoa(line)
	}
	text := "line "
	if len(at) > 1 {
		text = "lines "
	}
	return strings.TrimSuffix(text+strings.Join(at, ", ")+", "+c.note, ", ")
}

// relationNote says how sure a relation is.
func relationNote(r graph.Relation) string {
	var notes []string
	if r.Kind == graph.May {
		notes = append(notes, fmt.Sprintf("may, %.0f %%", 100*r.Confidence))
	}
	if r.Via != "" {
		notes = append(notes, "via "+r.Via)
	}
	if r.Edge == graph.EdgeValue {
		notes = append(notes, "as a value")
	}
	if r.Stale {
		notes = append(notes, "stale")
	}
	return strings.Join(notes, ", ")
}

// nodeName returns the name of code in a drawing.
func nodeName(file, symbol string) string {
	if symbol == "" {
		return file
	}
	return file + "#" + symbol
}

// drawing returns the code and its relations as a drawing. A symbol's is without the files
// that are the file's.
func (out *graphJSON) drawing() *drawing {
	d := &drawing{}
	at := nodeName(out.File, out.Symbol)
	d.about(at)
	uses := func(all []graph.Relation) {
		for _, r := range all {
			d.line(drawnLine{from: nodeName(r.File, r.Symbol), to: at, label: r.Edge, may: r.Kind != graph.Must})
		}
	}
	uses(out.Callers)
	if out.Possible != nil {
		uses(*out.Possible)
	}
	if len(out.Callers) == 0 {
		uses(out.References)
	}
	for _, r := range out.Callees {
		d.line(drawnLine{from: at, to: nodeName(r.File, r.Symbol), label: r.Edge, may: r.Kind != graph.Must})
	}
	if out.Symbol == "" {
		for _, f := range out.Imports {
			d.line(drawnLine{from: at, to: f, label: "uses"})
		}
		for _, f := range out.Dependents {
			d.line(drawnLine{from: f, to: at, label: "uses"})
		}
	}
	return d
}

// moduleTree returns what is around a folder.
func moduleTree(m graph.Module) *branch {
	root := &branch{Text: m.Dir + " " + count(m.Files, "file", "files") + ", " + count(m.Symbols, "symbol", "symbols"), Title: true}
	flows := func(name string, all []graph.Flow, label func(graph.Flow) string) {
		if len(all) == 0 {
			return
		}
		group := root.group(fmt.Sprintf("%s (%d)", name, len(all)))
		for _, f := range all {
			group.add(label(f), flowNote(f))
		}
	}
	flows("uses", m.FlowsTo, func(f graph.Flow) string { return f.To })
	flows("used by", m.UsedBy, func(f graph.Flow) string { return f.From })
	flows("inside", m.Inside, func(f graph.Flow) string { return f.From + " → " + f.To })
	if len(m.Entries) > 0 {
		group := root.group(fmt.Sprintf("programs that come here (%d)", len(m.Entries)))
		for _, e := range m.Entries {
			group.add(spot(e.File, e.Line)+" "+orFile(e.Symbol), strings.Join(e.Path, " → "))
		}
	}
	return root
}

// flowNote counts the uses between two folders.
func flowNote(f graph.Flow) string {
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
	return strings.Join(notes, ", ")
}

// moduleDrawing draws the uses between a folder and others, and inside it.
func moduleDrawing(m graph.Module) *drawing {
	d := &drawing{}
	d.about(m.Dir)
	for _, all := range [][]graph.Flow{m.UsedBy, m.FlowsTo, m.Inside} {
		for _, f := range all {
			d.line(drawnLine{from: f.From, to: f.To, label: flowNote(f), may: f.Kind == graph.May})
		}
	}
	return d
}

// impactTree returns what uses the changed code, each below the code by which the change
// reaches it.
func impactTree(im graph.Impact) []*branch {
	var roots []*branch
	for _, t := range im.Targets {
		roots = append(roots, &branch{Text: spot(t.File, t.Line) + " " + orFile(t.Symbol), Title: true})
	}
	type key struct {
		name     string
		distance int
	}
	at := map[key]*branch{}
	below := func(x graph.Affected) *branch {
		if len(x.Path) > 1 {
			if b := at[key{x.Path[1], x.Distance - 1}]; b != nil && x.Distance > 1 {
				return b
			}
		}
		return roots[targetOf(im.Targets, x.Path)]
	}
	for _, x := range im.Affected { // nearest first
		b := below(x).add(spot(x.File, x.Line)+" "+orFile(x.Symbol), affectedNote(x))
		if k := (key{nodeName(x.File, x.Symbol), x.Distance}); at[k] == nil {
			at[k] = b
		}
	}
	return roots
}

// targetOf returns the changed code at the end of a path: it, what it is part of, or its
// file.
func targetOf(targets []graph.Ref, path []string) int {
	best, length := 0, -1
	if len(path) == 0 {
		return best
	}
	end := path[len(path)-1]
	for i, t := range targets {
		name := nodeName(t.File, t.Symbol)
		if end == name || strings.HasPrefix(end, name+".") || t.Symbol == "" && strings.HasPrefix(end, name+"#") {
			if len(name) > length {
				best, length = i, len(name)
			}
		}
	}
	return best
}

// affectedNote says by which edge a change reaches code.
func affectedNote(x graph.Affected) string {
	note := x.Edge
	if x.Kind == graph.May {
		note += fmt.Sprintf(", may %.0f %%", 100*x.Confidence)
	}
	if x.Test {
		note += ", test"
	}
	return note
}

// impactDrawing draws the paths by which a change reaches code.
func impactDrawing(im graph.Impact, deleted []graph.Deletion) *drawing {
	d := &drawing{}
	for _, t := range im.Targets {
		d.about(nodeName(t.File, t.Symbol))
	}
	for _, x := range deleted {
		d.about(nodeName(x.File, x.Symbol) + " (deleted)")
	}
	for _, x := range deleted {
		for _, r := range x.References {
			d.line(drawnLine{from: nodeName(r.File, r.Symbol), to: nodeName(x.File, x.Symbol) + " (deleted)", label: "still uses", may: r.Kind == graph.May})
		}
	}
	for _, x := range im.Affected {
		if len(x.Path) < 2 {
			continue
		}
		to := x.Path[1]
		if x.Distance == 1 && len(im.Targets) > 0 {
			t := im.Targets[targetOf(im.Targets, x.Path)]
			to = nodeName(t.File, t.Symbol)
		}
		d.line(drawnLine{from: x.Path[0], to: to, label: x.Edge, may: x.Kind == graph.May})
	}
	return d
}

// memoryTree adds memories to a tree.
func memoryTree(title string, hits []hitJSON) *branch {
	group := &branch{Text: title, Title: true}
	for _, h := range hits {
		group.add(firstLine(h.Memory.What), h.Memory.Type.Label())
	}
	return group
}
