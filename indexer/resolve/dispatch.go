package resolve

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"manicule/indexer/fault"
)

// Dispatch returns pairs of methods, each with a method that it overrides or
// implements: by declared bases, and in Go by method sets. A type whose analysis fails
// is omitted; faults says in which files.
func (t *Table) Dispatch() (out [][2]Node, faults map[string]error) {
	_ = t.Fill() // Unread tells
	r := newResolver(t)
	faults = map[string]error{}
	note := func(f *File, err error) {
		if err != nil { // the resolver's state is inconsistent after a panic
			r, faults[f.Path] = newResolver(t), err
		}
	}
	for _, key := range slices.Sorted(maps.Keys(t.units)) {
		u := t.units[key]
		for _, p := range slices.Sorted(maps.Keys(u.supers)) {
			if u.crowded[p] != nil { // all its types have the same members
				if s := u.crowded[p].list[0]; s.File.Lang != "go" {
					found, err := catchPanic(func() [][2]Node { return r.bases.crowdedOverrides(nil, u.decls(p)) })
					note(s.File, err)
					out = append(out, found...)
				}
				continue
			}
			for _, s := range u.byPath[p] {
				if s.IsType() && s.File.Lang != "go" {
					found, err := catchPanic(func() [][2]Node { return r.bases.overrides(nil, s) })
					note(s.File, err)
					out = append(out, found...)
				}
			}
		}
	}
	out = append(out, t.implementations(func(s *Symbol, f func(*resolver)) {
		_, err := catchPanic(func() bool { f(r); return true })
		note(s.File, err)
	})...)
	return out, faults
}

// catchPanic turns a panic into an error.
func catchPanic[T any](f func() T) (out T, err error) {
	defer fault.Catch(&err)
	return f(), nil
}

// overrides pairs the methods of a type with those of its bases.
func (h *hierarchy) overrides(out [][2]Node, s *Symbol) [][2]Node {
	for _, m := range s.File.unit.members[s.Path] {
		if m.Kind != "method" && m.Kind != "function" || isConstructor(m.Name) {
			continue
		}
		seen := map[*Symbol]bool{s: true}
		for _, base := range h.baseTypes(s) {
			for _, b := range h.memberOf(base, m.Name, seen) {
				if b != m && !onlyAsync(m, b) && (b.Kind == "method" || b.Kind == "function" || b.Kind == "field") {
					out = append(out, [2]Node{m.Node(), b.Node()})
				}
			}
		}
	}
	return out
}

// crowdedOverrides pairs the methods of types that many files declare under one name,
// as tests and examples do. Pairs of all with all would be too many, and wrong: a method
// is paired with those of its own file, or if there is none with as many as a use has.
func (h *hierarchy) crowdedOverrides(out [][2]Node, types []*Symbol) [][2]Node {
	i := slices.IndexFunc(types, (*Symbol).IsType)
	if i < 0 {
		return out
	}
	s := types[i]
	type place struct {
		unit *Unit
		path string
	}
	for _, m := range s.File.unit.members[s.Path] {
		if m.Kind != "method" && m.Kind != "function" || isConstructor(m.Name) {
			continue
		}
		tried := map[place]bool{}
		for _, base := range h.baseTypes(s) {
			if at := (place{base.File.unit, base.Path}); tried[at] {
				continue
			} else {
				tried[at] = true
			}
			found := h.memberOf(base, m.Name, map[*Symbol]bool{s: true})
			if len(found) == 0 {
				continue
			}
			found = found[0].File.unit.declsNear(found[0].Path, m.File)
			if found[0].File == m.File {
				found = slices.DeleteFunc(slices.Clone(found), func(b *Symbol) bool { return b.File != m.File })
			}
			for _, b := range found[:min(len(found), maxCandidates)] {
				if b != m && !onlyAsync(m, b) && (b.Kind == "method" || b.Kind == "function" || b.Kind == "field") {
					out = append(out, [2]Node{m.Node(), b.Node()})
				}
			}
		}
	}
	return out
}

// onlyAsync reports whether a Swift function can't override another because only it is
// async: it is an overload.
func onlyAsync(m, b *Symbol) bool {
	async := func(s *Symbol) bool { return strings.Contains(s.Sig, ") async") }
	return m.File.Lang == "swift" && async(m) && !async(b)
}

func isConstructor(name string) bool { return name == "constructor" || name == "__init__" }

