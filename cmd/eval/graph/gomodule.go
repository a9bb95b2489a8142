package graph

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"manicule/cmd/internal/evalkit"
)

// goRoot returns the folder of a module.
func (e *evaluation) goRoot(ctx context.Context, s goSample) (string, error) {
	if s.flag != "" || !s.source.fromProxy() {
		return s.source.at(s.flag)
	}
	module := s.source.url
	out, err := exec.CommandContext(ctx, "go", "mod", "download", "-json", module).Output()
	if err != nil {
		return "", evalkit.Missing("%s can't be downloaded", module)
	}
	var m struct{ Dir string }
	if err := json.Unmarshal(out, &m); err != nil {
		return "", fmt.Errorf("find %s: %w", module, err)
	}
	// gopls treats the module cache as a dependency, so the module is copied out of it.
	root := filepath.Join(e.dir, s.source.name)
	if _, err := os.Stat(root); err == nil { // another part of this run has copied it
		return filepath.EvalSymlinks(root)
	}
	if err := os.CopyFS(root, os.DirFS(m.Dir)); err != nil {
		return "", fmt.Errorf("copy %s: %w", module, err)
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

// sample draws the symbols. The same number draws the same ones.
func (m *goModule) sample(s goSample, drawn uint64) []goProbe {
	all := m.symbols()
	h := fnv.New64a()
	_, _ = h.Write([]byte(s.source.name)) // a hash never fails
	rnd := rand.New(rand.NewPCG(drawn, h.Sum64()))
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
	draw(s.dispatch/2, func(p goProbe) bool { return p.kind == kindAbstract })
	draw(s.dispatch-s.dispatch/2, func(p goProbe) bool { return p.kind == kindDispatch })
	return out
}

// symbols lists the functions and methods of hand-written code, without tests.
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
		if p.abstract {
			out[i].kind = kindAbstract
		}
	}
	return out
}

// receiver returns the name of a receiver's type.
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

// words returns the lines of each word in the module, as grep -w finds them.
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
