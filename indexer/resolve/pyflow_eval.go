package resolve

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// returned returns the results of a function: from this file's return statements, from
// its written type, or from the stored expression of another file.
func (w *flow) returned(s *Symbol) []flowValue {
	if s.File == w.f {
		out := w.values(flowKey{s, flowReturns})
		if y := w.values(flowKey{s, flowYields}); len(y) > 0 {
			box := w.allocOf(flowKey{s, flowYields})
			box.set("").addAll(&w.heap, y)
			out = append(out[:len(out):len(out)], box.value[:]...)
		}
		if len(out) > 0 {
			return out
		}
	}
	if s.Type != "" {
		if t := w.r.resultType(s); t.kind == instance {
			return []flowValue{{kind: flowInstance, sym: t.sym}}
		}
		return nil
	}
	if s.File != w.f && s.Value != "" {
		return w.evalForeign(s)
	}
	return nil
}

// foreignKey is an evaluation of a symbol of another file. The deeper it begins, the sooner it
// ends.
type foreignKey struct {
	of    *Symbol
	depth int
}

// foreignValue is what an evaluation found, and what it relied on.
type foreignValue struct {
	statementState
	values []flowValue
}

// evalForeign evaluates the value or result of a symbol of another file, unless that would
// find what it found before.
func (w *flow) evalForeign(s *Symbol) []flowValue {
	if w.depth++; w.depth > maxFlowRounds {
		w.depth--
		return nil
	}
	defer func() { w.depth-- }()
	key := foreignKey{s, w.depth}
	known := w.memory.foreignValues[key]
	if known == nil {
		known = &foreignValue{}
		w.memory.foreignValues[key] = known
	}
	w.clock.within(&known.statementState, func() { known.values = w.evalAnew(s) })
	return known.values[:len(known.values):len(known.values)]
}

func (w *flow) evalAnew(s *Symbol) []flowValue {
	other := &flow{r: w.r, f: s.File, depth: w.depth, args: w.args[len(w.args):],
		heap: heap{memory: w.memory, clock: w.clock, sets: map[flowKey]*flowSet{}, allocs: w.allocs, foreign: true}}
	at := s
	if s.Kind != "function" && s.Kind != "method" {
		at = outerFunction(s)
	} else if c := enclosingType(s); c != nil {
		if p := w.memory.syntax.paramsOf(s); len(p) > 0 {
			other.set(flowKey{s, p[0]}).add(&other.heap, flowValue{kind: flowInstance, sym: c})
		}
	}
	return other.eval(w.memory.syntax.node(s.Value), at)
}

// eval returns the possible values of an expression in a function, or in the file if
// at is nil. They may be those of a variable: nothing is appended to them.
func (w *flow) eval(x *pyNode, at *Symbol) []flowValue {
	if x == nil {
		return nil
	}
	switch x.op {
	case pyName:
		return w.lookupName(x.text, at)
	case pyConst:
		if x.constant == nil {
			x.constant = &[1]flowValue{{kind: flowConst, text: x.text}}
		}
		return x.constant[:]
	case pyMember:
		of := w.eval(x.x, at)
		if len(of) == 1 {
			return w.member(of[0], x.text)
		}
		var out []flowValue
		for _, v := range of {
			out = append(out, w.member(v, x.text)...)
		}
		return out
	case pyCall:
		return w.call(x, at)
	case pyIndex:
		return w.elementsAt(w.eval(x.x, at), w.constantKeys(x.index, at)...)
	case pySlice:
		return w.slice(x, at)
	case pyOr:
		var out []flowValue
		for _, i := range x.items {
			out = append(out, w.eval(i, at)...)
		}
		return out
	case pyList, pyDict, pyEach:
		key := flowKey{at, x.render()}
		if at == nil {
			key.in = w.f.Self
		}
		box := w.allocOf(key)
		for n, i := range x.items {
			name := strconv.Itoa(n)
			switch x.op {
			case pyDict:
				name = x.keys[n]
			case pyEach:
				name = ""
			}
			box.set(name).addAll(&w.heap, w.eval(i, at))
		}
		return box.value[:]
	}
	return nil
}

