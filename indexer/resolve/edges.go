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

// Unread is [Table.Unread] of its table.
func (r *Resolver) Unread() error { return r.r.t.Unread() }

func (r *Resolver) edges(file *File, f *extract.Facts) []Edge {
	w := r.r
	w.f = file
	w.exprs, w.binds, w.bases.found = emptied(w.exprs, manyNames), emptied(w.binds, manyNames), emptied(w.bases.found, manyNames)
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

// use is one use of a name, and collects its edges.
type use struct {
	*extract.Ref
	r    *resolver
	file *File
	from *Symbol
	kind extract.RefKind // of the edges
	out  []Edge
}

// edges appends the edges of one use.
func (r *resolver) edges(out []Edge, file *File, ref *extract.Ref) []Edge {
	if ref.Kind == extract.RefImport || ref.Name == extract.RefCallValue {
		return out // importEdges knows the module
	}
	u := use{Ref: ref, r: r, file: file, from: file.Self, kind: ref.Kind, out: out}
	if ref.In >= 0 {
		u.from = file.Symbols[ref.In]
	}
	if ref.Kind == extract.RefKey {
		u.kind = extract.RefRead
	}
	switch {
	case ref.Recv == "":
		u.resolveBare()
	case strings.HasPrefix(ref.Recv, "…"):
		u.guessByName()
	default:
		u.resolveMember()
	}
	return u.out
}

// at is the symbol around the use, nil outside of all.
func (u *use) at() *Symbol {
	if u.from == u.file.Self {
		return nil
	}
	return u.from
}

// add adds an edge to a declaration.
func (u *use) add(to *Symbol, sure float64, may bool) {
	kind := u.kind
	if kind == extract.RefType && to.Kind == "function" && u.file.Lang == "go" {
		kind = extract.RefCall // "f[T](x)" looks like a conversion
	}
	if kind == extract.RefRead && u.file.rules.callsOnRead(to) {
		kind = extract.RefCall
	}
	if to == u.from && kind != extract.RefCall { // a declaration's own name inside of itself
		return
	}
	u.out = append(u.out, Edge{From: u.from, To: to, Kind: kind, Line: u.Line, Sure: sure, May: may})
}

// addOutside adds an edge to something outside of the workspace, if its full name is known.
func (u *use) addOutside(name string) {
	if name != "" {
		u.out = append(u.out, Edge{From: u.from, External: name, Kind: u.kind, Line: u.Line, Sure: sureExact})
	}
}

// resolveBare resolves a name without a receiver.
func (u *use) resolveBare() {
	found, outside := u.declarations()
	if len(found) > 0 {
		u.addCandidates(found)
		return
	}
	if outside == "" {
		if c := u.registered(); c != nil {
			u.add(c, sureUnique, true)
		}
		return
	}
	u.addOutside(outside)
}

// resolveMember resolves a name with a receiver, by the type of that.
func (u *use) resolveMember() {
	if found := optionOf(u.file, u.Ref, u.at()); found != nil {
		u.addCandidates(found)
		return
	}
	t := u.r.here(u.at(), u.Start).typeOfExpr(u.r.expr(u.Recv))
	if found := u.r.member(t, u.Name); len(found) > 0 {
		u.addCandidates(found)
		return
	}
	switch t.kind {
	case instance, class:
		return // A member that the type lacks comes from a base outside.
	case unknown:
		u.guessByName()
		return
	}
	if found := u.r.extensionMethods(u.file, u.Name); len(found) > 0 {
		for _, s := range u.candidates(found) {
			u.add(s, sureUnique, true)
		}
		return
	}
	if t.kind == external {
		u.addOutside(joined(t.name, u.Name))
	}
}

// addCandidates adds the declarations that a name may mean.
func (u *use) addCandidates(found []*Symbol) {
	for _, s := range u.candidates(found) {
		u.add(s, sureExact, false)
	}
}

// candidates returns the declarations that a kind of use may mean. Declarations of one unit at one path
// are one thing (overloads, declaration merging); build tags and conditionals may yield several.
func (u *use) candidates(found []*Symbol) []*Symbol {
	if u.Kind == extract.RefInherit || u.Kind == extract.RefType || u.Kind == extract.RefNew {
		if types := onlyTypes(found); len(types) > 0 {
			found = types
		}
	}
	found = u.file.rules.filterByUse(filterMembers(found, u.Kind), u.file, u.Kind)
	return found[:min(len(found), maxCandidates)]
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

// declarations finds what a name without a receiver means. outside is its full name if it is
// outside of the workspace.
func (u *use) declarations() (found []*Symbol, outside string) {
	if b := u.r.bindingAt(u.Name, u.Start); b != nil {
		// A call of a local value calls the function that was assigned to it.
		if u.Kind != extract.RefCall || b.Value == "" || b.Each {
			return nil, ""
		}
		switch t := u.r.bindingType(b, u.at()); t.kind {
		case function:
			if t.sym != nil {
				return []*Symbol{t.sym}, ""
			}
		case class:
			return []*Symbol{t.sym}, ""
		}
		return nil, ""
	}
	if u.file.rules.isSelf(u.Name) || u.Name == "super" {
		return nil, ""
	}
	if found = u.r.in(u.file, u.at()).resolveName(u.Name); found != nil {
		return found, ""
	}
	if t, ok := u.r.lookupImport(u.Name, u.file); ok {
		if c := componentOf(t); c != nil {
			return []*Symbol{c}, ""
		}
		if len(t.symbols) > 0 {
			return t.symbols, ""
		}
		if t.unit != nil && u.Kind != extract.RefRead {
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
		if s.Parent == nil && r.in(s.File, nil).parseType(of).kind == external {
			if out = append(out, s); len(out) == maxCandidates {
				break
			}
		}
	}
	r.extended[name] = out
	return out
}

// guessByName resolves a member of an unknown type by its name alone.
func (u *use) guessByName() {
	if u.kind != extract.RefCall || commonMethodNames.has(u.Name) {
		return
	}
	all := u.r.t.methodsNamed(family(u.file.Lang), u.Name)
	if len(all) == 0 || len(all) > maxCandidates {
		return
	}
	if u.file.typeScript() {
		all = u.r.modules.importedFrom(all, u.file)
	}
	all = acceptingArguments(all, u.file, u.Args)
	sure := sureCandidate
	if len(all) == 1 {
		sure = sureUnique
	}
	for _, s := range all {
		u.out = append(u.out, Edge{From: u.from, To: s, Kind: u.kind, Line: u.Line, Sure: sure, May: true})
	}
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
