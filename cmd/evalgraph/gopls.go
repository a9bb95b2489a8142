package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"hash/fnv"
	"math/rand/v2"
	"net/url"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"manicule/cmd/try/wire"
	"manicule/indexer/graph"
	"manicule/indexer/resolve"
)

const (
	goplsModule = "golang.org/x/tools/gopls@v0.23.0"
	goGitModule = "github.com/go-git/go-git/v5@v5.19.3"
	seed        = 20261121 // of all samples, so that each run asks the same
)

// What kind of thing a sampled symbol is.
const (
	kindFunction = "functions"
	kindMethod   = "methods"
	kindDispatch = "interface dispatch" // an interface's method, or one of a name that an interface of the module has
)

// goSample is how many symbols of each kind are drawn from a module, and which
// are asked in any case.
type goSample struct {
	source    source
	flag      string
	functions int
	methods   int
	dispatch  int
	named     []string // as FILE#Symbol
}

func (e *evaluation) goSamples() []goSample {
	return []goSample{
		{terraformSource, e.terraform, 45, 40, 60, []string{
			"internal/configs/configschema/implied_type.go#Block.ImpliedType",
			"internal/providers/provider.go#Interface.PlanResourceChange",
			"internal/plugin/grpc_provider.go#GRPCProvider.PlanResourceChange",
		}},
		{fzfSource, e.fzf, 45, 45, 14, nil},
		{source{"go-git", goGitModule, "v5.19.3"}, e.goGit, 35, 35, 40, nil},
	}
}

// goProbe is a symbol that is asked about.
type goProbe struct {
	file      string // below the root
	symbol    string // Type.Method or a name
	line, col int    // of the name, from 1
	params    int
	kind      string
	abstract  bool // a method of an interface
}

func (p goProbe) name() string { return p.symbol[strings.LastIndexByte(p.symbol, '.')+1:] }
func (p goProbe) key() string  { return p.file + "#" + p.symbol }

// goAnswer is what gopls says about a symbol.
type goAnswer struct {
	References []place `json:"references"`
	Calls      []place `json:"calls"` // those of them that are called there
}

// goModule is a module as the go command lists it.
type goModule struct {
	root  string
	files []string // below the root: what is built here, with tests
	in    map[string]bool
	asts  map[string]*ast.File
	fset  *token.FileSet
}

// askGopls compares with the references of gopls.
func (e *evaluation) askGopls(ctx context.Context) error {
	t := &table{head: []string{"module, kind", "symbols", "calls", "precision", "recall", "with possible ones: precision", "recall", "grep precision", "grep recall", "references", "precision", "recall"}}
	total := map[string]*goScore{}
	var named []*goScore
	var names []string
	asked := 0
	for _, s := range e.goSamples() {
		root, err := e.goRoot(ctx, s)
		var missing errNotHere
		if errors.As(err, &missing) {
			progress("%s is left out: %s", s.source.name, missing.what)
			continue
		}
		if err != nil {
			return err
		}
		m, err := readGoModule(ctx, root)
		if err != nil {
			return err
		}
		probes := m.sample(s)
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
		scores := map[string]*goScore{}
		for _, p := range probes {
			one, err := compareGo(ctx, ix, g, m, p, answers[p.key()], grep, diff)
			if err != nil {
				return err
			}
			for _, key := range []string{p.kind, "all"} {
				for _, into := range []map[string]*goScore{scores, total} {
					if into[key] == nil {
						into[key] = &goScore{}
					}
					into[key].sum(one)
				}
			}
			if slices.Contains(s.named, p.key()) {
				named, names = append(named, &one), append(names, p.symbol)
			}
		}
		for _, kind := range []string{kindFunction, kindMethod, kindDispatch, "all"} {
			if sc := scores[kind]; sc != nil {
				sc.row(t, s.source.name+", "+kind)
			}
		}
	}
	if asked == 0 {
		return errNotHere{"no module to measure"}
	}
	for _, kind := range []string{kindFunction, kindMethod, kindDispatch, "all"} {
		if sc := total[kind]; sc != nil {
			sc.row(t, "**together, "+kind+"**")
		}
	}
	for i, sc := range named {
		sc.row(t, "terraform `"+names[i]+"`")
	}
	e.sections = append(e.sections, section{
		title: "Go: gopls",
		notes: []string{fmt.Sprintf("Oracle: %s over LSP; %d symbols of terraform %.9s, fzf %.9s and %s.", goplsModule, asked, terraformSource.commit, fzfSource.commit, goGitModule)},
		table: t,
	})
	return nil
}

