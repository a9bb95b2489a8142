package resolve

import (
	"cmp"
	_ "embed" // globals_es.txt
	"path"
	"slices"
	"strings"

	"manicule/grammars"
	"manicule/indexer/extract"
)

// esRules: a file is a module, found by relative path, a tsconfig's paths, or a
// package name of the workspace.
type esRules struct{ noRules }

func (esRules) unitKey(_ *Table, f *File) string { return "es:" + f.Path }

func (esRules) isSelf(name string) bool { return name == "this" }

// reexportsImports is true for "import {a}" followed by "export {a}", which has no
// record of its own; code that compiles never looks up other imported names.
func (esRules) reexportsImports() bool { return true }

var esBuiltins = words("string number boolean any unknown never void object undefined null symbol bigint Array Map Set Promise Date RegExp Error Object Function " +
	"JSON Math Number String Boolean Symbol Reflect Proxy WeakMap WeakSet console window document process Buffer globalThis require module exports " +
	"setTimeout clearTimeout setInterval clearInterval parseInt parseFloat isNaN fetch URL structuredClone queueMicrotask")

func (esRules) isBuiltin(name string) bool { return esBuiltins.has(name) || esGlobal(name) }

// esGlobals holds the types and classes of ECMAScript and of browsers, sorted. The
// script beside it writes it.
//
//go:embed globals_es.txt
var esGlobals string

// esGlobalNames is esGlobals as a set.
var esGlobalNames = lazyWords(&esGlobals)

// esGlobal reports whether a type or class is one of the platform's.
func esGlobal(name string) bool {
	return name != "" && name[0] >= 'A' && name[0] <= 'Z' && esGlobalNames.has(name)
}

// esFamily reports whether a file is written in JavaScript or TypeScript.
func esFamily(f *File) bool {
	_, ok := f.rules.(esRules)
	return ok
}

// typeScript reports whether a file's code is TypeScript, with its types.
func (f *File) typeScript() bool {
	return f.Lang == "typescript" || f.Lang == "tsx" || esFamily(f) && grammars.CodeOf(f.Lang) == "typescript"
}

func (e esRules) module(t *Table, f *File, name string) *Unit {
	if strings.HasPrefix(name, ".") {
		p := path.Join(path.Dir(f.Path), name)
		u := e.moduleAt(t, p)
		if u == nil && t.project.homes[p] {
			return e.packageModule(t, p, "")
		}
		return u
	}
	if a, ok := t.project.aliasesFor(f.Path); ok {
		for _, pattern := range a.patterns {
			places := a.paths[pattern]
			prefix, suffix, star := strings.Cut(pattern, "*")
			if !star && name != pattern || !strings.HasPrefix(name, prefix) || !strings.HasSuffix(name, suffix) || len(name) < len(prefix)+len(suffix) {
				continue
			}
			middle := name[len(prefix) : len(name)-len(suffix)]
			if !star {
				middle = ""
			}
			for _, place := range places {
				if u := e.moduleAt(t, path.Join(a.base, strings.Replace(place, "*", middle, 1))); u != nil {
					return u
				}
			}
		}
		if u := e.moduleAt(t, path.Join(a.base, name)); u != nil {
			return u
		}
	}
	for end := len(name); end > 0; end = strings.LastIndexByte(name[:end], '/') {
		if dir, ok := t.project.packages[name[:end]]; ok {
			return e.packageModule(t, dir, strings.TrimPrefix(name[end:], "/"))
		}
	}
	return e.sourceModule(t, f, name)
}

// sourceFolders holds the names by which code imports from its package's own source
// folder, and where frameworks keep that. Vue's and Vite's templates, Nuxt and
// SvelteKit set these up in code or in files that they generate: no tsconfig says so.
var sourceFolders = []struct {
	prefix string
	places []string
}{
	{"@/", []string{"src", "app", "."}},
	{"~/", []string{"app", "src", "."}},
	{"$lib/", []string{"src/lib"}},
}

