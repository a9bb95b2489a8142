package resolve

import (
	"path"
	"strings"

	"manicule/indexer/extract"
)

// noRules is for files whose names resolve to nothing.
type noRules struct{}

func (noRules) wide() bool { return false }

func (noRules) unitKey(_ *Table, f *File) string { return f.Path }

func (noRules) module(*Table, *File, string) *Unit { return nil }

func (noRules) isSelf(string) bool { return false }

func (noRules) implicitSelf() bool { return false }

func (noRules) isBuiltin(string) bool { return false }

func (noRules) reexportsImports() bool { return false }

func (noRules) unitByName(*Table, *File, string) *Unit { return nil }

func (noRules) unitNames(*resolver, *Unit, string) []*Symbol { return nil }

func (noRules) outerNames(*resolver, *File, string) []*Symbol { return nil }

func (noRules) filterByUse(found []*Symbol, _ *File, _ extract.RefKind) []*Symbol { return found }

func (noRules) callsOnRead(*Symbol) bool { return false }

func (noRules) applyMethod(*resolver, *Symbol) *Symbol { return nil }

func (noRules) bindImport(*resolver, *File, extract.Import) (string, target) { return "", target{} }

// goRules: a folder is a package, with its external tests, found by its module's path.
type goRules struct{ noRules }

func (goRules) unitKey(_ *Table, f *File) string {
	dir := path.Dir(f.Path)
	if strings.HasSuffix(f.Package, "_test") {
		return "go:" + dir + "#test"
	}
	return "go:" + dir
}

func (goRules) module(t *Table, f *File, name string) *Unit {
	for end := len(name); end > 0; end = strings.LastIndexByte(name[:end], '/') {
		for _, in := range t.project.goDirs[name[:end]] {
			if u := t.unit("go:" + path.Join(in, strings.TrimPrefix(name[end:], "/"))); u != nil {
				return u
			}
		}
	}
	return nil
}

var goBuiltins = words("bool byte complex64 complex128 error float32 float64 int int8 int16 int32 int64 rune string uint uint8 uint16 uint32 uint64 uintptr " +
	"any comparable append cap clear close complex copy delete imag len make max min new panic print println real recover iota nil true false")

func (goRules) isBuiltin(name string) bool { return goBuiltins.has(name) }

func (g goRules) bindImport(r *resolver, f *File, i extract.Import) (string, target) {
	u := g.module(r.t, f, i.Module)
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

// namespaceRules: files declare their package or namespace, and import others by full
// name.
type namespaceRules struct {
	noRules
	lang string
}

// wide is not for the JVM: Scala's rules choose among all declarations at a path.
func (n namespaceRules) wide() bool { return n.family() != "jvm" }

func (n namespaceRules) unitKey(t *Table, f *File) string {
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

var separators = strings.NewReplacer(`\`, ".", "::", ".", " ", "")

func dotted(name string) string {
	return strings.Trim(separators.Replace(name), ".")
}

func (namespaceRules) isSelf(name string) bool {
	return name == "this" || name == "$this" || name == "self" || name == "static"
}

func (namespaceRules) implicitSelf() bool { return true }

var namespaceBuiltins = words("int long short byte float double boolean bool char void var val string String Object object Integer Long Double Boolean Int Float " +
	"Unit Any Nothing Char Short Byte Number decimal uint ulong dynamic List Map Set Collection Array Exception RuntimeException println print require check error " +
	"lazy listOf mapOf setOf mutableListOf mutableMapOf Console Math System array iterable mixed never null callable Character")

func (namespaceRules) isBuiltin(name string) bool { return namespaceBuiltins.has(name) }

func (n namespaceRules) module(t *Table, _ *File, name string) *Unit {
	return t.unit(n.family() + ":" + dotted(name))
}

func (n namespaceRules) unitByName(t *Table, f *File, name string) *Unit { return n.module(t, f, name) }

func (n namespaceRules) bindImport(r *resolver, f *File, i extract.Import) (string, target) {
	t := r.t
	full := dotted(i.Module)
	if i.Name != "" && i.Name != "*" {
		full = joined(full, i.Name)
	}
	if i.Name == "*" || n.lang == "csharp" || n.lang == "swift" {
		u := t.unit(n.family() + ":" + full)
		if n.lang == "swift" {
			u = t.unit("swift:" + full)
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
	if len(syms) == 0 && u == nil { // modules that are declared independently of the file, as Elixir's
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

// split finds the longest unit that is a prefix of a full name, and the symbol in it.
func (n namespaceRules) split(t *Table, full string) (*Unit, []*Symbol) {
	if u := t.unit(n.family() + ":" + full); u != nil {
		return u, nil
	}
	for i := strings.LastIndexByte(full, '.'); i > 0; i = strings.LastIndexByte(full[:i], '.') {
		if u := t.unit(n.family() + ":" + full[:i]); u != nil {
			return nil, u.decls(full[i+1:])
		}
	}
	return nil, nil
}

// includeRules: the file or its includes declare a name, else any file that is linked.
type includeRules struct{ noRules }

func (includeRules) wide() bool { return true }

func (includeRules) unitKey(*Table, *File) string { return "c:" }

func (includeRules) isSelf(name string) bool { return name == "this" }

func (includeRules) implicitSelf() bool { return true }

var cBuiltins = words("int char void long short unsigned signed float double bool size_t ssize_t uint8_t uint16_t uint32_t uint64_t int8_t int16_t int32_t int64_t " +
	"auto const printf fprintf malloc free calloc realloc memcpy memset memmove strlen strcmp sizeof assert std string vector map NULL nullptr")

func (includeRules) isBuiltin(name string) bool { return cBuiltins.has(name) }

func (includeRules) bindImport(r *resolver, f *File, i extract.Import) (string, target) {
	if found := includedFile(r.t, f, i.Module); found != nil {
		return "", target{symbols: []*Symbol{found.Self}}
	}
	return "", target{external: i.Module}
}

// includedFile finds a file by the end of its path, the nearest first.
func includedFile(t *Table, f *File, name string) *File {
	name = strings.Trim(name, `<>"'`)
	if x := t.file(path.Join(path.Dir(f.Path), name)); x != nil {
		return x
	}
	found, _ := t.project.pathEndingIn(name)
	return t.file(found)
}

var requireBuiltins = words("puts require require_relative raise attr_reader attr_accessor include extend print pairs ipairs echo")

// requireRules: files are required by path, and what they define is global.
type requireRules struct {
	noRules
	lang string
}

func (requireRules) wide() bool { return true }

func (q requireRules) unitKey(*Table, *File) string { return q.lang + ":" }

func (requireRules) isSelf(name string) bool { return name == "self" }

func (q requireRules) implicitSelf() bool { return q.lang == "ruby" }

func (requireRules) isBuiltin(name string) bool {
	return requireBuiltins.has(name)
}

func (q requireRules) bindImport(r *resolver, f *File, i extract.Import) (string, target) {
	name := strings.Trim(i.Module, `"'`)
	if q.lang == "lua" {
		name = strings.ReplaceAll(name, ".", "/")
	}
	for _, ext := range []string{"", ".rb", ".lua", ".sh", "/init.lua"} {
		if x := includedFile(r.t, f, name+ext); x != nil {
			return i.Alias, target{symbols: []*Symbol{x.Self}}
		}
	}
	return i.Alias, target{external: name}
}
