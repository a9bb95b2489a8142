package graph

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"manicule/indexer/resolve"
	"manicule/indexer/sorting"
)

// Affected is a symbol that a change may break.
type Affected struct {
	Ref
	Distance   int       `json:"distance"` // number of edges to the change
	Kind       Certainty `json:"kind"`     // may, if any edge of the path is
	Confidence float64   `json:"confidence"`
	Edge       string    `json:"edge"` // kind of its own edge
	Test       bool      `json:"test,omitzero"`
	Stale      bool      `json:"stale,omitzero"`
	Path       []string  `json:"path"`  // from this symbol to the change, as FILE#Symbol
	Edges      []string  `json:"edges"` // kinds of the edges between those, one fewer
}

// Impact is what a change may break.
type Impact struct {
	Targets  []Ref      `json:"targets"`
	Affected []Affected `json:"affected"`     // by distance, then the most certain first
	Tests    []string   `json:"tests"`        // test files that reach the change
	Files    int        `json:"files"`        // number of affected files
	Cut      int        `json:"cut,omitzero"` // nodes that were not followed further because the limit was reached

	// Cosmetic counts the files of a difference in which only comments and white space
	// changed. The caller that knows the difference sets it.
	Cosmetic int `json:"cosmetic,omitzero"`
	// Renamed counts the files that were renamed and are as they were, where nothing breaks by it. The caller sets it, too.
	Renamed int `json:"renamed,omitzero"`
	// Unjudged counts the changed files of which no symbol is known. The caller sets it, too.
	Unjudged int `json:"unjudged,omitzero"`
}

// Bounds of an impact analysis.
const (
	DefaultDepth = 3
	MaxDepth     = 10
	maxAffected  = 20_000
)

// step records how the walk reached a node.
type step struct {
	node  resolve.Node
	from  resolve.Node // one edge nearer to the change
	depth int
	sure  float64
	may   bool
	kind  uint8
}

// dispatchKind marks a step from an implementation to what it implements.
const dispatchKind = 255

// Impact walks the edges backwards from a change, at most depth of them. A change of
// an interface's method reaches its implementations. A change of an implementation
// reaches the callers of the interface's method, since they may run it.
func (g *Graph) Impact(of []*resolve.Symbol, depth int) Impact {
	g.mu.RLock()
	defer g.mu.RUnlock()
	depth = min(max(depth, 1), MaxDepth)
	w := impactWalk{g: g, seen: map[resolve.Node]step{}, targets: map[resolve.Node]bool{}, through: map[resolve.Node]step{}}
	out := Impact{Targets: []Ref{}, Affected: []Affected{}, Tests: []string{}}
	for _, s := range of {
		out.Targets = append(out.Targets, g.ref(s))
		w.start(s)
	}
	for i := 0; i < len(w.queue); i++ {
		if at := w.seen[w.queue[i]]; at.depth < depth {
			w.follow(at)
		}
	}
	files, tests := map[string]bool{}, map[string]bool{}
	for _, n := range w.queue {
		sym := g.node(n)
		if sym == nil || w.targets[n] {
			continue
		}
		a := w.affected(w.seen[n], sym)
		files[sym.File.Path] = true
		if a.Test {
			tests[sym.File.Path] = true
		}
		out.Affected = append(out.Affected, a)
	}
	sorting.Func(out.Affected, func(a, b Affected) int {
		return cmp.Or(a.Distance-b.Distance, cmp.Compare(b.Confidence, a.Confidence), strings.Compare(a.File, b.File), a.Line-b.Line)
	})
	out.Cut, out.Files = w.cut, len(files)
	out.Tests = slices.AppendSeq(out.Tests, maps.Keys(tests))
	slices.Sort(out.Tests)
	return out
}

// impactWalk is a walk from a change to what it may break, the nearest first. The graph is locked meanwhile.
type impactWalk struct {
	g       *Graph
	queue   []resolve.Node // in the order in which they were first reached
	seen    map[resolve.Node]step
	targets map[resolve.Node]bool // what is changed itself
	through map[resolve.Node]step // by base: the step from which its callers were visited
	cut     int                   // steps that were not taken because the limit was reached
}

