package resolve

import (
	"sort"
	"strings"

	"manicule/indexer/extract"
)

// resolver resolves the names of files one after the other, in one goroutine.
type resolver struct {
	t        *Table
	modules  modules
	f        *File // the current file, whose bindings are known
	binds    map[string][]*extract.Bind
	exprs    map[string]*expr
	memo     map[*Symbol]typ // types of symbols
	bases    *hierarchy
	busy     map[*Symbol]bool
	extended map[string][]*Symbol // methods that Swift adds to external types
	depth    int
	flow     *flow      // of the current file, if its language has no written types
	flowed   flowMemory // of flow
}

func newResolver(t *Table) *resolver {
	r := &resolver{t: t, modules: newModules(t), memo: map[*Symbol]typ{}, busy: map[*Symbol]bool{}, extended: map[string][]*Symbol{}}
	r.bases = newHierarchy(r)
	return r
}

// scope is the place of an expression or of a written type: it decides what the names there mean.
type scope struct {
	r      *resolver
	f      *File
	at     *Symbol // the enclosing one, nil outside of all
	offset int     // in the resolver's current file, noLocals if local names are unknown
}

// noLocals is the offset of a scope without local names.
const noLocals = -1

// in is a scope in any file, in which local names are unknown.
func (r *resolver) in(f *File, at *Symbol) scope { return scope{r, f, at, noLocals} }

// here is a scope at an offset of the current file.
func (r *resolver) here(at *Symbol, offset int) scope { return scope{r, r.f, at, offset} }

// expr parses an expression once for each file.
func (r *resolver) expr(s string) *expr {
	if x, ok := r.exprs[s]; ok {
		return x
	}
	x := parseExpr(s)
	if r.exprs != nil {
		r.exprs[s] = x
	}
	return x
}

// bindingAt returns the binding of a local name at an offset.
func (r *resolver) bindingAt(name string, offset int) *extract.Bind {
	all := r.binds[name]
	// The last one that begins before; its scope must still be open.
	i := sort.Search(len(all), func(i int) bool { return all[i].Start > offset }) - 1
	for ; i >= 0; i-- {
		if b := all[i]; offset < b.Scope.End {
			if b.Start <= offset && b.Scope.Start <= offset {
				return b
			}
		}
	}
	for _, b := range all { // a scope that begins before the name it binds, as a type switch's case
		if b.Scope.Start <= offset && offset < b.Scope.End {
			return b
		}
	}
	return nil
}

// bindingType returns the type of a local name.
func (r *resolver) bindingType(b *extract.Bind, at *Symbol) typ {
	if r.depth++; r.depth > maxDepth {
		r.depth--
		return typ{}
	}
	defer func() { r.depth-- }()
	if b.Type != "" {
		t := r.in(r.f, at).readType(b.Type)
		if b.Each {
			t = iterationType(t, b.Result)
		}
		return t
	}
	if b.Value == "" {
		return typ{}
	}
	if callee, ok := strings.CutPrefix(b.Value, extract.NoteGiven); ok {
		return r.here(at, b.Start-1).givenType(r.expr(callee), b.Result/extract.MaxParameters, b.Result%extract.MaxParameters)
	}
	t := r.here(at, b.Start-1).typeOfExpr(r.expr(b.Value))
	if b.Each {
		return iterationType(t, b.Result)
	}
	return nthResult(t, b.Result)
}

// nthResult returns the type of one of several results.
func nthResult(t typ, n int) typ {
	if t.kind == tuple {
		if n >= 0 && n < len(t.elems) {
			return t.elems[n]
		}
		return typ{}
	}
	if n > 0 { // "v, ok := m[k]": the second one has no members
		return typ{kind: external}
	}
	return t
}

// iterationType returns the type of the nth name in a loop over t; n is -1 for a
// single name.
func iterationType(t typ, n int) typ {
	switch t.kind {
	case list:
		if e := t.elem(0); n >= 0 && e.kind == tuple && n < len(e.elems) {
			return e.elems[n]
		}
		if n == 0 { // Go's index, where there are two names
			return typ{kind: external}
		}
		return t.elem(0)
	case dict:
		return t.elem(min(max(n, 0), 1))
	case wrapped:
		return t.elem(0)
	case external:
		return t
	case instance:
		if len(t.elems) == 1 {
			return t.elems[0]
		}
		if len(t.elems) == 2 && n >= 0 {
			return t.elems[min(n, 1)]
		}
	case function: // range over func, a generator
		return typ{}
	}
	return typ{}
}

