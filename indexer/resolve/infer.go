package resolve

import (
	"sort"
	"strings"

	"manicule/indexer/extract"
)

// resolver resolves the names of files one after the other, in one goroutine.
type resolver struct {
	t         *Table
	modules   modules
	f         *File // the current file, whose bindings are known
	binds     map[string][]*extract.Bind
	exprs     map[string]*expr
	memo      map[*Symbol]typ // types of symbols
	bases     map[*Symbol][]*Symbol
	orders    map[*Symbol][]*Symbol   // of bases, for Python's classes with several
	finding   int                     // bases that are being found: what is known of them is not whole
	inherited map[memberKey][]*Symbol // members of the bases of types, as the current file asked for them
	aliased   int                     // how many aliases were resolved
	busy      map[*Symbol]bool
	expanding map[*Symbol]bool            // aliases being resolved, to stop cycles
	shared    map[reexportQuery][]*Symbol // bases of types that many files declare
	extended  map[string][]*Symbol        // methods that Swift adds to external types
	depth     int
	flow      *flow      // of the current file, if its language has no written types
	flowed    flowMemory // of flow
}

func newResolver(t *Table) *resolver {
	return &resolver{t: t, modules: newModules(t), memo: map[*Symbol]typ{}, bases: map[*Symbol][]*Symbol{}, orders: map[*Symbol][]*Symbol{}, busy: map[*Symbol]bool{}, expanding: map[*Symbol]bool{},
		shared: map[reexportQuery][]*Symbol{}, extended: map[string][]*Symbol{}}
}

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
		t := r.readType(b.Type, r.f, at)
		if b.Each {
			t = iterationType(t, b.Result)
		}
		return t
	}
	if b.Value == "" {
		return typ{}
	}
	if callee, ok := strings.CutPrefix(b.Value, extract.NoteGiven); ok {
		return r.givenType(r.expr(callee), b.Result/extract.MaxParameters, b.Result%extract.MaxParameters, at, b.Start-1)
	}
	t := r.typeOfExpr(r.expr(b.Value), r.f, at, b.Start-1)
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

// typeOfExpr infers the type of an expression. at is the enclosing symbol. offset is
// its position in the current file, -1 if local names are unknown.
func (r *resolver) typeOfExpr(x *expr, f *File, at *Symbol, offset int) typ {
	if r.depth++; r.depth > maxDepth {
		r.depth--
		return typ{}
	}
	defer func() { r.depth-- }()
	switch x.op {
	case opBasic:
		return typ{kind: external}
	case opIdent:
		return r.typeOfName(x.name, f, at, offset)
	case opMember:
		return r.typeOfMember(x, r.typeOfExpr(x.x, f, at, offset), f)
	case opCall:
		return r.typeOfCall(x, f, at, offset)
	case opIndex:
		return indexed(r.typeOfExpr(x.x, f, at, offset), x.name)
	case opLiteral:
		if x.args != "" && esFamily(f) {
			return r.parseType(x.name+x.args, f, at)
		}
		return r.parseType(x.name, f, at)
	case opFunc:
		if esFamily(f) && (x.args != "" || x.x != nil) {
			return typ{kind: function, elems: []typ{r.arrowResult(x, f, at, offset)}}
		}
		return typ{kind: function, text: x.name, file: f}
	case opAwait:
		t := r.typeOfExpr(x.x, f, at, offset)
		if t.kind == wrapped || t.kind == list && f.Lang == "go" {
			return t.elem(0)
		}
		return t
	case opOr:
		if t := r.typeOfExpr(x.x, f, at, offset); t.kind != unknown {
			return t
		}
		return r.typeOfExpr(x.or, f, at, offset)
	case opList:
		if x.name != "" {
			return typ{kind: list, elems: []typ{r.typeOfExpr(parseExpr(x.name), f, at, offset)}}
		}
		return typ{kind: list, elems: []typ{{}}}
	}
	return typ{}
}