// methodSet returns the methods of a Go type by name, promoted ones included.
func (h *hierarchy) methodSet(s *Symbol, seen map[*Symbol]bool) map[string]*Symbol {
	if seen[s] || len(seen) > maxBases {
		return nil
	}
	seen[s] = true
	out := map[string]*Symbol{}
	for _, base := range h.baseTypes(s) {
		for name, m := range h.methodSet(base, seen) {
			out[name] = m
		}
	}
	for _, m := range s.File.unit.members[s.Path] {
		if m.Kind == "method" {
			out[m.Name] = m
		}
	}
	return out
}

// implementations pairs the methods of Go types with those of the interfaces that they
// implement: a type must have all of an interface's methods, with the same number of
// parameters. Work on one type runs in at, so that a fault there does not end the
// rest.
func (t *Table) implementations(at func(s *Symbol, f func(*resolver))) [][2]Node {
	sets := map[*Symbol]map[string]*Symbol{}
	set := func(s *Symbol) map[string]*Symbol {
		m, ok := sets[s]
		if !ok {
			at(s, func(r *resolver) { m = r.bases.methodSet(s, map[*Symbol]bool{}) })
			sets[s] = m
		}
		return m
	}
	interfaces, embedders := t.goInterfaces(), t.goEmbedders(at)
	var out [][2]Node
	for _, i := range interfaces {
		wanted := set(i)
		if len(wanted) == 0 {
			continue
		}
		names := slices.Sorted(maps.Keys(wanted))
		for _, s := range t.withRarest(names, embedders) {
			if s == i {
				continue
			}
			have := set(s)
			at(s, func(*resolver) { out = addImplementations(out, have, wanted, names) })
		}
	}
	return out
}

// goUnits are the Go packages, in the order of their names.
func (t *Table) goUnits() []*Unit {
	var out []*Unit
	for _, key := range slices.Sorted(maps.Keys(t.units)) {
		if strings.HasPrefix(key, "go:") {
			out = append(out, t.units[key])
		}
	}
	return out
}

func (t *Table) goInterfaces() []*Symbol {
	var out []*Symbol
	for _, u := range t.goUnits() {
		for _, f := range u.Files {
			for _, s := range f.Symbols {
				if s.Kind == "interface" {
					out = append(out, s)
				}
			}
		}
	}
	return out
}

// goEmbedders lists for each type those that embed it, which have its methods: without
// them a promoted method would not make its holder a candidate.
func (t *Table) goEmbedders(at func(s *Symbol, f func(*resolver))) map[*Symbol][]*Symbol {
	out := map[*Symbol][]*Symbol{}
	for _, u := range t.goUnits() {
		for _, p := range slices.Sorted(maps.Keys(u.supers)) {
			for _, s := range u.byPath[p] {
				at(s, func(r *resolver) {
					for _, base := range r.bases.baseTypes(s) {
						out[base] = append(out[base], s)
					}
				})
			}
		}
	}
	return out
}

// withRarest lists the types that have the rarest of some methods, also by embedding
// another (a type that embeds the interface itself may redefine some of its methods).
func (t *Table) withRarest(names []string, embedders map[*Symbol][]*Symbol) []*Symbol {
	rarest := slices.MinFunc(names, func(a, b string) int { return cmp.Compare(len(t.methods["go\x00"+a]), len(t.methods["go\x00"+b])) })
	var out []*Symbol
	tried := map[*Symbol]bool{}
	for _, m := range t.methods["go\x00"+rarest] {
		waiting := []*Symbol{enclosingType(m)}
		for len(waiting) > 0 {
			s := waiting[len(waiting)-1]
			waiting = waiting[:len(waiting)-1]
			if s == nil || tried[s] {
				continue
			}
			tried[s] = true
			out = append(out, s)
			for _, e := range slices.Backward(embedders[s]) {
				waiting = append(waiting, e)
			}
		}
	}
	return out
}

// addImplementations pairs the methods of a type, or of another interface, with those
// of an interface that it implements.
func addImplementations(out [][2]Node, have, wanted map[string]*Symbol, names []string) [][2]Node {
	if !implements(have, wanted) {
		return out
	}
	for _, n := range names {
		if have[n] == wanted[n] {
			continue
		}
		// Files for other systems may declare it again.
		for _, h := range have[n].File.unit.byPath[have[n].Path] {
			if h.Kind == "method" {
				out = append(out, [2]Node{h.Node(), wanted[n].Node()})
			}
		}
	}
	return out
}