// goScore are the comparisons of some symbols.
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

func (s *goScore) row(t *table, name string) {
	t.add(name, fmt.Sprint(s.symbols), fmt.Sprint(s.calls.oracle), s.calls.precision(), s.calls.recall(), s.wide.precision(), s.wide.recall(), s.grep.precision(), s.grep.recall(),
		fmt.Sprint(s.refs.oracle), s.refs.precision(), s.refs.recall())
}

func compareGo(ctx context.Context, ix *graph.Index, g *graph.Graph, m *goModule, p goProbe, truth goAnswer, grep map[string]places, diff *differences) (goScore, error) {
	found := g.Find(p.file, p.symbol)
	found = slices.DeleteFunc(slices.Clone(found), func(s *resolve.Symbol) bool { return p.line < s.Line || p.line > s.EndLine })
	one := goScore{symbols: 1}
	calls, refs := placesOf(truth.Calls), placesOf(truth.References)
	have := g.Callers(found)
	missed, wrong := one.calls.add(calls, relations(have, m.in))
	diff.show("call "+p.kind, p.key(), missed, wrong)
	possible, err := ix.Possible(ctx, found)
	if err != nil {
		return one, fmt.Errorf("possible callers of %s: %w", p.key(), err)
	}
	missed, _ = one.wide.add(calls, relations(append(have, possible...), m.in))
	diff.show("possible "+p.kind, p.key(), missed, nil)
	missed, wrong = one.refs.add(refs, relations(g.References(found), m.in))
	diff.show("ref "+p.kind, p.key(), missed, wrong)
	lines := places{}
	for at := range grep[p.name()] {
		if at != (place{p.file, p.line}) {
			lines[at] = true
		}
	}
	one.grep.add(calls, lines)
	return one, nil
}

// goRoot is the folder of a module.
func (e *evaluation) goRoot(ctx context.Context, s goSample) (string, error) {
	if s.source.url != goGitModule {
		return s.source.at(s.flag)
	}
	if s.flag != "" {
		return s.source.at(s.flag)
	}
	out, err := exec.CommandContext(ctx, "go", "mod", "download", "-json", goGitModule).Output()
	if err != nil {
		return "", errNotHere{goGitModule + " can't be downloaded"}
	}
	var m struct{ Dir string }
	if err := json.Unmarshal(out, &m); err != nil {
		return "", fmt.Errorf("find %s: %w", goGitModule, err)
	}
	// Not in the module cache, which gopls takes for a dependency.
	root := filepath.Join(e.dir, "go-git")
	if err := os.CopyFS(root, os.DirFS(m.Dir)); err != nil {
		return "", fmt.Errorf("copy %s: %w", goGitModule, err)
	}
	return filepath.EvalSymlinks(root)
}

