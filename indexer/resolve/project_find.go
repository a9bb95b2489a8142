package resolve

import (
	"path"
	"slices"
	"strings"
	"sync"
)

// The lookups here go through indexes, because the lists behind them grow with the
// tree, and each file asks for each of its imports.

// fewPaths is how many paths or folders are tried one after the other.
const fewPaths = 8

// endings finds the first of many paths with the same last element by its end.
type endings struct {
	paths []string
	once  sync.Once
	first map[string]int // whole paths, and their ends from a slash on
}

// pathEndingIn returns the first path that ends in an include's name.
func (p *Project) pathEndingIn(name string) (string, bool) {
	end := "/" + strings.TrimLeft(name, "./")
	e := p.endings[path.Base(name)]
	if e == nil {
		for _, candidate := range p.suffixes[path.Base(name)] {
			if candidate == name || strings.HasSuffix(candidate, end) {
				return candidate, true
			}
		}
		return "", false
	}
	e.once.Do(func() {
		e.first = make(map[string]int, 2*len(e.paths))
		add := func(s string, i int) {
			if _, ok := e.first[s]; !ok {
				e.first[s] = i
			}
		}
		for i, s := range e.paths {
			add(s, i)
			for at, c := range []byte(s) {
				if c == '/' {
					add(s[at:], i)
				}
			}
		}
	})
	i, ok := e.first[end]
	if j, whole := e.first[name]; whole && (!ok || j < i) {
		i, ok = j, true
	}
	if !ok {
		return "", false
	}
	return e.paths[i], true
}

// aliasesFor returns the paths of the tsconfig that applies to a file: the first in the
// order of aliases whose folder holds it.
func (p *Project) aliasesFor(file string) (aliases, bool) {
	best := -1
	for dir := file; ; dir = path.Dir(dir) {
		if i, ok := p.aliasIn[dir]; ok && (best < 0 || i < best) {
			best = i
		}
		if dir == "." || dir == "/" {
			break
		}
	}
	if best < 0 {
		return aliases{}, false
	}
	return p.aliases[best], true
}

// rootedModules are the package roots below which Python modules are.
type rootedModules struct {
	once  sync.Once
	roots map[string][]string // by the module's path below a root, without extension
}

// rootsOf returns the package roots that may have a Python module, in their order.
func (t *Table) rootsOf(module string) []string {
	m := t.rooted
	if len(t.project.roots) <= fewPaths || m == nil || module == "" || path.Clean(module) != module {
		return t.project.roots
	}
	m.once.Do(func() {
		isRoot := make(map[string]bool, len(t.project.roots))
		for _, d := range t.project.roots {
			isRoot[d] = true
		}
		m.roots = make(map[string][]string, len(t.files))
		for name := range t.pathsIn("python") {
			stem := strings.TrimSuffix(strings.TrimSuffix(name, path.Ext(name)), "/__init__")
			for dir := path.Dir(stem); ; dir = path.Dir(dir) {
				if isRoot[dir] {
					below := stem
					if dir != "." {
						below = stem[len(dir)+1:]
					}
					m.roots[below] = append(m.roots[below], dir)
				}
				if dir == "." || dir == "/" {
					break
				}
			}
		}
		for key, all := range m.roots {
			slices.Sort(all)
			m.roots[key] = slices.Compact(all)
		}
	})
	return m.roots[module]
}