// sourceModule returns the module of a name that begins with one of sourceFolders.
func (e esRules) sourceModule(t *Table, f *File, name string) *Unit {
	for _, s := range sourceFolders {
		rest, ok := strings.CutPrefix(name+"/", s.prefix)
		if !ok {
			continue
		}
		home := path.Dir(f.Path)
		for home != "." && !t.project.homes[home] {
			home = path.Dir(home)
		}
		for _, place := range s.places {
			if u := e.moduleAt(t, path.Join(home, place, rest)); u != nil {
				return u
			}
		}
	}
	return nil
}

// packageModule returns a module of the package in a folder, where packages usually
// keep their sources.
func (e esRules) packageModule(t *Table, dir, rest string) *Unit {
	for _, below := range []string{"src", "", "lib", "source", "packages"} {
		if u := e.moduleAt(t, path.Join(dir, below, rest)); u != nil {
			return u
		}
	}
	return nil
}

// moduleAt returns the module of a path: as is, with an extension, or as a folder's
// index. p is clean. Most lookups fail, so the keys are built in place.
func (esRules) moduleAt(t *Table, p string) *Unit {
	key := append(make([]byte, 0, 128), "es:"...)
	key = append(key, p...)
	if u := t.unitAt(key); u != nil {
		return u
	}
	base := key
	switch ext := path.Ext(p); ext {
	case ".js", ".jsx", ".mjs", ".cjs": // a compiled name: the source is TypeScript
		base = key[:len(key)-len(ext)]
	}
	for _, ext := range []string{".ts", ".tsx", ".d.ts", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".vue"} {
		if u := t.unitAt(append(base, ext...)); u != nil {
			return u
		}
	}
	index := append(key[:0], "es:"...)
	if p != "." && p != "" { // the root
		index = append(append(index, p...), '/')
	}
	index = append(index, "index"...)
	for _, ext := range []string{".ts", ".tsx", ".d.ts", ".mts", ".js", ".jsx", ".mjs", ".cjs", ".vue"} {
		if u := t.unitAt(append(index, ext...)); u != nil {
			return u
		}
	}
	return nil
}

func (e esRules) bindImport(r *resolver, f *File, i extract.Import) (string, target) {
	u := r.modules.of(f, i.Module)
	local := cmp.Or(i.Alias, i.Name)
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
	if syms := r.member(typ{kind: module, unit: u}, i.Name); syms != nil {
		return local, target{symbols: r.namedDefault(syms)}
	}
	if whole := r.modules.reexportedModule(u, i.Name, 0); whole != nil {
		return local, target{unit: whole}
	}
	if i.Name == "default" { // export default of a name declared in the file
		if componentOf(target{unit: u}) != nil {
			return local, target{unit: u}
		}
		if s := defaultExport(u); s != nil {
			return local, target{symbols: []*Symbol{s}}
		}
		return local, target{unit: u}
	}
	return local, target{external: joined(i.Module, i.Name)}
}

// namedDefault returns what "export default name" exports, if the symbols are such a
// statement: a use of the import is one of the named thing.
func (r *resolver) namedDefault(syms []*Symbol) []*Symbol {
	s := syms[0]
	if s.Name != "default" || s.Type != "" || s.Parent != nil || s.Value == "default" || !identifier(s.Value) {
		return syms
	}
	if named := r.in(s.File, nil).resolveName(s.Value); named != nil {
		return named
	}
	for _, i := range s.File.imports { // not lookupImport: the file's imports may be being resolved
		if cmp.Or(i.Alias, i.Name) != s.Value || i.Module == "" || i.Name == "" || i.Name == "*" {
			continue
		}
		if m := r.modules.of(s.File, i.Module); m != nil && m != s.File.unit {
			if named := r.member(typ{kind: module, unit: m}, i.Name); named != nil && !slices.Contains(named, s) {
				return named
			}
		}
	}
	return syms
}

// defaultExport guesses a module's default export: its only top-level class or
// function, or the one named like the file.
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