// readGoModule lists and parses what the go command builds.
func readGoModule(ctx context.Context, root string) (*goModule, error) {
	cmd := exec.CommandContext(ctx, "go", "list", "-e", "-json=Dir,GoFiles,CgoFiles,TestGoFiles,XTestGoFiles", "./...")
	cmd.Dir = root
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("list the packages of %s: %w", root, err)
	}
	m := &goModule{root: root, in: map[string]bool{}, asts: map[string]*ast.File{}, fset: token.NewFileSet()}
	for dec := json.NewDecoder(bytes.NewReader(out)); dec.More(); {
		var p struct {
			Dir                                          string
			GoFiles, CgoFiles, TestGoFiles, XTestGoFiles []string
		}
		if err := dec.Decode(&p); err != nil {
			return nil, fmt.Errorf("list the packages of %s: %w", root, err)
		}
		for _, name := range slices.Concat(p.GoFiles, p.CgoFiles, p.TestGoFiles, p.XTestGoFiles) {
			rel, err := filepath.Rel(root, filepath.Join(p.Dir, name))
			if err != nil {
				return nil, fmt.Errorf("list the packages of %s: %w", root, err)
			}
			rel = filepath.ToSlash(rel)
			f, err := parser.ParseFile(m.fset, filepath.Join(root, rel), nil, parser.ParseComments|parser.SkipObjectResolution)
			if err != nil {
				return nil, fmt.Errorf("parse %s: %w", rel, err)
			}
			m.files, m.in[rel], m.asts[rel] = append(m.files, rel), true, f
		}
	}
	slices.Sort(m.files)
	m.files = slices.Compact(m.files)
	return m, nil
}

// sample draws the symbols: always the same ones.
func (m *goModule) sample(s goSample) []goProbe {
	all := m.symbols()
	h := fnv.New64a()
	_, _ = h.Write([]byte(s.source.name)) // never fails
	rnd := rand.New(rand.NewPCG(seed, h.Sum64()))
	shuffled := slices.Clone(all)
	rnd.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	types := map[string]int{} // how many methods have the name
	for _, p := range all {
		if strings.Contains(p.symbol, ".") {
			types[p.name()]++
		}
	}
	var out []goProbe
	for _, p := range all {
		if slices.Contains(s.named, p.key()) {
			out = append(out, p)
		}
	}
	taken := map[string]bool{}
	for _, p := range out {
		taken[p.key()] = true
	}
	draw := func(n int, ok func(goProbe) bool) {
		for _, p := range shuffled {
			if n > 0 && !taken[p.key()] && ok(p) {
				taken[p.key()] = true
				out = append(out, p)
				n--
			}
		}
	}
	draw(s.functions, func(p goProbe) bool { return p.kind == kindFunction })
	draw(s.methods/2, func(p goProbe) bool { return p.kind == kindMethod && types[p.name()] > 2 })
	draw(s.methods-s.methods/2, func(p goProbe) bool { return p.kind == kindMethod })
	draw(s.dispatch/2, func(p goProbe) bool { return p.kind == kindDispatch && p.abstract })
	draw(s.dispatch-s.dispatch/2, func(p goProbe) bool { return p.kind == kindDispatch && !p.abstract })
	return out
}

// symbols are the functions and methods of code that people wrote, without tests.
func (m *goModule) symbols() []goProbe {
	var out []goProbe
	add := func(file string, name *ast.Ident, in string, f *ast.FuncType, abstract bool) {
		if name.Name == "_" || in == "" && (name.Name == "init" || name.Name == "main") {
			return
		}
		p := goProbe{file: file, symbol: name.Name, kind: kindFunction, abstract: abstract, params: f.Params.NumFields()}
		if in != "" {
			p.symbol, p.kind = in+"."+name.Name, kindMethod
		}
		at := m.fset.Position(name.Pos())
		p.line, p.col = at.Line, at.Column
		out = append(out, p)
	}
	type signature struct {
		name   string
		params int
	}
	abstract := map[signature]bool{}
	for _, file := range m.files {
		f := m.asts[file]
		if ast.IsGenerated(f) || strings.HasSuffix(file, "_test.go") {
			continue
		}
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				in := ""
				if d.Recv != nil && len(d.Recv.List) > 0 {
					in = receiver(d.Recv.List[0].Type)
				}
				add(file, d.Name, in, d.Type, false)
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					s, ok := spec.(*ast.TypeSpec)
					if !ok {
						continue
					}
					i, ok := s.Type.(*ast.InterfaceType)
					if !ok {
						continue
					}
					for _, method := range i.Methods.List {
						if f, ok := method.Type.(*ast.FuncType); ok && len(method.Names) > 0 {
							abstract[signature{method.Names[0].Name, f.Params.NumFields()}] = true
							add(file, method.Names[0], s.Name.Name, f, true)
						}
					}
				}
			}
		}
	}
	for i, p := range out {
		if p.kind == kindMethod && abstract[signature{p.name(), p.params}] {
			out[i].kind = kindDispatch
		}
	}
	return out
}

