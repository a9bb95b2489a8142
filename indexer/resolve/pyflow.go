package resolve

import (
	"slices"
	"sort"
	"strings"

	"manicule/indexer/extract"
)

// flow is a flow-insensitive points-to analysis of a Python file. It tracks functions
// and classes through assignments, arguments, containers and results, so that a call
// of a name resolves to what the name may hold. Of other files it uses their
// declarations and their functions' results. It ignores values that other files pass
// in, because an edge would then depend on files that this one does not refer to.
type flow struct {
	heap
	r      *resolver
	f      *File
	outer  map[string]bool    // paths of this file that something is declared in; nil if foreign
	places map[flowKey]*place // where names are looked for; nil if foreign
	depth  int
	args   [][]flowValue // of the calls that are evaluated, the innermost last
}

// flowMemory holds what an analysis makes much of until it ends. The next one begins with its room: making
// it anew was most of what the resolution of Python allocates.
type flowMemory struct {
	syntax pySyntax
	sets   slab[flowSet]
	places slab[place]
	owns   slab[own]
	states []statementState

	setOf         map[flowKey]*flowSet
	decoratorsOf  map[*Symbol][]*extract.Bind // the notes about those of a function, from above
	foreignValues map[foreignKey]*foreignValue
	placeOf       map[flowKey]*place
	ownOf         map[flowKey]*own
}

// manyFlowed is how large a map or list may be that is kept for the next analysis.
const manyFlowed = 1 << 12

// reset makes all of it empty.
func (m *flowMemory) reset() {
	m.syntax.reset()
	m.sets.reset()
	m.places.reset()
	m.owns.reset()
	if clear(m.states); cap(m.states) > manyFlowed {
		m.states = nil
	}
	m.setOf, m.placeOf, m.ownOf = emptied(m.setOf, manyFlowed), emptied(m.placeOf, manyFlowed), emptied(m.ownOf, manyFlowed)
	m.decoratorsOf, m.foreignValues = emptied(m.decoratorsOf, manyFlowed), emptied(m.foreignValues, manyFlowed)
}

// flowClock orders the changes of variables and containers, and records which of them
// a statement reads: the next round leaves a statement out if all are as they were.
type flowClock struct {
	now     int
	records bool
	reads   []*int // when what the statement read last changed
	room    []*int // for those that are kept
}

// statementState is what the last evaluation of a statement relied on.
type statementState struct {
	begun int // by the clock; 0 if it was not evaluated yet
	reads []*int
}

// stands reports whether an evaluation would do and find the same again.
func (s *statementState) stands() bool {
	return s.begun > 0 && !slices.ContainsFunc(s.reads, func(at *int) bool { return *at > s.begun })
}

// within evaluates a part of a statement unless that changes nothing. The statement relies on
// what the part relied on.
func (c *flowClock) within(s *statementState, evaluate func()) {
	if s.stands() {
		for _, at := range s.reads {
			c.saw(at)
		}
		return
	}
	before, begun := max(len(c.reads)-1, 0), c.now // saw leaves out what was read right before
	evaluate()
	if c.records {
		s.begun, s.reads = begun, c.keep(s.reads, c.reads[before:])
	}
}

// begin begins to evaluate a statement. It reports false if that would change nothing.
func (c *flowClock) begin(s *statementState) bool {
	if s.stands() {
		return false
	}
	c.reads, s.begun = c.reads[:0], c.now
	return true
}

// end ends the evaluation of a statement.
func (c *flowClock) end(s *statementState) {
	s.reads = c.keep(s.reads, c.reads)
}

// keep returns a copy of what was read, in the place of an older one if there is room.
func (c *flowClock) keep(old, reads []*int) []*int {
	if len(reads) <= cap(old) {
		return append(old[:0], reads...)
	}
	if len(reads) > len(c.room) {
		c.room = make([]*int, max(len(reads), maxChunk))
	}
	kept := append(c.room[:0:len(reads)], reads...)
	c.room = c.room[len(reads):]
	return kept
}

// saw records that a statement read something.
func (c *flowClock) saw(at *int) {
	if c.records && (len(c.reads) == 0 || c.reads[len(c.reads)-1] != at) {
		c.reads = append(c.reads, at)
	}
}

// flowKey is a variable of the analysis: a name in a function or file, an attribute of
// a class, or a function's result.
type flowKey struct {
	in   *Symbol
	name string
}

type flowSet struct {
	list []flowValue
	at   int         // when it last changed
	of   *allocation // whose elements it holds, or nil
}

// flowValue is one abstract value.
type flowValue struct {
	kind  flowKind
	sym   *Symbol // the function or class
	self  *Symbol // of a function: the class of its bound receiver
	unit  *Unit
	alloc *allocation
	text  string // of a constant; of a container's method its name
}

type flowKind uint8

