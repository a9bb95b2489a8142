// Package archtest enforces the project's import rules as tests: which folder may
// import which, which package may import a library, and that every package has a
// comment. It must not be imported.
package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"manicule/indexer/must"
)

const module = "manicule"

// below lists what each top-level folder may import of the others. The arrows
// point one way: cmd → lsp, hooks → memory → indexer → grammars.
func below() map[string][]string {
	return map[string][]string{
		"grammars": {},
		"indexer":  {"grammars"},
		"memory":   {"indexer", "grammars"},
		"hooks":    {"memory", "indexer", "grammars"},
		"lsp":      {"memory", "indexer", "grammars"},
		"cmd":      {"lsp", "hooks", "memory", "indexer", "grammars"},
	}
}

// alone lists libraries that only some parts of the tree may import, most only
// one, and why.
func alone() []struct{ library, only, why string } {
	return []struct{ library, only, why string }{
		{"modernc.org/sqlite", "indexer/sqlfile", "one package knows how a database is opened"},
		{"github.com/smacker/go-tree-sitter", "indexer/extract/treesitter", "trees are handed upwards as our own type"},
		{"go.lsp.dev/", "lsp", "protocol types stay at the protocol's border"},
		{"github.com/tailscale/hujson", "indexer/jsonc", "it calls itself for each level of a text"},
		{"github.com/fsnotify/fsnotify", "indexer/watch", "its pitfalls are handled in one place"},
		{"github.com/zricethezav/gitleaks", "memory/secret/full", "its tests alone: the program has the rules of it, not the readers of archives that come with them"},
		{"gonum.org/", "cmd/bench/graph cmd/eval/life", "a tool draws pictures, the product never does"},
		{"manicule/cmd/internal/evalkit", "cmd/eval cmd/bench", "what measures the product is no part of it"},
		{"manicule/memory/memorytest", "memory/memorytest", "only tests open such workspaces"},
		{"manicule/indexer/gittest", "indexer/gittest", "only tests run git like this"},
		{"manicule/hooks/observe/fold/foldtest", "hooks/observe/fold/foldtest", "only tests write sessions down in lines"},
		{"manicule/indexer/must", "indexer/must memory/memorytest", "only tests end where something fails"},
		{"text/template", "cmd/release", "it calls methods by name, and the linker keeps all of them: 4.9 MB"},
		{"html/template", "cmd/release", "it calls methods by name, and the linker keeps all of them: 4.9 MB"},
		{"github.com/spf13/cobra", "cmd", "flags are the command line's business"},
		{"charm.land/", "cmd/internal/tui", "only a terminal that a person looks at is drawn on"},
		{"github.com/charmbracelet/", "cmd/internal/tui", "only a terminal that a person looks at is drawn on"},
		{"github.com/modelcontextprotocol/", "hooks/mcp", "one protocol, one package"},
		{"github.com/knights-analytics/hugot", "memory/embed", "models are behind one interface"},
		{"github.com/yalue/onnxruntime_go", "memory/embed", "models are behind one interface"},
		{"github.com/gomlx/", "memory/embed", "models are behind one interface"},
		{"github.com/hashicorp/go-retryablehttp", "memory/httpjson memory/embed/models", "nothing else may use the network"},
		{"manicule/memory/httpjson", "memory/embed/remote memory/rerank/remote memory/llm", "what the settings allow to be asked is few"},
		{"manicule/memory/embed/local", "memory/embed memory/rerank/provider", "who wants vectors is handed an embed.Service"},
		{"manicule/memory/embed/remote", "memory/embed", "who wants vectors is handed an embed.Service"},
	}
}

type goPackage struct {
	dir     string // relative to the module root
	imports map[string]string
	docs    []string // files that carry the package comment
	name    string
}

func load(t *testing.T) []*goPackage {
	t.Helper()
	root, err := filepath.Abs("../../..")
	must.OK(t, err)
	found := map[string]*goPackage{}
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if n := d.Name(); path != root && (n == "testdata" || n == "node_modules" || strings.HasPrefix(n, ".")) {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(path, ".go") || (strings.HasSuffix(path, "_test.go") && !strings.Contains(path, "archtest")) {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly|parser.ParseComments)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, filepath.Dir(path))
		if err != nil {
			return err
		}
		dir := filepath.ToSlash(rel)
		p := found[dir]
		if p == nil {
			p = &goPackage{dir: dir, imports: map[string]string{}, name: f.Name.Name}
			found[dir] = p
		}
		if f.Doc != nil {
			p.docs = append(p.docs, filepath.Base(path))
		}
		for _, im := range f.Imports {
			name, err := strconv.Unquote(im.Path.Value)
			if err != nil {
				return err
			}
			p.imports[name] = filepath.Base(path)
		}
		return nil
	})
	must.OK(t, err)
	var out []*goPackage
	for _, p := range found {
		out = append(out, p)
	}
	slices.SortFunc(out, func(a, b *goPackage) int { return strings.Compare(a.dir, b.dir) })
	return out
}