// receiver is the name of a receiver's type.
func receiver(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.StarExpr:
		return receiver(x.X)
	case *ast.ParenExpr:
		return receiver(x.X)
	case *ast.IndexExpr:
		return receiver(x.X)
	case *ast.IndexListExpr:
		return receiver(x.X)
	case *ast.Ident:
		return x.Name
	}
	return ""
}

// words is what grep -w finds in the module: the lines of each word.
func (m *goModule) words() map[string]places {
	out := map[string]places{}
	for _, file := range m.files {
		src, err := os.ReadFile(filepath.Join(m.root, filepath.FromSlash(file)))
		if err != nil {
			continue // it was parsed a moment ago
		}
		for i, line := range strings.Split(string(src), "\n") {
			for _, w := range strings.FieldsFunc(line, func(r rune) bool {
				return r != '_' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
			}) {
				if out[w] == nil {
					out[w] = places{}
				}
				out[w][place{file, i + 1}] = true
			}
		}
	}
	return out
}

// goAnswers asks gopls, or what it said before.
func (e *evaluation) goAnswers(ctx context.Context, name string, m *goModule, probes []goProbe) (answers map[string]goAnswer, err error) {
	kept := filepath.Join(e.cache, "gopls-"+name+".json")
	answers = map[string]goAnswer{}
	if data, err := os.ReadFile(kept); err == nil {
		if err := json.Unmarshal(data, &answers); err != nil {
			return nil, fmt.Errorf("read %s: %w", kept, err)
		}
	}
	if !slices.ContainsFunc(probes, func(p goProbe) bool { _, ok := answers[p.key()]; return !ok }) {
		return answers, nil
	}
	bin, err := e.goplsProgram(ctx)
	if err != nil {
		return nil, err
	}
	progress("asking gopls about %d symbols of %s", len(probes), name)
	cmd := exec.CommandContext(ctx, bin, "serve")
	cmd.Dir = m.root
	client, err := wire.Start(cmd)
	if err != nil {
		return nil, err
	}
	defer func() {
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), 20*time.Second)
		defer cancel()
		err = errors.Join(err, client.Close(closing))
	}()
	if err := client.Initialize(ctx, m.root); err != nil {
		return nil, err
	}
	q := &goplsSession{client: client, m: m, called: map[string]map[location]bool{}}
	for i, p := range probes {
		if _, ok := answers[p.key()]; ok {
			continue
		}
		start := time.Now()
		a, err := q.ask(ctx, p)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.key(), err)
		}
		answers[p.key()] = a
		if took := time.Since(start); took > 5*time.Second {
			progress("%d of %d: %s took %s", i+1, len(probes), p.key(), took.Round(time.Second))
		}
		data, err := json.Marshal(answers)
		if err != nil {
			return nil, fmt.Errorf("keep the answers: %w", err)
		}
		if err := os.WriteFile(kept, data, 0o644); err != nil {
			return nil, fmt.Errorf("keep the answers: %w", err)
		}
	}
	return answers, nil
}

// goplsProgram is gopls, built where it isn't given.
func (e *evaluation) goplsProgram(ctx context.Context) (string, error) {
	if e.gopls != "" {
		return e.gopls, nil
	}
	bin := filepath.Join(e.dir, "bin")
	cmd := exec.CommandContext(ctx, "go", "install", goplsModule)
	cmd.Env = append(os.Environ(), "GOBIN="+bin)
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", errNotHere{fmt.Sprintf("%s can't be built: %s", goplsModule, out)}
	}
	e.gopls = filepath.Join(bin, "gopls")
	return e.gopls, nil
}

