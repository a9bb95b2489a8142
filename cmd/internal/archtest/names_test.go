package archtest

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"manicule/indexer/must"
)

// declared is what the sources declare: by itself ("Recall"), and with its owner, which is a package
// or a type ("memory.Open", "Workspace.Recall").
type declared map[string]bool

func (d declared) add(owner, name string) {
	d[name] = true
	d[owner+"."+name] = true
}

// has says whether each step of a dotted name is declared. A short name in lower case is a variable of
// the page, such as the receiver in `s.begin`, so any owner will do; so will any for a library's type.
func (d declared) has(name string) bool {
	parts := strings.Split(name, ".")
	for i := 1; i < len(parts); i++ {
		owner := parts[i-1]
		switch {
		case i == 1 && owner == "protocol":
			return true
		case i == 1 && len(owner) <= 2, i > 1 && owner == strings.ToLower(owner):
			if !d[parts[i]] {
				return false
			}
		case !d[owner+"."+parts[i]]:
			return false
		}
	}
	return len(parts) > 1 || d[name]
}

// isMember reports whether a name without capitals, such as `publisher.run`, begins with a type.
func (d declared) isMember(name string) bool {
	owner, member, ok := strings.Cut(name, ".")
	return ok && d["type "+owner] && !stored.MatchString(member)
}

// file adds what one file declares.
func (d declared) file(f *ast.File) {
	pkg := strings.TrimSuffix(f.Name.Name, "_test")
	d[pkg] = true
	for _, decl := range f.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			owner := pkg
			if decl.Recv != nil {
				owner = strings.TrimSuffix(receiver(decl), ".")
			}
			d.add(owner, decl.Name.Name)
		case *ast.GenDecl:
			for _, s := range decl.Specs {
				d.spec(pkg, s)
			}
		}
	}
}

func (d declared) spec(pkg string, s ast.Spec) {
	switch s := s.(type) {
	case *ast.ValueSpec:
		for _, n := range s.Names {
			d.add(pkg, n.Name)
		}
	case *ast.TypeSpec:
		d.add(pkg, s.Name.Name)
		d["type "+s.Name.Name] = true
		var members *ast.FieldList
		switch t := s.Type.(type) {
		case *ast.StructType:
			members = t.Fields
		case *ast.InterfaceType:
			members = t.Methods
		default:
			return
		}
		for _, m := range members.List {
			for _, n := range m.Names {
				d.add(s.Name.Name, n.Name)
			}
		}
	}
}

// declarations reads all Go files of the tree. It fills paths with the names of all files and folders.
func declarations(t *testing.T, root string, paths map[string]bool) declared {
	t.Helper()
	all := declared{}
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() && (e.Name() == "node_modules" || path != root && e.Name()[0] == '.' && e.Name() != ".ci") {
			return fs.SkipDir
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		// A page may name a file by the end of its path: `hover.go` beside `lsp/feature/card.go`.
		for rel = filepath.ToSlash(rel); rel != ""; {
			paths[rel] = true
			_, rel, _ = strings.Cut(rel, "/")
		}
		if !strings.HasSuffix(path, ".go") || strings.Contains(filepath.ToSlash(path), "/testdata/") {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		all.file(f)
		return nil
	})
	must.OK(t, err)
	return all
}

var (
	fenced = regexp.MustCompile("(?ms)^ *```.*?^ *```")
	quoted = regexp.MustCompile("`([^`\n]+)`")
	goName = regexp.MustCompile(`^\*?([A-Za-z]\w*)(\.[A-Za-z]\w*)*$`)
	camel  = regexp.MustCompile(`[a-z][A-Z]|^\*?[A-Z][a-z]|\.[A-Z]`)
	stored = regexp.MustCompile(`(db|json|vectors|current|lock|onnx)$`) // the ends of files that the program writes
	aPath  = regexp.MustCompile(`^\.?[\w-]+(/[\w.-]+)+/?$`)
)

