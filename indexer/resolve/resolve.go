// Package resolve resolves the names that a file uses to their declarations, in the
// same file or in others, by the rules of each language. It works on the plain values
// of package extract and is pure. Where a name is ambiguous it returns candidates and
// how certain each is, instead of a guess. It must not know trees, files or
// databases.
package resolve

import (
	"path"
	"slices"
	"strings"
	"sync"
	"unicode"

	"manicule/grammars"
	"manicule/indexer/extract"
)

// Symbol is one declaration in the table of all.
type Symbol struct {
	ID      int32 // in its file, from 1; 0 is the file's own code
	Line    int   // of the declaration, from 1
	EndLine int
	Sig     string // as extract.Symbol.Signature
	File    *File
	Parent  *Symbol // the symbol around it, nil at top level
	Name    string
	Path    string // dotted containers, as extract.Symbol.Path
	Kind    string
	Type    string // as extract.Symbol.Type
	Value   string // as extract.Symbol.Value
	Arity   int
	Start   int // byte offset of the declaration
	End     int
}

// Node is the id of the symbol in the graph: its file's id and its own.
func (s *Symbol) Node() Node { return MakeNode(s.File.ID, s.ID) }

// Node is the id of a symbol of the graph. A file's own code has the local id 0.
type Node int64

// localBits is how many symbols a file may have had, as a power of two.
const localBits = 20

// MakeNode joins the ids of a file and of a symbol in it.
func MakeNode(file, local int32) Node { return Node(file)<<localBits | Node(local) }

// File is the id of the file.
func (n Node) File() int32 { return int32(n >> localBits) }

// Local is the id of the symbol in its file.
func (n Node) Local() int32 { return int32(n & (1<<localBits - 1)) }

// IsType reports whether a symbol has members of its own.
func (s *Symbol) IsType() bool {
	switch s.Kind {
	case "class", "interface", "struct", "type", "enum", "trait", "module":
		return true
	}
	return false
}

// baseRef is a base of a type as it is written.
type baseRef struct {
	recv, name string
	file       *File
	decl       *Symbol
}

// File is what the table keeps of a file: what others need to know of it.
type File struct {
	ID      int32
	Path    string // with slashes, below the root
	Lang    string
	Package string
	Symbols []*Symbol // as in extract.File.Symbols
	Self    *Symbol   // stands for the file's own code outside of all symbols
	imports []extract.Import
	supers  []baseRef
	unit    *Unit
	rules   rules

	once  sync.Once
	names map[string]target // what imports bring in, once it was asked for
	stars []*Unit
}

// ImplicitSelf reports whether a method of the file's language calls others of
// its type by their bare names.
func (f *File) ImplicitSelf() bool { return f.rules.implicitSelf() }

// CallsOnRead reports whether a symbol of the file may run where its name is only
// read, as a method without arguments does in Ruby and Scala.
func (f *File) CallsOnRead(s *Symbol) bool {
	return f.rules.callsOnRead(s) || f.Lang == "ruby" && s.Kind == "method"
}