// location is a name in a file, from 1.
type location struct{ line, col int }

type goplsSession struct {
	client *wire.Client
	m      *goModule
	called map[string]map[location]bool // by file: the names that are called
}

type lspLocation struct {
	URI   string     `json:"uri"`
	Range wire.Range `json:"range"`
}

// ask finds the references of a symbol. gopls counts those of an interface's
// method and of the methods that implement it together. For a method of a type
// that is right: a call through the interface may run it. For a method of an
// interface, only the uses that its name leads to are kept: who calls a type
// directly does not go through the interface.
func (q *goplsSession) ask(ctx context.Context, p goProbe) (goAnswer, error) {
	var found []lspLocation
	at := map[string]any{
		"textDocument": map[string]string{"uri": wire.URI(filepath.Join(q.m.root, filepath.FromSlash(p.file)))},
		"position":     wire.Position{Line: p.line - 1, Character: p.col - 1},
		"context":      map[string]bool{"includeDeclaration": false},
	}
	if err := q.client.Call(ctx, "textDocument/references", at, &found); err != nil {
		return goAnswer{}, err
	}
	refs, calls := places{}, places{}
	for _, l := range found {
		file := q.m.relative(l.URI)
		if !q.m.in[file] {
			continue
		}
		if p.abstract {
			ok, err := q.leadsTo(ctx, l, p)
			if err != nil {
				return goAnswer{}, err
			}
			if !ok {
				continue
			}
		}
		here := place{file, l.Range.Start.Line + 1}
		if here == (place{p.file, p.line}) {
			continue
		}
		refs[here] = true
		if q.isCalled(file, location{l.Range.Start.Line + 1, l.Range.Start.Character + 1}) {
			calls[here] = true
		}
	}
	return goAnswer{References: refs.sorted(), Calls: calls.sorted()}, nil
}

func (m *goModule) relative(uri string) string {
	u, err := url.Parse(uri)
	if err != nil {
		return ""
	}
	rel, err := filepath.Rel(m.root, u.Path)
	if err != nil {
		return ""
	}
	return path.Clean(filepath.ToSlash(rel))
}

// leadsTo reports whether the definition of the name at a place is the symbol.
func (q *goplsSession) leadsTo(ctx context.Context, l lspLocation, p goProbe) (bool, error) {
	var found []lspLocation
	at := map[string]any{"textDocument": map[string]string{"uri": l.URI}, "position": l.Range.Start}
	if err := q.client.Call(ctx, "textDocument/definition", at, &found); err != nil {
		return false, err
	}
	for _, d := range found {
		if q.m.relative(d.URI) == p.file && d.Range.Start.Line+1 == p.line {
			return true, nil
		}
	}
	return false, nil
}

// isCalled reports whether the name at a location is what a call calls.
func (q *goplsSession) isCalled(file string, at location) bool {
	called, ok := q.called[file]
	if !ok {
		called = map[location]bool{}
		if f := q.m.asts[file]; f != nil {
			ast.Inspect(f, func(n ast.Node) bool {
				if c, ok := n.(*ast.CallExpr); ok {
					if name := calledName(c.Fun); name != nil {
						pos := q.m.fset.Position(name.Pos())
						called[location{pos.Line, pos.Column}] = true
					}
				}
				return true
			})
		}
		q.called[file] = called
	}
	return called[at]
}

func calledName(x ast.Expr) *ast.Ident {
	switch x := x.(type) {
	case *ast.Ident:
		return x
	case *ast.SelectorExpr:
		return x.Sel
	case *ast.ParenExpr:
		return calledName(x.X)
	case *ast.IndexExpr:
		return calledName(x.X)
	case *ast.IndexListExpr:
		return calledName(x.X)
	}
	return nil
}