// start adds a changed symbol, with the members of a type and all symbols of a file.
func (w *impactWalk) start(s *resolve.Symbol) {
	all := []*resolve.Symbol{s}
	if s.Kind == "file" {
		all = append(all, s.File.Symbols...)
	} else if s.IsType() {
		for _, o := range s.File.Symbols {
			if o.Parent == s {
				all = append(all, o)
			}
		}
	}
	for _, one := range all {
		n := one.Node()
		w.targets[n] = true
		if _, ok := w.seen[n]; !ok {
			w.seen[n] = step{node: n, sure: 1}
			w.queue = append(w.queue, n)
		}
	}
}

// follow visits what one edge more may break.
func (w *impactWalk) follow(at step) {
	g := w.g
	g.eachIncoming(at.node, func(st *fileState, l link) {
		w.visit(step{node: resolve.MakeNode(st.id, l.from), from: at.node, depth: at.depth + 1, sure: at.sure * float64(l.sure) / 100, may: at.may || l.may, kind: l.kind})
	})
	for _, m := range g.implsOf(at.node) { // an implementation must change with it; an interface that requires the same method may
		w.visit(step{node: m, from: at.node, depth: at.depth + 1, sure: at.sure, may: at.may || isAbstract(g.node(m)), kind: dispatchKind})
	}
	for _, base := range g.basesOf(at.node) { // its callers may run this one; the base itself doesn't change
		if old, ok := w.through[base]; ok && old.depth <= at.depth && old.sure >= at.sure {
			continue // hundreds of methods may implement one that has thousands of callers
		}
		w.through[base] = at
		g.eachIncoming(base, func(st *fileState, l link) {
			if isCall(l.kind) {
				w.visit(step{node: resolve.MakeNode(st.id, l.from), from: at.node, depth: at.depth + 1, sure: at.sure * float64(l.sure) / 100 * dispatchSure, may: true, kind: l.kind})
			}
		})
	}
}

// visit takes a step, unless its node was reached with fewer edges or as surely.
func (w *impactWalk) visit(s step) {
	old, again := w.seen[s.node]
	if again && (old.depth < s.depth || old.sure >= s.sure) {
		return
	}
	if len(w.seen) >= maxAffected {
		w.cut++
		return
	}
	w.seen[s.node] = s
	if !again {
		w.queue = append(w.queue, s.node)
	}
}

// affected describes the symbol that a step reached.
func (w *impactWalk) affected(s step, sym *resolve.Symbol) Affected {
	a := Affected{Ref: w.g.ref(sym), Distance: s.depth, Kind: Must, Confidence: float64(int(s.sure*100+.5)) / 100, Edge: s.edge(), Test: IsTest(sym.File.Path)}
	a.Path, a.Edges = w.g.pathOf(s, w.seen)
	if s.may {
		a.Kind = May
	}
	if st := w.g.file(sym.File.ID); st != nil {
		a.Stale = st.stale
	}
	return a
}

// edge returns the kind of the edge that the walk followed.
func (s step) edge() string {
	if s.kind == dispatchKind {
		return "implements"
	}
	return string(refKinds()[s.kind])
}

// pathOf returns the path from a step to the change, and the kinds of its edges.
func (g *Graph) pathOf(s step, seen map[resolve.Node]step) (path, edges []string) {
	for len(path) <= MaxDepth {
		path = append(path, g.name(s.node))
		if s.depth == 0 {
			break
		}
		edges = append(edges, s.edge())
		s = seen[s.from]
	}
	return path, edges
}

// name returns a node as FILE#Symbol.
func (g *Graph) name(n resolve.Node) string {
	s := g.node(n)
	switch {
	case s == nil:
		return "?"
	case s.Kind == "file":
		return s.File.Path
	}
	return s.File.Path + "#" + s.Path
}
