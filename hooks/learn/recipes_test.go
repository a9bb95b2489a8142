package learn

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"manicule/indexer/gitinfo"
	"manicule/indexer/gittest"
	"manicule/indexer/gittree"
)

// repoOfCommands makes a repository in which six commands are added, each with its line in a list and its page, and returns its folder
// of git.
func repoOfCommands(t *testing.T) (dir, gitDir string) {
	t.Helper()
	dir = t.TempDir()
	runGit(t, dir, 0, "init", "-q", "-b", "main", ".")
	putFile(t, filepath.Join(dir, "go.mod"), "module app\n")
	putFile(t, filepath.Join(dir, "app/registry.go"), "package app\n")
	list := "package app\n"
	for i, name := range []string{"listall", "showone", "removeit", "importdata", "exportdata", "countwords"} {
		list += fmt.Sprintf("var _ = %q\n", name)
		putFile(t, filepath.Join(dir, "app/commands/"+name+".go"), "package commands\n")
		putFile(t, filepath.Join(dir, "app/registry.go"), list)
		putFile(t, filepath.Join(dir, "docs/cli/"+name+".md"), "# "+name+"\n")
		putFile(t, filepath.Join(dir, "coverage/"+name+".html"), "<p>"+name)
		runGit(t, dir, i+1, "add", "-A")
		runGit(t, dir, i+1, "commit", "-qm", "Add the command "+name)
		putFile(t, filepath.Join(dir, "README.md"), strings.Repeat("A sentence.\n", i+1))
		runGit(t, dir, i+1, "add", "-A")
		runGit(t, dir, i+1, "commit", "-qm", "Say more")
	}
	return dir, filepath.Join(dir, ".git")
}

func putFile(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// runGit runs git in a folder, on a day of its own.
func runGit(t *testing.T, dir string, day int, args ...string) {
	t.Helper()
	gittest.GitAt(t, dir, time.Date(2026, 1, day+1, 10, 0, 0, 0, time.UTC), args...)
}

// after stops from the n-th call on.
func after(n int) func() bool {
	return func() bool { n--; return n < 0 }
}

// TestRecipeCache: what one run could not read, the next ones do, and what was read once is not read again.
func TestRecipeCache(t *testing.T) {
	dir, gitDir := repoOfCommands(t)
	cacheDir := t.TempDir()
	run := func(stops Stops) (texts []string, whole bool) {
		t.Helper()
		repo := gittree.Open(gitDir, gitDir, "")
		defer func() { _ = repo.Close() }()
		r := newCommitReader(repo, stops)
		r.cache = readRecipeCache(cacheDir)
		for _, p := range r.recipes(gitinfo.Head(gitDir, gitDir), nil) {
			texts = append(texts, p.Text())
		}
		if err := r.cache.save(cacheDir, r.listed, !r.late && !r.cut); err != nil {
			t.Fatal(err)
		}
		return texts, readRecipeCache(cacheDir).Whole
	}
	repo := gittree.Open(gitDir, gitDir, "")
	defer func() { _ = repo.Close() }()
	var want []string
	for _, p := range Recipes(repo, gitinfo.Head(gitDir, gitDir), nil, NoStops()) {
		want = append(want, p.Text())
	}
	if len(want) != 1 || !strings.Contains(want[0], "app/registry.go") || strings.Contains(want[0], "coverage") {
		t.Fatalf("%q", want)
	}
	runs, whole := 0, false
	var got []string
	for ; !whole && runs < 30; runs++ {
		if got, whole = run(Stops{History: after(3), Texts: after(3)}); !whole && len(got) > 1 {
			t.Fatalf("a part of the commits says %q", got)
		}
	}
	if !whole || runs < 4 || !reflect.DeepEqual(got, want) {
		t.Errorf("after %d runs: %q, want %q", runs, got, want)
	}
	if got, _ := run(Stops{History: after(0), Texts: after(0)}); !reflect.DeepEqual(got, want) {
		t.Errorf("without reading: %q, want %q", got, want)
	}

	// One more commit is one to read.
	putFile(t, filepath.Join(dir, "app/commands/sortlines.go"), "package commands\n")
	putFile(t, filepath.Join(dir, "app/registry.go"), "package app\nvar _ = \"sortlines\"\n")
	runGit(t, dir, 9, "add", "-A")
	runGit(t, dir, 9, "commit", "-qm", "Add the command sortlines")
	if got, _ := run(Stops{History: after(1), Texts: after(2)}); len(got) != 1 || !strings.Contains(got[0], "of 7") {
		t.Errorf("after one more: %q", got)
	}

	// A damaged file is an empty one.
	if err := os.WriteFile(filepath.Join(cacheDir, recipeCacheName), []byte("{\"commits\":3"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, whole := run(NoStops()); len(got) != 1 || !whole {
		t.Errorf("after damage: %q", got)
	}
}
