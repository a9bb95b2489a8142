package graph

import (
	"slices"
	"strings"

	"manicule/indexer/extract"
	"manicule/indexer/resolve"
	"manicule/indexer/sorting"
)

// dispatchSure is the confidence in an edge through dispatch: the type implements the
// interface, but whether its value reaches the call is unknown. The figure is
// judgement: below an exact edge and above a name that only one thing has (package
// resolve). The evaluation in docs/graph-truth.md checks these edges as it does those.
const dispatchSure = 0.7

// EdgeValue is the kind of a caller that passes a function or method on as a value.
const EdgeValue = "value"

// Callers returns what calls any of the symbols or passes it on as a value: directly,
// through what it implements or overrides, or, for a method of an interface, through
// its implementations. They are sorted by file and line.
func (g *Graph) Callers(of []*resolve.Symbol) []Relation { return g.usersOf(of, true) }

// References returns every use of the symbols.
func (g *Graph) References(of []*resolve.Symbol) []Relation { return g.usersOf(of, false) }

func (g *Graph) usersOf(of []*resolve.Symbol, callsOnly bool) []Relation {
	g.mu.RLock()
	defer g.mu.RUnlock()
	var out []Relation
	for _, s := range of {
		add := func(n resolve.Node, via string, sure float64, below bool) {
			g.eachIncoming(n, func(st *fileState, l link) {
				r := g.relation(st, l, via, sure)
				r.Below = below
				if callsOnly && !isCall(l.kind) {
					if !g.passesValue(n, l) {
						return
					}
					r.Edge, r.Kind = EdgeValue, May
				}
				out = append(out, r)
			})
		}
		n := s.Node()
		add(n, "", 1, false)
		seen := map[resolve.Node]bool{n: true}
		eachReachable(g.basesOf, n, seen, func(m resolve.Node) {
			if base := g.node(m); base != nil {
				add(m, base.Path, dispatchSure, false)
			}
		})
		if isAbstract(s) {
			eachReachable(g.implsOf, n, seen, func(m resolve.Node) {
				if impl := g.node(m); impl != nil {
					add(m, impl.Path, dispatchSure, true)
				}
			})
		}
	}
	return sortAndDedupe(out)
}

// passesValue reports whether a link to a node passes a function as a value.
func (g *Graph) passesValue(to resolve.Node, l link) bool {
	s := g.node(to)
	return s != nil && (s.Kind == "function" || s.Kind == "method") && refKinds()[l.kind] == extract.RefRead
}

// isAbstract reports whether a symbol is a method of an interface or trait.
func isAbstract(s *resolve.Symbol) bool {
	return s != nil && s.Parent != nil && (s.Parent.Kind == "interface" || s.Parent.Kind == "trait")
}

// eachReachable visits what a node reaches by edges of dispatch, transitively: the
// methods that it overrides, or those that override it.
func eachReachable(edges func(resolve.Node) []resolve.Node, n resolve.Node, seen map[resolve.Node]bool, f func(resolve.Node)) {
	for _, m := range edges(n) {
		if !seen[m] {
			seen[m] = true
			f(m)
			eachReachable(edges, m, seen, f)
		}
	}
}

func (g *Graph) relation(st *fileState, l link, via string, sure float64) Relation {
	r := Relation{File: st.path, Line: int(l.line), Kind: Must, Confidence: float64(l.sure) / 100 * sure, Edge: string(refKinds()[l.kind]), How: l.how.String(),
		Via: via, Stale: st.stale, node: resolve.MakeNode(st.id, l.from)}
	if l.may || via != "" {
		r.Kind = May
	}
	if s := g.node(r.node); s != nil && s.Kind != "file" {
		r.Symbol = s.Path
	}
	r.Confidence = float64(int(r.Confidence*100+.5)) / 100
	return r
}

// sortAndDedupe sorts relations and keeps the most certain one at each place.
func sortAndDedupe(all []Relation) []Relation {
	sorting.Func(all, func(a, b Relation) int {
		if c := strings.Compare(a.File, b.File); c != 0 {
			return c
		}
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		if c := strings.Compare(a.Symbol, b.Symbol); c != 0 {
			return c
		}
		switch {
		case a.Edge == EdgeValue && b.Edge != EdgeValue: // a call says more
			return 1
		case a.Edge != EdgeValue && b.Edge == EdgeValue:
			return -1
		case a.Confidence > b.Confidence:
			return -1
		case a.Confidence < b.Confidence:
			return 1
		}
		return strings.Compare(a.Via+a.Edge, b.Via+b.Edge)
	})
	return slices.CompactFunc(all, func(a, b Relation) bool {
		return a.File == b.File && a.Line == b.Line && a.Symbol == b.Symbol && a.External == b.External
	})
}