// typeOfExpr infers the type of an expression.
func (in scope) typeOfExpr(x *expr) typ {
	if in.r.depth++; in.r.depth > maxDepth {
		in.r.depth--
		return typ{}
	}
	defer func() { in.r.depth-- }()
	switch x.op {
	case opBasic:
		return typ{kind: external}
	case opIdent:
		return in.typeOfName(x.name)
	case opMember:
		return in.typeOfMember(x, in.typeOfExpr(x.x))
	case opCall:
		return in.typeOfCall(x)
	case opIndex:
		return indexed(in.typeOfExpr(x.x), x.name)
	case opLiteral:
		if x.args != "" && esFamily(in.f) {
			return in.parseType(x.name + x.args)
		}
		return in.parseType(x.name)
	case opFunc:
		if esFamily(in.f) && (x.args != "" || x.x != nil) {
			return typ{kind: function, elems: []typ{in.arrowResult(x)}}
		}
		return typ{kind: function, text: x.name, file: in.f}
	case opAwait:
		t := in.typeOfExpr(x.x)
		if t.kind == wrapped || t.kind == list && in.f.Lang == "go" {
			return t.elem(0)
		}
		return t
	case opOr:
		if t := in.typeOfExpr(x.x); t.kind != unknown {
			return t
		}
		return in.typeOfExpr(x.or)
	case opList:
		if x.name != "" {
			return typ{kind: list, elems: []typ{in.typeOfExpr(parseExpr(x.name))}}
		}
		return typ{kind: list, elems: []typ{{}}}
	}
	return typ{}
}

// typeOfMember infers the type of a member of what has the type t.
func (in scope) typeOfMember(x *expr, t typ) typ {
	if m := in.r.member(t, x.name); m != nil {
		return in.r.typeOf(m[0])
	}
	if t.kind == module || t.kind == unknown {
		if u := in.namedUnit(x); u != nil {
			return typ{kind: module, unit: u}
		}
	}
	if t.kind == module && !in.f.python() {
		if whole := in.r.modules.reexportedModule(t.unit, x.name, 0); whole != nil {
			return typ{kind: module, unit: whole}
		}
	}
	if e, ok := in.r.bases.embeddedField(t, x.name); ok {
		return e
	}
	if esFamily(in.f) {
		return esForeignMember(t, x.name)
	}
	return foreignMember(t, x.name)
}

// indexed is the type of an element of what has the type t, or of a part of it.
func indexed(t typ, index string) typ {
	switch t.kind {
	case list, wrapped:
		if strings.Contains(index, ":") {
			return t
		}
		return t.elem(0)
	case dict:
		return t.elem(1)
	case instance:
		switch len(t.elems) {
		case 1:
			return t.elems[0]
		case 2:
			return t.elems[1]
		}
		return typ{}
	}
	return t // a generic function with its arguments
}

// typeOfName infers the type of a bare name.
func (in scope) typeOfName(name string) typ {
	if in.offset >= 0 && in.f == in.r.f {
		if b := in.r.bindingAt(name, in.offset); b != nil {
			return in.r.bindingType(b, in.at)
		}
	}
	if in.f.rules.isSelf(name) {
		if s := enclosingType(in.at); s != nil {
			if name == "cls" || name == "Self" || name == "static" {
				return typ{kind: class, sym: s}
			}
			return typ{kind: instance, sym: s}
		}
		return typ{}
	}
	if name == "super" || name == "parent" || name == "base" {
		if s := enclosingType(in.at); s != nil {
			if bases := in.r.bases.baseTypes(s); len(bases) > 0 {
				return typ{kind: instance, sym: bases[0]}
			}
			return typ{kind: external}
		}
	}
	if syms := in.resolveName(name); syms != nil {
		return in.r.typeOf(syms[0])
	}
	if t, ok := in.r.lookupImport(name, in.f); ok {
		switch {
		case t.unit != nil:
			return typ{kind: module, unit: t.unit}
		case len(t.symbols) > 0:
			return in.r.typeOf(t.symbols[0])
		}
		return typ{kind: external, name: t.external}
	}
	if in.f.rules.isBuiltin(name) {
		return typ{kind: external, name: name}
	}
	if u := in.f.rules.unitByName(in.r.t, in.f, name); u != nil {
		return typ{kind: module, unit: u}
	}
	return typ{}
}

