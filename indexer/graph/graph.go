// Package graph owns the code graph of a workspace: the symbols that files declare,
// which symbols use which, and the impact of a change. It walks, parses and resolves
// in parallel, stores the result in graph.db and updates it file by file. It must not
// know memories, editors or agents.
//
// An [Index] is what others ask, and locks. Below it, held has the graph in memory and
// keeps it in step with the disk: tree knows which files differ, a rebuilder reads and
// resolves them, a swap lays unsaved buffers over them, and store is graph.db. A [Graph]
// answers questions from all of the graph, or from the parts that it reads for them.
package graph

import (
	"cmp"
	"iter"
	"maps"
	"path"
	"slices"
	"sort"
	"strings"
	"sync"

	"manicule/indexer/extract"
	"manicule/indexer/resolve"
	"manicule/indexer/sorting"
)

// Symbol is a declaration in the graph.
type Symbol = resolve.Symbol

// link is an edge between two nodes of the workspace, in memory.
type link struct {
	to   resolve.Node
	from int32 // local id in the file that the link belongs to
	line int32
	kind uint8 // index into refKinds
	sure uint8 // in percent
	may  bool
	how  Provenance
}

// fileState is the in-memory state of one file.
type fileState struct {
	id    int32
	file  *resolve.File
	path  string
	links []link   // by to
	names []uint32 // hashes of the names it mentions, sorted
	stale bool

	byID   []*Symbol // of a part: the symbols of file by their ids
	linked bool      // of a part: links is read
}

// Graph answers queries. It is safe for concurrent use: queries run in parallel,
// changes exclusively.
type Graph struct {
	content
	mu           sync.RWMutex
	table        *resolve.Table
	files        map[int32]*fileState
	byPath       map[string]*fileState
	incoming     map[resolve.Node][]int32        // ids of the files with a link to the node
	overrides    map[resolve.Node][]resolve.Node // methods that a method overrides or implements
	overriddenBy map[resolve.Node][]resolve.Node // methods that override or implement a method
	nodes        map[resolve.Node]*resolve.Symbol
	pairs        [][2]resolve.Node // source of overrides and overriddenBy; owned by the index
	part         *part             // the content, if that is not the whole graph; the maps are nil then
}

// content is what a question reads of a graph: all of it in memory, or a part.
type content interface {
	at(path string) *fileState              // with its declarations; nil if there is none
	file(id int32) *fileState               // which may lack its declarations
	node(n resolve.Node) *Symbol            // nil if there is none
	linksOf(st *fileState) []link           // by their targets
	linkedFrom(n resolve.Node) []int32      // the ids of the files with an edge to a node; its own may have none
	basesOf(n resolve.Node) []resolve.Node  // the methods that a method overrides or implements
	implsOf(n resolve.Node) []resolve.Node  // the methods that override or implement a method
	paths() iter.Seq[string]                // of all files
	all() iter.Seq[*fileState]              // all files with all that is known of them
	eachSize(f func(path string, n int))    // the number of symbols of every file
	eachEdge(f func(st *fileState, l link)) // the edges of every file

	// declaring returns the files that may declare one of some names, with their declarations.
	declaring(names ...string) iter.Seq[*fileState]
	// naming returns the files that may declare a symbol whose name is wanted, with their declarations.
	naming(wanted func(name string) bool) iter.Seq[*fileState]
}

// whole is all of a graph in memory.
type whole struct{ g *Graph }

func (w whole) at(path string) *fileState                { return w.g.byPath[path] }
func (w whole) file(id int32) *fileState                 { return w.g.files[id] }
func (w whole) node(n resolve.Node) *Symbol              { return w.g.nodes[n] }
func (w whole) linksOf(st *fileState) []link             { return st.links }
func (w whole) linkedFrom(n resolve.Node) []int32        { return w.g.incoming[n] }
func (w whole) basesOf(n resolve.Node) []resolve.Node    { return w.g.overrides[n] }
func (w whole) implsOf(n resolve.Node) []resolve.Node    { return w.g.overriddenBy[n] }
func (w whole) paths() iter.Seq[string]                  { return maps.Keys(w.g.byPath) }
func (w whole) all() iter.Seq[*fileState]                { return maps.Values(w.g.files) }
func (w whole) declaring(...string) iter.Seq[*fileState] { return w.all() }

func (w whole) naming(func(string) bool) iter.Seq[*fileState] { return w.all() }

func (w whole) eachSize(f func(path string, n int)) {
	for p, st := range w.g.byPath {
		f(p, len(st.file.Symbols))
	}
}

