package workspace

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"manicule/indexer/must"
)

func env(vars map[string]string) Env {
	return Env{Getenv: func(k string) string { return vars[k] }, Random: bytes.NewReader(bytes.Repeat([]byte{0xab, 0x12}, 64))}
}

func discover(t *testing.T, dir string, e Env) *Workspace {
	t.Helper()
	w, err := Discover(dir, e)
	must.OK(t, err)
	return w
}

func tempDir(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	must.OK(t, err)
	return dir
}

func TestDiscoverRoot(t *testing.T) {
	dir := tempDir(t)
	must.Write(t, filepath.Join(dir, "repo/.git/HEAD"), "ref: refs/heads/main\n")
	must.Write(t, filepath.Join(dir, "repo/pkg/a/x.go"), "package a\n")
	must.Write(t, filepath.Join(dir, "repo/nested/.manicule/config.toml"), "")
	must.Write(t, filepath.Join(dir, "repo/nested/sub/x"), "")
	must.Write(t, filepath.Join(dir, "plain/sub/x"), "")
	must.Write(t, filepath.Join(dir, "jj/.jj/working_copy/checkout"), "")
	must.Write(t, filepath.Join(dir, "jj/pkg/a/x.go"), "package a\n")
	must.Write(t, filepath.Join(dir, "jj/inner/.git/HEAD"), "ref: refs/heads/main\n")
	must.Write(t, filepath.Join(dir, "jj/inner/x"), "")
	must.Write(t, filepath.Join(dir, "hg/.hg/requires"), "")
	must.Write(t, filepath.Join(dir, "hg/sub/x"), "")
	must.Write(t, filepath.Join(dir, "file/.svn"), "")
	must.Write(t, filepath.Join(dir, "file/sub/x"), "")
	tests := []struct{ from, root string }{
		{"repo/pkg/a", "repo"},
		{"repo/pkg/a/x.go", "repo"},
		{"repo/pkg/not/there/yet.go", "repo"},
		{"repo/nested/sub", "repo/nested"},
		{"plain/sub", "plain/sub"},
		{"jj/pkg/a", "jj"},
		{"jj/inner", "jj/inner"},
		{"hg/sub", "hg"},
		{"file/sub", "file/sub"},
	}
	for _, tt := range tests {
		w := discover(t, filepath.Join(dir, tt.from), env(nil))
		if want := filepath.Join(dir, tt.root); w.Root != want {
			t.Errorf("from %s: root %s, want %s", tt.from, w.Root, want)
		}
		if project := tt.root != "plain/sub" && tt.root != "file/sub"; w.IsProject() != project {
			t.Errorf("from %s: a project is %v", tt.from, !project)
		}
	}
}

// A home folder that is in git is a project of its own, not of all that lies in it.
func TestDiscoverHome(t *testing.T) {
	home := tempDir(t)
	must.Write(t, filepath.Join(home, ".git/HEAD"), "ref: refs/heads/main\n")
	must.Write(t, filepath.Join(home, "notes/x.md"), "# x\n")
	must.Write(t, filepath.Join(home, "code/.git/HEAD"), "ref: refs/heads/main\n")
	must.Write(t, filepath.Join(home, "code/a/x.go"), "package a\n")
	e := env(map[string]string{"HOME": home})
	for from, want := range map[string]string{".": ".", "notes": "notes", "code/a": "code"} {
		w := discover(t, filepath.Join(home, from), e)
		if w.Root != filepath.Join(home, want) || (w.GitTop == "") != (from == "notes") {
			t.Errorf("from %s: root %s, git %q", from, w.Root, w.GitTop)
		}
	}
	must.Write(t, filepath.Join(home, ".manicule/config.toml"), "")
	if w := discover(t, filepath.Join(home, "notes"), e); w.Root != home || w.GitTop != home {
		t.Errorf("with memories at home: root %s, git %q", w.Root, w.GitTop)
	}
}

