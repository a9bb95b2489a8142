package resolve

import (
	"cmp"
	"path"
	"strings"

	"manicule/indexer/extract"
)

// pythonRules: a file is a module; a folder with __init__.py is a package with the
// names of that file.
type pythonRules struct{ noRules }

// python reports whether a file's code is Python.
func (f *File) python() bool {
	_, ok := f.rules.(pythonRules)
	return ok
}

func (pythonRules) unitKey(_ *Table, f *File) string { return "py:" + f.Path }

func (pythonRules) isSelf(name string) bool { return name == "self" || name == "cls" }

func (pythonRules) reexportsImports() bool { return true }

var pythonBuiltins = words("int float str bool bytes list dict set tuple frozenset object type None True False print len range enumerate zip map filter sorted " +
	"reversed isinstance issubclass getattr setattr hasattr open repr hash id iter next min max sum any all abs round callable vars dir input format " +
	"Exception ValueError TypeError KeyError RuntimeError NotImplementedError AttributeError IndexError OSError StopIteration Any Optional Union Callable " +
	"property staticmethod classmethod bytearray memoryview complex slice")

func (pythonRules) isBuiltin(name string) bool { return pythonBuiltins.has(name) }

func (p pythonRules) module(t *Table, f *File, name string) *Unit {
	if strings.HasPrefix(name, ".") {
		dir := path.Dir(f.Path)
		rest := strings.TrimPrefix(name, ".")
		for strings.HasPrefix(rest, ".") {
			dir, rest = path.Dir(dir), rest[1:]
		}
		return p.moduleAt(t, path.Join(dir, strings.ReplaceAll(rest, ".", "/")))
	}
	below := strings.ReplaceAll(name, ".", "/")
	// First the folder of the script, as when it runs, then the package roots.
	for dir := path.Dir(f.Path); ; dir = path.Dir(dir) {
		if !t.project.files[path.Join(dir, "__init__.py")] || dir == "." {
			if u := p.moduleAt(t, path.Join(dir, below)); u != nil && u != f.unit {
				return u
			}
		}
		if dir == "." {
			break
		}
	}
	for _, root := range t.rootsOf(below) {
		if u := p.moduleAt(t, path.Join(root, below)); u != nil {
			return u
		}
	}
	return nil
}

func (pythonRules) moduleAt(t *Table, p string) *Unit {
	for _, suffix := range []string{".py", "/__init__.py", ".pyi", "/__init__.pyi"} {
		if u := t.unit("py:" + p + suffix); u != nil {
			return u
		}
	}
	return nil
}

func (p pythonRules) bindImport(r *resolver, f *File, i extract.Import) (string, target) {
	if i.Name == "" {
		u := r.modules.of(f, i.Module)
		local := i.Alias
		if local == "" { // "import a.b" binds a; b is its member
			if head, _, dotted := strings.Cut(i.Module, "."); dotted {
				local = head
				if h := r.modules.of(f, head); h != nil {
					u = h
				}
			} else {
				local = i.Module
			}
		}
		return local, target{unit: u, external: i.Module}
	}
	u := r.modules.of(f, i.Module)
	local := cmp.Or(i.Alias, i.Name)
	if i.Name == "*" {
		return "", target{unit: u, external: i.Module, star: true}
	}
	sub := i.Module + "." + i.Name
	if strings.HasSuffix(i.Module, ".") {
		sub = i.Module + i.Name
	}
	if u == nil {
		if m := r.modules.of(f, sub); m != nil { // a namespace package
			return local, target{unit: m}
		}
		return local, target{external: joined(i.Module, i.Name)}
	}
	if syms := u.byPath[i.Name]; syms != nil {
		return local, target{symbols: syms}
	}
	if m := r.modules.of(f, sub); m != nil && m != f.unit {
		return local, target{unit: m}
	}
	if syms := r.modules.reexported(u, i.Name, 0); syms != nil {
		return local, target{symbols: syms}
	}
	return local, target{external: joined(i.Module, i.Name)}
}
