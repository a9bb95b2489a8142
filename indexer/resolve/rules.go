package resolve

import (
	"path"
	"strings"

	"manicule/indexer/extract"
)

// noRules are for files without names that lead anywhere.
type noRules struct{}

func (noRules) unit(_ *Table, f *File) string                          { return f.Path }
func (noRules) module(*Table, *File, string) *Unit                     { return nil }
func (noRules) self(string) bool                                       { return false }
func (noRules) implicit() bool                                         { return false }
func (noRules) builtin(string) bool                                    { return false }
func (noRules) passesOn() bool                                         { return false }
func (noRules) imports(*Table, *File, extract.Import) (string, target) { return "", target{} }

// goRules: a folder is a package (with its external tests beside it), found by
// its module's path.
type goRules struct{ noRules }

func (goRules) unit(_ *Table, f *File) string {
	dir := path.Dir(f.Path)
	if strings.HasSuffix(f.Package, "_test") {
		return "go:" + dir + "#test"
	}
	return "go:" + dir
}

func (goRules) module(t *Table, f *File, name string) *Unit {
	for _, m := range t.project.goModules {
		if name == m.path || strings.HasPrefix(name, m.path) && name[len(m.path)] == '/' {
			dir := path.Join(m.dir, strings.TrimPrefix(strings.TrimPrefix(name, m.path), "/"))
			if u := t.units["go:"+dir]; u != nil {
				return u
			}
		}
	}
	return nil
}

var goBuiltins = words("bool byte complex64 complex128 error float32 float64 int int8 int16 int32 int64 rune string uint uint8 uint16 uint32 uint64 uintptr " +
	"any comparable append cap clear close complex copy delete imag len make max min new panic print println real recover iota nil true false")

func (goRules) builtin(name string) bool { return goBuiltins.has(name) }

func (g goRules) imports(t *Table, f *File, i extract.Import) (string, target) {
	u := g.module(t, f, i.Module)
	local := i.Alias
	if local == "" {
		local = path.Base(i.Module)
		if u != nil && len(u.Files) > 0 {
			local = u.Files[0].Package
		} else if version(local) {
			local = path.Base(path.Dir(i.Module))
		} else if j := strings.Index(local, ".v"); j > 0 && version(local[j+1:]) {
			local = local[:j]
		}
		local = strings.TrimPrefix(local, "go-")
	}
	if i.Name == "*" {
		return "", target{unit: u, external: i.Module, star: true}
	}
	return local, target{unit: u, external: i.Module}
}