func TestWorktreesShareTheRepositoryID(t *testing.T) {
	dir := tempDir(t)
	must.Write(t, filepath.Join(dir, "main/.git/HEAD"), "x")
	must.Write(t, filepath.Join(dir, "main/.git/objects/x"), "")
	must.Write(t, filepath.Join(dir, "main/.git/refs/x"), "")
	must.Write(t, filepath.Join(dir, "main/.git/worktrees/wt/commondir"), "../..\n")
	must.Write(t, filepath.Join(dir, "main/.manicule/config.toml"), "")
	must.Write(t, filepath.Join(dir, "wt/.git"), "gitdir: "+filepath.Join(dir, "main/.git/worktrees/wt")+"\n")
	must.Write(t, filepath.Join(dir, "wt/.manicule/config.toml"), "")
	a := discover(t, filepath.Join(dir, "main"), env(nil))
	b := discover(t, filepath.Join(dir, "wt"), env(nil))
	if a.RepoID != b.RepoID || a.RepoID != "ab12ab12ab12ab12" {
		t.Errorf("repository ids %q and %q, want one random id", a.RepoID, b.RepoID)
	}
	if a.WorktreeID == b.WorktreeID || a.CacheDir() == b.CacheDir() {
		t.Error("two worktrees share an index")
	}
	if a.StateDir() != b.StateDir() {
		t.Error("two worktrees of a repository don't share state")
	}
}

// TestCloneInThePlaceOfAMovedRepository: a repository is named after the path where it was first used. What comes to that path when
// it was moved does not begin with its state.
func TestCloneInThePlaceOfAMovedRepository(t *testing.T) {
	dir, e := tempDir(t), env(map[string]string{"HOME": tempDir(t)})
	one, two := filepath.Join(dir, "one"), filepath.Join(dir, "two")
	repository := func() {
		must.Write(t, filepath.Join(one, ".git/HEAD"), "ref: refs/heads/main\n")
		must.Mkdir(t, filepath.Join(one, ".git/objects"))
		must.Mkdir(t, filepath.Join(one, ".git/refs"))
	}
	repository()
	first := discover(t, one, e)
	must.Mkdir(t, first.StateDir())
	must.Write(t, filepath.Join(one, ".manicule/memories/x.json"), "{}")
	if again := discover(t, one, e); again.RepoID != first.RepoID {
		t.Fatalf("set up, it has the id %s, not %s", again.RepoID, first.RepoID)
	}
	must.OK(t, os.Rename(one, two))
	if moved := discover(t, two, e); moved.RepoID != first.RepoID {
		t.Errorf("moved, it has the id %s, not %s", moved.RepoID, first.RepoID)
	}
	repository()
	must.Write(t, filepath.Join(one, ".manicule/memories/x.json"), "{}")
	if fresh := discover(t, one, e); fresh.RepoID == first.RepoID {
		t.Errorf("the clone at its old path has its id, %s", fresh.RepoID)
	}
	if moved := discover(t, two, e); moved.RepoID != first.RepoID {
		t.Errorf("beside a clone, it has the id %s, not %s", moved.RepoID, first.RepoID)
	}
}

func TestUninitialisedRepositoryIsNotWrittenTo(t *testing.T) {
	dir := tempDir(t)
	must.Write(t, filepath.Join(dir, ".git/HEAD"), "x")
	discover(t, dir, env(nil))
	if _, err := os.Stat(filepath.Join(dir, ".git/manicule")); err == nil {
		t.Error("looking at a repository left something in it")
	}
}

func TestHomes(t *testing.T) {
	dir := tempDir(t)
	w := discover(t, dir, env(map[string]string{"HOME": "/h"}))
	if !strings.HasPrefix(w.StateDir(), "/h/.local/state/manicule/") || !strings.HasPrefix(w.CacheDir(), "/h/.cache/manicule/") {
		t.Errorf("state %s, cache %s", w.StateDir(), w.CacheDir())
	}
	w = discover(t, dir, env(map[string]string{"HOME": "/h", "XDG_STATE_HOME": "/s", "XDG_CACHE_HOME": "relative"}))
	if !strings.HasPrefix(w.StateDir(), "/s/manicule/") || !strings.HasPrefix(w.CacheDir(), "/h/.cache/manicule/") {
		t.Errorf("state %s, cache %s", w.StateDir(), w.CacheDir())
	}
	w = discover(t, dir, env(nil)) // no home directory at all
	if !filepath.IsAbs(w.StateDir()) || !strings.Contains(w.StateDir(), "manicule-") {
		t.Errorf("state without a home: %s", w.StateDir())
	}
	w = discover(t, dir, env(map[string]string{"HOME": "/h"}))
	if filepath.Dir(w.Socket()) != "/h/.local/state/manicule/run" {
		t.Errorf("without a folder of the session the socket is %s", w.Socket())
	}
	w = discover(t, dir, env(map[string]string{"XDG_RUNTIME_DIR": "/run/" + strings.Repeat("x", 100)}))
	if len(w.Socket()) >= 104 {
		t.Errorf("socket path of %d bytes", len(w.Socket()))
	}
}

