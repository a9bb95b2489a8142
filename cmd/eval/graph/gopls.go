package graph

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"path"
	"slices"
	"strings"

	"manicule/cmd/internal/evalkit"
	"manicule/indexer/graph"
	"manicule/indexer/resolve"
)

const (
	goplsModule = "golang.org/x/tools/gopls@v0.23.0"
	goGitModule = "github.com/go-git/go-git/v5@v5.19.3"
	seed        = 20261121 // the same for all samples, so that each run asks about the same symbols
)

// Kinds of sampled symbols.
const (
	kindFunction = "functions"
	kindMethod   = "methods"
	kindDispatch = "implementations"   // a method whose name an interface of the module has
	kindAbstract = "interface methods" // a method of an interface
)

// goKinds lists the kinds in the order of the table.
func goKinds() []string {
	return []string{kindFunction, kindMethod, kindDispatch, kindAbstract, "all"}
}

// goSample is the number of symbols of each kind to draw from a module, and the symbols
// that are always included.
type goSample struct {
	source    source
	flag      string
	functions int
	methods   int
	dispatch  int
	named     []string // as FILE#Symbol
}

func (e *evaluation) goSamples() []goSample {
	all := []goSample{
		{terraformSource, e.terraform, 45, 40, 60, []string{
			"internal/configs/configschema/implied_type.go#Block.ImpliedType",
			"internal/providers/provider.go#Interface.PlanResourceChange",
			"internal/plugin/grpc_provider.go#GRPCProvider.PlanResourceChange",
		}},
		{fzfSource, e.fzf, 45, 45, 14, nil},
		{source{"go-git", goGitModule, "v5.19.3"}, e.goGit, 35, 35, 40, nil},
		{moduleSource("github.com/modelcontextprotocol/go-sdk@v1.8.0"), "", 20, 20, 30, nil},
		{moduleSource("github.com/spf13/afero@v1.15.0"), "", 15, 15, 40, nil},
		{moduleSource("github.com/hashicorp/go-hclog@v1.6.3"), "", 10, 10, 20, nil},
		{moduleSource("github.com/tetratelabs/wazero@v1.9.0"), "", 30, 30, 50, nil},
	}
	all = slices.DeleteFunc(all, func(s goSample) bool { return len(e.modules) > 0 && !slices.Contains(e.modules, s.source.name) })
	if e.symbols > 0 {
		for i := range all { // a quarter of each kind
			all[i].functions, all[i].methods, all[i].named = e.symbols/4, e.symbols/4, nil
			all[i].dispatch = e.symbols - 2*(e.symbols/4)
		}
	}
	return all
}

// moduleSource is a module of the Go module proxy.
func moduleSource(module string) source {
	name, version, _ := strings.Cut(module, "@")
	return source{path.Base(name), module, version}
}

// fromProxy reports whether a source is a module instead of a repository.
func (s source) fromProxy() bool { return strings.Contains(s.url, "@") }

// goProbe is a symbol under test.
type goProbe struct {
	file      string // relative to the root
	symbol    string // Type.Method or a name
	line, col int    // of the name, from 1
	params    int
	kind      string
	abstract  bool // a method of an interface
}

func (p goProbe) name() string { return p.symbol[strings.LastIndexByte(p.symbol, '.')+1:] }
func (p goProbe) key() string  { return p.file + "#" + p.symbol }

// goAnswer is the answer of gopls about a symbol.
type goAnswer struct {
	References []place `json:"references"`
}

// goModule is a module as the go command lists it.
type goModule struct {
	root  string
	files []string // relative to the root: all built files, with tests
	in    map[string]bool
	asts  map[string]*ast.File
	fset  *token.FileSet
}