// files parses the sources of a package, without its tests.
func (p *goPackage) files(t *testing.T) []*ast.File {
	t.Helper()
	names, err := filepath.Glob(filepath.Join("..", "..", "..", filepath.FromSlash(p.dir), "*.go"))
	must.OK(t, err)
	var out []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		must.OK(t, err)
		out = append(out, f)
	}
	return out
}

// calls reports whether a file calls a function of another package.
func calls(f *ast.File, pkg, name string) bool {
	local := ""
	for _, im := range f.Imports {
		if path, err := strconv.Unquote(im.Path.Value); err == nil && path == pkg {
			local = path[strings.LastIndexByte(path, '/')+1:]
			if im.Name != nil {
				local = im.Name.Name
			}
		}
	}
	found := false
	ast.Inspect(f, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok && local != "" && s.Sel.Name == name {
			if x, ok := s.X.(*ast.Ident); ok && x.Name == local {
				found = true
			}
		}
		return !found
	})
	return found
}

// aboveMemories lists packages that stand above package memory: they ask it for what they need, and it must not
// know them. Nor does what answers a hook: it reads what they write by the packages below.
func aboveMemories() []string {
	return []string{"memory/branches", "memory/plans", "memory/records", "memory/threads", "memory/units"}
}

// TestMemoryKnowsNothingAbove: what was taken out of package memory must not come back into it, or into what
// hooks read.
func TestMemoryKnowsNothingAbove(t *testing.T) {
	found := map[string]bool{}
	for _, p := range load(t) {
		found[p.dir] = true
		if p.dir != "memory" && p.dir != "memory/store" && p.dir != "memory/fastpath" && p.dir != "hooks" && p.dir != "hooks/backend" {
			continue
		}
		for _, above := range aboveMemories() {
			if name, ok := p.imports[module+"/"+above]; ok {
				t.Errorf("%s/%s imports %s, which stands above it", p.dir, name, above)
			}
		}
	}
	for _, above := range aboveMemories() {
		if !found[above] {
			t.Errorf("%s is gone: is the list still right?", above)
		}
	}
}

func top(path string) string {
	head, _, _ := strings.Cut(path, "/")
	return head
}

func TestImportsPointOneWay(t *testing.T) {
	for _, p := range load(t) {
		allowed, ok := below()[top(p.dir)]
		if !ok {
			t.Errorf("%s: a Go package outside the top-level folders", p.dir)
			continue
		}
		for im, name := range p.imports {
			rest, ours := strings.CutPrefix(im, module+"/")
			if !ours || top(rest) == top(p.dir) {
				continue
			}
			if !slices.Contains(allowed, top(rest)) {
				t.Errorf("%s/%s imports %s: imports point cmd → lsp, hooks → memory → indexer → grammars", p.dir, name, im)
			}
		}
	}
}

// TestOnlyServicesLinkModels: a model is chosen and loaded by the package that opens
// workspaces, and by commands. What answers hooks and editors gets the interface,
// if anything.
func TestOnlyServicesLinkModels(t *testing.T) {
	for _, p := range load(t) {
		if top(p.dir) == "cmd" || p.dir == services || strings.HasPrefix(p.dir, "memory/embed/") || strings.HasPrefix(p.dir, "memory/rerank/") {
			continue
		}
		for im, name := range p.imports {
			if strings.HasPrefix(im, module+"/memory/rerank/") {
				t.Errorf("%s/%s imports %s: only services choose a reranker", p.dir, name, im)
			}
			if strings.HasPrefix(im, module+"/memory/embed/") && im != module+"/memory/embed/matrix" {
				t.Errorf("%s/%s imports %s: only services choose a model", p.dir, name, im)
			}
			if top(p.dir) == "hooks" && strings.HasPrefix(im, module+"/memory/embed") {
				t.Errorf("%s/%s imports %s: no hook waits for a model", p.dir, name, im)
			}
		}
	}
}

func TestLibrariesWithOneOwner(t *testing.T) {
	for _, p := range load(t) {
		for _, rule := range alone() {
			if strings.HasPrefix(rule.library, module+"/") && top(p.dir) == "cmd" {
				continue
			}
			for im, name := range p.imports {
				owner := func(dir string) bool { return p.dir == dir || strings.HasPrefix(p.dir, dir+"/") }
				if strings.HasPrefix(im, rule.library) && !slices.ContainsFunc(strings.Fields(rule.only), owner) {
					t.Errorf("%s/%s imports %s, which only %s may: %s", p.dir, name, im, rule.only, rule.why)
				}
			}
		}
	}
}

func TestOnlyStoresHoldSQL(t *testing.T) {
	for _, p := range load(t) {
		for im, name := range p.imports {
			if im != "database/sql" && im != module+"/indexer/sqlfile" {
				continue
			}
			if !slices.Contains([]string{"indexer/sqlfile", "memory/store", "indexer/graph", "indexer/code", "hooks/conversation"}, p.dir) && p.dir != services { // whose hints know its errors
				t.Errorf("%s/%s imports %s: only the stores hold SQL", p.dir, name, im)
			}
		}
	}
}