// TestHomeless uses a folder below the temporary one only when nobody else can
// write to it.
func TestHomeless(t *testing.T) {
	dir := tempDir(t)
	t.Setenv("TMPDIR", dir)
	mine := filepath.Join(dir, "manicule-"+strconv.Itoa(os.Getuid()))
	for _, c := range []struct {
		mode fs.FileMode
		ok   bool
	}{{0o700, true}, {0o777, false}} {
		must.Mkdir(t, mine)
		must.OK(t, os.Chmod(mine, c.mode))
		if _, err := Discover(dir, env(nil)); (err == nil) != c.ok {
			t.Errorf("mode %o: %v", c.mode, err)
		}
	}
	must.OK(t, os.Chmod(mine, 0o700))
	if w := discover(t, dir, env(map[string]string{"HOME": "relative"})); !strings.HasPrefix(w.StateDir(), mine) {
		t.Errorf("with a relative home the state is in %s", w.StateDir())
	}
	if os.Getuid() != 0 {
		t.Skip("only root can give a folder away")
	}
	must.OK(t, errors.Join(os.Chmod(mine, 0o700), os.Chown(mine, 65534, 65534)))
	if _, err := Discover(dir, env(nil)); err == nil {
		t.Error("a folder of another user holds the state")
	}
}

func TestRel(t *testing.T) {
	dir := tempDir(t)
	must.Write(t, filepath.Join(dir, "r/src/a.go"), "")
	if err := os.Symlink(filepath.Join(dir, "r"), filepath.Join(dir, "link")); err != nil {
		t.Skip("no symbolic links here")
	}
	w := discover(t, filepath.Join(dir, "link"), env(nil))
	for path, want := range map[string]string{
		filepath.Join(dir, "r/src/a.go"):      "src/a.go",
		filepath.Join(dir, "link/src/new.go"): "src/new.go",
		filepath.Join(dir, "link/x/y/new.go"): "x/y/new.go",
		"src/a.go":                            "src/a.go",
		filepath.Join(dir, "r"):               "",
		filepath.Join(dir, "other"):           "!",
		filepath.Join(dir, "r/../other/x"):    "!",
		filepath.Join(dir, "rr"):              "!",
	} {
		got, ok := w.Rel(path)
		if !ok {
			got = "!"
		}
		if got != want {
			t.Errorf("Rel(%s) = %q, want %q", path, got, want)
		}
	}
}

func TestBelow(t *testing.T) {
	dir := tempDir(t)
	must.Write(t, filepath.Join(dir, "C#/a.go"), "")
	w := discover(t, filepath.Join(dir, "C#"), env(nil))
	for place, want := range map[string]string{
		filepath.Join(dir, "C#/a.go") + "#F": "a.go#F",
		filepath.Join(dir, "C#/a.go") + ":3": "a.go:3",
		filepath.Join(dir, "C#"):             filepath.Join(dir, "C#"),
		filepath.Join(dir, "C#b/a.go"):       filepath.Join(dir, "C#b/a.go"),
		"a.go#F":                             "a.go#F",
	} {
		if got := w.Below(place); got != want {
			t.Errorf("Below(%s) = %q, want %q", place, got, want)
		}
	}
}

// TestIDBehindLinks: an archive of a repository may bring links in git's folder. The id is written through none.
func TestIDBehindLinks(t *testing.T) {
	outside := tempDir(t)
	kept := filepath.Join(outside, "kept")
	must.Write(t, kept, "mine\n")
	link := func(to, name string) {
		must.Mkdir(t, filepath.Dir(name))
		if err := os.Symlink(to, name); err != nil {
			t.Skip(err)
		}
	}
	for name, prepare := range map[string]func(git string){
		"a guessed name": func(git string) {
			link(kept, filepath.Join(git, GitFolder, "id."+strconv.Itoa(os.Getpid())))
		},
		"the folder": func(git string) { link(outside, filepath.Join(git, GitFolder)) },
		"the file":   func(git string) { link(kept, filepath.Join(git, GitFolder, "id")) },
	} {
		dir := tempDir(t)
		must.Write(t, filepath.Join(dir, ".git/HEAD"), "x")
		must.Write(t, filepath.Join(dir, ".manicule/config.toml"), "")
		prepare(filepath.Join(dir, ".git"))
		if w := discover(t, dir, env(nil)); w.RepoID == "" {
			t.Errorf("%s: there is no id", name)
		}
		if data, err := os.ReadFile(kept); err != nil || string(data) != "mine\n" {
			t.Errorf("%s: it wrote %q, %v", name, data, err)
		}
		if entries, err := os.ReadDir(outside); err != nil || len(entries) != 1 {
			t.Errorf("%s: it made %v, %v", name, entries, err)
		}
	}
}
