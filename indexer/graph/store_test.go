package graph

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// statements are the SQL statements of this package by the names of their
// constants, as the sources have them. SQL that stands anywhere else fails.
func statements(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob("*.go")
	check(t, err)
	out := map[string]string{}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		check(t, err)
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ValueSpec:
				for i, id := range n.Names {
					if lit, ok := valueAt(n, i).(*ast.BasicLit); ok && isStatement(id.Name) && lit.Kind == token.STRING {
						text, err := strconv.Unquote(lit.Value)
						check(t, err)
						out[id.Name] = text
					}
				}
			case *ast.CallExpr:
				sel, ok := n.Fun.(*ast.SelectorExpr)
				if !ok || !strings.HasSuffix(sel.Sel.Name, "Context") {
					return true
				}
				for _, arg := range n.Args {
					if lit, ok := arg.(*ast.BasicLit); ok && lit.Kind == token.STRING {
						t.Errorf("%s: %s is no q… constant", name, lit.Value)
					}
				}
			}
			return true
		})
	}
	return out
}

func valueAt(n *ast.ValueSpec, i int) ast.Expr {
	if i < len(n.Values) {
		return n.Values[i]
	}
	return nil
}

func isStatement(name string) bool {
	return len(name) > 1 && name[0] == 'q' && name[1] >= 'A' && name[1] <= 'Z'
}

// TestEveryStatementPrepares also holds that what is asked for one file does
// not read a whole table.
func TestEveryStatementPrepares(t *testing.T) {
	whole := map[string]bool{"qFiles": true, "qLoad": true, "qLoadDecls": true, "qHasSCIP": true, "qLookup": true, "qDeclared": true, "qSCIPLinks": true, "qAllDecls": true, "qAllEdges": true, "qDropSCIP": true}
	s := newSpace(t, "")
	ix := s.open()
	check(t, ix.held.s.open(t.Context()))
	list := statements(t)
	if len(list) < 18 {
		t.Fatalf("only %d statements found", len(list))
	}
	for name, q := range list {
		st, err := ix.held.s.db.PrepareContext(t.Context(), q)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		check(t, st.Close())
		args := make([]any, strings.Count(q, "?"))
		rows, err := ix.held.s.db.QueryContext(t.Context(), "EXPLAIN QUERY PLAN "+q, args...)
		check(t, err)
		for rows.Next() {
			var id, parent, x int
			var detail string
			check(t, rows.Scan(&id, &parent, &x, &detail))
			if strings.HasPrefix(detail, "SCAN ") && !whole[name] {
				t.Errorf("%s: %s", name, detail)
			}
		}
		check(t, rows.Err())
	}
}

// TestBuiltMakesNothing: who only asks whether there is a graph does not begin one beside the process that is about to.
func TestBuiltMakesNothing(t *testing.T) {
	s := newSpace(t, shop)
	ix := s.open()
	if built, err := ix.Built(t.Context()); err != nil || built || Exists(s.dir) {
		t.Errorf("%t, %v, made: %t", built, err, Exists(s.dir))
	}
	s.sync(s.open())
	if built, err := ix.Built(t.Context()); err != nil || !built {
		t.Errorf("%t, %v", built, err)
	}
}
