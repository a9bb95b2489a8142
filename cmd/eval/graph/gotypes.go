package graph

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"manicule/cmd/internal/evalkit"
	"manicule/indexer/graph"
)

// unseenModules are modules that were not looked at during work on the resolver.
func unseenModules() []string {
	return []string{"github.com/modelcontextprotocol/go-sdk@v1.8.0", "github.com/spf13/afero@v1.15.0", "github.com/hashicorp/go-hclog@v1.6.3",
		"github.com/tetratelabs/wazero@v1.9.0", "github.com/spf13/viper@v1.21.0", "github.com/go-git/go-billy/v5@v5.9.2"}
}

// askTypes asks the type checker for the users of each function and method of whole
// modules, by the rule of gopls' call hierarchy.
func (e *evaluation) askTypes(ctx context.Context) error {
	t := evalkit.NewTable("module, kind", "symbols", "callers", "precision", "recall")
	diff := &differences{e.misses}
	total := byKind[kindScore, *kindScore]{}
	asked := 0
	measure := func(name, root string) error {
		o, err := readTypes(ctx, root)
		if err != nil {
			return err
		}
		_, g, err := e.indexed(ctx, root)
		if err != nil {
			return err
		}
		scores := byKind[kindScore, *kindScore]{}
		for _, p := range o.probes() {
			one := kindScore{symbols: 1}
			found := g.Find(p.file, p.symbol)
			found = slices.DeleteFunc(slices.Clone(found), func(s *graph.Symbol) bool { return p.line < s.Line || p.line > s.EndLine })
			missed, wrong := one.callers.add(o.users(p), relations(g.Callers(found), o.files))
			diff.show(p.kind, p.key(), missed, wrong)
			scores.add(p.kind, one)
			total.add(p.kind, one)
		}
		scores.rows(t, name+", ", "")
		asked++
		return nil
	}
	for _, module := range unseenModules() {
		s := moduleSource(module)
		root, err := e.goRoot(ctx, goSample{source: s})
		if err == nil {
			err = measure(s.name, root)
		}
		if errors.Is(err, evalkit.ErrMissing) {
			evalkit.Progress("%s is left out: %s", s.name, err)
			continue
		}
		if err != nil {
			return err
		}
	}
	if root, err := terraformSource.at(e.terraform); err == nil {
		if err := measure(terraformSource.name, root); err != nil {
			return err
		}
	}
	if asked == 0 {
		return evalkit.Missing("no module to measure")
	}
	total.rows(t, "**together, ", "**")
	e.sections = append(e.sections, evalkit.Section{
		Title: "Go: go/types on unseen modules",
		Notes: []string{fmt.Sprintf("Oracle: go/types with the rule of gopls' call hierarchy, all functions and methods of %s, without those of tests.", strings.Join(unseenModules(), ", "))},
		Table: t,
	})
	return nil
}

// kindScore sums the comparisons of one kind of symbols.
type kindScore struct {
	symbols int
	callers score
}

func (s *kindScore) sum(o kindScore) {
	s.symbols += o.symbols
	s.callers.sum(o.callers)
}

func (s *kindScore) row(t *evalkit.Table, name string) {
	t.Add(name, s.symbols, s.callers.oracle, s.callers.precision(), s.callers.recall())
}

// typeOracle holds the type checker's knowledge of a module. Declarations are keyed by
// their places, because the test variants of a package have objects of their own for the
// same declaration.
type typeOracle struct {
	root   string
	fset   *token.FileSet
	files  map[string]bool
	uses   map[place][]typeUse // by declaration
	sets   []*methodSet
	funcs  map[place]*goProbe
	having map[place][]*methodSet // by the declaration of one of their methods
	known  map[string]bool        // sets entered so far, to enter each once
}

// typeUse is a name that refers to a function or method.
type typeUse struct {
	at  place
	pkg string
}

// methodSet is the method set of a type or interface of the module.
type methodSet struct {
	abstract bool
	methods  map[string]methodOf
}

type methodOf struct {
	signature string
	decl      place
}

// readTypes type-checks a module with its tests.
func readTypes(ctx context.Context, root string) (*typeOracle, error) {
	o := &typeOracle{root: root, fset: token.NewFileSet(), files: map[string]bool{}, uses: map[place][]typeUse{}, funcs: map[place]*goProbe{}, having: map[place][]*methodSet{}, known: map[string]bool{}}
	all, err := packages.Load(&packages.Config{
		Context: ctx, Dir: root, Fset: o.fset, Tests: true,
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedDeps | packages.NeedTypes | packages.NeedSyntax | packages.NeedTypesInfo,
	}, "./...")
	if err != nil {
		return nil, fmt.Errorf("check the types of %s: %w", root, err)
	}
	for _, p := range all {
		if p.Types != nil && !strings.HasSuffix(p.PkgPath, ".test") {
			o.enter(p)
		}
	}
	return o, nil
}

func (o *typeOracle) place(pos token.Pos) place {
	at := o.fset.Position(pos)
	rel, err := filepath.Rel(o.root, at.Filename)
	if err != nil {
		rel = at.Filename
	}
	return place{filepath.ToSlash(rel), at.Line}
}