func (w whole) eachEdge(f func(st *fileState, l link)) {
	for _, st := range w.g.files {
		for _, l := range st.links {
			f(st, l)
		}
	}
}

func newGraph(t *resolve.Table) *Graph {
	g := &Graph{table: t, files: map[int32]*fileState{}, byPath: map[string]*fileState{}, incoming: map[resolve.Node][]int32{},
		nodes: map[resolve.Node]*resolve.Symbol{}}
	g.content = whole{g}
	return g
}

// setFile adds a file that is already in the table.
func (g *Graph) setFile(f *resolve.File, names []uint32) *fileState {
	st := &fileState{id: f.ID, file: f, path: f.Path, names: names}
	g.files[f.ID], g.byPath[f.Path] = st, st
	g.nodes[f.Self.Node()] = f.Self
	for _, s := range f.Symbols {
		g.nodes[s.Node()] = s
	}
	return st
}

// setLinks replaces the edges of a file.
func (g *Graph) setLinks(id int32, links []Link) { g.setSorted(id, sortedLinks(links)) }

// sortedLinks returns the edges to nodes of the workspace, by their targets.
func sortedLinks(links []Link) []link {
	type key struct {
		to resolve.Node
		at int
	}
	order := make([]key, 0, len(links))
	for i := range links {
		if to := links[i].To; to != 0 {
			order = append(order, key{to, i})
		}
	}
	sorting.Func(order, func(a, b key) int { return cmp.Or(cmp.Compare(a.to, b.to), a.at-b.at) })
	out := make([]link, len(order))
	for i, k := range order {
		l := &links[k.at]
		out[i] = link{to: l.To, from: l.From.Local(), line: int32(l.Line), kind: uint8(kindCode(l.Kind)), sure: uint8(l.Sure*100 + .5), may: l.May, how: l.How}
	}
	return out
}

// setSorted is setLinks with the result of sortedLinks.
func (g *Graph) setSorted(id int32, links []link) {
	st := g.files[id]
	if st == nil {
		return
	}
	g.dropLinks(st)
	st.links = links
	last := resolve.Node(-1)
	for _, l := range st.links {
		if l.to != last {
			g.incoming[l.to] = append(g.incoming[l.to], id)
			last = l.to
		}
	}
}

func (g *Graph) dropLinks(st *fileState) {
	last := resolve.Node(-1)
	for _, l := range st.links {
		if l.to == last {
			continue
		}
		last = l.to
		all := g.incoming[l.to]
		if i := slices.Index(all, st.file.ID); i >= 0 {
			all[i] = all[len(all)-1]
			all = all[:len(all)-1]
		}
		if len(all) == 0 {
			delete(g.incoming, l.to)
		} else {
			g.incoming[l.to] = all
		}
	}
	st.links = nil
}

// addStranded adds the files with edges to symbols that a file no longer has.
func (g *Graph) addStranded(p string, kept map[string]string, files map[int32]bool) {
	for _, s := range g.lost(p, kept) {
		for _, id := range g.incoming[s.Node()] {
			if id != s.File.ID {
				files[id] = true
			}
		}
	}
}

// lost returns the symbols that a file no longer has. kept holds the paths of its
// remaining symbols; it is nil if the file itself is gone.
func (g *Graph) lost(p string, kept map[string]string) []*resolve.Symbol {
	st := g.byPath[p]
	if st == nil {
		return nil
	}
	var out []*resolve.Symbol
	for _, s := range append(slices.Clone(st.file.Symbols), st.file.Self) {
		if _, ok := kept[s.Path]; ok && s.Kind != "file" || s.Kind == "file" && kept != nil {
			continue
		}
		out = append(out, s)
	}
	return out
}

// removeFile removes a file with its edges.
func (g *Graph) removeFile(p string) {
	st := g.byPath[p]
	if st == nil {
		return
	}
	g.dropLinks(st)
	delete(g.byPath, p)
	delete(g.files, st.file.ID)
	delete(g.nodes, st.file.Self.Node())
	for _, s := range st.file.Symbols {
		delete(g.nodes, s.Node())
	}
	g.table.Remove(p)
}

// eachIncoming calls f for every edge to a node.
func (g *Graph) eachIncoming(n resolve.Node, f func(st *fileState, l link)) {
	for _, id := range g.linkedFrom(n) {
		st := g.file(id)
		if st == nil {
			continue
		}
		links := g.linksOf(st)
		i := sort.Search(len(links), func(i int) bool { return links[i].to >= n })
		for ; i < len(links) && links[i].to == n; i++ {
			f(st, links[i])
		}
	}
}

