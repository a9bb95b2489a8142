// Package resolve resolves the names that a file uses to their declarations, in the
// same file or in others, by the rules of each language. It works on the plain values
// of package extract and is pure. Where a name is ambiguous it returns candidates with
// their confidence, instead of a guess. It must not know trees, files or databases.
package resolve

import (
	"path"
	"slices"
	"strings"
	"sync"
	"unicode"

	"manicule/grammars"
	"manicule/indexer/extract"
	"manicule/indexer/sorting"
)

// Symbol is one declaration in the table.
type Symbol struct {
	ID      int32 // in its file, from 1; 0 is the file's own code
	Line    int   // of the declaration, from 1
	EndLine int
	Sig     string // as extract.Symbol.Signature
	File    *File
	Parent  *Symbol // the enclosing symbol, nil at top level
	Name    string
	Path    string // dotted containers, as extract.Symbol.Path
	Kind    string
	Type    string // as extract.Symbol.Type
	Value   string // as extract.Symbol.Value
	Arity   int
	Start   int // byte offset of the declaration
	End     int
}

// Node returns the id of the symbol in the graph: its file's id and its own.
func (s *Symbol) Node() Node { return MakeNode(s.File.ID, s.ID) }

// Node is the id of a symbol in the graph. A file's own code has the local id 0.
type Node int64

// localBits is the binary logarithm of how many symbol ids a file may use.
const localBits = 20

// MakeNode combines the ids of a file and of a symbol in it.
func MakeNode(file, local int32) Node { return Node(file)<<localBits | Node(local) }

// File returns the id of the file.
func (n Node) File() int32 { return int32(n >> localBits) }

// Local returns the id of the symbol in its file.
func (n Node) Local() int32 { return int32(n & (1<<localBits - 1)) }

// IsType reports whether a symbol has members of its own.
func (s *Symbol) IsType() bool {
	switch s.Kind {
	case "class", "interface", "struct", "type", "enum", "trait", "module":
		return true
	}
	return false
}

// baseRef is a base of a type as written.
type baseRef struct {
	recv, name string
	file       *File
	decl       *Symbol
}

// written is the whole name.
func (b baseRef) written() string {
	if b.recv == "" {
		return b.name
	}
	return b.recv + "." + b.name
}

// File is the part of a file that other files need to know.
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
	names map[string]target // imported names, resolved on first use
	stars []*Unit
}

// ImplicitSelf reports whether the file's language lets a method call others of its
// type by their bare names.
func (f *File) ImplicitSelf() bool { return f.rules.implicitSelf() }

// CallsOnRead reports whether reading a symbol of the file may call it, as a method
// without arguments in Ruby and Scala.
func (f *File) CallsOnRead(s *Symbol) bool {
	return f.rules.callsOnRead(s) || f.Lang == "ruby" && s.Kind == "method"
}

// Imports reports whether an expression begins with an imported name.
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

// Table holds the declarations of a workspace. One goroutine adds to it; once it is
// complete, any number may resolve.
type Table struct {
	project    *Project
	files      map[string]*File
	units      map[string]*Unit
	methods    map[string][]*Symbol // by family and name: members of types
	modules    map[string][]*Symbol // by family and path: types and modules, for lookups by full path
	components map[string][]*File   // by the names of ComponentNames
	unassigned []*File              // files without a unit yet
	rooted     *rootedModules       // of Python; nil if files changed since
	later      *later               // the files that are not read yet; nil if there are none
}

// NewTable returns an empty table for a project.
func NewTable(p *Project) *Table {
	return &Table{project: p, files: map[string]*File{}, units: map[string]*Unit{}, methods: map[string][]*Symbol{}, modules: map[string][]*Symbol{}, components: map[string][]*File{}}
}

// File returns the file of a path, nil if there is none.
func (t *Table) File(path string) *File { return t.file(path) }

// family returns the group of languages that call each other directly.
func family(lang string) string {
	switch lang = grammars.CodeOf(lang); lang {
	case "typescript", "tsx", "javascript":
		return "es"
	case "java", "kotlin", "scala":
		return "jvm"
	case "c", "cpp":
		return "c"
	}
	return lang
}

// Add adds a file's declarations to the table. The path must be new. locals holds an
// id for each of its symbols.
func (t *Table) Add(filePath string, id int32, f *extract.Facts, locals []int32) *File {
	out := NewFile(filePath, id, f, locals)
	t.AddFile(out)
	return out
}

// AddFile is Add for what NewFile returned.
func (t *Table) AddFile(f *File) {
	t.files[f.Path] = f
	t.unassigned = append(t.unassigned, f)
	if t.project != nil {
		t.AssignUnits()
	}
}

// NewFile returns a file's declarations alone, without a table.
func NewFile(filePath string, id int32, f *extract.Facts, locals []int32) *File {
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
	return out
}

// AddDeferred is Add before the project is known; AssignUnits must follow before
// anything is resolved.
func (t *Table) AddDeferred(filePath string, id int32, f *extract.Facts, locals []int32) *File {
	project := t.project
	t.project = nil
	out := t.Add(filePath, id, f, locals)
	t.project = project
	return out
}

// AssignUnits assigns the added files to their units. It does so in the order of ids,
// not of addition, because the first declaration of a name may win.
func (t *Table) AssignUnits() {
	t.rooted = &rootedModules{}
	sorting.StableFunc(t.unassigned, func(a, b *File) int { return int(a.ID - b.ID) })
	for _, f := range t.unassigned {
		if t.files[f.Path] == f {
			t.assignUnit(f, t.unitOf(f))
		}
	}
	t.unassigned = nil
}