func version(s string) bool {
	if len(s) < 2 || s[0] != 'v' {
		return false
	}
	for _, c := range s[1:] {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}

// esRules: a file is a module, found by relative path, a tsconfig's paths, or
// the name of a package of the workspace.
type esRules struct{ noRules }

func (esRules) unit(_ *Table, f *File) string { return "es:" + f.Path }
func (esRules) self(name string) bool         { return name == "this" }

// passesOn holds for "import {a}" with "export {a}" behind it, which has no
// record of its own; code that compiles asks for no other imported names.
func (esRules) passesOn() bool { return true }

var esBuiltins = words("string number boolean any unknown never void object undefined null symbol bigint Array Map Set Promise Date RegExp Error Object Function " +
	"JSON Math Number String Boolean Symbol Reflect Proxy WeakMap WeakSet console window document process Buffer globalThis require module exports " +
	"setTimeout clearTimeout setInterval clearInterval parseInt parseFloat isNaN fetch URL structuredClone queueMicrotask")

func (esRules) builtin(name string) bool { return esBuiltins.has(name) }

func (e esRules) module(t *Table, f *File, name string) *Unit {
	if strings.HasPrefix(name, ".") {
		return e.at(t, path.Join(path.Dir(f.Path), name))
	}
	for _, a := range t.project.aliases {
		if a.dir != "." && f.Path != a.dir && !strings.HasPrefix(f.Path, a.dir+"/") {
			continue
		}
		for pattern, places := range a.paths {
			prefix, suffix, star := strings.Cut(pattern, "*")
			if !star && name != pattern || !strings.HasPrefix(name, prefix) || !strings.HasSuffix(name, suffix) || len(name) < len(prefix)+len(suffix) {
				continue
			}
			middle := name[len(prefix) : len(name)-len(suffix)]
			if !star {
				middle = ""
			}
			for _, place := range places {
				if u := e.at(t, path.Join(a.base, strings.Replace(place, "*", middle, 1))); u != nil {
					return u
				}
			}
		}
		if u := e.at(t, path.Join(a.base, name)); u != nil {
			return u
		}
		break
	}
	for end := len(name); end > 0; end = strings.LastIndexByte(name[:end], '/') {
		if dir, ok := t.project.packages[name[:end]]; ok {
			rest := strings.TrimPrefix(name[end:], "/")
			for _, below := range []string{"src", "", "lib", "source", "packages"} {
				if u := e.at(t, path.Join(dir, below, rest)); u != nil {
					return u
				}
			}
			return nil
		}
	}
	return nil
}

// at finds the module that a path means: as it stands, with an extension, or
// as a folder's index.
func (esRules) at(t *Table, p string) *Unit {
	if u := t.units["es:"+p]; u != nil {
		return u
	}
	base := p
	switch ext := path.Ext(p); ext {
	case ".js", ".jsx", ".mjs", ".cjs": // as compiled: the source is TypeScript
		base = strings.TrimSuffix(p, ext)
	}
	for _, ext := range []string{".ts", ".tsx", ".d.ts", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs"} {
		if u := t.units["es:"+base+ext]; u != nil {
			return u
		}
	}
	for _, ext := range []string{".ts", ".tsx", ".d.ts", ".mts", ".js", ".jsx", ".mjs", ".cjs"} {
		if u := t.units["es:"+path.Join(p, "index"+ext)]; u != nil {
			return u
		}
	}
	return nil
}

func (e esRules) imports(t *Table, f *File, i extract.Import) (string, target) {
	u := e.module(t, f, i.Module)
	local := i.Alias
	if local == "" {
		local = i.Name
	}
	if i.Reexport && i.Alias == "" && i.Name != "" { // "export {a} from": no name of this file
		local = ""
	}
	if u == nil {
		return local, target{external: joined(i.Module, i.Name)}
	}
	switch i.Name {
	case "", "*":
		if i.Alias == "" {
			return "", target{unit: u, star: i.Name == "*" && !i.Reexport}
		}
		return i.Alias, target{unit: u}
	}
	r := newResolver(t)
	if syms := r.member(typ{kind: module, unit: u}, i.Name); syms != nil {
		return local, target{symbols: syms}
	}
	if whole := r.passedUnit(u, i.Name, 0); whole != nil {
		return local, target{unit: whole}
	}
	if i.Name == "default" { // export default of a name that is declared in the file
		if s := defaultExport(u); s != nil {
			return local, target{symbols: []*Symbol{s}}
		}
		return local, target{unit: u}
	}
	return local, target{external: joined(i.Module, i.Name)}
}

// defaultExport guesses what a module's default is: its only top-level class or
// function, or the one named as the file.
func defaultExport(u *Unit) *Symbol {
	var only *Symbol
	count := 0
	for _, f := range u.Files {
		stem, _, _ := strings.Cut(path.Base(f.Path), ".")
		if stem == "index" {
			stem = path.Base(path.Dir(f.Path))
		}
		for _, s := range f.Symbols {
			if s.Parent != nil || s.Kind != "class" && s.Kind != "function" && s.Kind != "const" {
				continue
			}
			if strings.EqualFold(s.Name, strings.ReplaceAll(strings.ReplaceAll(stem, "-", ""), "_", "")) {
				return s
			}
			if s.Kind != "const" {
				only = s
				count++
			}
		}
	}
	if count == 1 {
		return only
	}
	return nil
}

// pythonRules: a file is a module, a folder with __init__.py a package whose
// names are those of that file.
type pythonRules struct{ noRules }

func (pythonRules) unit(_ *Table, f *File) string { return "py:" + f.Path }
func (pythonRules) self(name string) bool         { return name == "self" || name == "cls" }
func (pythonRules) passesOn() bool                { return true }

var pythonBuiltins = words("int float str bool bytes list dict set tuple frozenset object type None True False print len range enumerate zip map filter sorted " +
	"reversed isinstance issubclass getattr setattr hasattr open repr hash id iter next min max sum any all abs round callable vars dir input format " +
	"Exception ValueError TypeError KeyError RuntimeError NotImplementedError AttributeError IndexError OSError StopIteration Any Optional Union Callable " +
	"property staticmethod classmethod bytearray memoryview complex slice")

func (pythonRules) builtin(name string) bool { return pythonBuiltins.has(name) }

func (p pythonRules) module(t *Table, f *File, name string) *Unit {
	if strings.HasPrefix(name, ".") {
		dir := path.Dir(f.Path)
		rest := strings.TrimPrefix(name, ".")
		for strings.HasPrefix(rest, ".") {
			dir, rest = path.Dir(dir), rest[1:]
		}
		return p.at(t, path.Join(dir, strings.ReplaceAll(rest, ".", "/")))
	}
	below := strings.ReplaceAll(name, ".", "/")
	// The folder of the script, as it is run, then the roots of packages.
	for dir := path.Dir(f.Path); ; dir = path.Dir(dir) {
		if !t.project.files[path.Join(dir, "__init__.py")] || dir == "." {
			if u := p.at(t, path.Join(dir, below)); u != nil && u != f.unit {
				return u
			}
		}
		if dir == "." {
			break
		}
	}
	for _, root := range t.project.roots {
		if u := p.at(t, path.Join(root, below)); u != nil {
			return u
		}
	}
	return nil
}

func (pythonRules) at(t *Table, p string) *Unit {
	for _, suffix := range []string{".py", "/__init__.py", ".pyi", "/__init__.pyi"} {
		if u := t.units["py:"+p+suffix]; u != nil {
			return u
		}
	}
	return nil
}

func (p pythonRules) imports(t *Table, f *File, i extract.Import) (string, target) {
	if i.Name == "" {
		u := p.module(t, f, i.Module)
		local := i.Alias
		if local == "" { // "import a.b" binds a; b is its member
			if head, _, dotted := strings.Cut(i.Module, "."); dotted {
				local = head
				if h := p.module(t, f, head); h != nil {
					u = h
				}
			} else {
				local = i.Module
			}
		}
		return local, target{unit: u, external: i.Module}
	}
	u := p.module(t, f, i.Module)
	local := i.Alias
	if local == "" {
		local = i.Name
	}
	if i.Name == "*" {
		return "", target{unit: u, external: i.Module, star: true}
	}
	sub := i.Module + "." + i.Name
	if strings.HasSuffix(i.Module, ".") {
		sub = i.Module + i.Name
	}
	if u == nil {
		if m := p.module(t, f, sub); m != nil { // a namespace package
			return local, target{unit: m}
		}
		return local, target{external: joined(i.Module, i.Name)}
	}
	if syms := u.byPath[i.Name]; syms != nil {
		return local, target{symbols: syms}
	}
	if m := p.module(t, f, sub); m != nil && m != f.unit {
		return local, target{unit: m}
	}
	r := newResolver(t)
	if syms := r.reexported(u, i.Name, 0); syms != nil {
		return local, target{symbols: syms}
	}
	return local, target{external: joined(i.Module, i.Name)}
}

// namespaceRules: files say which package or namespace they belong to, and
// import others by full name.
type namespaceRules struct {
	noRules
	lang string
}

func (n namespaceRules) unit(t *Table, f *File) string {
	if n.lang == "swift" { // a folder below Sources is a module
		return "swift:" + swiftModule(f.Path)
	}
	if f.Package == "" {
		return n.family() + ":" + path.Dir(f.Path)
	}
	return n.family() + ":" + dotted(f.Package)
}

func swiftModule(p string) string {
	parts := strings.Split(p, "/")
	for i, part := range parts {
		if (part == "Sources" || part == "Tests") && i+2 < len(parts) {
			return parts[i+1]
		}
	}
	return parts[0]
}

func (n namespaceRules) family() string { return family(n.lang) }

func dotted(name string) string {
	return strings.Trim(strings.NewReplacer(`\`, ".", "::", ".", " ", "").Replace(name), ".")
}

func (namespaceRules) self(name string) bool {
	return name == "this" || name == "$this" || name == "self" || name == "static"
}
func (namespaceRules) implicit() bool { return true }

var namespaceBuiltins = words("int long short byte float double boolean bool char void var val string String Object object Integer Long Double Boolean Int Float " +
	"Unit Any Nothing Char Short Byte Number decimal uint ulong dynamic List Map Set Collection Array Exception RuntimeException println print require check error " +
	"lazy listOf mapOf setOf mutableListOf mutableMapOf Console Math System array iterable mixed never null callable Character")

func (namespaceRules) builtin(name string) bool { return namespaceBuiltins.has(name) }

func (n namespaceRules) module(t *Table, _ *File, name string) *Unit {
	return t.units[n.family()+":"+dotted(name)]
}

func (n namespaceRules) imports(t *Table, f *File, i extract.Import) (string, target) {
	full := dotted(i.Module)
	if i.Name != "" && i.Name != "*" {
		full = joined(full, i.Name)
	}
	if i.Name == "*" || n.lang == "csharp" || n.lang == "swift" {
		u := t.units[n.family()+":"+full]
		if n.lang == "swift" {
			u = t.units["swift:"+full]
		}
		if i.Alias == "" {
			if u == nil && i.Name == "*" { // all members of a class
				if _, syms := n.split(t, full); len(syms) > 0 && syms[0].IsType() {
					return "", target{external: full}
				}
			}
			return "", target{unit: u, external: full, star: true}
		}
		if u != nil {
			return i.Alias, target{unit: u}
		}
	}
	local := i.Alias
	if local == "" {
		local = full[strings.LastIndexByte(full, '.')+1:]
	}
	u, syms := n.split(t, full)
	if len(syms) == 0 && u == nil { // modules that are declared and not the file's, as Elixir's
		syms = t.modules[n.family()+"\x00"+full]
	}
	switch {
	case len(syms) > 0:
		return local, target{symbols: syms}
	case u != nil:
		return local, target{unit: u}
	}
	return local, target{external: full}
}

// split finds the longest unit that a full name begins with, and the symbol in it.
func (n namespaceRules) split(t *Table, full string) (*Unit, []*Symbol) {
	if u := t.units[n.family()+":"+full]; u != nil {
		return u, nil
	}
	for i := strings.LastIndexByte(full, '.'); i > 0; i = strings.LastIndexByte(full[:i], '.') {
		if u := t.units[n.family()+":"+full[:i]]; u != nil {
			return nil, u.byPath[full[i+1:]]
		}
	}
	return nil, nil
}

// includeRules: a name is what the file or what it includes declares, else the
// linker's.
type includeRules struct{ noRules }

func (includeRules) unit(*Table, *File) string { return "c:" }
func (includeRules) self(name string) bool     { return name == "this" }
func (includeRules) implicit() bool            { return true }

var cBuiltins = words("int char void long short unsigned signed float double bool size_t ssize_t uint8_t uint16_t uint32_t uint64_t int8_t int16_t int32_t int64_t " +
	"auto const printf fprintf malloc free calloc realloc memcpy memset memmove strlen strcmp sizeof assert std string vector map NULL nullptr")

func (includeRules) builtin(name string) bool { return cBuiltins.has(name) }

func (includeRules) imports(t *Table, f *File, i extract.Import) (string, target) {
	if found := includedFile(t, f, i.Module); found != nil {
		return "", target{symbols: []*Symbol{found.Self}}
	}
	return "", target{external: i.Module}
}

// includedFile finds a file by the end of its path, the nearest first.
func includedFile(t *Table, f *File, name string) *File {
	name = strings.Trim(name, `<>"'`)
	if x := t.files[path.Join(path.Dir(f.Path), name)]; x != nil {
		return x
	}
	for _, candidate := range t.project.suffixes[path.Base(name)] {
		if candidate == name || strings.HasSuffix(candidate, "/"+strings.TrimLeft(name, "./")) {
			return t.files[candidate]
		}
	}
	return nil
}

var requireBuiltins = words("puts require require_relative raise attr_reader attr_accessor include extend print pairs ipairs echo")

// requireRules: files are taken in by path, and what they define is global.
type requireRules struct {
	noRules
	lang string
}

func (q requireRules) unit(*Table, *File) string { return q.lang + ":" }
func (requireRules) self(name string) bool       { return name == "self" }
func (q requireRules) implicit() bool            { return q.lang == "ruby" }
func (requireRules) builtin(name string) bool {
	return requireBuiltins.has(name)
}

func (q requireRules) imports(t *Table, f *File, i extract.Import) (string, target) {
	name := strings.Trim(i.Module, `"'`)
	if q.lang == "lua" {
		name = strings.ReplaceAll(name, ".", "/")
	}
	for _, ext := range []string{"", ".rb", ".lua", ".sh", "/init.lua"} {
		if x := includedFile(t, f, name+ext); x != nil {
			return i.Alias, target{symbols: []*Symbol{x.Self}}
		}
	}
	return i.Alias, target{external: name}
}

// rustRules: a file is a module below its crate.
type rustRules struct{ noRules }

func (rustRules) unit(_ *Table, f *File) string { return "rs:" + f.Path }
func (rustRules) self(name string) bool         { return name == "self" || name == "Self" }

var rustBuiltins = words("i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize f32 f64 bool char str String Vec Option Result Some None Ok Err Box Rc Arc " +
	"println print format panic assert assert_eq vec dbg todo unimplemented unreachable write writeln Default Clone Copy Debug Iterator From Into " +
	"ToString Drop Fn FnMut FnOnce Send Sync Sized AsRef drop matches eprintln")

func (rustRules) builtin(name string) bool { return rustBuiltins.has(name) }
func (rustRules) passesOn() bool           { return true }

// module finds the file of a path such as crate::a::b, super::c or other_crate::d.
func (x rustRules) module(t *Table, f *File, name string) *Unit {
	u, rest := x.walk(t, f, strings.Split(strings.ReplaceAll(name, " ", ""), "::"))
	if len(rest) > 0 {
		return nil
	}
	return u
}

// walk follows a path as far as it names modules.
func (x rustRules) walk(t *Table, f *File, parts []string) (*Unit, []string) {
	if len(parts) == 0 {
		return nil, nil
	}
	at := ""
	switch parts[0] {
	case "crate":
		at = x.crateRoot(t, f.Path)
		parts = parts[1:]
	case "self":
		at = f.Path
		parts = parts[1:]
	case "super":
		at = f.Path
		for len(parts) > 0 && parts[0] == "super" {
			at, parts = x.parent(t, at), parts[1:]
		}
	default:
		if dir, ok := t.project.crates[parts[0]]; ok {
			for _, root := range []string{"src/lib.rs", "src/main.rs", "lib.rs"} {
				if t.files[path.Join(dir, root)] != nil {
					at = path.Join(dir, root)
					break
				}
			}
			parts = parts[1:]
		} else if child := x.child(t, f.Path, parts[0]); child != "" {
			at, parts = child, parts[1:]
		}
	}
	if at == "" {
		return nil, parts
	}
	for len(parts) > 0 {
		next := x.child(t, at, parts[0])
		if next == "" {
			break
		}
		at, parts = next, parts[1:]
	}
	return t.units["rs:"+at], parts
}

func (rustRules) crateRoot(t *Table, p string) string {
	for dir := path.Dir(p); ; dir = path.Dir(dir) {
		for _, root := range []string{"lib.rs", "main.rs", "mod.rs"} {
			if root != "mod.rs" && t.files[path.Join(dir, root)] != nil {
				return path.Join(dir, root)
			}
		}
		if dir == "." || dir == "/" {
			return p
		}
	}
}

// child is the file of a module inside of another one's.
func (rustRules) child(t *Table, p, name string) string {
	dir := path.Dir(p)
	switch base := path.Base(p); base {
	case "lib.rs", "main.rs", "mod.rs":
	default:
		dir = path.Join(dir, strings.TrimSuffix(base, ".rs"))
	}
	for _, c := range []string{path.Join(dir, name+".rs"), path.Join(dir, name, "mod.rs")} {
		if t.files[c] != nil {
			return c
		}
	}
	return ""
}

func (x rustRules) parent(t *Table, p string) string {
	dir := path.Dir(p)
	if path.Base(p) == "mod.rs" {
		dir = path.Dir(dir)
	}
	for _, c := range []string{path.Join(dir, "mod.rs"), dir + ".rs", path.Join(dir, "lib.rs"), path.Join(dir, "main.rs")} {
		if c != p && t.files[c] != nil {
			return c
		}
	}
	return p
}

func (x rustRules) imports(t *Table, f *File, i extract.Import) (string, target) {
	full := strings.ReplaceAll(i.Module, " ", "")
	if i.Name != "" && i.Name != "*" && i.Name != "self" {
		full += "::" + i.Name
	}
	parts := strings.Split(strings.TrimPrefix(full, "::"), "::")
	local := i.Alias
	if local == "" {
		local = parts[len(parts)-1]
	}
	u, rest := x.walk(t, f, parts)
	if i.Name == "*" {
		if len(rest) > 0 {
			u = nil
		}
		return "", target{unit: u, external: full, star: true}
	}
	if u == nil {
		return local, target{external: strings.ReplaceAll(full, "::", ".")}
	}
	if len(rest) == 0 {
		return local, target{unit: u}
	}
	if syms := u.byPath[strings.Join(rest, ".")]; syms != nil {
		return local, target{symbols: syms}
	}
	r := newResolver(t)
	if syms := r.reexported(u, rest[0], 0); syms != nil && len(rest) == 1 {
		return local, target{symbols: syms}
	}
	return local, target{external: strings.ReplaceAll(full, "::", ".")}
}
