package resolve

import (
	"cmp"
	"encoding/json"
	"maps"
	"path"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"

	"manicule/indexer/fault"
	"manicule/indexer/jsonc"
	"manicule/indexer/sorting"
)

// Project is what a workspace's build files say about its modules, with the set of
// files.
type Project struct {
	files     map[string]bool // every indexed path
	dirs      map[string]bool
	goModules []goModule          // longest path first
	goDirs    map[string][]string // Go module path → folders
	packages  map[string]string   // npm package name → folder
	homes     map[string]bool     // folders of npm packages
	aliases   []aliases           // tsconfig paths, deepest folder first
	aliasIn   map[string]int      // index into aliases, by the tsconfig's folder
	roots     []string            // of Python packages
	crates    map[string]string   // Rust crate name → folder with its src
	suffixes  map[string][]string // last path element → paths, for includes
	endings   map[string]*endings // of the longest lists of suffixes
	faults    map[string]error    // errors by build file
}

type goModule struct{ path, dir string }

type aliases struct {
	dir   string // of the tsconfig
	base  string // of baseUrl
	paths map[string][]string
	// patterns are the keys of paths in the order in which they apply: whole names, then the longest prefix.
	patterns []string
}

// sortedPatterns returns the keys of paths as [aliases.patterns] has them.
func sortedPatterns(paths map[string][]string) []string {
	return slices.SortedFunc(maps.Keys(paths), func(x, y string) int {
		px, _, starX := strings.Cut(x, "*")
		py, _, starY := strings.Cut(y, "*")
		if starX != starY {
			if starX {
				return 1
			}
			return -1
		}
		return cmp.Or(len(py)-len(px), strings.Compare(x, y))
	})
}

// BuildFile reports whether NewProject reads a file.
func BuildFile(name string) bool {
	switch base := path.Base(name); base {
	case "go.mod", "package.json", "Cargo.toml", "pyproject.toml", "setup.py":
		return true
	default:
		return strings.HasPrefix(base, "tsconfig") && strings.HasSuffix(base, ".json") || base == "jsconfig.json"
	}
}

// NewProject builds a project from the paths of a workspace and its build files, which
// read returns. It ignores an invalid build file.
func NewProject(paths []string, read func(string) ([]byte, error)) *Project {
	p := &Project{files: make(map[string]bool, len(paths)), dirs: map[string]bool{".": true, "": true}, packages: map[string]string{}, homes: map[string]bool{}, crates: map[string]string{}, suffixes: map[string][]string{}, faults: map[string]error{}}
	configs := map[string]aliases{}
	pythonRoots := map[string]bool{}
	for _, name := range paths {
		p.files[name] = true
		for d := path.Dir(name); !p.dirs[d]; d = path.Dir(d) {
			p.dirs[d] = true
		}
		switch path.Ext(name) {
		case ".h", ".hpp", ".hh", ".hxx", ".inc", ".inl", ".ipp", ".rb", ".lua", ".sh", ".bash":
			p.suffixes[path.Base(name)] = append(p.suffixes[path.Base(name)], name)
		}
		if !BuildFile(name) {
			continue
		}
		data, err := read(name)
		if err != nil {
			continue
		}
		err = p.readBuildFile(name, data, read, configs, pythonRoots)
		if err != nil {
			p.faults[name] = err
		}
	}
	sorting.Func(p.goModules, func(a, b goModule) int { return len(b.path) - len(a.path) })
	p.goDirs = make(map[string][]string, len(p.goModules))
	for _, m := range p.goModules {
		p.goDirs[m.path] = append(p.goDirs[m.path], m.dir)
	}
	p.endings = map[string]*endings{}
	for base, all := range p.suffixes {
		if len(all) > fewPaths {
			p.endings[base] = &endings{paths: all}
		}
	}
	for _, a := range configs {
		a.patterns = sortedPatterns(a.paths)
		p.aliases = append(p.aliases, a)
	}
	sorting.Func(p.aliases, func(a, b aliases) int {
		if c := strings.Count(b.dir, "/") - strings.Count(a.dir, "/"); c != 0 {
			return c
		}
		return strings.Compare(a.dir, b.dir)
	})
	p.aliasIn = make(map[string]int, len(p.aliases))
	for i, a := range p.aliases {
		p.aliasIn[a.dir] = i
	}
	pythonRoots["."] = true
	for d := range pythonRoots {
		p.roots = append(p.roots, d)
		for _, below := range []string{"src", "lib"} {
			if s := path.Join(d, below); p.dirs[s] {
				p.roots = append(p.roots, s)
			}
		}
	}
	slices.Sort(p.roots)
	return p
}