// typeOfMember infers the type of a member of what has the type t.
func (r *resolver) typeOfMember(x *expr, t typ, f *File) typ {
	if m := r.member(t, x.name); m != nil {
		return r.typeOf(m[0])
	}
	if t.kind == module || t.kind == unknown {
		if u := r.namedUnit(x, f); u != nil {
			return typ{kind: module, unit: u}
		}
	}
	if t.kind == module && !f.python() {
		if whole := r.modules.reexportedModule(t.unit, x.name, 0); whole != nil {
			return typ{kind: module, unit: whole}
		}
	}
	if e, ok := r.embeddedField(t, x.name); ok {
		return e
	}
	if esFamily(f) {
		return r.esForeignMember(t, x.name)
	}
	return r.foreignMember(t, x.name)
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
func (r *resolver) typeOfName(name string, f *File, at *Symbol, offset int) typ {
	if offset >= 0 && f == r.f {
		if b := r.bindingAt(name, offset); b != nil {
			return r.bindingType(b, at)
		}
	}
	if f.rules.isSelf(name) {
		if s := enclosingType(at); s != nil {
			if name == "cls" || name == "Self" || name == "static" {
				return typ{kind: class, sym: s}
			}
			return typ{kind: instance, sym: s}
		}
		return typ{}
	}
	if name == "super" || name == "parent" || name == "base" {
		if s := enclosingType(at); s != nil {
			if bases := r.baseTypes(s); len(bases) > 0 {
				return typ{kind: instance, sym: bases[0]}
			}
			return typ{kind: external}
		}
	}
	if syms := r.resolveName(name, f, at); syms != nil {
		return r.typeOf(syms[0])
	}
	if t, ok := r.lookupImport(name, f); ok {
		switch {
		case t.unit != nil:
			return typ{kind: module, unit: t.unit}
		case len(t.symbols) > 0:
			return r.typeOf(t.symbols[0])
		}
		return typ{kind: external, name: t.external}
	}
	if f.rules.isBuiltin(name) {
		return typ{kind: external, name: name}
	}
	if u := f.rules.unitByName(r.t, f, name); u != nil {
		return typ{kind: module, unit: u}
	}
	return typ{}
}

// typeOfCall infers the type of a call.
func (r *resolver) typeOfCall(x *expr, f *File, at *Symbol, offset int) typ {
	if x.x.op == opIdent && x.x.name == "super" {
		return r.typeOfName("super", f, at, offset)
	}
	t := r.typeOfExpr(x.x, f, at, offset)
	switch t.kind {
	case class:
		if a := f.rules.applyMethod(r, t.sym); a != nil {
			return r.resultType(a)
		}
		return r.instanceOf(t.sym)
	case function:
		if t.sym != nil {
			if x.x.op == opIndex && t.sym.File.Lang == "go" {
				return r.instantiated(t.sym, splitTop(x.x.name, ','), f, at)
			}
			if esFamily(t.sym.File) {
				return r.esResult(t.sym, x.x, f, at, offset)
			}
			return r.resultType(t.sym)
		}
		if len(t.elems) == 1 {
			return t.elems[0]
		}
		if t.text == "" {
			return typ{}
		}
		return r.parseType(t.text, t.file, nil)
	case instance: // a call of a value: a function type, or __call__
		if t.sym.Kind == "type" && t.sym.Type != "" {
			if ft := r.parseType(t.sym.Type, t.sym.File, t.sym); ft.kind == function && ft.text != "" {
				return r.parseType(ft.text, ft.file, nil)
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
			return r.parseType(s.Type[4:], s.File, s)
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
	object := (s.Kind == "const" || s.Kind == "var" || s.Kind == "field") && r.hasMembers(s) // an object literal, a table
	t := typ{}
	switch {
	case s.Type != "":
		t = r.parseType(s.Type, s.File, s)
	case s.Value != "" && !object:
		t = r.typeOfExpr(parseExpr(s.Value), s.File, s, -1)
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
		t = r.parseType(s.Type, s.File, s)
	case s.File.Lang == "go":
		t = typ{kind: external} // no result
	case s.Value != "" && (s.File.Lang == "scala" || esFamily(s.File)): // the type of what it returns
		t = r.typeOfExpr(parseExpr(s.Value), s.File, s, -1)
	case s.Name == "new" || s.Name == "constructor" || s.Name == "__init__":
		if c := enclosingType(s); c != nil {
			t = typ{kind: instance, sym: c}
		}
	}
	r.memo[s] = t
	return t
}
