package resolve

import (
	"context"
	"slices"
	"strings"

	"manicule/indexer/extract"
	"manicule/indexer/fault"
)

// Resolver resolves the edges of files. It is for one goroutine.
type Resolver struct {
	r   *resolver
	out []Edge // of the last file
}

// NewResolver returns a resolver for a complete table.
func NewResolver(t *Table) *Resolver { return &Resolver{r: newResolver(t)} }

// Edges resolves the uses in a file of the table. f must be the facts that were added.
// A panic becomes the file's error and resets the resolver. The edges are valid until the
// next call.
func (r *Resolver) Edges(ctx context.Context, file *File, f *extract.Facts) (out []Edge, err error) {
	defer func() {
		if err != nil {
			out, r.r = nil, newResolver(r.r.t)
		}
	}()
	defer fault.Catch(&err)
	fault.Enter(ctx, fault.Resolve, file.Path)
	return r.edges(file, f), nil
}

func (r *Resolver) edges(file *File, f *extract.Facts) []Edge {
	w := r.r
	w.f = file
	w.exprs, w.binds, w.inherited = emptied(w.exprs, manyNames), emptied(w.binds, manyNames), emptied(w.inherited, manyNames)
	for i := range f.Binds {
		b := &f.Binds[i]
		w.binds[b.Name] = append(w.binds[b.Name], b)
	}
	w.flow = nil // its memory goes to the next one
	if file.python() {
		w.flow = newFlow(w, file, f)
	}
	out := r.out[:0]
	for i := range f.Refs {
		before := len(out)
		out = w.edges(out, file, &f.Refs[i])
		if w.flow != nil && f.Refs[i].Kind == extract.RefCall {
			out = w.flow.edges(out, before, &f.Refs[i])
		}
	}
	if w.flow != nil {
		out = w.flow.iterationEdges(out, f)
	}
	for i := range file.imports {
		out = w.importEdges(out, file, file.imports[i])
	}
	r.out = out
	if cap(out) > manyEdges {
		r.out = nil
	}
	return out
}

// What a resolver keeps from one file for the next, at most.
const (
	manyEdges = 1 << 15
	manyNames = 512 // clearing a map takes time in proportion to what it once held
)

// emptied returns an empty map, which is the given one if that has at most a number of entries.
func emptied[K comparable, V any](m map[K]V, most int) map[K]V {
	if m == nil || len(m) > most {
		return make(map[K]V, 64)
	}
	clear(m)
	return m
}

// edges appends the edges of one use.
func (r *resolver) edges(out []Edge, file *File, ref *extract.Ref) []Edge {
	if ref.Kind == extract.RefImport || ref.Name == extract.RefCallValue {
		return out // importEdges knows the module
	}
	from := file.Self
	if ref.In >= 0 {
		from = file.Symbols[ref.In]
	}
	at := from
	if at == file.Self {
		at = nil
	}
	kind := ref.Kind
	if kind == extract.RefKey {
		kind = extract.RefRead
	}
	add := func(to *Symbol, sure float64, may bool) {
		kind := kind
		if kind == extract.RefType && to.Kind == "function" && file.Lang == "go" {
			kind = extract.RefCall // "f[T](x)" looks like a conversion
		}
		if kind == extract.RefRead && file.rules.callsOnRead(to) {
			kind = extract.RefCall
		}
		if to == from && kind != extract.RefCall { // a declaration's own name inside of itself
			return
		}
		out = append(out, Edge{From: from, To: to, Kind: kind, Line: ref.Line, Sure: sure, May: may})
	}
	outside := func(name string) {
		if name != "" {
			out = append(out, Edge{From: from, External: name, Kind: kind, Line: ref.Line, Sure: sureExact})
		}
	}
	if ref.Recv == "" {
		found, ext := r.resolveBare(ref, file, at)
		switch {
		case len(found) > 0:
			r.addCandidates(found, ref, add)
		case ext == "" && r.registered(file, ref) != nil:
			add(r.registered(file, ref), sureUnique, true)
		default:
			outside(ext)
		}
		return out
	}
	if strings.HasPrefix(ref.Recv, "…") {
		return r.guessByName(out, file, ref, from, kind)
	}
	if found := optionOf(file, ref, at); found != nil {
		r.addCandidates(found, ref, add)
		return out
	}
	t := r.typeOfExpr(r.expr(ref.Recv), file, at, ref.Start)
	if found := r.member(t, ref.Name); len(found) > 0 {
		r.addCandidates(found, ref, add)
		return out
	}
	if t.kind != unknown && t.kind != instance && t.kind != class {
		if found := r.extensionMethods(file, ref.Name); len(found) > 0 {
			r.addCandidates(found, ref, func(to *Symbol, _ float64, _ bool) { add(to, sureUnique, true) })
			return out
		}
	}
	switch t.kind {
	case external:
		outside(joined(t.name, ref.Name))
	case list, dict, tuple, wrapped, function, module, record:
	case instance, class:
		// A member that the type lacks comes from a base outside.
	default:
		return r.guessByName(out, file, ref, from, kind)
	}
	return out
}

