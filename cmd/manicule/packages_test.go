package main

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"manicule/hooks/install"
	"manicule/indexer/must"
)

// TestPackages holds the files of the agents' packages to what the agents' folders
// (hooks/agent) say, from which init installs too. -update writes them.
func TestPackages(t *testing.T) {
	const extensions = "../../extensions"
	files, err := install.Packages(version)
	must.OK(t, err)
	for name, want := range files {
		path := filepath.Join(extensions, filepath.FromSlash(name))
		if *update {
			must.Write(t, path, want)
		}
		if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not what hooks/agent says (%v); -update writes it:\n%s", path, err, want)
		}
	}
	// Only README files are written by hand: nothing generated is left over.
	for _, agent := range install.Agents() {
		if agent == "vscode" {
			continue // its files are copilot's; the folder is the editor's extension
		}
		err := filepath.WalkDir(filepath.Join(extensions, agent), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			rel, err := filepath.Rel(extensions, path)
			if err != nil {
				return err
			}
			rel = filepath.ToSlash(rel)
			if _, known := files[rel]; !known && !strings.HasSuffix(rel, "/README.md") {
				t.Errorf("%s is nobody's", rel)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
}
