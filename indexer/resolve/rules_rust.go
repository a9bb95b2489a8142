package resolve

import (
	"path"
	"strings"

	"manicule/indexer/extract"
)

// rustRules: a file is a module below its crate.
type rustRules struct{ noRules }

func (rustRules) unitKey(_ *Table, f *File) string { return "rs:" + f.Path }

func (rustRules) isSelf(name string) bool { return name == "self" || name == "Self" }

var rustBuiltins = words("i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize f32 f64 bool char str String Vec Option Result Some None Ok Err Box Rc Arc " +
	"println print format panic assert assert_eq vec dbg todo unimplemented unreachable write writeln Default Clone Copy Debug Iterator From Into " +
	"ToString Drop Fn FnMut FnOnce Send Sync Sized AsRef drop matches eprintln")

func (rustRules) isBuiltin(name string) bool { return rustBuiltins.has(name) }

func (rustRules) reexportsImports() bool { return true }

// module returns the file of a path such as crate::a::b, super::c or other_crate::d.
func (x rustRules) module(t *Table, f *File, name string) *Unit {
	u, rest := x.walk(t, f, strings.Split(strings.ReplaceAll(name, " ", ""), "::"))
	if len(rest) > 0 {
		return nil
	}
	return u
}

// walk follows a path as long as it names modules.
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
				if t.file(path.Join(dir, root)) != nil {
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
	return t.unit("rs:" + at), parts
}

func (rustRules) crateRoot(t *Table, p string) string {
	for dir := path.Dir(p); ; dir = path.Dir(dir) {
		for _, root := range []string{"lib.rs", "main.rs", "mod.rs"} {
			if root != "mod.rs" && t.file(path.Join(dir, root)) != nil {
				return path.Join(dir, root)
			}
		}
		if dir == "." || dir == "/" {
			return p
		}
	}
}

// child returns the file of a nested module.
func (rustRules) child(t *Table, p, name string) string {
	dir := path.Dir(p)
	switch base := path.Base(p); base {
	case "lib.rs", "main.rs", "mod.rs":
	default:
		dir = path.Join(dir, strings.TrimSuffix(base, ".rs"))
	}
	for _, c := range []string{path.Join(dir, name+".rs"), path.Join(dir, name, "mod.rs")} {
		if t.file(c) != nil {
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
		if c != p && t.file(c) != nil {
			return c
		}
	}
	return p
}

func (x rustRules) bindImport(r *resolver, f *File, i extract.Import) (string, target) {
	full := strings.ReplaceAll(i.Module, " ", "")
	if i.Name != "" && i.Name != "*" && i.Name != "self" {
		full += "::" + i.Name
	}
	parts := strings.Split(strings.TrimPrefix(full, "::"), "::")
	local := i.Alias
	if local == "" {
		local = parts[len(parts)-1]
	}
	u, rest := x.walk(r.t, f, parts)
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
	if syms := r.modules.reexported(u, rest[0], 0); syms != nil && len(rest) == 1 {
		return local, target{symbols: syms}
	}
	return local, target{external: strings.ReplaceAll(full, "::", ".")}
}
