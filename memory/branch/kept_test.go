package branch

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"manicule/indexer/must"
	"manicule/memory/file"
)

// marked is the number of a memory that is in the kept file alone: where it is found, nothing was looked up.
const marked = 999

// old sets the times of the memory folders back: one that has just changed is not kept.
func (r *repo) old() {
	r.t.Helper()
	then := time.Now().Add(-time.Hour)
	for _, rel := range file.Folders() {
		name := filepath.Join(r.p.MemoriesDir(), filepath.FromSlash(rel))
		if _, err := os.Lstat(name); err != nil {
			continue
		}
		must.OK(r.t, os.Chtimes(name, then, then))
	}
}

// mark lets the branch's memories be kept, and adds one to them.
func (r *repo) mark() {
	r.t.Helper()
	r.old()
	r.found()
	name := filepath.Join(r.p.CacheDir(), keptBranch)
	data := must.Read(r.t, name)
	var k kept
	must.OK(r.t, json.Unmarshal(data, &k))
	k.Files = append([]string{"area_context/" + id(marked) + ".json"}, k.Files...)
	for i := range k.Committed {
		k.Committed[i]++
	}
	k.Committed = append(k.Committed, 0)
	data, err := json.Marshal(k)
	must.OK(r.t, err)
	must.Write(r.t, name, data)
	if got := r.found(); !strings.Contains(got, " 999") {
		r.t.Fatalf("it is looked up again: %q", got)
	}
}

// TestKept: what was found is found again only while branches and folders are what they were.
func TestKept(t *testing.T) {
	for _, tt := range []struct {
		name string
		do   func(r *repo)
		want string
	}{
		{"a commit on the branch", func(r *repo) { r.write("b.txt", "b"); r.commit() }, "feat<main: 3 2"},
		{"a memory that is committed", func(r *repo) { r.memory("area_context", 4); r.commit() }, "feat<main: 4 3 2"},
		{"a new file", func(r *repo) { r.memory("area_context", 4) }, "feat<main: 4 3 2"},
		{"a file that is gone", func(r *repo) { r.git("rm", "-q", "-f", r.rel("area_context", 2)) }, "feat<main: 3"},
		{"the first file of a folder", func(r *repo) { r.memory("technical/shared", 5) }, "feat<main: 5 3 2"},
		{"the default branch goes on", func(r *repo) {
			r.git("checkout", "-q", "main")
			r.memory("area_context", 2)
			r.commit()
			r.git("checkout", "-q", "feat")
			r.old()
		}, "feat<main: 3"},
		{"it is merged", func(r *repo) { r.git("branch", "-q", "-f", "main", "feat") }, "feat<main:"},
		{"another branch", func(r *repo) { r.git("checkout", "-q", "-b", "other") }, "other<main: 3 2"},
		{"the branch is deleted", func(r *repo) { r.git("checkout", "-q", "main"); r.git("branch", "-q", "-D", "feat") }, ""},
		{"the branch is renamed", func(r *repo) { r.git("branch", "-m", "feat", "feature") }, "feature<main: 3 2"},
		{"a detached head", func(r *repo) { r.git("checkout", "-q", "--detach") }, ""},
		{"a reset", func(r *repo) { r.git("reset", "-q", "--hard", "main"); r.old() }, "feat<main:"},
		{"packed references, and a commit", func(r *repo) {
			r.git("pack-refs", "--all")
			r.write("b.txt", "b")
			r.commit()
			r.git("pack-refs", "--all")
		}, "feat<main: 3 2"},
		{"another worktree", func(r *repo) {
			dir := filepath.Join(filepath.Dir(r.dir), "two")
			r.git("worktree", "add", "-q", "-b", "second", dir, "feat")
			r.dir = dir
			r.discover("")
		}, "second<main: 3 2"},
		{"a folder becomes a link", func(r *repo) {
			at := filepath.Join(r.p.MemoriesDir(), "area_context")
			must.OK(r.t, os.Rename(at, at+"-2"))
			if err := os.Symlink(at+"-2", at); err != nil {
				r.t.Skip("no links here")
			}
		}, "feat<main:"},
		{"the file is damaged", func(r *repo) {
			must.Write(r.t, filepath.Join(r.p.CacheDir(), keptBranch), `{"version":1`)
		}, "feat<main: 3 2"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newBranch(t)
			r.mark()
			tt.do(r)
			r.check("", tt.want)
			r.check("again", tt.want)
		})
	}
}

// newBranch is a repository on the branch feat, which has two memories of its own.
func newBranch(t *testing.T) *repo {
	r := newRepo(t, "")
	must.Mkdir(t, r.p.CacheDir())
	r.memory("area_context", 1)
	r.commit()
	r.git("checkout", "-q", "-b", "feat")
	r.memory("area_context", 2)
	r.memory("area_context", 3)
	r.commit()
	return r
}

// rel is the path of a memory below the repository.
func (r *repo) rel(folder string, n int) string {
	return ".manicule/memories/" + folder + "/" + id(n) + ".json"
}

// TestKeptIsSame: packing references changes nothing, and what is kept holds on.
func TestKeptIsSame(t *testing.T) {
	r := newBranch(t)
	r.mark()
	r.git("pack-refs", "--all")
	r.check("packed references", "feat<main: 999 3 2")
}

// TestNotKept: a folder that has just changed may change again within the same tick of its clock.
func TestNotKept(t *testing.T) {
	r := newBranch(t)
	r.check("just now", "feat<main: 3 2")
	if _, err := os.Stat(filepath.Join(r.p.CacheDir(), keptBranch)); err == nil {
		t.Error("it is kept")
	}
}

// TestKeptPrivate: what git ignores, and at which commit a personal memory was made, is looked at each time.
func TestKeptPrivate(t *testing.T) {
	r := newBranch(t)
	r.memory("area_context/personal", 7, r.git("rev-parse", "HEAD"))
	r.memory("area_context", 8)
	r.mark()
	r.check("before", "feat<main: 999 8 7 3 2")
	r.memory("area_context/personal", 7, r.git("rev-parse", "main")) // in place: the folder's time stays
	r.check("made elsewhere", "feat<main: 999 8 3 2")
	r.write(".gitignore", id(8)+".json\n")
	r.check("ignored", "feat<main: 999 3 2")
}
