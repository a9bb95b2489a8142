package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// touchesFiles lists the functions of the packages that know databases which open,
// rename or remove files by themselves, and what those are. None may be a database
// that SQLite has open in this process: to close a descriptor of it drops the locks
// of all its connections (https://www.sqlite.org/howtocorrupt.html, section 2.2),
// and a file that is renamed or replaced loses what others write to it.
func touchesFiles() map[string]string {
	return map[string]string{
		"indexer/sqlfile.create":               "an empty file that has no name yet",
		"indexer/sqlfile.Remove":               "a generation that is not current, by name alone",
		"indexer/sqlfile.RemoveEarlier":        "databases of an earlier schema, by name alone",
		"indexer/sqlfile.withCause":            "/dev/null",
		"indexer/sqlfile.Sweep":                "what a killed process did not finish, which has no database's name",
		"indexer/sqlfile.Readable":             "a database that its lock says nobody has open, before it is judged damaged",
		"indexer/sqlfile.Move":                 "a database that its lock says nobody has open, by name alone",
		"indexer/sqlfile.DB.Backup":            "the copy, before it has its name",
		"indexer/sqlfile.Generations.Current":  "the pointer file",
		"indexer/graph.store.current":          "the pointer file",
		"indexer/graph.store.beginGeneration":  "the pointer file",
		"indexer/graph.readDir":                "a folder",
		"indexer/graph.isNestedRepo":           "a file of git's",
		"indexer/graph.Index.ImportSCIP":       "the index that a person names",
		"memory/store.MayHaveFailed":           "failures.known, which hooks read",
		"memory/store.fileNames":               "the folders of memory files",
		"memory/store.failureFile.expect":      "failures.known",
		"memory/store.appendDurably":           "failures.known",
		"memory/store.FastReader.openIndex":    "the hooks' file",
		"memory/store.hooksFiles.append":       "the hooks' file",
		"memory/store.hooksFiles.compact":      "the hooks' file",
		"memory/store.queries.openHooks":       "the hooks' file",
		"memory/store.database.buildFile":      "the hooks' file",
		"memory/store.hooksFiles.save":         "the hooks' file",
		"memory/store.hooksFiles.removeOthers": "hooks' files that nobody names any more",
		"memory/store.usable":                  "a probe in the cache folder",
		"memory/store.listing.readDir":         "a folder of memory files",
		"memory/store.readPointer":             "the pointer file",
		"memory/store.database.point":          "the pointer file",
		"memory/store.Memories.lastFullScan":   "the note of a full scan",
		"memory/store.Memories.writeFullScan":  "the note of a full scan",
		"memory/store.backups.add":             "an old backup, which is only ever read as unchanging",
		"memory/store.backups.restore":         "a backup, which is only ever read as unchanging",
		"memory/store.clearBackup":             "a backup, which is only ever read as unchanging, and the copy in its place",
		"memory/store.removeIfThere":           "a copy that was to take a backup's place",
	}
}

func TestOnlySQLiteOpensDatabases(t *testing.T) {
	root := filepath.Join("..", "..", "..")
	acts := map[string][]string{
		"os":       {"Open", "OpenFile", "OpenInRoot", "ReadFile", "WriteFile", "Create", "CreateTemp", "Rename", "Link", "Remove", "RemoveAll", "Truncate"},
		"treefile": {"Read", "Open", "ReadMade", "OpenMade"},
	}
	found := map[string]bool{}
	for _, dir := range []string{"indexer/sqlfile", "indexer/graph", "indexer/code", "memory/store"} {
		names, err := filepath.Glob(filepath.Join(root, dir, "*.go"))
		if err != nil || len(names) == 0 {
			t.Fatalf("no sources in %s: %v", dir, err)
		}
		for _, name := range names {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range f.Decls {
				fn, ok := d.(*ast.FuncDecl)
				if !ok {
					continue
				}
				who := dir + "." + receiver(fn) + fn.Name.Name
				ast.Inspect(fn, func(n ast.Node) bool {
					if s, ok := n.(*ast.SelectorExpr); ok {
						if x, ok := s.X.(*ast.Ident); ok && slices.Contains(acts[x.Name], s.Sel.Name) {
							found[who] = true
							if touchesFiles()[who] == "" {
								t.Errorf("%s calls %s.%s: say in touchesFiles which file that is, or use indexer/sqlfile", who, x.Name, s.Sel.Name)
							}
						}
					}
					return true
				})
			}
		}
	}
	for who := range touchesFiles() {
		if !found[who] {
			t.Errorf("%s is listed and touches no file any more", who)
		}
	}
}

func receiver(fn *ast.FuncDecl) string {
	if fn.Recv == nil {
		return ""
	}
	x := fn.Recv.List[0].Type
	if p, ok := x.(*ast.StarExpr); ok {
		x = p.X
	}
	if id, ok := x.(*ast.Ident); ok {
		return id.Name + "."
	}
	return ""
}
