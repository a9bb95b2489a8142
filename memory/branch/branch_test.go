package branch

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"manicule/indexer/gittest"
	"manicule/indexer/must"
	"manicule/indexer/workspace"
	"manicule/memory/file"
)

// repo is a repository with memories in it.
type repo struct {
	t   *testing.T
	dir string
	p   *workspace.Workspace
}

func newRepo(t *testing.T, below string) *repo {
	t.Helper()
	r := &repo{t: t, dir: filepath.Join(t.TempDir(), "r")}
	must.Mkdir(t, filepath.Join(r.dir, below, ".manicule/memories"))
	r.git("init", "-q", "-b", "main")
	r.discover(below)
	r.write("a.txt", "a")
	r.commit()
	return r
}

func (r *repo) getenv(k string) string {
	return map[string]string{"HOME": filepath.Dir(r.dir), "GIT_CONFIG_GLOBAL": os.DevNull, "GIT_CONFIG_NOSYSTEM": "1"}[k]
}

func (r *repo) discover(below string) {
	r.t.Helper()
	env := workspace.OSEnv()
	env.Getenv = r.getenv
	var err error
	if r.p, err = workspace.Discover(filepath.Join(r.dir, below), env); err != nil {
		r.t.Fatal(err)
	}
}

// git runs before the memories of [id] are made.
func (r *repo) git(args ...string) string {
	r.t.Helper()
	return gittest.GitAt(r.t, r.dir, time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC), args...)
}

func (r *repo) write(name, text string) {
	r.t.Helper()
	must.Write(r.t, filepath.Join(r.dir, filepath.FromSlash(name)), text)
}

func (r *repo) commit() {
	r.git("add", "-A")
	r.git("commit", "-qm", "x")
}

// memory writes the memory file of a number; it was made at a commit, where one is given.
func (r *repo) memory(folder string, n int, commit ...string) {
	r.t.Helper()
	m := &file.Memory{Format: file.Format, UUID: id(n), Type: file.Gotcha, Layer: file.AreaContext, What: fmt.Sprint("memory ", n), Scope: file.Scope{"src/**"},
		Visibility: file.Project, Importance: file.Medium, Confidence: 1, Trust: file.Trust{Origin: file.UserTaught}, Lineage: file.Lineage{Version: 1, ChangeKind: "create"}}
	if len(commit) > 0 {
		m.Provenance = &file.Provenance{Commit: &commit[0]}
	}
	m.CreatedAt, m.UpdatedAt = file.At(time.UnixMilli(1)), file.At(time.UnixMilli(1))
	data, err := m.Marshal()
	must.OK(r.t, err)
	rel, err := filepath.Rel(r.dir, r.p.MemoriesDir())
	must.OK(r.t, err)
	r.write(filepath.ToSlash(rel)+"/"+folder+"/"+id(n)+".json", string(data))
}

func id(n int) string { return fmt.Sprintf("0198f0c2-7a41-7c3e-9d7a-%012d", n) }

// found says which memories are of the branch, by their numbers.
func (r *repo) found() string {
	r.t.Helper()
	m, err := Of(r.t.Context(), r.p, r.getenv)
	must.OK(r.t, err)
	var b strings.Builder
	if m.Name != "" {
		fmt.Fprintf(&b, "%s<%s:", m.Name, m.Default)
	}
	for _, f := range m.Files {
		b.WriteString(" " + strings.TrimLeft(f[len(f)-len("000000000000.json"):len(f)-len(".json")], "0"))
	}
	return b.String()
}

func (r *repo) check(what, want string) {
	r.t.Helper()
	if got := r.found(); got != want {
		r.t.Errorf("%s: %q, want %q", what, got, want)
	}
}

func TestOf(t *testing.T) {
	for _, below := range []string{"", "pkg/app"} {
		t.Run("root "+below, func(t *testing.T) {
			r := newRepo(t, below)
			r.memory("area_context", 1)
			r.memory("area_context", 2)
			r.check("on the default branch", "")
			r.commit()
			r.git("checkout", "-qb", "feat/x")
			r.check("nothing of its own", "feat/x<main:")
			r.memory("technical", 3)
			r.check("not committed", "feat/x<main: 3")
			r.commit()
			r.memory("preferences/shared", 4)
			r.check("one committed, one not", "feat/x<main: 4 3")
			r.commit()
			r.memory("area_context", 1, strings.Repeat("a", 40))
			r.check("an edit of an older one", "feat/x<main: 4 3")
			r.git("checkout", "-q", "--", ".")
			must.OK(t, os.Rename(filepath.Join(r.p.MemoriesDir(), "area_context", id(2)+".json"), filepath.Join(r.p.MemoriesDir(), "technical", id(2)+".json")))
			r.check("filed elsewhere", "feat/x<main: 4 3")
			r.commit()
			r.git("checkout", "-q", "--detach")
			r.check("detached", "")
			r.git("checkout", "-q", "main")
			r.check("back on the default branch", "")
			r.git("rm", "-q", "-r", ".")
			r.write("a.txt", "a")
			r.commit()
			r.git("checkout", "-q", "feat/x")
			r.check("the default branch has dropped the older ones", "feat/x<main: 4 3")
			r.git("checkout", "-q", "main")
			r.git("checkout", "feat/x", "--", filepath.ToSlash(filepath.Join(below, ".manicule/memories/preferences/shared")))
			r.commit()
			r.git("checkout", "-q", "feat/x")
			r.check("one came to the default branch by itself", "feat/x<main: 3")
			r.git("branch", "-f", "main", "feat/x")
			r.check("merged", "feat/x<main:")
		})
	}
}

