package gittree

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"manicule/indexer/gittest"
	"manicule/indexer/must"

	"github.com/google/go-cmp/cmp"
)

type repository struct {
	t    *testing.T
	root string
}

func newRepository(t *testing.T) *repository {
	t.Helper()
	r := &repository{t, t.TempDir()}
	r.git("init", "-q", "-b", "main")
	return r
}

func (r *repository) git(args ...string) string {
	r.t.Helper()
	return gittest.Git(r.t, r.root, args...)
}

func (r *repository) write(path, text string) {
	r.t.Helper()
	must.Write(r.t, filepath.Join(r.root, filepath.FromSlash(path)), text)
}

func (r *repository) commit() string {
	r.git("add", "-A")
	r.git("commit", "-qm", "x")
	return r.git("rev-parse", "HEAD")
}

func (r *repository) open(below string) *Repo {
	git := filepath.Join(r.root, ".git")
	repo := Open(git, git, below)
	r.t.Cleanup(func() {
		if err := repo.Close(); err != nil {
			r.t.Error(err)
		}
	})
	return repo
}

func (r *repository) tree(repo *Repo, commit string) Tree {
	r.t.Helper()
	t, ok := repo.Tree(commit)
	if !ok {
		r.t.Fatalf("no tree of %s", commit)
	}
	return t
}

// TestTrees compares every answer with git's own, loose and packed.
func TestTrees(t *testing.T) {
	r := newRepository(t)
	r.write("a.txt", "one\n")
	r.write("dir/b.txt", "two\n")
	r.write("dir/deep/er/c.txt", "three\n")
	first := r.commit()
	r.write("dir/b.txt", "two and more\n")
	r.write("dir2/d.txt", "four\n")
	r.git("rm", "-q", "dir/deep/er/c.txt")
	second := r.commit()
	for _, packed := range []bool{false, true} {
		if packed {
			r.git("repack", "-adq")
		}
		repo := r.open("")
		one, two := r.tree(repo, first), r.tree(repo, second)
		for commit, tree := range map[string]Tree{first: one, second: two} {
			want := strings.Split(r.git("ls-tree", "-r", "--name-only", commit), "\n")
			if d := cmp.Diff(want, tree.Paths()); d != "" {
				t.Errorf("packed %v: %s", packed, d)
			}
			for _, p := range want {
				if got, want := tree.Blob(p), r.git("rev-parse", commit+":"+p); got != want {
					t.Errorf("%s: %s, want %s", p, got, want)
				}
			}
		}
		if d := cmp.Diff(strings.Split(r.git("diff-tree", "-r", "--name-only", first, second), "\n"), one.Diff(two)); d != "" {
			t.Error(d)
		}
		text, err := repo.Blob(one.Blob("dir/b.txt"))
		if err != nil || string(text) != "two\n" {
			t.Errorf("%q %v", text, err)
		}
		if _, err := repo.Blob(strings.Repeat("1", 40)); !errors.Is(err, ErrAbsent) {
			t.Errorf("an object that is not there: %v", err)
		}
		if _, ok := repo.Tree("HEAD"); ok {
			t.Error("a name was taken for an id")
		}
		if got := repo.Ancestors(second, 10); !slices.Equal(got, []string{second, first}) {
			t.Errorf("ancestors %v", got)
		}
		if !repo.HasCommit(first) || repo.HasCommit(strings.Repeat("1", 40)) {
			t.Error("has")
		}
		var names []string
		if ok := one.Subtree("dir").EachName(func(n string) { names = append(names, n) }); !ok || !slices.Equal(slices.Sorted(slices.Values(names)), []string{"b.txt", "c.txt"}) {
			t.Errorf("names %v", names)
		}
		if d := cmp.Diff([]string{"er/c.txt"}, one.Subtree("dir/deep").Paths()); d != "" || one.Subtree("dir/b.txt/x").ID() != "" {
			t.Error(d)
		}
		below := r.tree(r.open("dir"), first)
		if d := cmp.Diff([]string{"b.txt", "deep/er/c.txt"}, below.Paths()); d != "" {
			t.Error(d)
		}
	}
}

