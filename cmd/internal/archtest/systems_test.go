package archtest

import (
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"manicule/indexer/must"
)

// TestOtherSystems: what a package declares in a file for one system is declared for the others
// too, if they use it. Only a release compiles for all of them.
func TestOtherSystems(t *testing.T) {
	root := filepath.Join("..", "..", "..")
	err := filepath.WalkDir(root, func(dir string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		if name := d.Name(); dir != root && (name == "testdata" || name == "node_modules" || strings.HasPrefix(name, ".")) {
			return fs.SkipDir
		}
		files, err := parseFolder(dir)
		if err != nil {
			return err
		}
		for _, system := range []string{"linux", "windows", "darwin"} {
			for _, missing := range files.missing(t, system) {
				t.Errorf("%s: %s is not declared on %s", dir, missing, system)
			}
		}
		return nil
	})
	must.OK(t, err)
}

// folder is the source of a package, without tests.
type folder map[string]*ast.File

func parseFolder(dir string) (folder, error) {
	list, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	out := folder{}
	for _, name := range list {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			return nil, err
		}
		out[name] = file
	}
	return out, nil
}

// missing lists the names that the files for a system use and only files for others declare.
func (f folder) missing(t *testing.T, system string) []string {
	t.Helper()
	context := build.Default
	context.GOOS, context.GOARCH, context.CgoEnabled = system, "amd64", true
	here, elsewhere := map[string]bool{}, map[string]bool{}
	used := map[string]bool{}
	for name, file := range f {
		match, err := context.MatchFile(filepath.Dir(name), filepath.Base(name))
		must.OK(t, err)
		for declared := range file.Scope.Objects {
			if match {
				here[declared] = true
			} else {
				elsewhere[declared] = true
			}
		}
		if match {
			for _, identifier := range file.Unresolved {
				used[identifier.Name] = true
			}
		}
	}
	var out []string
	for name := range elsewhere {
		if used[name] && !here[name] {
			out = append(out, name)
		}
	}
	return out
}