// addCandidates adds the declarations that a name may mean: all overloads and partial
// declarations, or, if only some accept the number of arguments, those.
func (r *resolver) addCandidates(found []*Symbol, ref *extract.Ref, add func(*Symbol, float64, bool)) {
	if ref.Kind == extract.RefInherit || ref.Kind == extract.RefType || ref.Kind == extract.RefNew {
		if types := onlyTypes(found); len(types) > 0 {
			found = types
		}
	}
	found = r.f.rules.filterByUse(filterMembers(found, ref.Kind), r.f, ref.Kind)
	// Declarations of one unit at one path are one thing (overloads, declaration
	// merging); build tags and conditionals may yield several.
	for i, s := range found {
		if i >= maxCandidates {
			break
		}
		add(s, sureExact, false)
	}
}

// filterMembers separates a field from a method of the same name, which some languages
// allow: a call means the method.
func filterMembers(found []*Symbol, kind extract.RefKind) []*Symbol {
	field := func(s *Symbol) bool { return s.Kind == "field" }
	method := func(s *Symbol) bool { return s.Kind == "method" }
	switch {
	case kind == extract.RefCall && slices.ContainsFunc(found, method):
		return filterOrAll(found, func(s *Symbol) bool { return !field(s) })
	case kind == extract.RefRead && slices.ContainsFunc(found, field):
		return filterOrAll(found, func(s *Symbol) bool { return !method(s) })
	}
	return found
}

func onlyTypes(all []*Symbol) []*Symbol {
	var out []*Symbol
	for _, s := range all {
		if s.IsType() {
			out = append(out, s)
		}
	}
	return out
}

// resolveBare resolves a name without a receiver. ext is its full name if it is
// outside of the workspace.
func (r *resolver) resolveBare(ref *extract.Ref, file *File, at *Symbol) (found []*Symbol, ext string) {
	if b := r.bindingAt(ref.Name, ref.Start); b != nil {
		// A call of a local value calls the function that was assigned to it.
		if ref.Kind != extract.RefCall || b.Value == "" || b.Each {
			return nil, ""
		}
		switch t := r.bindingType(b, at); t.kind {
		case function:
			if t.sym != nil {
				return []*Symbol{t.sym}, ""
			}
		case class:
			return []*Symbol{t.sym}, ""
		}
		return nil, ""
	}
	if file.rules.isSelf(ref.Name) || ref.Name == "super" {
		return nil, ""
	}
	if found = r.resolveName(ref.Name, file, at); found != nil {
		return found, ""
	}
	if t, ok := r.lookupImport(ref.Name, file); ok {
		if c := componentOf(t); c != nil {
			return []*Symbol{c}, ""
		}
		if len(t.symbols) > 0 {
			return t.symbols, ""
		}
		if t.unit != nil && ref.Kind != extract.RefRead {
			return t.unit.decls("default"), ""
		}
		return nil, t.external
	}
	return nil, ""
}