// TestPackedMeanwhile has the objects packed while the repository is open.
func TestPackedMeanwhile(t *testing.T) {
	r := newRepository(t)
	r.write("a.txt", "one\n")
	first := r.commit()
	repo := r.open("")
	blob := r.tree(repo, first).Blob("a.txt")
	if _, err := repo.Blob(blob); err != nil {
		t.Fatal(err)
	}
	r.write("a.txt", "two\n")
	second := r.commit()
	r.git("repack", "-adq")
	r.git("prune-packed")
	later, ok := repo.Tree(second)
	if !ok {
		t.Fatal("the later commit is not seen")
	}
	if text, err := repo.Blob(later.Blob("a.txt")); err != nil || string(text) != "two\n" {
		t.Errorf("%q %v", text, err)
	}
}

// TestWorktree compares with git status, with files in every state.
func TestWorktree(t *testing.T) {
	r := newRepository(t)
	r.write(".gitignore", "out/\n*.log\n")
	r.write("same.txt", "same\n")
	r.write("edited.txt", "before\n")
	r.write("staged.txt", "before\n")
	r.write("deleted.txt", "x\n")
	r.write("kept.log", "tracked although ignored\n")
	r.git("add", "-f", "kept.log")
	commit := r.commit()
	r.write("edited.txt", "after!\n") // of the same size
	r.write("staged.txt", "after\n")
	r.git("add", "staged.txt")
	r.write("new.txt", "new\n")
	r.write("out/made.txt", "made\n")
	r.write("sub/.git/HEAD", "another repository\n")
	r.write("sub/x.txt", "x\n")
	r.write(".manicule/memories/x.json", "{}")
	r.write("kept.log", "changed\n")
	must.OK(t, os.Remove(filepath.Join(r.root, "deleted.txt")))
	repo := r.open("")
	w, err := NewWorktree(r.root, repo)
	must.OK(t, err)
	got, err := w.Diff(t.Context(), r.tree(repo, commit))
	must.OK(t, err)
	if d := cmp.Diff([]string{"deleted.txt", "edited.txt", "kept.log", "new.txt", "staged.txt"}, got); d != "" {
		t.Error(d)
	}
	for _, p := range []string{"same.txt", "edited.txt", "staged.txt", "new.txt", "kept.log"} {
		if got, want := w.Blob(p), r.git("hash-object", p); got != want {
			t.Errorf("%s: %s, want %s", p, got, want)
		}
	}
	if w.Blob("deleted.txt") != "" || w.Blob("sub") != "" {
		t.Error("there is a blob of what is no file")
	}
}

// TestSparse has files that the checkout leaves out: they are not gone.
func TestSparse(t *testing.T) {
	r := newRepository(t)
	r.write("in/a.txt", "a\n")
	r.write("out/b.txt", "b\n")
	commit := r.commit()
	r.git("sparse-checkout", "set", "in")
	if _, err := os.Stat(filepath.Join(r.root, "out/b.txt")); err == nil {
		t.Skip("this git checks it out all the same")
	}
	repo := r.open("")
	w, err := NewWorktree(r.root, repo)
	must.OK(t, err)
	if got, err := w.Diff(t.Context(), r.tree(repo, commit)); err != nil || len(got) != 0 {
		t.Errorf("%v %v", got, err)
	}
	if text, err := w.Read("out/b.txt"); err != nil || string(text) != "b\n" {
		t.Errorf("%q %v", text, err)
	}
	if got := repo.LeftOut("out"); !slices.Equal(got, []string{"out/b.txt"}) || len(repo.LeftOut("in")) > 0 || len(repo.Missing(r.root, "out")) > 0 {
		t.Errorf("left out: %q, %q, missing %q", got, repo.LeftOut("in"), repo.Missing(r.root, "out"))
	}
}

// TestIs compares few files without git's index, which takes long to read in a large repository.
func TestIs(t *testing.T) {
	r := newRepository(t)
	r.write("same.txt", "same\n")
	r.write("edited.txt", "before\n")
	for i := range maxHashed + 1 {
		r.write(fmt.Sprintf("many/%d.txt", i), "many\n")
	}
	r.commit()
	before := r.git("hash-object", "edited.txt")
	r.write("edited.txt", "after!\n")
	repo := r.open("")
	w, err := NewWorktree(r.root, repo)
	must.OK(t, err)
	if !w.Is("same.txt", r.git("hash-object", "same.txt")) || !w.Exists("same.txt") {
		t.Error("an unchanged file is another one")
	}
	if repo.index != nil {
		t.Error("the index was read for one unchanged file")
	}
	if w.Is("edited.txt", before) || !w.Is("edited.txt", r.git("hash-object", "edited.txt")) {
		t.Error("an edited file is not what it is")
	}
	if w.Is("gone.txt", before) || !w.Is("gone.txt", "") || w.Exists("gone.txt") || w.Exists("many") {
		t.Error("there is something where nothing is")
	}
	many := r.git("hash-object", "many/0.txt")
	for i := range maxHashed + 1 {
		if !w.Is(fmt.Sprintf("many/%d.txt", i), many) {
			t.Errorf("file %d is another one", i)
		}
	}
	if len(w.hashes) > maxHashed {
		t.Errorf("%d files were read in spite of the index", len(w.hashes))
	}
}