// services is the one package that puts a workspace and its services together.
const services = "memory/services"

// TestOnlyServicesAssemble: a front door that opened a search, a leader or a model
// by itself would be a second assembly of the product. It asks the services.
func TestOnlyServicesAssemble(t *testing.T) {
	constructors := []struct{ pkg, name string }{
		{"manicule/memory/search", "New"}, {"manicule/memory/leader", "Campaign"}, {"manicule/memory/consolidate", "New"}, {"manicule/memory/llm", "Open"},
		{"manicule/memory/rerank/provider", "Open"}, {"manicule/memory", "Open"},
	}
	for _, p := range load(t) {
		if p.dir != "cmd/manicule" && !strings.HasPrefix(p.dir, "cmd/manicule/") && top(p.dir) != "hooks" && top(p.dir) != "lsp" {
			continue
		}
		for _, f := range p.files(t) {
			for _, c := range constructors {
				if calls(f, c.pkg, c.name) {
					t.Errorf("%s calls %s.%s: only %s puts a workspace together", p.dir, c.pkg, c.name, services)
				}
			}
		}
	}
}

// TestOnlyCommandsImportServices: the services link what a hook, an editor's feature or a
// library must never load, so only front doors in cmd import them.
func TestOnlyCommandsImportServices(t *testing.T) {
	for _, p := range load(t) {
		if name, ok := p.imports[module+"/"+services]; ok && top(p.dir) != "cmd" {
			t.Errorf("%s/%s imports %s: what it needs is handed to it", p.dir, name, services)
		}
	}
}

// mostMethods is how many methods a type of a folder may have: one with more has become the place where everything is.
// What is asked of a session is a function of its record, and a command has what it needs handed to it.
func mostMethods(dir string) int {
	switch {
	case dir == "cmd/manicule", strings.HasPrefix(dir, "cmd/manicule/"), dir == services, dir == "memory", slices.Contains(aboveMemories(), dir):
		return 20
	case dir == "hooks/observe", path.Dir(dir) == "hooks/observe":
		return 25
	}
	return 30
}

// largerTypes are the types that have more methods. Their numbers only go down.
func largerTypes() map[string]int {
	return map[string]int{
		"memory.Workspace":    46,
		"indexer/graph.Graph": 44,
		"memory/threads.List": 30,
	}
}

func TestTypesStaySmall(t *testing.T) {
	methods := methodsOf(t)
	for name, n := range methods {
		dir := name[:strings.LastIndexByte(name, '.')]
		if most := max(mostMethods(dir), largerTypes()[name]); n > most {
			t.Errorf("%s has %d methods, at most %d may be: take out what needs little of the rest", name, n, most)
		}
	}
	for name, most := range largerTypes() {
		if n := methods[name]; n < most {
			t.Errorf("%s has %d methods, and largerTypes allows %d: it can say %d", name, n, most, n)
		}
	}
}

// methodsOf counts the methods of each type.
func methodsOf(t *testing.T) map[string]int {
	t.Helper()
	methods := map[string]int{}
	for _, p := range load(t) {
		for _, f := range p.files(t) {
			for _, d := range f.Decls {
				if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv != nil {
					methods[p.dir+"."+strings.TrimSuffix(receiver(fn), ".")]++
				}
			}
		}
	}
	return methods
}

func TestEveryPackageHasOneComment(t *testing.T) {
	for _, p := range load(t) {
		if len(p.docs) != 1 {
			t.Errorf("%s has %d package comments (%s), want one that says what it owns and what it must not know", p.dir, len(p.docs), strings.Join(p.docs, ", "))
		}
	}
}

// TestMapNamesPackages holds that docs/architecture.md names each package of the layers. What lies
// deeper is explained by the package above it.
func TestMapNamesPackages(t *testing.T) {
	page := must.Read(t, "../../../docs/architecture.md")
	for _, p := range load(t) {
		if layer := top(p.dir); layer == "cmd" || layer == "extensions" || strings.Count(p.dir, "/") != 1 {
			continue
		}
		if !strings.Contains(string(page), "`"+p.dir+"`") {
			t.Errorf("docs/architecture.md does not name %s", p.dir)
		}
	}
}

func TestTopLevelFolders(t *testing.T) {
	entries, err := os.ReadDir("../../..")
	must.OK(t, err)
	settled := []string{"cmd", "lsp", "indexer", "memory", "hooks", "extensions", "grammars", "docs", "bin", "dist"}
	for _, e := range entries {
		if e.IsDir() && !strings.HasPrefix(e.Name(), ".") && !slices.Contains(settled, e.Name()) {
			t.Errorf("%s: the top-level folders are settled: %s", e.Name(), strings.Join(settled, ", "))
		}
	}
}
