package resolve

import "strings"

// namedUnit returns the unit whose full name is written.
func (in scope) namedUnit(x *expr) *Unit {
	name := x.name
	for x = x.x; x != nil && x.op == opMember; x = x.x {
		name = x.name + "." + name
	}
	if x == nil || x.op != opIdent {
		return nil
	}
	return in.f.rules.unitByName(in.r.t, in.f, x.name+"."+name)
}

// resolveName finds the declarations of a bare name that is neither local nor
// imported: it searches the enclosing symbols from the inside out, then the unit.
func (in scope) resolveName(name string) []*Symbol {
	for s := in.at; s != nil; s = s.Parent {
		if s.IsType() && !in.f.rules.implicitSelf() && s.Kind != "module" && s.Kind != "enum" {
			continue
		}
		if found := in.f.unit.declsNearIn(s.Path, name, in.f); found != nil && !isNamedConstructor(found[0]) {
			return found
		}
	}
	if in.f.rules.implicitSelf() {
		if s := enclosingType(in.at); s != nil {
			if found := in.r.member(typ{kind: instance, sym: s}, name); found != nil && !isNamedConstructor(found[0]) {
				return found
			}
			for s = s.Parent; s != nil; s = s.Parent {
				if s.IsType() {
					if found := in.r.member(typ{kind: instance, sym: s}, name); found != nil && !isNamedConstructor(found[0]) {
						return found
					}
				}
			}
		}
	}
	if found := in.f.unit.declsNear(name, in.f); found != nil {
		return found
	}
	return in.f.rules.outerNames(in.r, in.f, name)
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
func foreignMember(t typ, name string) typ {
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
		return r.bases.memberOf(t.sym, name, nil)
	case record:
		for _, s := range t.sym.File.unit.byPath[t.sym.Path+"."+name] {
			if s.Kind == "field" && s.File == t.sym.File {
				return []*Symbol{s}
			}
		}
	}
	return nil
}
