package resolve

import (
	"maps"
	"slices"
)

// heap is what the variables and containers of an analysis hold.
type heap struct {
	memory  *flowMemory
	clock   *flowClock
	sets    map[flowKey]*flowSet
	allocs  map[flowKey]*allocation
	owns    map[flowKey]*own // where attributes are looked for, unless foreign
	changed bool             // since the round began
	foreign bool             // of another file: its variables are gone with the expression
}

func (h *heap) set(k flowKey) *flowSet {
	s := h.sets[k]
	if s == nil {
		s = h.memory.sets.add(flowSet{})
		h.sets[k] = s
	}
	return s
}

func (h *heap) values(k flowKey) []flowValue {
	s := h.sets[k]
	if s == nil && h.clock.records && !h.foreign { // it may get values later
		s = h.set(k)
	}
	return h.heldBy(s)
}

// heldBy returns the values of a variable, none of nil.
func (h *heap) heldBy(s *flowSet) []flowValue {
	if s == nil {
		return nil
	}
	if !h.foreign {
		h.clock.saw(&s.at)
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
func (h *heap) ownOf(s *Symbol, attribute string) *own {
	key := flowKey{s, attribute}
	if h.foreign {
		return &own{h.sets[key], s.File.unit.byPath[s.Path+attribute], nil}
	}
	o := h.owns[key]
	if o == nil {
		o = h.memory.owns.add(own{h.set(key), s.File.unit.byPath[s.Path+attribute], nil})
		h.owns[key] = o
	}
	return o
}

func (h *heap) addAll(k flowKey, values []flowValue) {
	if len(values) > 0 {
		h.set(k).addAll(h, values)
	}
}

func (s *flowSet) addAll(h *heap, values []flowValue) {
	for _, v := range values {
		s.add(h, v)
	}
}

func (s *flowSet) add(h *heap, v flowValue) {
	if len(s.list) >= maxFlowValues || slices.Contains(s.list, v) {
		return
	}
	s.list = append(s.list, v)
	h.changed = true
	h.clock.now++
	s.at = h.clock.now
	if s.of != nil {
		s.of.at = h.clock.now
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

// elementsAt returns the elements of containers under the given keys. As those of eval, they may be those of
// a container.
func (h *heap) elementsAt(values []flowValue, keys ...string) []flowValue {
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
		h.clock.saw(&v.alloc.at)
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

func (h *heap) allocOf(k flowKey) *allocation {
	b := h.allocs[k]
	if b == nil {
		b = &allocation{items: map[string]*flowSet{}}
		b.value[0] = flowValue{kind: flowContainer, alloc: b}
		h.allocs[k] = b
	}
	return b
}

// containerMethod models the methods of lists and dicts.
func (h *heap) containerMethod(m flowValue, args [][]flowValue) []flowValue {
	self := m.alloc.value[:]
	switch m.text {
	case "append", "add", "insert", "appendleft":
		if len(args) > 0 {
			m.alloc.set("").addAll(h, args[len(args)-1])
		}
	case "update", "extend":
		for _, a := range args {
			for _, v := range a {
				if v.kind != flowContainer || v.alloc == m.alloc {
					continue
				}
				h.clock.saw(&v.alloc.at)
				for _, k := range slices.Sorted(maps.Keys(v.alloc.items)) {
					m.alloc.set(k).addAll(h, v.alloc.items[k].list)
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
		out := h.elementsAt(self, keys...)
		if len(args) > 1 {
			out = append(out, args[1]...)
		}
		return out
	case "values", "copy":
		return self
	}
	return nil
}
