package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"manicule/indexer/must"
)

// rooms lists what each package of the language server may import of the others:
// server → panel, action → feature → page → folder → session, convert.
func rooms() map[string][]string {
	folder := []string{"convert", "session"}
	page := append([]string{"folder"}, folder...)
	feature := append([]string{"page", "render", "settings"}, page...)
	action := append([]string{"feature", "client", "rpc"}, feature...)
	return map[string][]string{
		"convert": {}, "render": {}, "settings": {}, "client": {}, "rpc": {},
		"notebook":      {},
		"session":       {"convert", "notebook"},
		"folder":        folder,
		"page":          page,
		"feature":       feature,
		"action":        action,
		"panel":         append([]string{"feature", "rpc"}, feature...),
		"wrap":          {"convert", "rpc"},
		"lsptest":       {"convert", "rpc"},
		"page/pagetest": append([]string{"page"}, page...),
	}
}

func TestRoomsOfTheServer(t *testing.T) {
	for _, p := range load(t) {
		room, below := strings.CutPrefix(p.dir, "lsp/")
		if !below {
			continue
		}
		allowed, ok := rooms()[room]
		if !ok {
			t.Errorf("%s: a package of the language server that rooms() does not have", p.dir)
			continue
		}
		for im, name := range p.imports {
			if other, ours := strings.CutPrefix(im, module+"/lsp/"); im == module+"/lsp" || ours && !slices.Contains(allowed, other) {
				t.Errorf("%s/%s imports %s: the server's packages point server → panel, action → feature → page → folder → session, convert", p.dir, name, im)
			}
		}
	}
}

// TestNothingEmbedsTheServer: a type that embeds the server or a request has all
// of their methods, and can't be tested without them.
func TestNothingEmbedsTheServer(t *testing.T) {
	whole := []string{"server", "request", "lsp.Server", "Env", "action.Env", "call", "Panel", "panel.Panel"}
	for _, file := range sources(t, filepath.Join("..", "..", "..", "lsp")) {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		must.OK(t, err)
		ast.Inspect(f, func(n ast.Node) bool {
			s, ok := n.(*ast.StructType)
			if !ok {
				return true
			}
			for _, field := range s.Fields.List {
				if name := typeName(field.Type); len(field.Names) == 0 && slices.Contains(whole, name) {
					t.Errorf("%s: a type embeds %s; give it what it needs of that", filepath.ToSlash(file), name)
				}
			}
			return true
		})
	}
}

// typeName is the name of a type, or of what it points to.
func typeName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return typeName(e.X)
	case *ast.SelectorExpr:
		return typeName(e.X) + "." + e.Sel.Name
	case *ast.Ident:
		return e.Name
	}
	return ""
}

// sources lists the Go files below a folder, without tests.
func sources(t *testing.T, dir string) []string {
	t.Helper()
	var out []string
	for _, pattern := range []string{"*.go", "*/*.go", "*/*/*.go"} {
		list, err := filepath.Glob(filepath.Join(dir, pattern))
		must.OK(t, err)
		out = append(out, list...)
	}
	return slices.DeleteFunc(out, func(f string) bool { return strings.HasSuffix(f, "_test.go") })
}
