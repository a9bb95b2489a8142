package resolve

import (
	"slices"
	"strings"
)

// hierarchy knows the bases of types, and finds members in a type and in its bases. It keeps what it finds.
type hierarchy struct {
	r         *resolver // of the types that are written as bases
	direct    map[*Symbol][]*Symbol
	orders    map[*Symbol][]*Symbol       // of bases, for Python's classes with several
	finding   int                         // bases that are being found: what is known of them is not whole
	found     map[memberKey][]*Symbol     // inherited members, as the current file asked for them
	aliased   int                         // how many aliases were resolved
	expanding map[*Symbol]bool            // aliases being resolved, to stop cycles
	shared    map[reexportQuery][]*Symbol // bases of types that many files declare
}

func newHierarchy(r *resolver) *hierarchy {
	return &hierarchy{r: r, direct: map[*Symbol][]*Symbol{}, orders: map[*Symbol][]*Symbol{}, expanding: map[*Symbol]bool{}, shared: map[reexportQuery][]*Symbol{}}
}

// maxBases bounds how many types a member lookup visits.
const maxBases = 64

// memberOf finds the declarations of a member: in the type, then in its bases. seen holds the types that
// the lookup has been in; it is nil for the first.
func (h *hierarchy) memberOf(s *Symbol, name string, seen map[*Symbol]bool) []*Symbol {
	if seen[s] || len(seen) > maxBases {
		return nil
	}
	if seen != nil {
		seen[s] = true
	}
	if found := s.File.unit.declsIn(s.Path, name); found != nil {
		return found
	}
	if seen != nil { // most members are of the type itself
		return h.inherited(s, name, seen)
	}
	key := memberKey{s, name}
	if h.finding == 0 {
		if found, ok := h.found[key]; ok {
			return found
		}
	}
	before := h.aliased
	found := h.inherited(s, name, map[*Symbol]bool{s: true})
	if h.finding == 0 && h.aliased == before && h.found != nil {
		h.found[key] = found
	}
	return found
}

// memberKey is a member that is looked for in the bases of a type. What is found is the same
// each time, unless an alias is among them: it means nothing while it is being resolved.
type memberKey struct {
	of   *Symbol
	name string
}

// inherited is memberOf for a type that does not declare the member itself.
func (h *hierarchy) inherited(s *Symbol, name string, seen map[*Symbol]bool) []*Symbol {
	if order := h.baseOrder(s); order != nil {
		for _, base := range order {
			if seen[base] {
				continue
			}
			seen[base] = true
			if found := base.File.unit.declsIn(base.Path, name); found != nil {
				return found
			}
		}
		return nil
	}
	for _, base := range h.baseTypes(s) {
		if found := h.memberOf(base, name, seen); found != nil {
			return found
		}
	}
	if s.Kind == "type" && s.Type != "" && s.File.Lang != "go" || s.Kind == "type" && s.File.Lang == "go" && strings.HasPrefix(s.Type, "interface") {
		h.aliased++
		if h.expanding[s] { // resolving the base looks up a name among its own members, which would recurse
			return nil
		}
		h.expanding[s] = true
		t := h.r.in(s.File, s).parseType(s.Type)
		delete(h.expanding, s)
		if t.kind == instance && t.sym != s {
			return h.memberOf(t.sym, name, seen)
		}
	}
	return nil
}

// baseOrder returns the order in which a Python class with several bases searches them:
// depth first, each as late as it occurs, so that a class comes before its own base. It
// returns nil for other types.
func (h *hierarchy) baseOrder(s *Symbol) []*Symbol {
	if !s.File.python() || len(h.baseTypes(s)) < 2 {
		return nil
	}
	if out, ok := h.orders[s]; ok {
		return out
	}
	var all []*Symbol
	var visit func(*Symbol, int)
	visit = func(c *Symbol, depth int) {
		for _, base := range h.baseTypes(c) {
			if len(all) > maxBases || depth > maxBases {
				return
			}
			all = append(all, base)
			visit(base, depth+1)
		}
	}
	visit(s, 0)
	out := all[:0:0]
	for i, c := range all {
		if !slices.Contains(all[i+1:], c) {
			out = append(out, c)
		}
	}
	if h.finding == 0 {
		h.orders[s] = out
	}
	return out
}

// baseTypes returns the bases of a type in the workspace.
func (h *hierarchy) baseTypes(s *Symbol) []*Symbol {
	if u := s.File.unit; u.crowded != nil && len(u.supers[s.Path]) > manyHere {
		return h.sharedBases(s)
	}
	if out, ok := h.direct[s]; ok {
		return out
	}
	h.direct[s] = nil // a base that leads back here
	h.finding++
	defer func() { h.finding-- }()
	var out []*Symbol
	for _, base := range s.File.unit.supers[s.Path] {
		if t := h.r.in(base.file, base.decl.Parent).parseType(base.written()); t.kind == instance && t.sym != s {
			out = append(out, t.sym)
		}
	}
	h.direct[s] = out
	return out
}

// sharedBases is baseTypes for a path at which many files declare a type. Its bases are
// found once for all of them, each is named once, and no more than a lookup visits.
func (h *hierarchy) sharedBases(s *Symbol) []*Symbol {
	key := reexportQuery{s.File.unit, s.Path}
	all, ok := h.shared[key]
	if !ok {
		h.shared[key] = nil // a base that leads back here
		h.finding++
		seen := map[*Symbol]bool{}
		for _, base := range s.File.unit.supers[s.Path] {
			if t := h.r.in(base.file, base.decl.Parent).parseType(base.written()); t.kind == instance && !seen[t.sym] {
				seen[t.sym] = true
				if all = append(all, t.sym); len(all) > maxBases+1 {
					break
				}
			}
		}
		h.shared[key] = all
		h.finding--
	}
	i := slices.Index(all, s)
	if i < 0 {
		return all
	}
	return slices.Concat(all[:i], all[i+1:])
}

// embeddedField returns the field of a Go struct that is named after its type.
func (h *hierarchy) embeddedField(t typ, name string) (typ, bool) {
	if t.kind != instance || t.sym.File.Lang != "go" {
		return typ{}, false
	}
	return h.embeddedIn(t.sym, name, map[*Symbol]bool{})
}

func (h *hierarchy) embeddedIn(s *Symbol, name string, seen map[*Symbol]bool) (typ, bool) {
	if seen[s] || len(seen) > 64 {
		return typ{}, false
	}
	seen[s] = true
	for _, base := range s.File.unit.supers[s.Path] {
		if base.name == name {
			return h.r.in(base.file, base.decl).parseType(base.written()), true
		}
	}
	for _, base := range h.baseTypes(s) {
		if t, ok := h.embeddedIn(base, name, seen); ok {
			return t, true
		}
	}
	return typ{}, false
}
