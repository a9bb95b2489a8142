package resolve

import (
	"sort"
	"strings"

	"manicule/indexer/extract"
)

// flow follows the values of a Python file: functions and classes that are
// assigned, passed, kept in containers and given back, so that a call of a name
// leads to what the name may hold. It ignores the order of statements, and
// knows of other files what they declare and what their functions give. What
// other files pass into this one it does not know: an edge would have to change
// when a file changes that this one has nothing to do with.
type flow struct {
	r       *resolver
	f       *File
	sets    map[flowKey]*flowSet
	allocs  map[flowKey]*allocation
	nodes   map[string]*pyNode
	params  map[*Symbol][]string
	changed bool
	depth   int
}

// flowKey is a place that holds values: a name in a function or file, an
// attribute of a class, or what a function gives.
type flowKey struct {
	in   *Symbol
	name string
}

type flowSet struct {
	list []flowValue
	has  map[flowValue]bool
}

// flowValue is one value.
type flowValue struct {
	kind  flowKind
	sym   *Symbol // the function or class
	self  *Symbol // of a function: the class of the object it is bound to
	unit  *Unit
	alloc *allocation
	text  string // of a constant; of a method of a container its name
}

type flowKind uint8

const (
	flowFunction flowKind = iota + 1
	flowClass
	flowInstance
	flowSuper // the bases of sym, for an object of self
	flowModule
	flowContainer
	flowMethod // of a container
	flowConst
)

// allocation is a container that an expression makes.
type allocation struct{ items map[string]*flowSet } // by literal key; "" where it isn't known

const (
	maxFlowRounds = 6
	maxFlowValues = 24 // of one place: more say nothing
)

// The places of a function's results.
const (
	flowReturns = "(return)"
	flowYields  = "(yield)"
)

// newFlow follows the values of a file to where nothing new comes up.
func newFlow(r *resolver, f *File, facts *extract.Facts) *flow {
	w := &flow{r: r, f: f, sets: map[flowKey]*flowSet{}, allocs: map[flowKey]*allocation{}, nodes: map[string]*pyNode{}, params: map[*Symbol][]string{}}
	in := enclosingFunctionAt(f)
	for _, s := range f.Symbols {
		if c := enclosingType(s); c != nil && s.Kind == "method" {
			if p := w.paramsOf(s); len(p) > 0 {
				kind := flowInstance
				if p[0] == "cls" {
					kind = flowClass
				}
				w.set(flowKey{s, p[0]}).add(w, flowValue{kind: kind, sym: c})
			}
		}
	}
	for range maxFlowRounds {
		w.changed = false
		for _, s := range f.Symbols {
			if s.Value == "" || s.Kind == "function" || s.Kind == "method" {
				continue
			}
			at := in(s.Start)
			key := flowKey{f.Self, s.Name}
			if c := s.Parent; c != nil && c.IsType() {
				key = flowKey{c, "." + s.Name}
			} else if at != nil {
				key = flowKey{at, s.Name}
			}
			w.addAll(key, w.eval(w.node(s.Value), at))
		}
		for i := range facts.Binds {
			w.statement(&facts.Binds[i], in(facts.Binds[i].Start))
		}
		if !w.changed {
			break
		}
	}
	return w
}

// enclosingFunctionAt finds the innermost function around an offset.
func enclosingFunctionAt(f *File) func(int) *Symbol {
	return func(offset int) *Symbol {
		var best *Symbol
		n := sort.Search(len(f.Symbols), func(i int) bool { return f.Symbols[i].Start > offset })
		for i := n - 1; i >= 0 && best == nil; i-- {
			if s := f.Symbols[i]; offset < s.End && (s.Kind == "function" || s.Kind == "method") {
				best = s
			}
		}
		return best
	}
}

// How sure an edge is that values lead to: there may be others that this file
// does not see.
const sureFlow = 0.8

// edges adds what a call may run by the values that flow there. From before on
// are the edges that were found by name.
func (w *flow) edges(out []Edge, before int, ref *extract.Ref) []Edge {
	from := w.f.Self
	if ref.In >= 0 {
		from = w.f.Symbols[ref.In]
	}
	direct, guessed := false, false
	for _, e := range out[before:] {
		if e.May {
			guessed = true
		} else if e.To != nil && (e.To.Kind == "function" || e.To.Kind == "method" || e.To.IsType()) {
			direct = true
		}
	}
	if strings.HasPrefix(ref.Recv, "…") {
		return out
	}
	text := ref.Name
	switch {
	case ref.Name == extract.RefCallValue:
		text = ref.Recv
	case ref.Recv != "":
		text = ref.Recv + "." + ref.Name
	}
	at := from
	for at != nil && at.Kind != "function" && at.Kind != "method" {
		at = at.Parent
	}
	var found []*Symbol
	values := w.eval(w.node(text), at)
	for _, v := range values {
		switch v.kind {
		case flowFunction, flowClass:
			found = append(found, v.sym)
		case flowInstance:
			found = append(found, w.r.memberOf(v.sym, "__call__", map[*Symbol]bool{})...)
		}
	}
	if len(found) > 0 && guessed && !direct { // better known now
		kept := out[:before]
		for _, e := range out[before:] {
			if !e.May {
				kept = append(kept, e)
			}
		}
		out = kept
	}
	sure, may := sureExact, false
	if !direct {
		sure, may = sureFlow, len(found) > 1
	}
	add := func(to *Symbol) {
		for _, e := range out[before:] {
			if e.To == to {
				return
			}
		}
		out = append(out, Edge{From: from, To: to, Kind: extract.RefCall, Line: ref.Line, Sure: sure, May: may})
	}
	for _, s := range found {
		add(s)
	}
	// A class that is called runs its constructor.
	for _, e := range out[before:] {
		if e.To != nil && e.To.Kind == "class" {
			for _, init := range w.r.memberOf(e.To, "__init__", map[*Symbol]bool{}) {
				add(init)
			}
		}
	}
	return out
}

// iterationEdges adds the methods that loops over objects run.
func (w *flow) iterationEdges(out []Edge, f *extract.Facts) []Edge {
	in := enclosingFunctionAt(w.f)
	for i := range f.Binds {
		b := &f.Binds[i]
		if !b.Each || b.Value == "" {
			continue
		}
		at := in(b.Start)
		from := at
		if from == nil {
			from = w.f.Self
		}
		// What it loops over stands behind the name, mostly in its line.
		n := sort.Search(len(f.Refs), func(i int) bool { return f.Refs[i].Start >= b.Start })
		if n == len(f.Refs) {
			continue
		}
		for _, v := range w.eval(w.node(b.Value), at) {
			for _, m := range w.iteratorMethods(v) {
				out = append(out, Edge{From: from, To: m, Kind: extract.RefCall, Line: f.Refs[n].Line, Sure: sureFlow})
			}
		}
	}
	return out
}