// unitOf returns the key of a file's unit. If a fault prevents that, the file gets a
// unit of its own; the fault recurs when its uses are resolved.
func (t *Table) unitOf(f *File) string {
	key, err := catchPanic(func() string { return f.rules.unitKey(t, f) })
	if err != nil {
		return f.Lang + ":" + f.Path
	}
	return key
}

// Invalidate drops cached imports after files were added or removed. Nothing may be
// resolving meanwhile.
func (t *Table) Invalidate(p *Project) {
	t.project, t.rooted = p, nil
	for _, f := range t.files {
		f.once, f.names, f.stars = sync.Once{}, nil, nil
	}
}

// ExpandReexports adds the names under which other files re-export the given ones.
func (t *Table) ExpandReexports(names map[string]bool) {
	if len(names) == 0 {
		return
	}
	_ = t.Fill() // Unread tells
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

// ExpandStars adds the names that a file of a language passes on by imports of all names, which it has or had. The file may be gone.
func (t *Table) ExpandStars(filePath, lang string, imports []extract.Import, names map[string]bool) {
	if len(imports) == 0 {
		return
	}
	f := t.file(filePath)
	if f == nil {
		f = &File{Path: filePath, Lang: lang, rules: rulesOf(lang), imports: imports}
		f.unit = newUnit(t.unitOf(f), f.rules.wide())
	}
	r, seen := newResolver(t), map[*Unit]bool{}
	var add func(f *File, i extract.Import)
	add = func(f *File, i extract.Import) {
		_, to := f.rules.bindImport(r, f, i)
		if to.unit == nil || seen[to.unit] {
			return
		}
		seen[to.unit] = true
		for _, of := range to.unit.Files {
			for _, s := range of.Symbols {
				if s.Parent == nil {
					names[s.Name] = true
				}
			}
			for _, o := range of.imports {
				switch {
				case !o.Reexport && !of.rules.reexportsImports():
				case o.Name == "*" && (o.Alias == "" || o.Alias == "*"):
					add(of, o)
				case o.Alias != "":
					names[o.Alias] = true
				default:
					names[o.Name] = true
				}
			}
		}
	}
	for _, i := range imports {
		add(f, i)
	}
}

// ExpandTyped adds to names of types those of the types below them, and of what has one of these types: a use of a
// member by way of it mentions no type.
func (t *Table) ExpandTyped(names map[string]bool) {
	if len(names) == 0 {
		return
	}
	_ = t.Fill() // Unread tells
	named := func(text string) bool {
		for w := range strings.FieldsFuncSeq(text, func(r rune) bool { return r != '_' && r != '$' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
			if names[w] {
				return true
			}
		}
		return false
	}
	for more := true; more; {
		more = false
		add := func(n string) {
			if !names[n] {
				names[n], more = true, true
			}
		}
		for _, f := range t.files {
			for _, b := range f.supers {
				if named(b.name) {
					add(b.decl.Name)
				}
			}
			for _, s := range f.Symbols {
				if !names[s.Name] && (named(s.Type) || named(s.Value)) {
					add(s.Name)
				}
			}
		}
	}
}

// Edge is a use of one symbol by another.
type Edge struct {
	From     *Symbol
	To       *Symbol // nil if External is set
	External string  // the full name of something outside of the workspace, as "fmt.Println"
	Kind     extract.RefKind
	Line     int     // from 1
	May      bool    // one of several candidates
	Sure     float64 // 0 to 1
}

// The confidence in an edge, by how it was resolved. The figures below sureExact are
// judgement: they rank edges. The evaluation in docs/graph-truth.md counts every such
// edge in full, so too many wrong ones would show in its precision.
const (
	sureExact     = 1.0
	sureUnique    = 0.6 // unknown receiver, but the name is unique
	sureCandidate = 0.3 // unknown receiver, and several candidates
	maxCandidates = 8   // of more, none is kept
)

// target is what an import refers to.
type target struct {
	unit     *Unit     // of the module itself
	symbols  []*Symbol // of the imported name
	external string    // its full name, if outside of the workspace
	star     bool      // all names of the unit, unqualified
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

// rules are the differences between languages.
type rules interface {
	// wide reports whether a unit may span many programs, each with the same names.
	wide() bool
	// unitKey returns the key of the unit that a file belongs to.
	unitKey(t *Table, f *File) string
	// module returns the unit that a module name means in a file, nil if it is not in
	// the workspace.
	module(t *Table, f *File, name string) *Unit
	// isSelf reports whether a name is the receiver of the current method.
	isSelf(name string) bool
	// implicitSelf reports whether a bare name may be a member of the enclosing type.
	implicitSelf() bool
	// isBuiltin reports whether a type or function is part of the language.
	isBuiltin(name string) bool
	// reexportsImports reports whether a module exports what it imports.
	reexportsImports() bool
	// unitByName returns the unit that a dotted name means without an import.
	unitByName(t *Table, f *File, name string) *Unit
	// unitNames returns names of a unit that are at no file's top level.
	unitNames(r *resolver, u *Unit, name string) []*Symbol
	// outerNames returns names that a file sees beyond its unit's top level.
	outerNames(r *resolver, f *File, name string) []*Symbol
	// filterByUse drops the declarations at one path that a kind of use can't mean.
	filterByUse(found []*Symbol, f *File, kind extract.RefKind) []*Symbol
	// callsOnRead reports whether reading a symbol calls it.
	callsOnRead(s *Symbol) bool
	// applyMethod returns the method that a call of a type runs, nil if it creates an
	// instance.
	applyMethod(r *resolver, s *Symbol) *Symbol
	// bindImport returns the target of an import and its local name.
	bindImport(r *resolver, f *File, i extract.Import) (local string, to target)
}