// TestPrivate: of what git doesn't carry, only the memory itself knows where it
// was made.
func TestPrivate(t *testing.T) {
	r := newRepo(t, "")
	r.write(".manicule/.gitignore", "/memories/*/personal/\n")
	r.commit()
	base := r.git("rev-parse", "HEAD")
	r.git("checkout", "-qb", "side")
	r.write("b.txt", "b")
	r.commit()
	own := r.git("rev-parse", "HEAD")
	r.memory("area_context/personal", 1, base)
	r.memory("area_context/personal", 2, own)
	r.memory("area_context/personal", 3)
	r.memory("area_context", 4)
	r.check("personal ones", "side<main: 4 2")
	r.write(".gitignore", ".manicule/memories/\n")
	r.memory("area_context", 5, own)
	r.check("all memories ignored", "side<main: 5 2")
	r.git("checkout", "-q", "main")
	r.git("checkout", "-qb", "other")
	r.check("another branch", "other<main:")
}

// TestNeverCommitted: memories that nobody has committed go along to each branch; they are of the one
// on which they were made.
func TestNeverCommitted(t *testing.T) {
	r := newRepo(t, "")
	r.memory("area_context", 1)
	made := func(n int) time.Time {
		at, ok := created("area_context/" + id(n) + ".json")
		if !ok {
			t.Fatalf("the name of memory %d does not say when it was made", n)
		}
		return at
	}
	gittest.GitAt(t, r.dir, made(1).Add(time.Minute), "checkout", "-qb", "late")
	r.check("made before the branch", "late<main:")
	r.git("add", "-A")
	r.git("commit", "-qm", "x")
	r.check("the branch has committed it", "late<main: 1")
	r.git("checkout", "-q", "main")
	r.git("checkout", "-qb", "early")
	r.memory("area_context", 2)
	r.check("made on the branch", "early<main: 2")
	log := filepath.Join(r.dir, ".git/logs/refs/heads/early")
	for what, text := range map[string]string{"no log": "", "its log has lost the beginning": strings.Repeat("1", 40) + " " + strings.Repeat("2", 40) + " Ada <a@h> 4102444800 +0000\tcommit: x\n"} {
		must.Write(t, log, text)
		r.check(what, "early<main: 2")
	}
}

// TestDefault: the branch that the others leave from.
func TestDefault(t *testing.T) {
	r := newRepo(t, "")
	r.git("branch", "-qm", "main", "trunk")
	r.git("checkout", "-qb", "side")
	r.memory("area_context", 1)
	r.check("none is known", "")
	r.git("config", "init.defaultBranch", "trunk")
	r.check("as configured", "side<trunk: 1")
	r.git("config", "--unset", "init.defaultBranch")
	r.git("branch", "master", "trunk")
	r.check("by its usual name", "side<master: 1")
	r.git("update-ref", "refs/remotes/origin/trunk", "trunk")
	r.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/trunk")
	r.check("that of the remote repository", "side<trunk: 1")
	r.commit()
	r.git("update-ref", "refs/remotes/origin/trunk", "side")
	r.check("it has the memory already", "side<trunk:")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if m, err := Of(ctx, r.p, r.getenv); err != nil || len(m.Files) > 0 {
		t.Errorf("without time: %v %v", m, err)
	}
}

// TestUnknowable: nothing is said where git can't tell.
func TestUnknowable(t *testing.T) {
	r := newRepo(t, "")
	r.git("checkout", "-qb", "side")
	r.memory("area_context", 1)
	r.commit()
	must.OK(t, os.Rename(filepath.Join(r.dir, ".git/objects"), filepath.Join(r.dir, ".git/gone")))
	r.check("no objects", "")
	must.OK(t, os.RemoveAll(filepath.Join(r.dir, ".git")))
	r.discover("")
	r.check("no git", "")
}
