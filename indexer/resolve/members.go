package resolve

import (
	"slices"
	"strings"
)

// namedUnit returns the unit whose full name is written.
func (r *resolver) namedUnit(x *expr, f *File) *Unit {
	name := x.name
	for x = x.x; x != nil && x.op == opMember; x = x.x {
		name = x.name + "." + name
	}
	if x == nil || x.op != opIdent {
		return nil
	}
	return f.rules.unitByName(r.t, f, x.name+"."+name)
}

// resolveName finds the declarations of a bare name that is neither local nor
// imported: it searches the enclosing symbols from the inside out, then the unit.
func (r *resolver) resolveName(name string, f *File, at *Symbol) []*Symbol {
	for s := at; s != nil; s = s.Parent {
		if s.IsType() && !f.rules.implicitSelf() && s.Kind != "module" && s.Kind != "enum" {
			continue
		}
		if found := f.unit.declsNearIn(s.Path, name, f); found != nil && !isNamedConstructor(found[0]) {
			return found
		}
	}
	if f.rules.implicitSelf() {
		if s := enclosingType(at); s != nil {
			if found := r.member(typ{kind: instance, sym: s}, name); found != nil && !isNamedConstructor(found[0]) {
				return found
			}
			for s = s.Parent; s != nil; s = s.Parent {
				if s.IsType() {
					if found := r.member(typ{kind: instance, sym: s}, name); found != nil && !isNamedConstructor(found[0]) {
						return found
					}
				}
			}
		}
	}
	if found := f.unit.declsNear(name, f); found != nil {
		return found
	}
	return f.rules.outerNames(r, f, name)
}

// isNamedConstructor reports whether a symbol is a constructor that is written like a
// method with its type's name. It is no member: the name means the type, in the type
// itself and in its subtypes.
func isNamedConstructor(s *Symbol) bool {
	switch s.File.Lang {
	case "java", "csharp", "cpp", "c":
		of, _ := strings.CutSuffix(s.Path, "."+s.Name)
		return s.Kind == "method" && of != s.Path && of[strings.LastIndexByte(of, '.')+1:] == s.Name
	}
	return false
}

// sameFileFirst moves the declarations of the same file to the front.
func sameFileFirst(all []*Symbol, f *File) []*Symbol {
	for i, s := range all {
		if s.File == f {
			if i == 0 {
				return all
			}
			out := append([]*Symbol{s}, all[:i]...)
			return append(out, all[i+1:]...)
		}
	}
	return all
}

// foreignMember returns the type of an unresolved member: of an external value, of a
// container, or of an unknown value.
func (r *resolver) foreignMember(t typ, name string) typ {
	switch t.kind {
	case class:
		if name == "new" { // Ruby's, of every class
			return t
		}
	case external:
		return typ{kind: external, name: joined(t.name, name)}
	case module:
		return typ{}
	case list, wrapped:
		switch name {
		case "get", "pop", "shift", "find", "at", "first", "last", "next", "unwrap", "expect", "unwrap_or", "unwrap_or_default", "unwrap_or_else",
			"iter", "peek", "poll", "remove", "findLast", "iter_mut", "into_iter", "clone", "as_ref", "as_mut", "First", "Single", "FirstOrDefault",
			"SingleOrDefault", "ok_or", "ok_or_else", "orElse", "orElseThrow", "join", "Result", "firstOrNull", "lastOrNull", "popleft", "ok", "map_err", "last_mut", "first_mut", "get_mut", "pop_front", "pop_back":
			return typ{kind: function, elems: t.elems}
		}
		return t
	case dict:
		switch name {
		case "get", "pop", "setdefault", "get_mut", "getOrDefault", "remove", "computeIfAbsent", "insert", "TryGetValue":
			return typ{kind: function, elems: []typ{t.elem(1)}}
		case "values", "Values":
			return typ{kind: list, elems: []typ{t.elem(1)}}
		case "items", "entries", "entrySet", "iter":
			return t
		case "keys", "keySet", "Keys":
			return typ{kind: list, elems: []typ{t.elem(0)}}
		}
		return typ{kind: external}
	case function:
		return typ{kind: external}
	}
	return typ{}
}

func joined(a, b string) string {
	if a == "" {
		return ""
	}
	return a + "." + b
}