// readBuildFile adds the information of a build file. It turns a panic into an error,
// and ignores the file then.
func (p *Project) readBuildFile(name string, data []byte, read func(string) ([]byte, error), configs map[string]aliases, pythonRoots map[string]bool) (err error) {
	defer fault.Catch(&err)
	dir := path.Dir(name)
	switch base := path.Base(name); base {
	case "go.mod":
		if m := modfile.ModulePath(data); m != "" {
			p.goModules = append(p.goModules, goModule{m, dir})
		}
	case "package.json":
		var pkg struct {
			Name string `json:"name"`
		}
		if json.Unmarshal(data, &pkg) == nil && pkg.Name != "" {
			p.packages[pkg.Name], p.homes[dir] = dir, true
		}
	case "Cargo.toml":
		if n := crateName(string(data)); n != "" {
			p.crates[strings.ReplaceAll(n, "-", "_")] = dir
		}
	case "pyproject.toml", "setup.py":
		pythonRoots[dir] = true
	default:
		if a, ok := readAliases(data, dir, read, 0); ok {
			if old, exists := configs[dir]; !exists || base == "tsconfig.json" || len(old.paths) == 0 {
				configs[dir] = a
			}
		}
	}
	return nil
}

// Faults returns the errors in build files, by path.
func (p *Project) Faults() map[string]error { return p.faults }

// crateName returns the name in a Cargo.toml's package table.
func crateName(text string) string {
	in := false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			in = line == "[package]"
		}
		if rest, ok := strings.CutPrefix(line, "name"); ok && in {
			if _, value, ok := strings.Cut(rest, "="); ok {
				return strings.Trim(strings.TrimSpace(value), `"'`)
			}
		}
	}
	return ""
}

// readAliases reads baseUrl and paths of a tsconfig, and of those it extends.
func readAliases(data []byte, dir string, read func(string) ([]byte, error), depth int) (aliases, bool) {
	clean, err := jsonc.Standardize(data)
	if err != nil || depth > 5 {
		return aliases{}, false
	}
	var c struct {
		Extends         any `json:"extends"`
		CompilerOptions struct {
			BaseURL *string             `json:"baseUrl"`
			Paths   map[string][]string `json:"paths"`
		} `json:"compilerOptions"`
	}
	if json.Unmarshal(clean, &c) != nil {
		return aliases{}, false
	}
	a := aliases{dir: dir, paths: c.CompilerOptions.Paths, base: dir}
	if c.CompilerOptions.BaseURL != nil {
		a.base = path.Join(dir, *c.CompilerOptions.BaseURL)
	}
	if len(a.paths) == 0 && c.CompilerOptions.BaseURL == nil {
		if ext, ok := c.Extends.(string); ok && strings.HasPrefix(ext, ".") {
			name := path.Join(dir, ext)
			if !strings.HasSuffix(name, ".json") {
				name += ".json"
			}
			if data, err := read(name); err == nil {
				if up, ok := readAliases(data, path.Dir(name), read, depth+1); ok {
					up.dir = dir
					return up, true
				}
			}
		}
		return a, false
	}
	return a, true
}
