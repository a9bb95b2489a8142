package resolve

import (
	"slices"
	"sort"
	"strings"
)

// Unit is a set of files that share one namespace for top-level names: a Go package, a
// module of TypeScript or Python, a namespace; in C and Ruby all files. Its lists are in
// the order of the files' ids, so that they don't depend on which file was read last,
// and a file's part is found without going through the others'.
type Unit struct {
	Key       string
	Files     []*File
	exporters []*File // those with imports that others may see through
	byPath    map[string][]*Symbol
	crowded   map[string]*crowd    // of the paths with many declarations; nil if all are needed
	members   map[string][]*Symbol // by the path of the container
	supers    map[string][]baseRef // by the path of the type
	objects   []*Symbol            // Scala's package objects: their members belong to the unit
}

func newUnit(key string, wide bool) *Unit {
	u := &Unit{Key: key, byPath: map[string][]*Symbol{}, members: map[string][]*Symbol{}, supers: map[string][]baseRef{}}
	if wide {
		u.crowded = map[string]*crowd{}
	}
	return u
}

// Lookup returns the symbols of a dotted path.
func (u *Unit) Lookup(path string) []*Symbol { return u.byPath[path] }

// A use of a name has at most maxCandidates edges, and what it tells apart is types,
// methods, fields and the rest (see addCandidates). So of many declarations at one path,
// such as the "main" of each program in a tree of C, the first maxCandidates of each
// class suffice. Without this each use of a common name would go through a list that
// grows with the tree.
const (
	classes  = 4
	manyHere = classes * maxCandidates
)

// crowd is the part of a long list that uses can mean.
type crowd struct {
	list  []*Symbol    // a subsequence: the first maxCandidates of each class
	count [classes]int // of the whole list
}

func class4(s *Symbol) int {
	switch {
	case s.IsType():
		return 0
	case s.Kind == "method":
		return 1
	case s.Kind == "field":
		return 2
	}
	return 3
}

// decls returns the declarations at a path that a use can mean, in the order of files.
func (u *Unit) decls(path string) []*Symbol {
	if c := u.crowded[path]; c != nil {
		return c.list
	}
	return u.byPath[path]
}

// maxKey is the length of a path that is looked up without an allocation.
const maxKey = 128

// declsIn is decls for a name in a container.
func (u *Unit) declsIn(container, name string) []*Symbol {
	var buf [maxKey]byte
	path := append(append(append(buf[:0], container...), '.'), name...)
	if c := u.crowded[string(path)]; c != nil {
		return c.list
	}
	return u.byPath[string(path)]
}

// declsNear is decls with the first declaration of a file moved to the front.
func (u *Unit) declsNear(path string, f *File) []*Symbol {
	return u.crowded[path].near(u.byPath[path], f)
}

// declsNearIn is declsNear for a name in a container.
func (u *Unit) declsNearIn(container, name string, f *File) []*Symbol {
	var buf [maxKey]byte
	path := append(append(append(buf[:0], container...), '.'), name...)
	return u.crowded[string(path)].near(u.byPath[string(path)], f)
}

// near returns what uses can mean of the declarations at a path, with the first
// declaration of a file moved to the front.
func (c *crowd) near(all []*Symbol, f *File) []*Symbol {
	if c == nil {
		return sameFileFirst(all, f)
	}
	for i := firstOf(all, f.ID); i < len(all) && all[i].File.ID == f.ID; i++ {
		if s := all[i]; s.File == f {
			if s == c.list[0] {
				return c.list
			}
			out := append(make([]*Symbol, 0, len(c.list)+1), s)
			for _, o := range c.list {
				if o != s {
					out = append(out, o)
				}
			}
			return out
		}
	}
	return c.list
}

// firstOf returns where the symbols of a file begin, or would.
func firstOf(all []*Symbol, file int32) int {
	return sort.Search(len(all), func(i int) bool { return all[i].File.ID >= file })
}

// insertSymbol adds a symbol behind those of its file.
func insertSymbol(all []*Symbol, s *Symbol) []*Symbol {
	if n := len(all); n == 0 || all[n-1].File.ID <= s.File.ID {
		return append(all, s)
	}
	return slices.Insert(all, sort.Search(len(all), func(i int) bool { return all[i].File.ID > s.File.ID }), s)
}

// addDecl adds a declaration to its path.
func (u *Unit) addDecl(s *Symbol) {
	all := insertSymbol(u.byPath[s.Path], s)
	u.byPath[s.Path] = all
	if u.crowded == nil || len(all) <= manyHere {
		return
	}
	c := u.crowded[s.Path]
	if c == nil {
		c = &crowd{}
		for _, o := range all {
			c.count[class4(o)]++
		}
		c.fill(all)
		u.crowded[s.Path] = c
		return
	}
	k := class4(s)
	c.count[k]++
	if c.count[k] > maxCandidates { // the class is full: s replaces its last one, or comes too late
		last := len(c.list) - 1
		for class4(c.list[last]) != k {
			last--
		}
		if c.list[last].File.ID <= s.File.ID {
			return
		}
		c.list = slices.Delete(c.list, last, last+1)
	}
	c.list = insertSymbol(c.list, s)
}

// fill selects from the whole list. It stops as soon as it has what there is.
func (c *crowd) fill(all []*Symbol) {
	var need [classes]int
	left := 0
	for k, n := range c.count {
		need[k] = min(n, maxCandidates)
		left += need[k]
	}
	c.list = make([]*Symbol, 0, left)
	for _, s := range all {
		if left == 0 {
			return
		}
		if k := class4(s); need[k] > 0 {
			need[k]--
			left--
			c.list = append(c.list, s)
		}
	}
}