// member finds the declarations of a member: in the type, then in its bases.
func (r *resolver) member(t typ, name string) []*Symbol {
	switch t.kind {
	case module:
		if syms := t.unit.decls(name); syms != nil {
			return syms
		}
		if len(t.unit.Files) > 0 {
			if syms := t.unit.Files[0].rules.unitNames(r, t.unit, name); syms != nil {
				return syms
			}
		}
		return r.modules.reexported(t.unit, name, 0)
	case instance, class:
		return r.memberOf(t.sym, name, nil)
	case record:
		for _, s := range t.sym.File.unit.byPath[t.sym.Path+"."+name] {
			if s.Kind == "field" && s.File == t.sym.File {
				return []*Symbol{s}
			}
		}
	}
	return nil
}

// maxBases bounds how many types a member lookup visits.
const maxBases = 64

func (r *resolver) memberOf(s *Symbol, name string, seen map[*Symbol]bool) []*Symbol {
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
		return memberKey{s, name}.inherited(r, seen)
	}
	key := memberKey{s, name}
	if r.finding == 0 {
		if found, ok := r.inherited[key]; ok {
			return found
		}
	}
	before := r.aliased
	found := key.inherited(r, map[*Symbol]bool{s: true})
	if r.finding == 0 && r.aliased == before && r.inherited != nil {
		r.inherited[key] = found
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
func (k memberKey) inherited(r *resolver, seen map[*Symbol]bool) []*Symbol {
	s, name := k.of, k.name
	if order := r.baseOrder(s); order != nil {
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
	for _, base := range r.baseTypes(s) {
		if found := r.memberOf(base, name, seen); found != nil {
			return found
		}
	}
	if s.Kind == "type" && s.Type != "" && s.File.Lang != "go" || s.Kind == "type" && s.File.Lang == "go" && strings.HasPrefix(s.Type, "interface") {
		r.aliased++
		if r.expanding[s] { // resolving the base looks up a name among its own members, which would recurse
			return nil
		}
		r.expanding[s] = true
		t := r.parseType(s.Type, s.File, s)
		delete(r.expanding, s)
		if t.kind == instance && t.sym != s {
			return r.memberOf(t.sym, name, seen)
		}
	}
	return nil
}

// baseOrder returns the order in which a Python class with several bases searches them:
// depth first, each as late as it occurs, so that a class comes before its own base. It
// returns nil for other types.
func (r *resolver) baseOrder(s *Symbol) []*Symbol {
	if !s.File.python() || len(r.baseTypes(s)) < 2 {
		return nil
	}
	if out, ok := r.orders[s]; ok {
		return out
	}
	var all []*Symbol
	var visit func(*Symbol, int)
	visit = func(c *Symbol, depth int) {
		for _, base := range r.baseTypes(c) {
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
	if r.finding == 0 {
		r.orders[s] = out
	}
	return out
}

// baseTypes returns the bases of a type in the workspace.
func (r *resolver) baseTypes(s *Symbol) []*Symbol {
	if u := s.File.unit; u.crowded != nil && len(u.supers[s.Path]) > manyHere {
		return r.sharedBases(s)
	}
	if out, ok := r.bases[s]; ok {
		return out
	}
	r.bases[s] = nil // a base that leads back here
	r.finding++
	defer func() { r.finding-- }()
	var out []*Symbol
	for _, base := range s.File.unit.supers[s.Path] {
		name := base.name
		if base.recv != "" {
			name = base.recv + "." + base.name
		}
		if t := r.parseType(name, base.file, base.decl.Parent); t.kind == instance && t.sym != s {
			out = append(out, t.sym)
		}
	}
	r.bases[s] = out
	return out
}

// sharedBases is baseTypes for a path at which many files declare a type. Its bases are
// found once for all of them, each is named once, and no more than a lookup visits.
func (r *resolver) sharedBases(s *Symbol) []*Symbol {
	key := reexportQuery{s.File.unit, s.Path}
	all, ok := r.shared[key]
	if !ok {
		r.shared[key] = nil // a base that leads back here
		r.finding++
		seen := map[*Symbol]bool{}
		for _, base := range s.File.unit.supers[s.Path] {
			name := base.name
			if base.recv != "" {
				name = base.recv + "." + base.name
			}
			if t := r.parseType(name, base.file, base.decl.Parent); t.kind == instance && !seen[t.sym] {
				seen[t.sym] = true
				if all = append(all, t.sym); len(all) > maxBases+1 {
					break
				}
			}
		}
		r.shared[key] = all
		r.finding--
	}
	i := slices.Index(all, s)
	if i < 0 {
		return all
	}
	return slices.Concat(all[:i], all[i+1:])
}
