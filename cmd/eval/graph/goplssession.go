package graph

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"net/url"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"time"

	"manicule/cmd/internal/evalkit"
	"manicule/cmd/internal/wire"
)

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
	evalkit.Progress("asking gopls about %d symbols of %s", len(probes), name)
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
			evalkit.Progress("%d of %d: %s took %s", i+1, len(probes), p.key(), took.Round(time.Second))
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
		return "", evalkit.Missing("%s can't be built: %s", goplsModule, out)
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
// interface, only the uses that its name leads to are kept: who asks a type
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