// removeDecls removes a file's declarations at a path.
func (u *Unit) removeDecls(path string, f *File) {
	c := u.crowded[path]
	chosen := false
	dropSymbols(u.byPath, path, f, func(s *Symbol) {
		if c != nil {
			c.count[class4(s)]--
			chosen = chosen || slices.Contains(c.list, s)
		}
	})
	switch all := u.byPath[path]; {
	case c == nil:
	case len(all) <= manyHere:
		delete(u.crowded, path)
	case chosen:
		c.fill(all)
	}
}

// dropSymbols removes a file's symbols from a list, and calls each with them.
func dropSymbols(m map[string][]*Symbol, key string, f *File, each func(*Symbol)) {
	all := m[key]
	from := firstOf(all, f.ID)
	to := from
	for ; to < len(all) && all[to].File.ID == f.ID; to++ {
		if all[to].File == f {
			each(all[to])
		} else { // another file with the same id
			all[from] = all[to]
			from++
		}
	}
	switch {
	case from == to:
	case to-from == len(all):
		delete(m, key)
	default:
		m[key] = slices.Delete(all, from, to)
	}
}

func insertFile(all []*File, f *File) []*File {
	return slices.Insert(all, sort.Search(len(all), func(i int) bool { return all[i].ID > f.ID }), f)
}

// withoutFile removes a file from a list in the order of ids.
func withoutFile(all []*File, f *File) []*File {
	for i := sort.Search(len(all), func(i int) bool { return all[i].ID >= f.ID }); i < len(all) && all[i].ID == f.ID; i++ {
		if all[i] == f {
			return slices.Delete(all, i, i+1)
		}
	}
	return all
}

// assignUnit adds a file's symbols to its unit.
func (t *Table) assignUnit(f *File, key string) {
	u := t.units[key]
	if u == nil {
		u = newUnit(key, f.rules.wide())
		t.units[key] = u
	}
	f.unit = u
	u.Files = insertFile(u.Files, f)
	if f.exports() {
		u.exporters = insertFile(u.exporters, f)
	}
	if o := packageObject(f); o != nil {
		u.objects = append(u.objects, o)
	}
	for _, name := range ComponentNames(f.Path) {
		t.components[name] = insertFile(t.components[name], f)
	}
	for _, base := range f.supers {
		all := u.supers[base.decl.Path]
		at := sort.Search(len(all), func(i int) bool { return all[i].file.ID > f.ID })
		u.supers[base.decl.Path] = slices.Insert(all, at, base)
	}
	fam := family(f.Lang) + "\x00"
	for _, s := range f.Symbols {
		u.addDecl(s)
		if s.Kind == "module" {
			t.modules[fam+s.Path] = insertSymbol(t.modules[fam+s.Path], s)
		}
		i := strings.LastIndexByte(s.Path, '.')
		if i >= 0 {
			u.members[s.Path[:i]] = insertSymbol(u.members[s.Path[:i]], s)
		}
		if i >= 0 && s.Kind == "method" {
			t.methods[fam+s.Name] = insertSymbol(t.methods[fam+s.Name], s)
		}
	}
}

// Remove removes a file from the table. What that costs depends on the file, not on how
// many others declare the same names.
func (t *Table) Remove(filePath string) {
	f := t.files[filePath]
	if f == nil {
		return
	}
	delete(t.files, filePath)
	t.rooted = nil
	u := f.unit
	if u == nil { // without a unit yet
		return
	}
	for _, name := range ComponentNames(f.Path) {
		t.components[name] = slices.DeleteFunc(t.components[name], func(o *File) bool { return o == f })
	}
	fam := family(f.Lang) + "\x00"
	ignore := func(*Symbol) {}
	for _, s := range f.Symbols {
		u.removeDecls(s.Path, f)
		i := strings.LastIndexByte(s.Path, '.')
		if i >= 0 {
			dropSymbols(u.members, s.Path[:i], f, ignore)
		}
		if i >= 0 && s.Kind == "method" {
			dropSymbols(t.methods, fam+s.Name, f, ignore)
		}
		if s.Kind == "module" {
			dropSymbols(t.modules, fam+s.Path, f, ignore)
		}
	}
	for _, base := range f.supers {
		all := u.supers[base.decl.Path]
		from := sort.Search(len(all), func(i int) bool { return all[i].file.ID >= f.ID })
		to := sort.Search(len(all), func(i int) bool { return all[i].file.ID > f.ID })
		for i := from; i < to; i++ {
			if all[i].file != f { // another file with the same id
				all[from] = all[i]
				from++
			}
		}
		if u.supers[base.decl.Path] = slices.Delete(all, from, to); to-from == len(all) {
			delete(u.supers, base.decl.Path)
		}
	}
	u.objects = slices.DeleteFunc(u.objects, func(o *Symbol) bool { return o.File == f })
	u.exporters = withoutFile(u.exporters, f)
	u.Files = withoutFile(u.Files, f)
	if len(u.Files) == 0 {
		delete(t.units, u.Key)
	}
}

// exports reports whether other files may see names through the file's imports.
func (f *File) exports() bool {
	if f.rules.reexportsImports() {
		return len(f.imports) > 0
	}
	for i := range f.imports {
		if f.imports[i].Reexport {
			return true
		}
	}
	return false
}