// FuzzTree has objects that are cut or made up.
func FuzzTree(f *testing.F) {
	f.Add([]byte("100644 a.txt\x0001234567890123456789" + "40000 dir\x0001234567890123456789"))
	f.Add([]byte("100644 a.txt"))
	f.Fuzz(func(t *testing.T, data []byte) {
		n, err := parseTree(data)
		if err == nil && len(n.files)+len(n.folders) > len(data)/20 {
			t.Errorf("%d entries of %d bytes", len(n.files)+len(n.folders), len(data))
		}
	})
}

// TestRest holds that a repository which nobody asks has nothing in memory and no
// file open, and answers all the same.
func TestRest(t *testing.T) {
	r := newRepository(t)
	r.write("a/b/c.go", "package c\n")
	first := r.commit()
	r.git("repack", "-adq")
	repo := r.open("")
	ask := func() {
		t.Helper()
		tree, ok := repo.Tree(first)
		if !ok {
			t.Fatal("the commit can't be read")
		}
		if data, err := repo.Blob(tree.Blob("a/b/c.go")); err != nil || string(data) != "package c\n" {
			t.Errorf("read %q: %v", data, err)
		}
		if repo.readIndex() == nil {
			t.Error("the index can't be read")
		}
	}
	for range 3 {
		ask()
		must.OK(t, repo.ReleaseIdle(time.Hour))
		if repo.objects.stores == nil || len(repo.objects.trees) == 0 {
			t.Error("what was just read is forgotten")
		}
		must.OK(t, repo.ReleaseIdle(0))
		if repo.objects.stores != nil || len(repo.objects.trees) != 0 || repo.index != nil {
			t.Errorf("%d stores and %d trees are left", len(repo.objects.stores), len(repo.objects.trees))
		}
	}
}

// TestTreesAreBounded holds that trees which were read long ago don't pile up.
func TestTreesAreBounded(t *testing.T) {
	r := newRepository(t)
	repo := r.open("")
	repo.objects.most = 12
	for i := range 12 {
		r.write("a/b.go", strings.Repeat("x", i))
		r.write("a/c/d.go", strings.Repeat("y", i))
		tree, ok := repo.Tree(r.commit())
		if !ok || tree.Blob("a/c/d.go") == "" {
			t.Fatal("the commit can't be read")
		}
		if n := len(repo.objects.trees); n > 16 {
			t.Fatalf("%d trees are kept after %d commits", n, i+1)
		}
	}
}

// TestMovedFolder: a folder went where most of its files are, with the same content and names.
func TestMovedFolder(t *testing.T) {
	r := newRepository(t)
	for _, name := range []string{"a.ts", "b.ts", "lib/c.ts", "lib/d.ts"} {
		r.write("pkg/upgrade/"+name, "// "+name+"\n")
	}
	r.write("pkg/kept/a.ts", "// kept\n")
	r.write("LICENSE", "free\n")
	was := r.commit()
	r.git("mv", "pkg/upgrade", "pkg/codemod")
	r.write("pkg/codemod/a.ts", "// changed with it\n")
	r.write("pkg/other/b.ts", "// b.ts\n")
	renamed := r.commit()
	r.git("rm", "-q", "-r", "pkg/codemod")
	gone := r.commit()
	repo := r.open("")
	before := r.tree(repo, was)
	for _, tt := range []struct{ folder, now, want string }{
		{"pkg/upgrade", renamed, "pkg/codemod"},
		{"pkg/upgrade/lib", renamed, "pkg/codemod/lib"},
		{"pkg/upgrade", was, ""},
		{"pkg/kept", renamed, ""},
		{"pkg/never", renamed, ""},
		{"pkg/upgrade", gone, ""},
		{"", renamed, ""},
	} {
		if got := before.MovedFolder(tt.folder, r.tree(repo, tt.now)); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.folder, got, tt.want)
		}
	}
}