// askGopls compares with the references of gopls.
func (e *evaluation) askGopls(ctx context.Context) error {
	t := evalkit.NewTable("module, kind", "symbols", "calls", "precision", "recall", "with possible ones: precision", "recall", "grep precision", "references", "precision", "recall")
	total := byKind[goScore, *goScore]{}
	var named []*goScore
	var names []string
	asked := 0
	for _, s := range e.goSamples() {
		root, err := e.goRoot(ctx, s)
		if errors.Is(err, evalkit.ErrMissing) {
			evalkit.Progress("%s is left out: %s", s.source.name, err)
			continue
		}
		if err != nil {
			return err
		}
		m, err := readGoModule(ctx, root)
		if err != nil {
			return err
		}
		probes := m.sample(s, e.seed)
		answers, err := e.goAnswers(ctx, s.source.name, m, probes)
		if err != nil {
			return err
		}
		ix, g, err := e.indexed(ctx, root)
		if err != nil {
			return err
		}
		asked += len(probes)
		grep := m.words()
		diff := &differences{e.misses}
		scores := byKind[goScore, *goScore]{}
		for _, p := range probes {
			one, err := compareGo(ctx, ix, g, m, p, answers[p.key()], grep, diff)
			if err != nil {
				return err
			}
			scores.add(p.kind, one)
			total.add(p.kind, one)
			if slices.Contains(s.named, p.key()) {
				named, names = append(named, &one), append(names, p.symbol)
			}
		}
		scores.rows(t, s.source.name+", ", "")
	}
	if asked == 0 {
		return evalkit.Missing("no module to measure")
	}
	total.rows(t, "**together, ", "**")
	for i, sc := range named {
		sc.row(t, "terraform `"+names[i]+"`")
	}
	e.sections = append(e.sections, evalkit.Section{
		Title: "Go: gopls",
		Notes: []string{fmt.Sprintf("Oracle: %s over LSP; %d symbols of terraform %.9s, fzf %.9s and %s.", goplsModule, asked, terraformSource.commit, fzfSource.commit, goGitModule)},
		Table: t,
	})
	return nil
}

// goScore sums the comparisons of some symbols.
type goScore struct {
	symbols                 int
	calls, wide, refs, grep score // wide: with the possible ones
}

func (s *goScore) sum(o goScore) {
	s.symbols += o.symbols
	s.calls.sum(o.calls)
	s.wide.sum(o.wide)
	s.refs.sum(o.refs)
	s.grep.sum(o.grep)
}

func (s *goScore) row(t *evalkit.Table, name string) {
	t.Add(name, s.symbols, s.calls.oracle, s.calls.precision(), s.calls.recall(), s.wide.precision(), s.wide.recall(), s.grep.precision(),
		fmt.Sprint(s.refs.oracle), s.refs.precision(), s.refs.recall())
}

func compareGo(ctx context.Context, ix *graph.Index, g *graph.Graph, m *goModule, p goProbe, truth goAnswer, grep map[string]places, diff *differences) (goScore, error) {
	found := g.Find(p.file, p.symbol)
	found = slices.DeleteFunc(slices.Clone(found), func(s *resolve.Symbol) bool { return p.line < s.Line || p.line > s.EndLine })
	one := goScore{symbols: 1}
	users := placesOf(truth.References) // the call hierarchy of gopls counts every use
	have := g.Callers(found)
	missed, wrong := one.calls.add(users, relations(have, m.in))
	diff.show("call "+p.kind, p.key(), missed, wrong)
	possible, err := ix.Possible(ctx, found)
	if err != nil {
		return one, fmt.Errorf("possible callers of %s: %w", p.key(), err)
	}
	missed, _ = one.wide.add(users, relations(append(have, possible...), m.in))
	diff.show("possible "+p.kind, p.key(), missed, nil)
	missed, wrong = one.refs.add(users, relations(g.References(found), m.in))
	diff.show("ref "+p.kind, p.key(), missed, wrong)
	lines := places{}
	for at := range grep[p.name()] {
		if at != (place{p.file, p.line}) {
			lines[at] = true
		}
	}
	one.grep.add(users, lines)
	return one, nil
}
