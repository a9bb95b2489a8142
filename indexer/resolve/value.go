package resolve

import (
	"sort"
	"strings"

	"manicule/indexer/extract"
)

// resolver resolves the names of files, one after the other, in one goroutine.
type resolver struct {
	t       *Table
	f       *File // the file at work, whose binds are known
	binds   map[string][]extract.Bind
	exprs   map[string]*expr
	memo    map[*Symbol]typ // what symbols hold or give
	bases   map[*Symbol][]*Symbol
	busy    map[*Symbol]bool
	reading map[*Symbol]bool // types whose other name is being read
	passed  map[passing][]*Symbol
	asked   map[passing]bool // while one name is looked for
	modules map[moduleName]*Unit
	depth   int
	flow    *flow // of the file at work, where its language writes no types
}

// moduleName is the name of a module as a file writes it.
type moduleName struct {
	file *File
	name string
}

func newResolver(t *Table) *resolver {
	return &resolver{t: t, memo: map[*Symbol]typ{}, bases: map[*Symbol][]*Symbol{}, busy: map[*Symbol]bool{}, reading: map[*Symbol]bool{},
		passed: map[passing][]*Symbol{}, asked: map[passing]bool{}, modules: map[moduleName]*Unit{}}
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

// bind returns what a local name stands for at an offset.
func (r *resolver) bind(name string, offset int) *extract.Bind {
	all := r.binds[name]
	// The last one that begins before; its scope must still be open.
	i := sort.Search(len(all), func(i int) bool { return all[i].Start > offset }) - 1
	for ; i >= 0; i-- {
		if b := &all[i]; offset < b.Scope.End {
			if b.Start <= offset && b.Scope.Start <= offset {
				return b
			}
		}
	}
	for i := range all { // a scope that begins before the name it binds, as a type switch's case
		if b := &all[i]; b.Scope.Start <= offset && offset < b.Scope.End {
			return b
		}
	}
	return nil
}

// bound is the type of a local name.
func (r *resolver) bound(b *extract.Bind, at *Symbol) typ {
	if r.depth++; r.depth > maxDepth {
		r.depth--
		return typ{}
	}
	defer func() { r.depth-- }()
	if b.Type != "" {
		t := r.readType(b.Type, r.f, at)
		if b.Each {
			t = element(t, b.Result)
		}
		return t
	}
	if b.Value == "" {
		return typ{}
	}
	t := r.value(r.expr(b.Value), r.f, at, b.Start-1)
	if b.Each {
		return element(t, b.Result)
	}
	return result(t, b.Result)
}

// result is one of several results.
func result(t typ, n int) typ {
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

// element is what a loop over t gives as its nth name; n is -1 where there is
// only one name.
func element(t typ, n int) typ {
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

// value is what an expression gives. at is the symbol around it, offset its
// place in the file at work, -1 where no local names are known.
func (r *resolver) value(x *expr, f *File, at *Symbol, offset int) typ {
	if r.depth++; r.depth > maxDepth {
		r.depth--
		return typ{}
	}
	defer func() { r.depth-- }()
	switch x.op {
	case opBasic:
		return typ{kind: external}
	case opIdent:
		return r.ident(x.name, f, at, offset)
	case opMember:
		t := r.value(x.x, f, at, offset)
		if m := r.member(t, x.name); m != nil {
			return r.typeOf(m[0])
		}
		if t.kind == module || t.kind == unknown {
			if u := r.namedUnit(x, f); u != nil {
				return typ{kind: module, unit: u}
			}
		}
		if t.kind == module && f.Lang != "python" {
			if whole := r.passedUnit(t.unit, x.name, 0); whole != nil {
				return typ{kind: module, unit: whole}
			}
		}
		if e, ok := r.embedded(t, x.name); ok {
			return e
		}
		return r.foreign(t, x.name)
	case opCall:
		return r.called(x, f, at, offset)
	case opIndex:
		t := r.value(x.x, f, at, offset)
		switch t.kind {
		case list, wrapped:
			if strings.Contains(x.name, ":") {
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
	case opLiteral:
		return r.written(x.name, f, at)
	case opFunc:
		return typ{kind: function, text: x.name, file: f}
	case opAwait:
		t := r.value(x.x, f, at, offset)
		if t.kind == wrapped || t.kind == list && f.Lang == "go" {
			return t.elem(0)
		}
		return t
	case opOr:
		if t := r.value(x.x, f, at, offset); t.kind != unknown {
			return t
		}
		return r.value(x.or, f, at, offset)
	case opList:
		if x.name != "" {
			return typ{kind: list, elems: []typ{r.value(parseExpr(x.name), f, at, offset)}}
		}
		return typ{kind: list, elems: []typ{{}}}
	}
	return typ{}
}

// ident is what a bare name gives.
func (r *resolver) ident(name string, f *File, at *Symbol, offset int) typ {
	if offset >= 0 && f == r.f {
		if b := r.bind(name, offset); b != nil {
			return r.bound(b, at)
		}
	}
	if f.rules.self(name) {
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
			if bases := r.supers(s); len(bases) > 0 {
				return typ{kind: instance, sym: bases[0]}
			}
			return typ{kind: external}
		}
	}
	if syms := r.plain(name, f, at); syms != nil {
		return r.typeOf(syms[0])
	}
	if t, ok := r.imported(name, f); ok {
		switch {
		case t.unit != nil:
			return typ{kind: module, unit: t.unit}
		case len(t.symbols) > 0:
			return r.typeOf(t.symbols[0])
		}
		return typ{kind: external, name: t.external}
	}
	if f.rules.builtin(name) {
		return typ{kind: external, name: name}
	}
	if u := f.rules.named(r.t, f, name); u != nil {
		return typ{kind: module, unit: u}
	}
	return typ{}
}

// namedUnit is the unit whose whole name is written.
func (r *resolver) namedUnit(x *expr, f *File) *Unit {
	name := x.name
	for x = x.x; x != nil && x.op == opMember; x = x.x {
		name = x.name + "." + name
	}
	if x == nil || x.op != opIdent {
		return nil
	}
	return f.rules.named(r.t, f, x.name+"."+name)
}

// plain finds the declarations of a bare name that is not local and not
// imported: from the inside of the symbols around outwards, then the unit.
func (r *resolver) plain(name string, f *File, at *Symbol) []*Symbol {
	for s := at; s != nil; s = s.Parent {
		if s.IsType() && !f.rules.implicit() && s.Kind != "module" && s.Kind != "enum" {
			continue
		}
		if found := nearest(f.unit.byPath[s.Path+"."+name], f); found != nil && !constructs(found[0]) {
			return found
		}
	}
	if f.rules.implicit() {
		if s := enclosingType(at); s != nil {
			if found := r.member(typ{kind: instance, sym: s}, name); found != nil && !constructs(found[0]) {
				return found
			}
			for s = s.Parent; s != nil; s = s.Parent {
				if s.IsType() {
					if found := r.member(typ{kind: instance, sym: s}, name); found != nil && !constructs(found[0]) {
						return found
					}
				}
			}
		}
	}
	if found := nearest(f.unit.byPath[name], f); found != nil {
		return found
	}
	return f.rules.outerNames(r, f, name)
}

// constructs reports whether a symbol is a constructor that is written like a
// method of its type's name. It is no member: that name means the type, in the
// type itself and in those that inherit from it.
func constructs(s *Symbol) bool {
	switch s.File.Lang {
	case "java", "csharp", "cpp", "c":
		of, _ := strings.CutSuffix(s.Path, "."+s.Name)
		return s.Kind == "method" && of != s.Path && of[strings.LastIndexByte(of, '.')+1:] == s.Name
	}
	return false
}

// nearest puts the declarations of the file itself first.
func nearest(all []*Symbol, f *File) []*Symbol {
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

// called is what a call gives.
func (r *resolver) called(x *expr, f *File, at *Symbol, offset int) typ {
	if x.x.op == opIdent && x.x.name == "super" {
		return r.ident("super", f, at, offset)
	}
	t := r.value(x.x, f, at, offset)
	switch t.kind {
	case class:
		if a := f.rules.applies(r, t.sym); a != nil {
			return r.gives(a)
		}
		return r.aliased(t.sym)
	case function:
		if t.sym != nil {
			if x.x.op == opIndex && t.sym.File.Lang == "go" {
				return r.instantiated(t.sym, splitTop(x.x.name, ','), f, at)
			}
			return r.gives(t.sym)
		}
		if len(t.elems) == 1 {
			return t.elems[0]
		}
		if t.text == "" {
			return typ{}
		}
		return r.written(t.text, t.file, nil)
	case instance: // a call of a value: a function type, or __call__
		if t.sym.Kind == "type" && t.sym.Type != "" {
			if ft := r.written(t.sym.Type, t.sym.File, t.sym); ft.kind == function && ft.text != "" {
				return r.written(ft.text, ft.file, nil)
			}
		}
		return typ{}
	case list, dict, wrapped: // a method that keeps what it holds
		return t
	}
	return t
}

// typeOf is what a symbol is when it is named.
func (r *resolver) typeOf(s *Symbol) typ {
	switch s.Kind {
	case "function", "method":
		if strings.HasPrefix(s.Type, "get ") { // an accessor
			return r.written(s.Type[4:], s.File, s)
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
		t = r.written(s.Type, s.File, s)
	case s.Value != "" && !object:
		t = r.value(parseExpr(s.Value), s.File, s, -1)
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

// gives is the result of calling a function.
func (r *resolver) gives(s *Symbol) typ {
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
		t = r.written(s.Type, s.File, s)
	case s.File.Lang == "go":
		t = typ{kind: external} // gives nothing
	case s.File.Lang == "scala" && s.Value != "": // what its body gives, where that is one expression
		t = r.value(parseExpr(s.Value), s.File, s, -1)
	case s.Name == "new" || s.Name == "constructor" || s.Name == "__init__":
		if c := enclosingType(s); c != nil {
			t = typ{kind: instance, sym: c}
		}
	}
	r.memo[s] = t
	return t
}

// foreign is a member that was not found: of something outside, of what holds
// elements, or of nothing that is known.
func (r *resolver) foreign(t typ, name string) typ {
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
		if syms := t.unit.byPath[name]; syms != nil {
			return syms
		}
		if len(t.unit.Files) > 0 {
			if syms := t.unit.Files[0].rules.unitNames(r, t.unit, name); syms != nil {
				return syms
			}
		}
		return r.reexported(t.unit, name, 0)
	case instance, class:
		return r.memberOf(t.sym, name, map[*Symbol]bool{})
	case record:
		for _, s := range t.sym.File.unit.byPath[t.sym.Path+"."+name] {
			if s.Kind == "field" && s.File == t.sym.File {
				return []*Symbol{s}
			}
		}
	}
	return nil
}

// maxBases bounds how many types a member is looked for in.
const maxBases = 64

func (r *resolver) memberOf(s *Symbol, name string, seen map[*Symbol]bool) []*Symbol {
	if seen[s] || len(seen) > maxBases {
		return nil
	}
	seen[s] = true
	if found := s.File.unit.byPath[s.Path+"."+name]; found != nil {
		return found
	}
	for _, base := range r.supers(s) {
		if found := r.memberOf(base, name, seen); found != nil {
			return found
		}
	}
	if s.Kind == "type" && s.Type != "" && s.File.Lang != "go" || s.Kind == "type" && s.File.Lang == "go" && strings.HasPrefix(s.Type, "interface") {
		if r.reading[s] { // a name in it is looked for among its own members: each would be read again
			return nil
		}
		r.reading[s] = true
		t := r.written(s.Type, s.File, s)
		delete(r.reading, s)
		if t.kind == instance && t.sym != s {
			return r.memberOf(t.sym, name, seen)
		}
	}
	return nil
}

// supers are the bases of a type that are of the workspace.
func (r *resolver) supers(s *Symbol) []*Symbol {
	if out, ok := r.bases[s]; ok {
		return out
	}
	r.bases[s] = nil // a base that leads back here
	var out []*Symbol
	for _, base := range s.File.unit.supers[s.Path] {
		name := base.name
		if base.recv != "" {
			name = base.recv + "." + base.name
		}
		if t := r.written(name, base.file, base.decl.Parent); t.kind == instance && t.sym != s {
			out = append(out, t.sym)
		}
	}
	r.bases[s] = out
	return out
}