// typeOfCall infers the type of a call.
func (in scope) typeOfCall(x *expr) typ {
	if x.x.op == opIdent && x.x.name == "super" {
		return in.typeOfName("super")
	}
	t := in.typeOfExpr(x.x)
	switch t.kind {
	case class:
		if a := in.f.rules.applyMethod(in.r, t.sym); a != nil {
			return in.r.resultType(a)
		}
		return in.r.instanceOf(t.sym)
	case function:
		if t.sym != nil {
			if x.x.op == opIndex && t.sym.File.Lang == "go" {
				return in.instantiated(t.sym, splitTop(x.x.name, ','))
			}
			if esFamily(t.sym.File) {
				return in.esResult(t.sym, x.x)
			}
			return in.r.resultType(t.sym)
		}
		if len(t.elems) == 1 {
			return t.elems[0]
		}
		if t.text == "" {
			return typ{}
		}
		return in.r.in(t.file, nil).parseType(t.text)
	case instance: // a call of a value: a function type, or __call__
		if t.sym.Kind == "type" && t.sym.Type != "" {
			if ft := in.r.in(t.sym.File, t.sym).parseType(t.sym.Type); ft.kind == function && ft.text != "" {
				return in.r.in(ft.file, nil).parseType(ft.text)
			}
		}
		return typ{}
	case list, dict, wrapped: // a method that preserves the element types
		return t
	}
	return t
}

// typeOf returns the type of a symbol when it is named.
func (r *resolver) typeOf(s *Symbol) typ {
	switch s.Kind {
	case "function", "method":
		if strings.HasPrefix(s.Type, "get ") { // an accessor
			return r.in(s.File, s).parseType(s.Type[4:])
		}
		return typ{kind: function, sym: s}
	case "class", "interface", "struct", "enum", "type", "trait", "module":
		if s.packageObject() {
			return typ{kind: module, unit: s.File.unit}
		}
		return typ{kind: class, sym: s}
	}
	if t, ok := r.memo[s]; ok {
		return t
	}
	if r.busy[s] {
		return typ{}
	}
	r.busy[s] = true
	defer delete(r.busy, s)
	object := (s.Kind == "const" || s.Kind == "var" || s.Kind == "field") && s.hasMembers() // an object literal, a table
	t := typ{}
	switch {
	case s.Type != "":
		t = r.in(s.File, s).parseType(s.Type)
	case s.Value != "" && !object:
		t = r.in(s.File, s).typeOfExpr(parseExpr(s.Value))
	}
	if t.kind == unknown {
		switch {
		case object:
			t = typ{kind: instance, sym: s}
		case s.Parent != nil && s.Parent.Kind == "enum":
			t = typ{kind: instance, sym: s.Parent}
		}
	}
	r.memo[s] = t
	return t
}

// resultType returns the type of a function's result.
func (r *resolver) resultType(s *Symbol) typ {
	if t, ok := r.memo[s]; ok {
		return t
	}
	if r.busy[s] {
		return typ{}
	}
	r.busy[s] = true
	defer delete(r.busy, s)
	t := typ{}
	switch {
	case s.Type != "":
		t = r.in(s.File, s).parseType(s.Type)
	case s.File.Lang == "go":
		t = typ{kind: external} // no result
	case s.Value != "" && (s.File.Lang == "scala" || esFamily(s.File)): // the type of what it returns
		t = r.in(s.File, s).typeOfExpr(parseExpr(s.Value))
	case s.Name == "new" || s.Name == "constructor" || s.Name == "__init__":
		if c := enclosingType(s); c != nil {
			t = typ{kind: instance, sym: c}
		}
	}
	r.memo[s] = t
	return t
}