// TestPagesAreMerged: no page has the marks of a merge that nobody finished.
func TestPagesAreMerged(t *testing.T) {
	pages, err := filepath.Glob(filepath.Join("..", "..", "..", "docs", "*.md"))
	if err != nil || len(pages) == 0 {
		t.Fatalf("%d pages, %v", len(pages), err)
	}
	for _, page := range append(pages, filepath.Join("..", "..", "..", "README.md")) {
		data := must.Read(t, page)
		for _, mark := range []string{"<<<<<<< ", ">>>>>>> "} {
			if bytes.HasPrefix(data, []byte(mark)) || bytes.Contains(data, []byte("\n"+mark)) {
				t.Errorf("%s has a line that begins with %s", filepath.Base(page), mark)
			}
		}
	}
}

// pagesBesideCode returns the pages about the code that stand beside it, by their paths, without those of releases and plugins
// that people read elsewhere.
func pagesBesideCode(t *testing.T, root string) []string {
	t.Helper()
	var pages []string
	for _, top := range []string{"cmd", "lsp", "indexer", "memory", "hooks", "grammars"} {
		err := filepath.WalkDir(filepath.Join(root, top), func(path string, _ fs.DirEntry, err error) error {
			if err == nil && slices.Contains([]string{"README.md", "FIGURES.md"}, filepath.Base(path)) {
				path, err = filepath.Rel(root, path)
				pages = append(pages, filepath.ToSlash(path))
			}
			return err
		})
		must.OK(t, err)
	}
	if len(pages) < 10 {
		t.Fatalf("only %v were found", pages)
	}
	return pages
}

// TestContributorPagesNameWhatThereIs: the packages, files, types and functions that the pages for
// contributors name are in the tree.
func TestContributorPagesNameWhatThereIs(t *testing.T) {
	root := filepath.Join("..", "..", "..")
	paths := map[string]bool{}
	names := declarations(t, root, paths)
	for _, page := range []string{"docs/architecture.md", "docs/internals.md", "docs/recipes.md"} {
		if checked := namesOn(t, root, page, names, paths); checked < 50 {
			t.Errorf("%s: only %d names were recognized", page, checked)
		}
	}
	checked := 0
	for _, page := range pagesBesideCode(t, root) {
		checked += namesOn(t, root, page, names, paths)
	}
	if checked < 100 {
		t.Errorf("only %d names were recognized on the pages beside the code", checked)
	}
}

// foreignNames are names on the pages that are not ours.
var foreignNames = []string{
	"CheckToken",       // of the example in docs/internals.md
	"VmRSS", "RssAnon", // of the kernel
	"StreamBuilder", "java.util.List",
}

// namesOn checks the names on a page, and returns how many.
func namesOn(t *testing.T, root, page string, names declared, paths map[string]bool) int {
	t.Helper()
	tops := []string{"cmd", "lsp", "indexer", "memory", "hooks", "extensions", "grammars", "docs", ".ci"}
	data := must.Read(t, filepath.Join(root, page))
	checked := 0
	for _, m := range quoted.FindAllSubmatch(fenced.ReplaceAll(data, nil), -1) {
		name := string(bytes.TrimSpace(m[1]))
		switch {
		case paths[strings.TrimSuffix(name, "/")]:
		case slices.Contains(foreignNames, name), strings.HasSuffix(name, ".jsonl"): // data is not in the tree
			continue
		case goName.MatchString(name) && (camel.MatchString(name) || names.isMember(name)):
			if !names.has(strings.TrimPrefix(name, "*")) {
				t.Errorf("%s names %s, which nothing declares", page, name)
			}
		case aPath.MatchString(name) && !strings.Contains(name, "/000N_") && slices.Contains(tops, top(name)):
			t.Errorf("%s names the path %s, which is not there", page, name)
		default:
			continue
		}
		checked++
	}
	return checked
}