const (
	flowFunction flowKind = iota + 1
	flowClass
	flowInstance
	flowSuper // the bases of sym, with self as the receiver
	flowModule
	flowContainer
	flowMethod // of a container
	flowConst
)

// allocation is a container that an expression creates.
type allocation struct {
	value [1]flowValue        // itself
	items map[string]*flowSet // by literal key; "" if unknown
	at    int                 // when one of them last changed
}

const (
	maxFlowRounds = 6
	maxFlowValues = 24 // per variable: more say nothing, and they are compared one by one
)

// The variables of a function's results.
const (
	flowReturns = "(return)"
	flowYields  = "(yield)"
)

// newFlow analyses a file until a fixpoint, or for maxFlowRounds.
func newFlow(r *resolver, f *File, facts *extract.Facts) *flow {
	m := &r.flowed
	m.reset()
	w := &flow{r: r, f: f, outer: outerPaths(f.unit), places: m.placeOf,
		heap: heap{memory: m, clock: &flowClock{now: 1}, sets: m.setOf, allocs: map[flowKey]*allocation{}, owns: m.ownOf}}
	in := enclosingFunctionAt(f)
	for i := range facts.Binds {
		if b := &facts.Binds[i]; b.Name == extract.NoteDecorator {
			if at := in(b.Start); at != nil {
				m.decoratorsOf[at] = append(m.decoratorsOf[at], b)
			}
		}
	}
	for _, s := range f.Symbols {
		if c := enclosingType(s); c != nil && s.Kind == "method" {
			if p := m.syntax.paramsOf(s); len(p) > 0 {
				kind := flowInstance
				if p[0] == "cls" {
					kind = flowClass
				}
				w.set(flowKey{s, p[0]}).add(&w.heap, flowValue{kind: kind, sym: c})
			}
		}
	}
	m.states = slices.Grow(m.states[:0], len(f.Symbols)+len(facts.Binds))[:len(f.Symbols)+len(facts.Binds)]
	states := m.states
	w.clock.records = true
	defer func() { w.clock.records = false }()
	for range maxFlowRounds {
		w.changed = false
		for i, s := range f.Symbols {
			if s.Value == "" || s.Kind == "function" || s.Kind == "method" {
				continue
			}
			if !w.clock.begin(&states[i]) {
				continue
			}
			at := in(s.Start)
			key := flowKey{f.Self, s.Name}
			if c := s.Parent; c != nil && c.IsType() {
				key = flowKey{c, "." + s.Name}
			} else if at != nil {
				key = flowKey{at, s.Name}
			}
			w.addAll(key, w.eval(w.memory.syntax.node(s.Value), at))
			w.clock.end(&states[i])
		}
		for i := range facts.Binds {
			b, state := &facts.Binds[i], &states[len(f.Symbols)+i]
			if w.clock.begin(state) {
				w.statement(b, in(b.Start)).run()
				w.clock.end(state)
			}
		}
		if !w.changed {
			break
		}
	}
	return w
}

// outerPaths returns the paths in which a unit has declarations. Few functions are among them.
func outerPaths(u *Unit) map[string]bool {
	out := map[string]bool{}
	for path := range u.byPath {
		if i := strings.LastIndexByte(path, '.'); i >= 0 {
			out[path[:i]] = true
		}
	}
	return out
}

// enclosingFunctionAt returns a lookup of the innermost function around an offset.
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

// sureFlow is the confidence in an edge from the analysis: there may be values that
// this file does not show.
const sureFlow = 0.8

// edges appends the callees that flow to a call. The edges from before on were
// resolved by name.
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
	values := w.eval(w.memory.syntax.node(text), at)
	for _, v := range values {
		switch v.kind {
		case flowFunction, flowClass:
			found = append(found, v.sym)
		case flowInstance:
			found = append(found, w.r.bases.memberOf(v.sym, "__call__", nil)...)
		}
	}
	if len(found) > 0 && guessed && !direct { // the analysis replaces a guess
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
	// Calling a class runs its constructor.
	for _, e := range out[before:] {
		if e.To != nil && e.To.Kind == "class" {
			for _, init := range w.r.bases.memberOf(e.To, "__init__", nil) {
				add(init)
			}
		}
	}
	return out
}

// iterationEdges adds the iterator methods that loops over objects run.
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
		// The iterated expression follows the name, usually on its line.
		n := sort.Search(len(f.Refs), func(i int) bool { return f.Refs[i].Start >= b.Start })
		if n == len(f.Refs) {
			continue
		}
		for _, v := range w.eval(w.memory.syntax.node(b.Value), at) {
			for _, m := range w.iteratorMethods(v) {
				out = append(out, Edge{From: from, To: m, Kind: extract.RefCall, Line: f.Refs[n].Line, Sure: sureFlow})
			}
		}
	}
	return out
}