// slice returns a part of a container, whose elements have other indices there.
func (w *flow) slice(x *pyNode, at *Symbol) []flowValue {
	key := flowKey{at, x.render() + x.keys[0]}
	if at == nil {
		key.in = w.f.Self
	}
	from, err := strconv.Atoi(x.text)
	if err != nil {
		return w.eval(x.x, at)
	}
	to, err := strconv.Atoi(x.keys[0])
	if err != nil {
		to = math.MaxInt
	}
	box := w.allocOf(key)
	for _, v := range w.eval(x.x, at) {
		if v.kind != flowContainer || v.alloc == box {
			continue
		}
		w.clock.saw(&v.alloc.at)
		for _, k := range slices.Sorted(maps.Keys(v.alloc.items)) {
			name, n := k, 0
			if k != "" {
				if n, err = strconv.Atoi(k); err != nil || n < from || n >= to {
					continue
				}
				name = strconv.Itoa(n - from)
			}
			box.set(name).addAll(&w.heap, v.alloc.items[k].list)
		}
	}
	return box.value[:]
}

// render returns an expression as text: equal texts in one place denote the same
// container.
func (x *pyNode) render() string {
	if x == nil {
		return ""
	}
	if x.rendered == "" {
		x.rendered = x.asText()
	}
	return x.rendered
}

func (x *pyNode) asText() string {
	var b strings.Builder
	b.WriteString(strconv.Itoa(int(x.op)) + x.text + "(" + x.x.render())
	for i, item := range x.items {
		if i < len(x.keys) {
			b.WriteString(x.keys[i] + ":")
		}
		b.WriteString(item.render() + ",")
	}
	b.WriteString(x.index.render() + ")")
	return b.String()
}

// place is where the values of a name in a function are looked for, or nil where that takes more: in a foreign flow, whose
// variables are gone with it, and in functions that have declarations.
type place struct {
	sets      []*flowSet  // of variables, the innermost first
	few       [2]*flowSet // nearly always all of them
	parameter bool        // it means nothing else
	outside   bool        // that is known: static and values
	static    bool        // what it means outside of functions has the same values always
	values    []flowValue
}

// placeOf returns the place of a name.
func (w *flow) placeOf(name string, at *Symbol) *place {
	if w.foreign {
		return nil
	}
	key := flowKey{at, name}
	p, ok := w.places[key]
	if !ok {
		p = w.findPlace(name, at)
		w.places[key] = p
	}
	return p
}

func (w *flow) findPlace(name string, at *Symbol) *place {
	p := w.memory.places.add(place{})
	p.sets = p.few[:0]
	for s := at; s != nil; s = s.Parent {
		if s.Kind != "function" && s.Kind != "method" {
			continue
		}
		if w.outer[s.Path] {
			return nil
		}
		p.sets = append(p.sets, w.set(flowKey{s, name}))
		if p.parameter = slices.Contains(w.memory.syntax.paramsOf(s), name); p.parameter {
			return p
		}
	}
	p.sets = append(p.sets, w.set(flowKey{w.f.Self, name}))
	return p
}

// lookupName returns the possible values of a name.
func (w *flow) lookupName(name string, at *Symbol) []flowValue {
	p := w.placeOf(name, at)
	if p == nil {
		return w.searchName(name, at)
	}
	for _, s := range p.sets {
		if v := w.heldBy(s); len(v) > 0 {
			return v
		}
	}
	if p.parameter {
		return nil
	}
	if !p.outside {
		p.outside = true
		if p.static = w.alwaysSame(name); p.static {
			p.values = slices.Clip(w.lookupOutside(name))
		}
	}
	if p.static {
		return p.values
	}
	return w.lookupOutside(name)
}

// alwaysSame reports whether all that a name may mean outside of functions is declared without a value of other files.
func (w *flow) alwaysSame(name string) bool {
	evaluated := func(s *Symbol) bool {
		return s.Kind != "function" && s.Kind != "method" && !s.IsType() && s.File != w.f && s.Value != ""
	}
	if slices.ContainsFunc(w.f.unit.byPath[name], evaluated) {
		return false
	}
	t, ok := w.r.lookupImport(name, w.f)
	return !ok || t.unit != nil || !slices.ContainsFunc(t.symbols, evaluated)
}

