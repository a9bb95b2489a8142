package resolve

import "strings"

// typeParam is a type parameter with its constraint.
type typeParam struct{ name, constraint string }

// typeParams returns the type parameters behind the name of a Go symbol.
func (s *Symbol) typeParams() []typeParam {
	if s.File.Lang != "go" || strings.IndexByte(s.Sig, '[') < 0 {
		return nil
	}
	rest := s.Sig
	if s.Kind == "method" {
		return nil // those of a method belong to its type
	}
	i := strings.Index(rest, s.Name+"[")
	if i < 0 {
		return nil
	}
	p := &parser{s: rest, i: i + len(s.Name)}
	var out []typeParam
	for _, part := range splitTop(p.skip(), ',') {
		name, constraint, _ := strings.Cut(part, " ")
		out = append(out, typeParam{name, strings.TrimSpace(constraint)})
	}
	for i := len(out) - 2; i >= 0; i-- { // "A, B T"
		if out[i].constraint == "" {
			out[i].constraint = out[i+1].constraint
		}
	}
	return out
}

// bounds returns the type parameters of a Rust function, type or trait that have a
// trait bound, behind the name or in the where clause, or those of TypeScript.
func (s *Symbol) bounds() []typeParam {
	if esFamily(s.File) {
		return s.esBounds()
	}
	i := strings.Index(s.Sig, s.Name+"<")
	if i < 0 {
		return nil
	}
	open := i + len(s.Name)
	end := angleEnd(s.Sig, open)
	if end <= open+1 {
		return nil
	}
	parts := splitTop(s.Sig[open+1:end-1], ',')
	if _, where, ok := strings.Cut(s.Sig[end:], " where "); ok {
		parts = append(parts, splitTop(strings.TrimRight(where, " {"), ',')...)
	}
	var out []typeParam
	for _, part := range parts {
		name, bound, ok := strings.Cut(part, ":")
		first, _, _ := strings.Cut(bound, "+") // the first trait is the one that matters
		if name = strings.TrimSpace(name); ok && identifier(name) {
			out = append(out, typeParam{name, strings.TrimSpace(first)})
		}
	}
	return out
}

// boundedType returns a value whose type is a type parameter of the enclosing symbols
// of Rust, Swift and TypeScript.
func (in scope) boundedType(name string) (typ, bool) {
	for s := in.at; s != nil && s.File == in.f; s = s.Parent {
		if strings.IndexByte(s.Sig, '<') < 0 {
			continue
		}
		for _, p := range s.bounds() {
			if p.name == name {
				return in.r.constraintType(p, s), true
			}
		}
	}
	return typ{}, false
}

// receiverParams returns the names that a Go method gives the type parameters of its
// receiver.
func (s *Symbol) receiverParams() []string {
	rest, ok := strings.CutPrefix(s.Sig, "func (")
	if !ok || s.Kind != "method" {
		return nil
	}
	end := strings.IndexByte(rest, ')')
	open := strings.IndexByte(rest, '[')
	if open < 0 || end < open {
		return nil
	}
	p := &parser{s: rest, i: open}
	return splitTop(p.skip(), ',')
}

// typeParameter returns a value whose type is a type parameter of the enclosing
// symbols: only its constraint is known.
func (in scope) typeParameter(name string) (typ, bool) {
	for s := in.at; s != nil && s.File == in.f; s = s.Parent {
		if strings.IndexByte(s.Sig, '[') < 0 {
			continue
		}
		for _, p := range s.typeParams() {
			if p.name == name {
				return in.r.constraintType(p, s), true
			}
		}
		for i, n := range s.receiverParams() {
			if n != name {
				continue
			}
			if of := enclosingType(s); of != nil {
				if all := of.typeParams(); i < len(all) {
					return in.r.constraintType(all[i], of), true
				}
			}
			return typ{kind: external}, true
		}
	}
	return typ{}, false
}

// constraintType returns a value of a type parameter of s.
func (r *resolver) constraintType(p typeParam, s *Symbol) typ {
	if t := r.in(s.File, s).parseType(p.constraint); t.kind != unknown {
		return t
	}
	return typ{kind: external}
}

// instantiated returns the result of a generic function called with explicit type
// arguments.
func (in scope) instantiated(s *Symbol, args []string) typ {
	t := in.r.resultType(s)
	params := s.typeParams()
	given := func(text string) (typ, bool) {
		text = strings.TrimLeft(text, "*")
		for i, p := range params {
			if p.name == text && i < len(args) {
				return in.parseType(args[i]), true
			}
		}
		return typ{}, false
	}
	if g, ok := given(s.Type); ok {
		return g
	}
	if t.kind != tuple || !strings.HasPrefix(s.Type, "(") {
		return t
	}
	out := typ{kind: tuple, elems: append([]typ(nil), t.elems...)}
	for i, part := range splitTop(strings.Trim(s.Type, "()"), ',') {
		if g, ok := given(part[strings.LastIndexByte(part, ' ')+1:]); ok && i < len(out.elems) {
			out.elems[i] = g
		}
	}
	return out
}
