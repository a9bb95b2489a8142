package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/mod/module"
)

// renameModule gives the module another path, such as that of the repository, from
// where `go install` takes it: in go.mod, in imports, and in what names packages in
// strings.
func renameModule(args []string) error {
	if len(args) != 1 {
		return errors.New("which path?\n  try: release module github.com/OWNER/manicule")
	}
	if err := module.CheckPath(args[0]); err != nil {
		return err
	}
	t, err := openTree()
	if err != nil {
		return err
	}
	n, err := rename(t.root, t.module, args[0])
	if err != nil {
		return err
	}
	fmt.Printf("%d files name %s now\n", n, args[0])
	return quietly(t.command("go", "mod", "edit", "-module", args[0]))
}

// rename writes the new path into all Go files below a folder.
func rename(root, from, to string) (changed int, err error) {
	err = filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if n := d.Name(); n == "node_modules" || n == "testdata" || name != root && strings.HasPrefix(n, ".") {
				return fs.SkipDir
			}
			return nil
		}
		if filepath.Ext(name) != ".go" {
			return nil
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		text := renamed(string(data), from, to)
		if text == string(data) {
			return nil
		}
		changed++
		return os.WriteFile(name, []byte(text), 0o644)
	})
	return changed, err
}

// folders are those that packages of the module are in. With one of them behind it
// the old path is that of a package, and without it a word like another.
var folders = []string{"cmd", "extensions", "grammars", "hooks", "indexer", "lsp", "memory"}

func renamed(text, from, to string) string {
	for _, f := range folders {
		for _, end := range []string{"/", `"`} {
			text = strings.ReplaceAll(text, `"`+from+"/"+f+end, `"`+to+"/"+f+end)
		}
	}
	return strings.ReplaceAll(text, `module = "`+from+`"`, `module = "`+to+`"`)
}