// Imports reports whether an expression begins with a name that an import brings
// in.
func (f *File) Imports(expr string) bool {
	end := strings.IndexFunc(expr, func(r rune) bool { return r != '_' && r != '$' && !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	if end < 0 {
		end = len(expr)
	}
	name := expr[:end]
	return name != "" && slices.ContainsFunc(f.imports, func(i extract.Import) bool {
		if i.Alias != "" {
			return i.Alias == name
		}
		return i.Name == name || slices.Contains(strings.FieldsFunc(i.Module, func(r rune) bool { return strings.ContainsRune("./:\\-", r) }), name)
	})
}

// ImportsModule reports whether the file imports a module of a name.
func (f *File) ImportsModule(name string) bool {
	return slices.ContainsFunc(f.imports, func(i extract.Import) bool { return i.Module == name })
}

// Unit is a set of files whose top-level names are one space: a Go package, a
// module of TypeScript or Python, a namespace.
type Unit struct {
	Key     string
	Files   []*File
	byPath  map[string][]*Symbol
	members map[string][]*Symbol // by the path of what holds them
	supers  map[string][]baseRef // by the path of the type
	objects []*Symbol            // package objects of Scala: their members are the unit's
}

// Lookup returns the symbols of a dotted path.
func (u *Unit) Lookup(path string) []*Symbol { return u.byPath[path] }

// Table holds the declarations of a workspace. Adding is for one goroutine;
// once everything is added, any number may resolve.
type Table struct {
	project    *Project
	files      map[string]*File
	units      map[string]*Unit
	methods    map[string][]*Symbol // by family and name: members of types
	modules    map[string][]*Symbol // by family and path: types and modules, for those named by their whole path
	unassigned []*File              // added and not yet entered
}

// NewTable returns an empty table of a project.
func NewTable(p *Project) *Table {
	return &Table{project: p, files: map[string]*File{}, units: map[string]*Unit{}, methods: map[string][]*Symbol{}, modules: map[string][]*Symbol{}}
}

// File returns the file of a path, nil where there is none.
func (t *Table) File(path string) *File { return t.files[path] }

// family is the group of languages that call each other directly.
func family(lang string) string {
	switch lang {
	case "typescript", "tsx", "javascript":
		return "es"
	case "java", "kotlin", "scala":
		return "jvm"
	case "c", "cpp":
		return "c"
	}
	return lang
}

// Add takes a file's declarations into the table. The path must be new. locals
// are the ids of its symbols, as many as there are.
func (t *Table) Add(filePath string, id int32, f *extract.Facts, locals []int32) *File {
	out := &File{ID: id, Path: filePath, Lang: f.Language, Package: f.Package, imports: f.Uses, rules: rulesOf(f.Language)}
	out.Self = &Symbol{File: out, Kind: "file", Name: path.Base(filePath), Arity: -1}
	out.Symbols = make([]*Symbol, len(f.Symbols))
	block := make([]Symbol, len(f.Symbols))
	for i, s := range f.Symbols {
		sym := &block[i]
		*sym = Symbol{File: out, Name: s.Name, Path: s.Path, Kind: s.Kind, Type: s.Type, Value: s.Value, Arity: s.Arity, Start: s.Start, End: s.End,
			ID: locals[i], Line: s.Line, EndLine: s.EndLine, Sig: s.Signature}
		if s.Parent >= 0 {
			sym.Parent = out.Symbols[s.Parent]
		}
		out.Symbols[i] = sym
	}
	for _, r := range f.Refs {
		if r.Kind == extract.RefInherit && r.In >= 0 {
			s := out.Symbols[r.In]
			for s.Parent != nil && !s.IsType() {
				s = s.Parent
			}
			out.supers = append(out.supers, baseRef{r.Recv, r.Name, out, s})
		}
	}
	t.files[filePath] = out
	t.unassigned = append(t.unassigned, out)
	if t.project != nil {
		t.AssignUnits()
	}
	return out
}

// AddDeferred is Add before the project is known; EnterAll must follow before
// anything is resolved.
func (t *Table) AddDeferred(filePath string, id int32, f *extract.Facts, locals []int32) *File {
	project := t.project
	t.project = nil
	out := t.Add(filePath, id, f, locals)
	t.project = project
	return out
}

// AssignUnits files what was added under its units. Which declaration of a name
// comes first may matter, so that the order is that of the ids and not that in
// which files were added.
func (t *Table) AssignUnits() {
	slices.SortStableFunc(t.unassigned, func(a, b *File) int { return int(a.ID - b.ID) })
	for _, f := range t.unassigned {
		if t.files[f.Path] == f {
			t.assignUnit(f, t.unitOf(f))
		}
	}
	t.unassigned = nil
}

// unitOf is the key of the unit of a file: one of its own where that can't be told
// for a fault, which shows again when its uses are resolved.
func (t *Table) unitOf(f *File) string {
	key, err := catchPanic(func() string { return f.rules.unitKey(t, f) })
	if err != nil {
		return f.Lang + ":" + f.Path
	}
	return key
}

// assignUnit files a file's symbols under its unit.
func (t *Table) assignUnit(f *File, key string) {
	u := t.units[key]
	if u == nil {
		u = &Unit{Key: key, byPath: map[string][]*Symbol{}, members: map[string][]*Symbol{}, supers: map[string][]baseRef{}}
		t.units[key] = u
	}
	f.unit = u
	u.Files = append(u.Files, f)
	if o := packageObject(f); o != nil {
		u.objects = append(u.objects, o)
	}
	for _, base := range f.supers {
		u.supers[base.decl.Path] = append(u.supers[base.decl.Path], base)
	}
	fam := family(f.Lang) + "\x00"
	for _, s := range f.Symbols {
		u.byPath[s.Path] = append(u.byPath[s.Path], s)
		if s.Kind == "module" {
			t.modules[fam+s.Path] = append(t.modules[fam+s.Path], s)
		}
		i := strings.LastIndexByte(s.Path, '.')
		if i >= 0 {
			u.members[s.Path[:i]] = append(u.members[s.Path[:i]], s)
		}
		if i >= 0 && s.Kind == "method" {
			t.methods[fam+s.Name] = append(t.methods[fam+s.Name], s)
		}
	}
}

// Remove takes a file out of the table.
func (t *Table) Remove(filePath string) {
	f := t.files[filePath]
	if f == nil {
		return
	}
	delete(t.files, filePath)
	if f.unit == nil { // not yet entered
		return
	}
	drop := func(m map[string][]*Symbol, key string) {
		all := m[key]
		kept := all[:0:0]
		for _, s := range all {
			if s.File != f {
				kept = append(kept, s)
			}
		}
		if len(kept) == 0 {
			delete(m, key)
		} else {
			m[key] = kept
		}
	}
	fam := family(f.Lang) + "\x00"
	for _, s := range f.Symbols {
		drop(f.unit.byPath, s.Path)
		if i := strings.LastIndexByte(s.Path, '.'); i >= 0 {
			drop(f.unit.members, s.Path[:i])
		}
		drop(t.methods, fam+s.Name)
		drop(t.modules, fam+s.Path)
	}
	for _, base := range f.supers {
		all := f.unit.supers[base.decl.Path]
		kept := all[:0:0]
		for _, b := range all {
			if b.file != f {
				kept = append(kept, b)
			}
		}
		f.unit.supers[base.decl.Path] = kept
	}
	f.unit.objects = slices.DeleteFunc(f.unit.objects, func(o *Symbol) bool { return o.File == f })
	for i, other := range f.unit.Files {
		if other == f {
			f.unit.Files = append(f.unit.Files[:i:i], f.unit.Files[i+1:]...)
			break
		}
	}
	if len(f.unit.Files) == 0 {
		delete(t.units, f.unit.Key)
	}
}

// Invalidate drops what was remembered about imports, after files were added or
// removed. Nobody may resolve meanwhile.
func (t *Table) Invalidate(p *Project) {
	t.project = p
	for _, f := range t.files {
		f.once, f.names, f.stars = sync.Once{}, nil, nil
	}
}

// ExpandReexports adds to names those under which other files pass them on.
func (t *Table) ExpandReexports(names map[string]bool) {
	if len(names) == 0 {
		return
	}
	for more := true; more; {
		more = false
		for _, f := range t.files {
			for _, i := range f.imports {
				if !i.Reexport && !f.rules.reexportsImports() {
					continue
				}
				module := strings.TrimRight(i.Module, "/.")
				module = module[strings.LastIndexAny(module, "/.:")+1:]
				if !names[i.Name] && (module == "" || !names[module]) {
					continue
				}
				for _, n := range []string{i.Alias, i.Name} {
					if n != "" && n != "*" && !names[n] {
						names[n] = true
						more = true
					}
				}
			}
		}
	}
}

// Edge is a use of one symbol by another.
type Edge struct {
	From     *Symbol
	To       *Symbol // nil where External says what it is
	External string  // the name of something outside of the workspace, as "fmt.Println"
	Kind     extract.RefKind
	Line     int     // from 1
	May      bool    // one of several that it may mean
	Sure     float64 // 0 to 1
}

// How sure an edge is, by how it was found. The figures below sureExact are
// judgement: they put edges in order. What is checked is that such edges are
// worth having: the evaluation in docs/graph-truth.md counts every one in full,
// so that too many wrong ones would show in its precision.
const (
	sureExact     = 1.0
	sureUnique    = 0.6 // the receiver is not known, but only one thing has the name
	sureCandidate = 0.3 // and several have it
	maxCandidates = 8   // of more, none is kept
)

// target is what an import brings in.
type target struct {
	unit     *Unit     // of the module itself
	symbols  []*Symbol // of the imported name
	external string    // where it is outside of the workspace: its full name
	star     bool      // all names of the unit, without a name in front
}

// rulesOf returns the rules of a language.
func rulesOf(lang string) rules {
	l, _ := grammars.ByID(lang)
	switch l.Resolution {
	case grammars.ResolveGo:
		return goRules{}
	case grammars.ResolveES:
		return esRules{}
	case grammars.ResolvePython:
		return pythonRules{}
	case grammars.ResolveRust:
		return rustRules{}
	case grammars.ResolveJVM, grammars.ResolveDotted:
		if lang == "scala" {
			return scalaRules{namespaceRules{lang: lang}}
		}
		return namespaceRules{lang: lang}
	case grammars.ResolveC:
		return includeRules{}
	case grammars.ResolvePath:
		return requireRules{lang: lang}
	}
	return noRules{}
}

// rules are what languages differ in.
type rules interface {
	// unitKey is the key of the unit that a file belongs to.
	unitKey(t *Table, f *File) string
	// module finds the unit that a module name means in a file, nil where it is
	// not in the workspace.
	module(t *Table, f *File, name string) *Unit
	// isSelf reports whether a name is the instance whose method this is.
	isSelf(name string) bool
	// implicitSelf says whether a bare name may be a member of the type around it.
	implicitSelf() bool
	// isBuiltin reports whether a type or function comes with the language.
	isBuiltin(name string) bool
	// reexportsImports says whether a module's imports are names of it.
	reexportsImports() bool
	// unitByName finds the unit that a dotted name means where nothing imports it.
	unitByName(t *Table, f *File, name string) *Unit
	// unitNames are names of a unit that no file of it has at the top.
	unitNames(r *resolver, u *Unit, name string) []*Symbol
	// outerNames are what a file sees beyond its own unit's top names.
	outerNames(r *resolver, f *File, name string) []*Symbol
	// filterByUse narrows the declarations at one path to those a use can mean.
	filterByUse(found []*Symbol, f *File, kind extract.RefKind) []*Symbol
	// callsOnRead reports whether naming a symbol calls it.
	callsOnRead(s *Symbol) bool
	// applyMethod is the method that is called where a type is, nil where that makes an instance.
	applyMethod(r *resolver, s *Symbol) *Symbol
	// bindImport turns an import into what it brings in, under which name.
	bindImport(r *resolver, f *File, i extract.Import) (local string, to target)
}
