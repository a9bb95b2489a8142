package peers

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"manicule/indexer/must"
)

// TestRun holds that programs take turns on the same tree, that a turn finds nothing
// of an earlier one, and that the given tree stays as it is.
func TestRun(t *testing.T) {
	if testing.Short() {
		t.Skip("runs programs")
	}
	dir := t.TempDir()
	bin := filepath.Join(dir, "bin")
	script := "#!/bin/sh\nset -e\n[ ! -e index.db ] && [ ! -e \"$HOME/seen\" ] && [ -e a.go ] && [ ! -e link ]\ntouch index.db \"$HOME/seen\"\necho 3 edges\necho done\n"
	tree := filepath.Join(dir, "tree")
	if err := errors.Join(os.Mkdir(bin, 0o755), os.Mkdir(tree, 0o755), os.WriteFile(filepath.Join(bin, "peer"), []byte(script), 0o755),
		os.WriteFile(filepath.Join(tree, "a.go"), []byte("package a\n"), 0o644), os.Symlink("a.go", filepath.Join(tree, "link"))); err != nil {
		t.Fatal(err)
	}
	peer := filepath.Join(bin, "peer")
	var out strings.Builder
	must.OK(t, run(t.Context(), options{bin: peer, peers: []string{peer + " build"}, turns: 2}, []string{tree}, &out))
	if got := out.String(); !strings.Contains(got, "| tree | manicule | 2 |") || !strings.Contains(got, "| tree | "+peer+" build | 2 |") ||
		!strings.Contains(got, "tree, manicule: 3 edges\n") {
		t.Errorf("%s", got)
	}
	if left, err := names(tree); err != nil || len(left) != 2 {
		t.Errorf("%v, %v", left, err)
	}
	if err := run(t.Context(), options{bin: peer, peers: []string{"/no/such/program"}, turns: 1}, []string{tree}, &out); err == nil {
		t.Error("a peer that does not exist")
	}
}