// enter adds the declarations and uses of a package.
func (o *typeOracle) enter(p *packages.Package) {
	for _, f := range p.Syntax {
		at := o.place(f.Package)
		o.files[at.File] = true
		if !ast.IsGenerated(f) && !graph.IsTest(at.File) {
			o.declared(f)
		}
	}
	for id, obj := range p.TypesInfo.Uses {
		f, ok := obj.(*types.Func)
		if !ok {
			continue
		}
		decl, at := o.place(f.Origin().Pos()), o.place(id.Pos())
		if use := (typeUse{at, p.PkgPath}); !slices.Contains(o.uses[decl], use) {
			o.uses[decl] = append(o.uses[decl], use)
		}
	}
	scope := p.Types.Scope()
	for _, obj := range p.TypesInfo.Defs {
		name, ok := obj.(*types.TypeName)
		if !ok || name.IsAlias() || name.Parent() != scope && name.Parent() == types.Universe {
			continue
		}
		o.enterType(name)
	}
}

// declared adds the functions under test.
func (o *typeOracle) declared(f *ast.File) {
	add := func(id *ast.Ident, in, kind string) {
		if id.Name == "_" || in == "" && (id.Name == "init" || id.Name == "main") {
			return
		}
		at := o.place(id.Pos())
		probe := &goProbe{file: at.File, symbol: id.Name, line: at.Line, kind: kind}
		if in != "" {
			probe.symbol = in + "." + id.Name
		}
		o.funcs[at] = probe
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil || len(d.Recv.List) == 0 {
				add(d.Name, "", kindFunction)
			} else {
				add(d.Name, receiver(d.Recv.List[0].Type), kindMethod)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				for _, m := range interfaceMethods(spec) {
					add(m, spec.(*ast.TypeSpec).Name.Name, kindAbstract)
				}
			}
		}
	}
}

// interfaceMethods returns the names of the methods that an interface declares, none of another declaration.
func interfaceMethods(spec ast.Spec) (names []*ast.Ident) {
	s, ok := spec.(*ast.TypeSpec)
	if !ok {
		return nil
	}
	i, ok := s.Type.(*ast.InterfaceType)
	if !ok {
		return nil
	}
	for _, m := range i.Methods.List {
		if _, ok := m.Type.(*ast.FuncType); ok && len(m.Names) > 0 {
			names = append(names, m.Names[0])
		}
	}
	return names
}

// enterType adds the method set of a type.
func (o *typeOracle) enterType(name *types.TypeName) {
	t := name.Type()
	set := &methodSet{abstract: types.IsInterface(t), methods: map[string]methodOf{}}
	recv := t
	if !set.abstract {
		recv = types.NewPointer(t)
	}
	all := types.NewMethodSet(recv)
	if all.Len() == 0 {
		return
	}
	for i := range all.Len() {
		m := all.At(i).Obj().(*types.Func)
		set.methods[m.Id()] = methodOf{signatureOf(m), o.place(m.Origin().Pos())}
	}
	if key := fmt.Sprint(o.place(name.Pos()), all.Len()); !o.known[key] {
		o.known[key] = true
		o.sets = append(o.sets, set)
		for _, m := range set.methods {
			o.having[m.decl] = append(o.having[m.decl], set)
		}
	}
}

// signatureOf returns the part that two methods must share to substitute for each other.
func signatureOf(f *types.Func) string {
	s := f.Signature()
	return types.TypeString(types.NewSignatureType(nil, nil, nil, nameless(s.Params()), nameless(s.Results()), s.Variadic()), nil)
}

func nameless(t *types.Tuple) *types.Tuple {
	var vars []*types.Var
	for v := range t.Variables() {
		vars = append(vars, types.NewVar(token.NoPos, nil, "", v.Type()))
	}
	return types.NewTuple(vars...)
}

// implements reports whether a type, or an interface, satisfies an interface.
func (s *methodSet) implements(i *methodSet) bool {
	if !i.abstract || len(s.methods) < len(i.methods) {
		return false
	}
	for name, m := range i.methods {
		if s.methods[name].signature != m.signature {
			return false
		}
	}
	return true
}

// probes returns the functions and methods by place.
func (o *typeOracle) probes() []*goProbe {
	inSet := map[place]bool{}
	for _, s := range o.sets {
		if !s.abstract {
			continue
		}
		for _, other := range o.sets {
			if other.abstract || !other.implements(s) {
				continue
			}
			for name := range s.methods {
				inSet[other.methods[name].decl] = true
			}
		}
	}
	all := places{}
	for at, p := range o.funcs {
		all[at] = true
		if p.kind == kindMethod && inSet[at] {
			p.kind = kindDispatch
		}
	}
	var out []*goProbe
	for _, at := range all.sorted() {
		out = append(out, o.funcs[at])
	}
	return out
}

// users returns the places that use a function or method. For a method they include uses
// of the interface methods of the module that it implements, and of the methods that
// implement it.
func (o *typeOracle) users(p *goProbe) places {
	decl := place{p.file, p.line}
	decls := places{decl: true}
	for _, s := range o.having[decl] {
		for name, m := range s.methods {
			if m.decl != decl {
				continue
			}
			for _, other := range o.sets {
				if s.implements(other) || other.implements(s) {
					if m, ok := other.methods[name]; ok {
						decls[m.decl] = true
					}
				}
			}
		}
	}
	out := places{}
	for d := range decls {
		for _, u := range o.uses[d] {
			if u.at != decl {
				out[u.at] = true
			}
		}
	}
	return out
}
