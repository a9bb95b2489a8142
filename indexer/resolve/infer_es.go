package resolve

import "strings"

// esForeignMember is foreignMember for JavaScript and TypeScript: what the methods of
// arrays, maps and promises return.
func esForeignMember(t typ, name string) typ {
	switch t.kind {
	case list:
		switch name {
		case "find", "findLast", "at", "pop", "shift":
			return typ{kind: function, elems: []typ{t.elem(0)}}
		case "filter", "slice", "concat", "sort", "reverse", "splice", "toSorted", "toReversed", "values", "add", "fill", "union", "intersection", "difference":
			return typ{kind: function, elems: []typ{t}}
		case "entries":
			return typ{kind: function, elems: []typ{{kind: list, elems: []typ{{kind: tuple, elems: []typ{{kind: external}, t.elem(0)}}}}}}
		case "map", "flatMap", "flat":
			return typ{kind: function, elems: []typ{{kind: list}}}
		case "reduce", "reduceRight", "next", "return":
			return typ{}
		}
		return typ{kind: external}
	case wrapped:
		switch name {
		case "catch", "finally":
			return typ{kind: function, elems: []typ{t}}
		case "then":
			return typ{kind: function, elems: []typ{{kind: wrapped}}}
		}
		return typ{kind: external}
	case tuple:
		return typ{kind: external}
	}
	return foreignMember(t, name)
}

// esResult returns the type of a call of a function or method. A method that returns
// "this" returns what it was called on, which may be of a subtype.
func (in scope) esResult(s *Symbol, callee *expr) typ {
	t := in.r.resultType(s)
	if callee.op != opMember || t.kind != instance || t.sym != enclosingType(s) {
		return t
	}
	if s.Type == "this" || s.Type == "" && (s.Value == "this" || strings.HasPrefix(s.Value, "this.")) {
		if on := in.typeOfExpr(callee.x); on.kind == instance {
			return on
		}
	}
	return t
}

// arrowResult returns the type of what an arrow function returns.
func (in scope) arrowResult(x *expr) typ {
	if x.args != "" {
		return in.parseType(x.args)
	}
	return in.typeOfExpr(x.x)
}

// esNamedType returns what some generic types of TypeScript compute from their
// arguments, and the type of a property ("T['name']").
func (in scope) esNamedType(name, last string, args []string) (typ, bool) {
	first := args[0]
	switch last {
	case "Omit", "Pick", "Exclude", "Extract", "NoInfer", "ThisType":
		return in.readType(first), true
	case "ReturnType":
		if t := in.readType(first); t.kind == function {
			if t.sym != nil {
				return in.r.resultType(t.sym), true
			}
			return in.r.in(t.file, nil).parseType(t.text), true
		}
		return typ{}, true
	case "InstanceType":
		if t := in.readType(first); t.kind == class {
			return in.r.instanceOf(t.sym), true
		}
		return typ{}, true
	}
	if len(args) == 1 && len(first) > 2 && (first[0] == '\'' || first[0] == '"') {
		of := in.typeNamed(name)
		if m := in.r.member(of, first[1:len(first)-1]); m != nil {
			return in.r.typeOf(m[0]), true
		}
		if of.kind == external {
			return of, true
		}
		return typ{}, true
	}
	return typ{}, false
}

// esBounds returns the type parameters of a TypeScript declaration that have a
// constraint.
func (s *Symbol) esBounds() []typeParam {
	open := strings.Index(s.Sig, s.Name+"<")
	if open >= 0 {
		open += len(s.Name)
	} else if open = strings.Index(s.Sig, "= <"); open >= 0 { // const f = <T extends X>(…) => …
		open += len("= ")
	} else {
		return nil
	}
	end := angleEnd(s.Sig, open)
	if end <= open+1 {
		return nil
	}
	var out []typeParam
	for _, part := range splitTop(s.Sig[open+1:end-1], ',') {
		part = strings.TrimPrefix(part, "const ")
		name, bound, ok := strings.Cut(part, " extends ")
		if !ok || !identifier(name) {
			continue
		}
		bound, _, _ = strings.Cut(bound, " = ")
		out = append(out, typeParam{name, strings.TrimSpace(bound)})
	}
	return out
}