// Ref names a symbol, or a file if Symbol is empty.
type Ref struct {
	File      string `json:"file"`
	Symbol    string `json:"symbol"`
	Kind      string `json:"symbol_kind,omitzero"`
	Line      int    `json:"line"` // of its declaration, from 1
	EndLine   int    `json:"end_line,omitzero"`
	Signature string `json:"signature,omitzero"`
}

// Certainty says whether an edge is certain.
type Certainty string

// The certainties: the names lead to the edge, or dynamic dispatch or a name alone
// makes it possible.
const (
	Must Certainty = "must"
	May  Certainty = "may"
)

// Relation is a symbol with the edge that leads to it.
type Relation struct {
	File       string    `json:"file"`
	Symbol     string    `json:"symbol"` // "" for code outside of all symbols
	Line       int       `json:"line"`   // of the use, from 1
	Kind       Certainty `json:"kind"`
	Confidence float64   `json:"confidence"`
	Edge       string    `json:"edge"`           // call, new, type, inherit, read, import, or value
	How        string    `json:"how"`            // ast or scip
	Via        string    `json:"via,omitzero"`   // the method in between: of an interface or base, or of an implementation
	Below      bool      `json:"below,omitzero"` // the use is of an implementation of the interface's method; see Via
	Stale      bool      `json:"stale,omitzero"` // the file changed and is being reindexed
	External   bool      `json:"external,omitzero"`

	node resolve.Node
}

func (g *Graph) ref(s *resolve.Symbol) Ref {
	if s.Kind == "file" {
		return Ref{File: s.File.Path, Line: 1, Kind: "file"}
	}
	return Ref{File: s.File.Path, Symbol: s.Path, Kind: s.Kind, Line: s.Line, EndLine: s.EndLine, Signature: s.Sig}
}

// Find returns the symbols of a file that match a name: its whole path, or its last
// part if that is unambiguous. An empty name means the file.
func (g *Graph) Find(file, symbol string) []*resolve.Symbol {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return g.find(file, symbol)
}

func (g *Graph) find(file, symbol string) []*resolve.Symbol {
	st := g.at(file)
	if st == nil {
		return nil
	}
	if symbol == "" {
		return []*resolve.Symbol{st.file.Self}
	}
	var exact, ends []*resolve.Symbol
	for _, s := range st.file.Symbols {
		switch {
		case s.Path == symbol:
			exact = append(exact, s)
		case s.Name == symbol || strings.HasSuffix(s.Path, "."+symbol):
			ends = append(ends, s)
		}
	}
	if exact != nil {
		return exact
	}
	return ends
}

// Has reports whether a file is in the graph.
func (g *Graph) Has(file string) bool {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return g.at(file) != nil
}

// FilesBySuffix returns the paths that end with the given path.
func (g *Graph) FilesBySuffix(end string) []string {
	g.mu.RLock()
	defer g.mu.RUnlock()
	var out []string
	for p := range g.paths() {
		if p == end || strings.HasSuffix(p, "/"+end) {
			out = append(out, p)
		}
	}
	slices.Sort(out)
	return out
}

// isCall reports whether an edge of this kind runs its target.
func isCall(kind uint8) bool {
	k := refKinds()[kind]
	return k == extract.RefCall || k == extract.RefNew
}

// Callees returns what the symbols call, including the implementations behind a call
// through an interface.
func (g *Graph) Callees(of []*resolve.Symbol) []Relation {
	g.mu.RLock()
	defer g.mu.RUnlock()
	var out []Relation
	for _, s := range of {
		st := g.file(s.File.ID)
		if st == nil {
			continue
		}
		within := localIDs(s)
		for _, l := range g.linksOf(st) {
			if !isCall(l.kind) || !within[l.from] {
				continue
			}
			add := func(n resolve.Node, via string, sure float64) {
				to := g.node(n)
				if to == nil {
					return
				}
				r := g.relation(st, l, via, sure)
				r.File, r.Symbol, r.node = to.File.Path, to.Path, n
				if to.Kind == "file" {
					r.Symbol = ""
				}
				out = append(out, r)
			}
			add(l.to, "", 1)
			base := g.node(l.to)
			if base == nil {
				continue
			}
			for _, impl := range g.implsOf(l.to) {
				if !isAbstract(g.node(impl)) { // else it has no code
					add(impl, base.Path, dispatchSure)
				}
			}
		}
	}
	sorting.Func(out, func(a, b Relation) int {
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		if c := strings.Compare(a.File, b.File); c != 0 {
			return c
		}
		return strings.Compare(a.Symbol, b.Symbol)
	})
	return slices.CompactFunc(out, func(a, b Relation) bool { return a.node == b.node && a.Line == b.Line })
}