// searchName is lookupName for a name without a place.
func (w *flow) searchName(name string, at *Symbol) []flowValue {
	for s := at; s != nil; s = s.Parent {
		if s.Kind != "function" && s.Kind != "method" {
			continue
		}
		if v := w.values(flowKey{s, name}); len(v) > 0 {
			return v
		}
		if w.foreign || w.outer[s.Path] {
			if found := w.valuesOf(sameFileFirst(w.f.unit.byPath[s.Path+"."+name], w.f)); len(found) > 0 {
				return found
			}
		}
		for _, p := range w.memory.syntax.paramsOf(s) {
			if p == name {
				return nil
			}
		}
	}
	if v := w.values(flowKey{w.f.Self, name}); len(v) > 0 {
		return v
	}
	return w.lookupOutside(name)
}

// lookupOutside returns the values that a name has by a declaration or an import.
func (w *flow) lookupOutside(name string) []flowValue {
	if found := w.valuesOf(sameFileFirst(w.f.unit.byPath[name], w.f)); len(found) > 0 {
		return found
	}
	if t, ok := w.r.lookupImport(name, w.f); ok {
		if t.unit != nil {
			return []flowValue{{kind: flowModule, unit: t.unit}}
		}
		return w.valuesOf(t.symbols)
	}
	return nil
}

// valuesOf returns the values of symbols.
func (w *flow) valuesOf(all []*Symbol) []flowValue {
	var out []flowValue
	for _, s := range all {
		switch {
		case s.Kind == "function" || s.Kind == "method":
			out = append(out, flowValue{kind: flowFunction, sym: s})
		case s.IsType():
			out = append(out, flowValue{kind: flowClass, sym: s})
		case s.File != w.f && s.Value != "":
			out = append(out, w.evalForeign(s)...)
		}
	}
	return out
}

// member returns the values of an attribute, whose name stands behind a dot.
func (w *flow) member(v flowValue, attribute string) []flowValue {
	name := attribute[1:]
	switch v.kind {
	case flowInstance, flowClass:
		return w.memberOf(v, v.sym, attribute, nil)
	case flowSuper:
		for _, base := range w.r.bases.baseTypes(v.sym) {
			if found := w.memberOf(flowValue{kind: flowInstance, sym: v.self}, base, attribute, nil); len(found) > 0 {
				return found
			}
		}
	case flowModule:
		for _, f := range v.unit.Files {
			if f == w.f {
				if found := w.values(flowKey{f.Self, name}); len(found) > 0 {
					return found
				}
			}
		}
		return w.valuesOf(w.r.member(typ{kind: module, unit: v.unit}, name))
	case flowContainer:
		return []flowValue{{kind: flowMethod, alloc: v.alloc, text: name}}
	}
	return nil
}

func (w *flow) memberOf(v flowValue, s *Symbol, attribute string, seen map[*Symbol]bool) []flowValue {
	if seen[s] || len(seen) > 64 {
		return nil
	}
	if seen != nil {
		seen[s] = true
	}
	if out := w.ownMember(v, s, attribute); len(out) > 0 {
		return out
	}
	if order := w.r.bases.baseOrder(s); order != nil {
		for _, base := range order { // which has each of them once
			if base == s || seen[base] {
				continue
			}
			if seen != nil {
				seen[base] = true
			}
			if found := w.ownMember(v, base, attribute); len(found) > 0 {
				return found
			}
		}
		return nil
	}
	bases := w.r.bases.baseTypes(s)
	if seen == nil && len(bases) > 0 { // most members are of the class itself
		seen = map[*Symbol]bool{s: true}
	}
	for _, base := range bases {
		if found := w.memberOf(v, base, attribute, seen); len(found) > 0 {
			return found
		}
	}
	return nil
}