// extensionMethods returns the methods of a name that a Swift workspace adds to
// external types, such as arrays and strings.
func (r *resolver) extensionMethods(file *File, name string) []*Symbol {
	if file.Lang != "swift" {
		return nil
	}
	out, ok := r.extended[name]
	if ok {
		return out
	}
	for _, s := range r.t.methods["swift\x00"+name] {
		of, _ := strings.CutSuffix(s.Path, "."+s.Name)
		if s.Parent == nil && r.parseType(of, s.File, nil).kind == external {
			if out = append(out, s); len(out) == maxCandidates {
				break
			}
		}
	}
	r.extended[name] = out
	return out
}

// guessByName resolves a member of an unknown type by its name alone.
func (r *resolver) guessByName(out []Edge, file *File, ref *extract.Ref, from *Symbol, kind extract.RefKind) []Edge {
	if kind != extract.RefCall || commonMethodNames.has(ref.Name) {
		return out
	}
	all := r.t.methods[family(file.Lang)+"\x00"+ref.Name]
	if len(all) == 0 || len(all) > maxCandidates {
		return out
	}
	if file.typeScript() {
		all = r.modules.importedFrom(all, file)
	}
	all = acceptingArguments(all, file, ref.Args)
	sure := sureCandidate
	if len(all) == 1 {
		sure = sureUnique
	}
	for _, s := range all {
		out = append(out, Edge{From: from, To: s, Kind: kind, Line: ref.Line, Sure: sure, May: true})
	}
	return out
}

// commonMethodNames are methods that values of every library have: one of the
// workspace with such a name proves nothing.
var commonMethodNames = words("get set add push pop append map filter find each forEach join split length size has delete remove clear keys values items " +
	"entries update copy close Close open read Read write Write String Error Len Less Swap Unwrap next then catch finally call apply bind toString " +
	"equals hashCode format replace strip lower upper encode decode index count sort reverse insert extend print log info warn error debug send recv " +
	"start stop run Run Start Stop Lock Unlock Done Wait Add Get Set Put Delete Err Value test exec match search group trim includes slice concat " +
	"clone unwrap iter len is_empty contains to_string into from as_ref as_str collect new build name Name id ID put")

// importEdges turns the names in an import statement into uses of them.
func (r *resolver) importEdges(out []Edge, file *File, i extract.Import) []Edge {
	if i.Name == "" || i.Name == "*" {
		return out
	}
	_, to := file.rules.bindImport(r, file, i)
	for _, s := range to.symbols {
		if s.Parent == nil || file.Lang == "scala" { // other languages' patterns see the imported members
			out = append(out, Edge{From: file.Self, To: s, Kind: extract.RefImport, Line: i.Line, Sure: sureExact})
		}
	}
	return out
}

// lookupImport finds a name among the imports of a file; star imports come last.
func (r *resolver) lookupImport(name string, f *File) (target, bool) {
	f.once.Do(func() { f.resolveImports(r) })
	if t, ok := f.names[name]; ok {
		return t, true
	}
	for _, u := range f.stars {
		if syms := u.decls(name); syms != nil {
			return target{symbols: syms}, true
		}
		if syms := r.modules.reexported(u, name, 0); syms != nil {
			return target{symbols: syms}, true
		}
	}
	return target{}, false
}

// resolveImports resolves each import once.
func (f *File) resolveImports(r *resolver) {
	f.names = make(map[string]target, len(f.imports))
	for _, i := range f.imports {
		local, to := f.rules.bindImport(r, f, i)
		if to.star {
			if to.unit != nil {
				f.stars = append(f.stars, to.unit)
			}
			continue
		}
		if local == "" || local == "_" {
			continue
		}
		if old, ok := f.names[local]; ok && (old.unit != nil || len(old.symbols) > 0) && to.unit == nil && len(to.symbols) == 0 {
			continue
		}
		f.names[local] = to
	}
}