// givenType returns the type of a parameter of a function that is passed to a call: of
// the elements of an array or map, or as the called function declares it.
func (in scope) givenType(callee *expr, argument, param int) typ {
	if callee.op == opMember {
		on := in.typeOfExpr(callee.x)
		switch on.kind {
		case list:
			return elementGiven(on.elem(0), callee.name, argument, param)
		case dict:
			if callee.name == "forEach" && argument == 0 && param < 2 {
				return on.elem(1 - param)
			}
			return typ{}
		case wrapped:
			if callee.name == "then" && argument == 0 {
				return on.elem(0)
			}
			return typ{}
		case instance, class, module:
			for _, m := range in.r.member(on, callee.name) {
				if t := in.r.parameterOf(m, argument, param); t.kind != unknown {
					return t
				}
			}
		}
		return typ{}
	}
	if callee.op != opIdent {
		return typ{}
	}
	if t := in.typeOfName(callee.name); t.sym != nil {
		for _, m := range t.sym.File.unit.decls(t.sym.Path) {
			if found := in.r.parameterOf(m, argument, param); found.kind != unknown {
				return found
			}
		}
	}
	return typ{}
}

// elementGiven returns what a method of arrays and sets passes to its function.
func elementGiven(e typ, method string, argument, param int) typ {
	if argument != 0 {
		return typ{}
	}
	switch method {
	case "forEach", "map", "filter", "find", "findIndex", "findLast", "findLastIndex", "some", "every", "flatMap":
		switch param {
		case 0:
			return e
		case 1:
			return typ{kind: external}
		}
	case "sort", "toSorted":
		return e
	case "reduce", "reduceRight":
		if param == 1 {
			return e
		}
	}
	return typ{}
}

// parameterOf returns the type of a parameter of the function that a declaration takes as
// an argument.
func (r *resolver) parameterOf(s *Symbol, argument, param int) typ {
	list := s.Sig
	switch {
	case s.Arity < 0 && strings.HasPrefix(s.Type, "("):
		list = s.Type
	case s.Arity < 0:
		return typ{}
	default:
		i := strings.Index(list, s.Name)
		if i < 0 {
			return typ{}
		}
		p := &parser{s: list, i: i + len(s.Name)}
		for p.space(); p.i < len(p.s) && p.s[p.i] != '('; p.space() {
			switch {
			case p.has("<"):
				p.skipAngle()
			case p.has(":"), p.has(";"): // a field with a written type
				return typ{}
			default:
				p.i++
			}
		}
		list = p.rest()
	}
	if text, ok := parameterType(list, argument); ok {
		return r.parameterOfType(text, param, s, 0)
	}
	return typ{}
}

// parameterType returns the written type of a parameter in a list that a text begins
// with.
func parameterType(list string, n int) (string, bool) {
	if !strings.HasPrefix(list, "(") {
		return "", false
	}
	p := &parser{s: list}
	parts := splitTop(p.skip(), ',')
	if len(parts) > 0 && strings.HasPrefix(parts[0], "this:") {
		parts = parts[1:]
	}
	if n >= len(parts) {
		return "", false
	}
	name, text, ok := strings.Cut(parts[n], ":")
	if name = strings.TrimSuffix(strings.TrimSpace(name), "?"); !ok || !identifier(name) {
		return "", false
	}
	return strings.TrimSpace(text), true
}

// maxAliases bounds a chain of aliases of function types.
const maxAliases = 4

// parameterOfType returns the type of a parameter of a function type, which may be an
// alias or one of several alternatives.
func (r *resolver) parameterOfType(text string, param int, at *Symbol, depth int) typ {
	if depth > maxAliases {
		return typ{}
	}
	for _, one := range splitTop(text, '|') {
		if one == "" {
			continue
		}
		if strings.HasPrefix(one, "(") {
			p := &parser{s: one}
			inner := p.skip()
			if p.space(); !p.has("=>") {
				if t := r.parameterOfType(inner, param, at, depth+1); t.kind != unknown {
					return t
				}
				continue
			}
			if written, ok := parameterType(one, param); ok {
				return r.in(at.File, at).parseType(written)
			}
			continue
		}
		end := 0
		for end < len(one) && (isWord(one[end]) || one[end] == '.') {
			end++
		}
		if end == 0 {
			continue
		}
		if t := r.in(at.File, at).typeOfExpr(parseExpr(one[:end])); t.kind == class && t.sym.Kind == "type" && t.sym.Type != "" {
			if found := r.parameterOfType(t.sym.Type, param, t.sym, depth+1); found.kind != unknown {
				return found
			}
		}
	}
	return typ{}
}

// mappedType reports whether a type of TypeScript is "{[K in T]: …}".
func mappedType(s string) bool {
	s = strings.TrimLeft(s[1:], " ")
	for _, mark := range []string{"readonly ", "-readonly ", "+readonly "} {
		s = strings.TrimPrefix(s, mark)
	}
	name, _, ok := strings.Cut(strings.TrimPrefix(s, "["), " in ")
	return ok && s[0] == '[' && identifier(name)
}
