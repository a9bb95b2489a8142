package resolve

import (
	"cmp"

	"manicule/indexer/extract"
)

// modules finds the units that imports mean, and what units pass on from others. What it found is kept for the files that
// follow. It knows names and imports, and no types.
type modules struct {
	t        *Table
	found    map[moduleName]*Unit
	passed   map[reexportQuery][]*Symbol
	visiting map[reexportQuery]bool // units visited by the current lookup
	direct   map[*Unit][]*Unit      // what each unit imports
	reach    reach                  // of the last file that asked
}

// moduleName is a module name as a file writes it.
type moduleName struct {
	file *File
	name string
}

func newModules(t *Table) modules {
	return modules{t: t, found: map[moduleName]*Unit{}, passed: map[reexportQuery][]*Symbol{}, visiting: map[reexportQuery]bool{}}
}

// of returns the unit that a module name means in a file.
func (m *modules) of(f *File, name string) *Unit {
	key := moduleName{f, name}
	u, ok := m.found[key]
	if !ok {
		u = f.rules.module(m.t, f, name)
		m.found[key] = u
	}
	return u
}

// reexportedByFile finds a name that a file imports and re-exports.
func (m *modules) reexportedByFile(f *File, name string, depth int) []*Symbol {
	for _, i := range f.imports {
		local := cmp.Or(i.Alias, i.Name)
		if local != name || i.Module == "" {
			continue
		}
		if u := m.of(f, i.Module); u != nil {
			if syms := u.byPath[i.Name]; syms != nil {
				return syms
			}
			return m.reexported(u, i.Name, depth+1)
		}
	}
	return nil
}

// maxReexports bounds a chain of modules that re-export each other's names.
const maxReexports = 12

// reexportQuery is a lookup of a name in a unit.
type reexportQuery struct {
	unit *Unit
	name string
}

// reexported finds a name that a unit re-exports from others. Modules that re-export
// everything of each other form cycles with very many paths, so each is visited once.
func (m *modules) reexported(u *Unit, name string, depth int) []*Symbol {
	key := reexportQuery{u, name}
	if depth == 0 {
		if found, ok := m.passed[key]; ok {
			return found
		}
		clear(m.visiting)
	}
	if depth > maxReexports || m.visiting[key] {
		return nil
	}
	m.visiting[key] = true
	found := m.search(u, name, depth)
	if depth == 0 {
		m.passed[key] = found
	}
	return found
}

func (m *modules) search(u *Unit, name string, depth int) []*Symbol {
	for _, f := range u.exporters {
		for n := range f.imports {
			i := &f.imports[n]
			if !i.Reexport && !f.rules.reexportsImports() {
				continue
			}
			if syms := m.reexportedBy(f, i, u, name, depth); syms != nil {
				return syms
			}
		}
	}
	return nil
}

// reexportedBy finds a name of a unit through one import of a file of it.
func (m *modules) reexportedBy(f *File, i *extract.Import, u *Unit, name string, depth int) []*Symbol {
	local := cmp.Or(i.Alias, i.Name)
	whole := i.Name == "*" && (i.Alias == "" || i.Alias == "*")
	switch {
	case i.Module == "" && local == name && i.Reexport: // "export {a as b}": a name of this file
		if syms := u.byPath[i.Name]; syms != nil {
			return syms
		}
		if i.Name != name {
			return m.reexportedByFile(f, i.Name, depth)
		}
		return nil
	case !whole && local != name:
		return nil
	}
	there := i.Name
	if whole {
		there = name
	}
	from := m.of(f, i.Module)
	if from == nil || from == u && there == name {
		return nil
	}
	if syms := from.byPath[there]; syms != nil {
		return syms
	}
	return m.reexported(from, there, depth+1)
}

// reexportedModule finds a whole module that a unit exports under a name, as in "export
// * as name from".
func (m *modules) reexportedModule(u *Unit, name string, depth int) *Unit {
	if depth > maxReexports {
		return nil
	}
	for _, f := range u.exporters {
		for _, i := range f.imports {
			if !i.Reexport && !f.rules.reexportsImports() {
				continue
			}
			local := cmp.Or(i.Alias, i.Name)
			whole := i.Name == "" || i.Name == "*"
			switch {
			case i.Module != "" && whole && i.Alias == name:
				return m.of(f, i.Module)
			case i.Module == "" && local == name: // a name of this file, possibly imported
				if x, ok := m.imported(f, i.Name); ok {
					return x
				}
			case i.Module != "" && (i.Name == "*" && i.Alias == "" || !whole && local == name):
				next := name
				if !whole {
					next = i.Name
				}
				from := m.of(f, i.Module)
				if from == nil || from == u {
					continue
				}
				if next == "default" && componentOf(target{unit: from}) != nil {
					return from
				}
				if found := m.reexportedModule(from, next, depth+1); found != nil {
					return found
				}
			}
		}
	}
	return nil
}

// imported is the whole module that a file imports under a name: nil where that is not
// in the workspace.
func (m *modules) imported(f *File, name string) (u *Unit, ok bool) {
	for _, o := range f.imports {
		if o.Module == "" || cmp.Or(o.Alias, o.Name) != name {
			continue
		}
		whole := m.of(f, o.Module)
		if o.Name == "" || o.Name == "*" || o.Name == "default" && componentOf(target{unit: whole}) != nil {
			return whole, true
		}
	}
	return nil, false
}