// localIDs returns the local ids of a symbol and everything in it; for a file, all.
func localIDs(s *resolve.Symbol) map[int32]bool {
	out := map[int32]bool{s.ID: true}
	for _, o := range s.File.Symbols {
		if s.Kind == "file" || o.Parent != nil && out[o.Parent.ID] || strings.HasPrefix(o.Path, s.Path+".") {
			out[o.ID] = true
		}
	}
	return out
}

// Imports returns the files that a file uses, by name or by import.
func (g *Graph) Imports(file string) []string {
	g.mu.RLock()
	defer g.mu.RUnlock()
	st := g.at(file)
	if st == nil {
		return nil
	}
	seen := map[string]bool{file: true}
	var out []string
	add := func(p string) {
		if p != "" && !seen[p] {
			seen[p] = true
			out = append(out, p)
		}
	}
	for _, l := range g.linksOf(st) {
		if to := g.file(l.to.File()); to != nil && !l.may {
			add(to.path)
		}
	}
	slices.Sort(out)
	return out
}

// Dependents returns the files that use a file.
func (g *Graph) Dependents(file string) []string {
	g.mu.RLock()
	defer g.mu.RUnlock()
	st := g.at(file)
	if st == nil {
		return nil
	}
	seen := map[int32]bool{st.id: true}
	var out []string
	for _, s := range append(slices.Clone(st.file.Symbols), st.file.Self) {
		for _, id := range g.linkedFrom(s.Node()) {
			if from := g.file(id); from != nil && !seen[id] {
				seen[id] = true
				out = append(out, from.path)
			}
		}
	}
	slices.Sort(out)
	return out
}

// Outline returns the symbols of a file.
func (g *Graph) Outline(file string) []Ref {
	g.mu.RLock()
	defer g.mu.RUnlock()
	st := g.at(file)
	if st == nil {
		return nil
	}
	out := make([]Ref, 0, len(st.file.Symbols))
	for _, s := range st.file.Symbols {
		out = append(out, g.ref(s))
	}
	return out
}

// Refs converts symbols to their display form.
func (g *Graph) Refs(all []*resolve.Symbol) []Ref {
	out := make([]Ref, 0, len(all))
	for _, s := range all {
		out = append(out, g.ref(s))
	}
	return out
}

// Stale reports whether a file changed since its edges were resolved.
func (g *Graph) Stale(file string) bool {
	g.mu.RLock()
	defer g.mu.RUnlock()
	st := g.at(file)
	return st != nil && st.stale
}

// Counts is the size of a graph.
type Counts struct {
	Files   int `json:"files"`
	Symbols int `json:"symbols"`
	Edges   int `json:"edges"`
	Stale   int `json:"stale"`
}

// Counts returns the size of the graph.
func (g *Graph) Counts() Counts {
	g.mu.RLock()
	defer g.mu.RUnlock()
	c := Counts{Files: len(g.files)}
	for st := range g.all() {
		c.Symbols += len(st.file.Symbols)
		c.Edges += len(st.links)
		if st.stale {
			c.Stale++
		}
	}
	return c
}

// Double reports whether a callee of the code in a file is probably a test's own implementation,
// which code that is no test hardly calls.
func (r Relation) Double(from string) bool { return r.Kind == May && IsTest(r.File) && !IsTest(from) }

// IsTest reports whether a path is that of a test, by the conventions of its language.
func IsTest(p string) bool {
	base := path.Base(p)
	stem, _, _ := strings.Cut(base, ".")
	switch {
	case strings.HasSuffix(base, "_test.go"), strings.HasPrefix(base, "test_") && strings.HasSuffix(base, ".py"), strings.HasSuffix(base, "_test.py"),
		strings.Contains(base, ".test."), strings.Contains(base, ".spec."), strings.HasSuffix(base, "_spec.rb"), strings.HasSuffix(base, "_test.rb"),
		strings.HasSuffix(base, "_test.exs"), strings.HasSuffix(stem, "Test"), strings.HasSuffix(stem, "Tests"), strings.HasSuffix(stem, "Spec"):
		return true
	}
	for part := range strings.SplitSeq(path.Dir(p), "/") {
		switch part {
		case "test", "tests", "__tests__", "spec", "Tests", "testdata":
			return true
		}
	}
	return false
}