// ownMember returns the values of an attribute that a class itself has.
func (w *flow) ownMember(v flowValue, s *Symbol, attribute string) []flowValue {
	own := w.ownOf(s, attribute)
	out := w.heldBy(own.held)
	out = out[:len(out):len(out)]
	self := v.sym
	if v.kind != flowInstance {
		self = nil
	}
	for _, m := range own.declared {
		switch {
		case m.Kind == "method" || m.Kind == "function":
			if len(out) == 0 && len(own.declared) == 1 { // nearly always
				if own.method == nil || own.method[0].self != self {
					own.method = &[1]flowValue{{kind: flowFunction, sym: m, self: self}}
				}
				return own.method[:]
			}
			out = append(out, flowValue{kind: flowFunction, sym: m, self: self})
		case m.IsType():
			out = append(out, flowValue{kind: flowClass, sym: m})
		case m.File != w.f && m.Value != "":
			out = append(out, w.evalForeign(m)...)
		}
	}
	return out
}

// call passes the arguments of a call to its callees, and returns the results.
func (w *flow) call(x *pyNode, at *Symbol) []flowValue {
	if w.depth++; w.depth > maxDepth {
		w.depth--
		return nil
	}
	before := len(w.args)
	defer func() { w.depth, w.args = w.depth-1, w.args[:before] }()
	if x.x.op == pyName && x.x.text == "super" {
		if c := enclosingType(at); c != nil {
			return []flowValue{{kind: flowSuper, sym: c, self: c}}
		}
		return nil
	}
	for _, a := range x.items {
		values := w.eval(a, at)
		w.args = append(w.args, values)
	}
	args := w.args[before:]
	callees := w.eval(x.x, at)
	if len(callees) == 1 {
		return w.applyValue(callees[0], args, x.keys)
	}
	var out []flowValue
	for _, callee := range callees {
		out = append(out, w.applyValue(callee, args, x.keys)...)
	}
	return out
}

// applyValue calls one value.
func (w *flow) applyValue(callee flowValue, args [][]flowValue, keys []string) []flowValue {
	switch callee.kind {
	case flowFunction:
		w.bindArguments(callee.sym, callee.self, args, keys)
		return w.returned(callee.sym)
	case flowClass:
		if init := w.r.bases.memberOf(callee.sym, "__init__", nil); len(init) > 0 {
			w.bindArguments(init[0], callee.sym, args, keys)
		}
		return []flowValue{{kind: flowInstance, sym: callee.sym}}
	case flowInstance:
		if m := w.r.bases.memberOf(callee.sym, "__call__", nil); len(m) > 0 {
			w.bindArguments(m[0], callee.sym, args, keys)
			return w.returned(m[0])
		}
	case flowMethod:
		return w.containerMethod(callee, args)
	}
	return nil
}

// constantKeys returns the possible literal keys of an expression; "" if unknown.
func (w *flow) constantKeys(x *pyNode, at *Symbol) []string {
	var keys []string
	for _, v := range w.eval(x, at) {
		if v.kind == flowConst {
			keys = append(keys, v.text)
		}
	}
	if keys == nil {
		keys = []string{""}
	}
	return keys
}

// iterated returns what a loop over values yields.
func (w *flow) iterated(values []flowValue) []flowValue {
	out := w.elementsAt(values, "")
	for _, v := range values {
		for _, m := range w.iteratorMethods(v) {
			if m.Name == "__next__" {
				out = append(out, w.returned(m)...)
			}
		}
	}
	return out
}

// iteratorMethods returns the methods that a loop over an object runs.
func (w *flow) iteratorMethods(v flowValue) []*Symbol {
	if v.kind != flowInstance {
		return nil
	}
	iter := w.r.bases.memberOf(v.sym, "__iter__", nil)
	if len(iter) == 0 {
		return nil
	}
	out := iter[:1:1]
	own := false
	for _, g := range w.returned(iter[0]) {
		if g.kind == flowInstance {
			own = true
			if next := w.r.bases.memberOf(g.sym, "__next__", nil); len(next) > 0 {
				out = append(out, next[0])
			}
		}
	}
	if !own {
		if next := w.r.bases.memberOf(v.sym, "__next__", nil); len(next) > 0 {
			out = append(out, next[0])
		}
	}
	return out
}
