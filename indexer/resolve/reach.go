package resolve

import (
	"path"
	"slices"
	"strings"
)

// maxReach bounds how many files are visited to find what a file imports.
const maxReach = 2000

// reach is the set of units whose declarations may come to a file: those that it
// imports, and those that these import.
type reach struct {
	file  *File
	units map[*Unit]bool
	all   bool // more than maxReach: any

	waiting []*Unit
}

// importedFrom drops the declarations that can't come to a file of TypeScript, because no
// chain of imports leads from it to them: a value has a type that somebody imported.
func (m *modules) importedFrom(all []*Symbol, file *File) []*Symbol {
	if len(file.imports) == 0 {
		return all // a script: what it uses is global
	}
	if !slices.ContainsFunc(all, func(s *Symbol) bool { return s.File.unit != file.unit }) {
		return all
	}
	if m.reach.file != file {
		m.reach.reset(file)
		m.reach.fill(m, file.unit)
	}
	if m.reach.all || !slices.ContainsFunc(all, func(s *Symbol) bool { return !m.reach.units[s.File.unit] }) {
		return all
	}
	var out []*Symbol
	for _, s := range all {
		if m.reach.units[s.File.unit] || len(s.File.imports) == 0 && !exported(s) {
			out = append(out, s)
		}
	}
	return out
}

// exported reports whether the declaration around a symbol is marked as exported: else
// that of a file without imports may be global.
func exported(s *Symbol) bool {
	for s.Parent != nil {
		s = s.Parent
	}
	return len(s.Sig) >= len("export ") && s.Sig[:len("export ")] == "export "
}

// code reports whether an import is of code, by its extension: not of a style sheet or of
// data.
func code(name string) bool {
	switch path.Ext(name) {
	case "", ".", "..", ".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts", ".vue", ".svelte", ".astro":
		return true
	}
	return strings.HasSuffix(name, "..")
}

// reset prepares it for another file, in the same memory.
func (v *reach) reset(file *File) {
	if v.units == nil {
		v.units = map[*Unit]bool{}
	}
	clear(v.units)
	*v = reach{file: file, units: v.units, waiting: v.waiting[:0]}
}

// fill visits what units import.
func (v *reach) fill(m *modules, u *Unit) {
	for i := range v.file.imports {
		if name := v.file.imports[i].Module; strings.HasPrefix(name, ".") && code(name) && m.of(v.file, name) == nil { // it may be built from anything
			v.all = true
			return
		}
	}
	v.waiting = append(v.waiting, u)
	v.units[u] = true
	for len(v.waiting) > 0 {
		u := v.waiting[len(v.waiting)-1]
		v.waiting = v.waiting[:len(v.waiting)-1]
		for _, next := range m.importsOf(u) {
			if v.units[next] {
				continue
			}
			if len(v.units) >= maxReach {
				v.all = true
				return
			}
			v.units[next] = true
			v.waiting = append(v.waiting, next)
		}
	}
}

// importsOf returns the units that a unit imports, found once.
func (m *modules) importsOf(u *Unit) []*Unit {
	out, ok := m.direct[u]
	if ok {
		return out
	}
	for _, f := range u.Files {
		for i := range f.imports {
			if f.imports[i].Module == "" {
				continue
			}
			if x := m.of(f, f.imports[i].Module); x != nil && x != u && !slices.Contains(out, x) {
				out = append(out, x)
			}
		}
	}
	if m.direct == nil {
		m.direct = map[*Unit][]*Unit{}
	}
	m.direct[u] = out
	return out
}
