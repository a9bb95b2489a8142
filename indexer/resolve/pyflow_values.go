package resolve

import (
	"maps"
	"slices"
)

func (w *flow) node(s string) *pyNode {
	x, ok := w.nodes[s]
	if !ok {
		x = w.memory.parser.parse(s, 0)
		w.nodes[s] = x
	}
	return x
}

func (w *flow) set(k flowKey) *flowSet {
	s := w.sets[k]
	if s == nil {
		s = w.memory.sets.add(flowSet{})
		w.sets[k] = s
	}
	return s
}

func (w *flow) values(k flowKey) []flowValue {
	s := w.sets[k]
	if s == nil && w.clock.records && !w.foreign { // it may get values later
		s = w.set(k)
	}
	return w.heldBy(s)
}

// heldBy returns the values of a variable, none of nil.
func (w *flow) heldBy(s *flowSet) []flowValue {
	if s == nil {
		return nil
	}
	if !w.foreign {
		w.clock.saw(&s.at)
	}
	return s.list
}

// own is where the values of an attribute that a class itself has are looked for.
type own struct {
	held     *flowSet // what was assigned; may be nil in a foreign flow
	declared []*Symbol
	method   *[1]flowValue // as it was last asked for, nil before
}

// ownOf returns where the values of an attribute are.
func (w *flow) ownOf(s *Symbol, attribute string) *own {
	key := flowKey{s, attribute}
	if w.foreign {
		return &own{w.sets[key], s.File.unit.byPath[s.Path+attribute], nil}
	}
	o := w.owns[key]
	if o == nil {
		o = w.memory.owns.add(own{w.set(key), s.File.unit.byPath[s.Path+attribute], nil})
		w.owns[key] = o
	}
	return o
}

func (w *flow) addAll(k flowKey, values []flowValue) {
	if len(values) > 0 {
		w.set(k).addAll(w, values)
	}
}

func (s *flowSet) addAll(w *flow, values []flowValue) {
	for _, v := range values {
		s.add(w, v)
	}
}

func (s *flowSet) add(w *flow, v flowValue) {
	if len(s.list) >= maxFlowValues || slices.Contains(s.list, v) {
		return
	}
	s.list = append(s.list, v)
	w.changed = true
	w.clock.now++
	s.at = w.clock.now
	if s.of != nil {
		s.of.at = w.clock.now
	}
}

func (b *allocation) set(key string) *flowSet {
	s := b.items[key]
	if s == nil {
		s = &flowSet{of: b}
		b.items[key] = s
	}
	return s
}

// appendAll appends the elements of a container under any key, by the order of keys.
func (b *allocation) appendAll(out []flowValue) []flowValue {
	for _, k := range slices.Sorted(maps.Keys(b.items)) {
		out = append(out, b.items[k].list...)
	}
	return out
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

// elementsAt returns the elements of containers under the given keys. As those of eval, they may be those of
// a container.
func (w *flow) elementsAt(values []flowValue, keys ...string) []flowValue {
	var only []flowValue
	n, lists := 0, 0
	count := func(s *flowSet) {
		if s != nil && len(s.list) > 0 {
			only, n, lists = s.list, n+len(s.list), lists+1
		}
	}
	for _, v := range values {
		if v.kind != flowContainer {
			continue
		}
		w.clock.saw(&v.alloc.at)
		for _, k := range keys {
			if k != "" {
				count(v.alloc.items[k])
				count(v.alloc.items[""])
				continue
			}
			for _, s := range v.alloc.items {
				count(s)
			}
		}
	}
	if lists <= 1 {
		return only[:n:n]
	}
	out := make([]flowValue, 0, n) // growing it took a tenth of what the index of a large project allocates
	for _, v := range values {
		if v.kind != flowContainer {
			continue
		}
		for _, k := range keys {
			if k == "" {
				out = v.alloc.appendAll(out)
				continue
			}
			for _, key := range [...]string{k, ""} {
				if s := v.alloc.items[key]; s != nil {
					out = append(out, s.list...)
				}
			}
		}
	}
	return out
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

func (w *flow) allocOf(k flowKey) *allocation {
	b := w.allocs[k]
	if b == nil {
		b = &allocation{items: map[string]*flowSet{}}
		b.value[0] = flowValue{kind: flowContainer, alloc: b}
		w.allocs[k] = b
	}
	return b
}

// containerMethod models the methods of lists and dicts.
func (w *flow) containerMethod(m flowValue, args [][]flowValue) []flowValue {
	self := m.alloc.value[:]
	switch m.text {
	case "append", "add", "insert", "appendleft":
		if len(args) > 0 {
			m.alloc.set("").addAll(w, args[len(args)-1])
		}
	case "update", "extend":
		for _, a := range args {
			for _, v := range a {
				if v.kind != flowContainer || v.alloc == m.alloc {
					continue
				}
				w.clock.saw(&v.alloc.at)
				for _, k := range slices.Sorted(maps.Keys(v.alloc.items)) {
					m.alloc.set(k).addAll(w, v.alloc.items[k].list)
				}
			}
		}
	case "get", "pop", "setdefault":
		keys := []string{""}
		if len(args) > 0 {
			keys = nil
			for _, v := range args[0] {
				if v.kind == flowConst {
					keys = append(keys, v.text)
				}
			}
			if keys == nil {
				keys = []string{""}
			}
		}
		out := w.elementsAt(self, keys...)
		if len(args) > 1 {
			out = append(out, args[1]...)
		}
		return out
	case "values", "copy":
		return self
	}
	return nil
}
