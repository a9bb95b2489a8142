package graph

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"

	"manicule/indexer/extract"
	"manicule/indexer/sorting"
)

// Flow is what the code of one folder uses of another: the edges between their files,
// counted.
type Flow struct {
	From       string    `json:"from"` // folders, "." for the root
	To         string    `json:"to"`
	Calls      int       `json:"calls"`   // with instantiations
	Types      int       `json:"types"`   // with inheritance
	Imports    int       `json:"imports"` // of names or modules
	Other      int       `json:"other"`   // reads, keys of literals
	Kind       Certainty `json:"kind"`    // must, if any of the edges is
	Confidence float64   `json:"confidence"`
	How        string    `json:"how"` // provenance of the most certain edge
	Stale      bool      `json:"stale,omitzero"`
}

// Entry is an entry point of a program that reaches a folder.
type Entry struct {
	Ref
	Path []string `json:"path"` // folders from the entry's to the reached one
}

// Module is a folder with everything below it, and its relations to the rest.
type Module struct {
	Dir     string  `json:"dir"` // "." for the root
	Files   int     `json:"files"`
	Symbols int     `json:"symbols"`
	FlowsTo []Flow  `json:"flows_to"` // what it uses outside; From is Dir
	UsedBy  []Flow  `json:"used_by"`  // what uses it from outside; To is Dir
	Inside  []Flow  `json:"inside"`   // between folders in it
	Entries []Entry `json:"entry_points"`
}

// Module describes a folder as one unit; folders outside of it stay separate. ok is
// false if no file of the graph is in it.
func (g *Graph) Module(dir string) (Module, bool) {
	g.mu.RLock()
	defer g.mu.RUnlock()
	m := Module{Dir: path.Clean(dir)}
	out, in, inside := flows{}, flows{}, flows{}
	reach := map[string]map[string]bool{} // folders by what they certainly use
	if g.part != nil && !g.part.has(m.Dir) {
		return m, false
	}
	g.eachEdge(func(st *fileState, l link) {
		target := g.file(l.to.File())
		if target == nil {
			return
		}
		from, to := path.Dir(st.path), path.Dir(target.path)
		if from == to {
			return
		}
		if !l.may {
			if reach[to] == nil {
				reach[to] = map[string]bool{}
			}
			reach[to][from] = true
		}
		switch home, there := within(m.Dir, st.path), within(m.Dir, target.path); {
		case home && there:
			inside.add(from, to, l, st.stale)
		case home:
			out.add(m.Dir, to, l, st.stale)
		case there:
			in.add(from, m.Dir, l, st.stale)
		}
	})
	g.eachSize(func(p string, symbols int) {
		if within(m.Dir, p) {
			m.Files++
			m.Symbols += symbols
		}
	})
	m.FlowsTo, m.UsedBy, m.Inside = out.sorted(), in.sorted(), inside.sorted()
	m.Entries = g.entries(m.Dir, reach)
	return m, m.Files > 0
}

// within reports whether a path lies in a folder or below it.
func within(dir, p string) bool { return dir == "." || strings.HasPrefix(p, dir+"/") }

// flows holds sums of edges by the folders that they connect.
type flows map[[2]string]*Flow

func (fs flows) add(from, to string, l link, stale bool) {
	f := fs[[2]string{from, to}]
	if f == nil {
		f = &Flow{From: from, To: to, Kind: May, How: l.how.String()}
		fs[[2]string{from, to}] = f
	}
	switch refKinds()[l.kind] {
	case extract.RefCall, extract.RefNew:
		f.Calls++
	case extract.RefType, extract.RefInherit:
		f.Types++
	case extract.RefImport:
		f.Imports++
	default:
		f.Other++
	}
	if !l.may {
		f.Kind = Must
	}
	if sure := float64(l.sure) / 100; sure > f.Confidence {
		f.Confidence, f.How = sure, l.how.String()
	}
	f.Stale = f.Stale || stale
}

func (f Flow) sum() int { return f.Calls + f.Types + f.Imports + f.Other }

// sorted returns the flows, certain ones with most edges first.
func (fs flows) sorted() []Flow {
	out := make([]Flow, 0, len(fs))
	for _, f := range fs {
		out = append(out, *f)
	}
	sorting.Func(out, func(a, b Flow) int {
		return cmp.Or(strings.Compare(string(b.Kind), string(a.Kind)), b.sum()-a.sum(), strings.Compare(a.From, b.From), strings.Compare(a.To, b.To))
	})
	return out
}

// entries finds the entry points that reach a folder, by the shortest path of folders.
func (g *Graph) entries(dir string, users map[string]map[string]bool) []Entry {
	begins := map[string][]Ref{}
	next := map[string]string{} // one folder nearer
	var queue []string
	for st := range g.declaring("main", "Main") {
		for _, s := range st.file.Symbols {
			if isEntry(s) && !IsTest(st.path) {
				begins[path.Dir(st.path)] = append(begins[path.Dir(st.path)], g.ref(s))
			}
		}
	}
	for p := range g.paths() {
		folder := path.Dir(p)
		if within(dir, p) {
			if _, ok := next[folder]; !ok {
				next[folder] = ""
				queue = append(queue, folder)
			}
		}
		if path.Base(p) == "__main__.py" && !IsTest(p) {
			begins[folder] = append(begins[folder], Ref{File: p, Line: 1, Kind: "file"})
		}
	}
	slices.Sort(queue)
	out := []Entry{}
	for i := 0; i < len(queue); i++ {
		folder := queue[i]
		way := []string{folder}
		for at := next[folder]; at != ""; at = next[at] {
			way = append(way, at)
		}
		sorting.Func(begins[folder], func(a, b Ref) int { return cmp.Or(strings.Compare(a.File, b.File), a.Line-b.Line) })
		for _, r := range begins[folder] {
			out = append(out, Entry{r, way})
		}
		for _, u := range slices.Sorted(maps.Keys(users[folder])) {
			if _, ok := next[u]; !ok {
				next[u] = folder
				queue = append(queue, u)
			}
		}
	}
	return out
}

// isEntry reports whether a program begins in a symbol: a top-level function called
// main, or a class's method of that name.
func isEntry(s *Symbol) bool {
	switch s.Kind {
	case "function":
		return s.Name == "main" && s.Parent == nil
	case "method":
		return s.Name == "main" && (strings.HasSuffix(s.File.Path, ".java") || strings.HasSuffix(s.File.Path, ".scala")) ||
			s.Name == "Main" && strings.HasSuffix(s.File.Path, ".cs")
	}
	return false
}
