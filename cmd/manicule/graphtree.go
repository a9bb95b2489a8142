package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"manicule/indexer/graph"
)

// groups returns what is around the code that was asked about. The files that a symbol's
// file uses are the file's, not the symbol's, so they are only counted there, and so are the
// doubles of tests, which code that is no test hardly calls.
func (out *graphJSON) groups() []*branch {
	around := &branch{}
	users := func(name string, all []graph.Relation) {
		if len(all) > 0 {
			addUsers(around, name, all)
		}
	}
	users("callers", out.Callers)
	if out.Possible != nil {
		users("possible callers", *out.Possible)
	}
	if len(out.Callees) > 0 {
		out.addCallees(around)
	}
	if len(out.Callers) == 0 {
		users("references", out.References)
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

// unused says that nothing is known to use a symbol, or what is in a file; "" where something does.
func (out *graphJSON) unused() string {
	switch {
	case len(out.Callers)+len(out.References) > 0 || out.Symbol == "" && len(out.Dependents)+len(out.Imports) > 0:
		return ""
	case out.Symbol == "":
		return "it uses no other file of this workspace, and none is known to use it"
	case out.Possible == nil:
		return "nothing in this workspace is known to use it; `--possible` looks for calls by its name alone"
	case len(*out.Possible) == 0:
		return "nothing in this workspace is known to use it"
	}
	return ""
}

// bounded keeps so many definitions, and so many lines of each group around them, and returns how many it left out.
func bounded(roots []*branch, limit int) (_ []*branch, left int) {
	if len(roots) == 0 {
		return nil, 0
	}
	around := roots[len(roots)-1].Below
	shown := roots[:room(limit, len(roots))]
	left = len(roots) - len(shown)
	for _, group := range around {
		kept := group.Below[:room(limit, len(group.Below))]
		left += len(group.Below) - len(kept)
		group.Below = kept
	}
	shown[len(shown)-1].Below = around
	return shown, left
}

// cut keeps so many of each list.
func (out *graphJSON) cut(limit int) {
	cutTo(&out.Definitions, limit)
	cutTo(&out.Callers, limit)
	cutTo(&out.Callees, limit)
	cutTo(&out.References, limit)
	cutTo(&out.Imports, limit)
	cutTo(&out.Dependents, limit)
	if out.Possible != nil {
		cutTo(out.Possible, limit)
	}
}

func cutTo[T any](list *[]T, limit int) { *list = (*list)[:room(limit, len(*list))] }

func (out *graphJSON) addCallees(around *branch) {
	var called callSet
	doubles := 0
	for _, r := range out.Callees {
		if r.Double(out.File) {
			doubles++
			continue
		}
		called.add(r)
	}
	group := around.group(fmt.Sprintf("callees (%d)", len(called.all)+doubles))
	for _, c := range called.all {
		group.add(c.file+" "+c.symbol, joinNotes(c.at(0), c.note))
	}
	if doubles > 0 {
		group.add("and "+count(doubles, "double in a test", "doubles in tests"), "--json lists them")
	}
}

// mostUsers is how many users of a symbol are listed one by one. More are listed by their files.
const mostUsers = 40

// addUsers lists who uses a symbol, each once.
func addUsers(around *branch, name string, all []graph.Relation) {
	var users callSet
	for _, r := range all {
		users.add(r)
	}
	group := around.group(fmt.Sprintf("%s (%d)", name, len(users.all)))
	for _, same := range users.byFile() {
		if first := same[0]; len(same) > 1 {
			group.add(first.file, few(len(same), func(i int) string { return same[i].symbol }))
			continue
		}
		first := same[0]
		text := spot(first.file, first.lines[0]) + " " + first.symbol
		if len(first.lines) == 1 {
			group.add(text, first.note)
			continue
		}
		group.add(text, joinNotes(first.note, "also "+first.at(1)))
	}
}

// call is a symbol on the other side of calls, with their lines.
type call struct {
	file, symbol, note string
	lines              []int
}

// callSet has each call once.
type callSet struct {
	all   []*call
	known map[[3]string]*call
}

func (s *callSet) add(r graph.Relation) {
	c := &call{file: r.File, symbol: orFile(r.Symbol), note: relationNote(r)}
	key := [3]string{c.file, c.symbol, c.note}
	if have, ok := s.known[key]; ok {
		c = have
	} else {
		if s.known == nil {
			s.known = map[[3]string]*call{}
		}
		s.known[key] = c
		s.all = append(s.all, c)
	}
	if !slices.Contains(c.lines, r.Line) { // two calls in one line
		c.lines = append(c.lines, r.Line)
	}
}

// byFile returns the calls, those of one file together if they are many.
func (s *callSet) byFile() [][]*call {
	var out [][]*call
	for _, c := range s.all {
		last := len(out) - 1
		if len(s.all) > mostUsers && last >= 0 && out[last][0].file == c.file {
			out[last] = append(out[last], c)
			continue
		}
		out = append(out, []*call{c})
	}
	return out
}

// at names the lines of the calls from one on.
func (c *call) at(from int) string {
	text := "line "
	if len(c.lines)-from > 1 {
		text = "lines "
	}
	return text + few(len(c.lines)-from, func(i int) string { return strconv.Itoa(c.lines[from+i]) })
}

// few lists the first of some names, and how many are left.
func few(n int, name func(int) string) string {
	const most = 5
	shown := make([]string, 0, most+1)
	for i := range min(n, most) {
		shown = append(shown, name(i))
	}
	if n > most {
		shown = append(shown, strconv.Itoa(n-most)+" more")
	}
	return strings.Join(shown, ", ")
}

// joinNotes joins what is said of a call.
func joinNotes(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), ", ")
}

// relationNote says how sure a relation is.
func relationNote(r graph.Relation) string {
	var notes []string
	if r.Kind == graph.May {
		notes = append(notes, "may, "+chance(r.Confidence))
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

// chance is how likely a relation is that is not certain: never 100 %.
func chance(confidence float64) string {
	return fmt.Sprintf("%.0f %%", min(99, 100*confidence))
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
		notes = append(notes, "may, "+chance(f.Confidence))
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
	return withoutOverloads(im.Targets, roots)
}

// withoutOverloads leaves out the further declarations of one function below which there is nothing:
// what calls it is below one of them.
func withoutOverloads(targets []graph.Ref, roots []*branch) []*branch {
	used := map[string]*branch{}
	for i, t := range targets {
		name := nodeName(t.File, t.Symbol)
		if have := used[name]; have == nil || len(have.Below) == 0 {
			used[name] = roots[i]
		}
	}
	var out []*branch
	for i, t := range targets {
		if len(roots[i].Below) > 0 || used[nodeName(t.File, t.Symbol)] == roots[i] {
			out = append(out, roots[i])
		}
	}
	return out
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
		note += ", may, " + chance(x.Confidence)
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
