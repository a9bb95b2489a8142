package ignore

import (
	"os"
	"path"
	"path/filepath"
	"sync"
	"testing"

	"manicule/indexer/must"
)

// tree writes files below a new folder.
func tree(t testing.TB, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		put(t, root, name, text)
	}
	return root
}

func put(t testing.TB, root, name, text string) {
	t.Helper()
	path := filepath.Join(root, filepath.FromSlash(name))
	must.OK(t, os.MkdirAll(filepath.Dir(path), 0o700))
	must.OK(t, os.WriteFile(path, []byte(text), 0o600))
}

func matcher(t testing.TB, root string) *Matcher {
	t.Helper()
	m, err := New(root)
	must.OK(t, err)
	return m
}

func TestIgnored(t *testing.T) {
	root := tree(t, map[string]string{
		".git/info/exclude":      "local.txt\n",
		".gitignore":             "# comment\n\n*.log\r\n!keep.log\n/build\nlogs/\ndocs/*.tmp\n\\#hash\n**/deep/*.x\n",
		".maniculeignore":        "*.gen.go\n!special.log\nsecret/\n",
		"sub/.gitignore":         "*.txt\n/anchored\n!important.log\n",
		"sub/.maniculeignore":    "!wanted.gen.go\n",
		"build/.gitignore":       "!inside\n",
		"sub/deeper/.gitignore":  "!*.txt\n",
		"bom/.gitignore":         "\xef\xbb\xbf*.bom\n",
		"pipe/.gitignore/folder": "",

		"env/pyvenv.cfg":           "home = /usr/bin\n",
		"work/conda/conda-meta/h":  "",
		"named/conda-meta":         "a file",
		"named/deep/pyvenv.cfg/in": "a folder",
	})
	tests := []struct {
		path  string
		isDir bool
		want  bool
	}{
		{"", true, false},
		{".", true, false},
		{"main.go", false, false},
		{".git", true, true},
		{".git/config", false, true},
		{"sub/.git", true, true},
		{"node_modules", true, true},
		{"sub/node_modules/x/index.js", false, true},
		{".gitignore", false, false},
		{"a.log", false, true},
		{"x/y/a.log", false, true},
		{"keep.log", false, false},
		{"special.log", false, false},
		{"build", true, true},
		{"build/inside", false, true},
		{"sub/build", true, false},
		{"logs", true, true},
		{"logs", false, false},
		{"logs/a", false, true},
		{"docs/a.tmp", false, true},
		{"docs/x/a.tmp", false, false},
		{"#hash", false, true},
		{"a/deep/b.x", false, true},
		{"local.txt", false, true},
		{"x.gen.go", false, true},
		{"sub/x.gen.go", false, true},
		{"sub/wanted.gen.go", false, false},
		{"secret/key", false, true},
		{"sub/a.txt", false, true},
		{"a.txt", false, false},
		{"sub/deeper/a.txt", false, false},
		{"sub/anchored", false, true},
		{"sub/deeper/anchored", false, false},
		{"sub/important.log", false, false},
		{"sub/not/there/yet.log", false, true},
		{"bom/a.bom", false, true},
		{`sub\a.txt`, false, true},
		{"./sub/../a.log", false, true},
		{"../outside", false, true},
		{"..", true, true},
		{"/etc/passwd", false, true},
		{"nb/.ipynb_checkpoints", true, true},
		{"nb/.ipynb_checkpoints/a-checkpoint.ipynb", false, true},
		{"env/lib/python3.12/site-packages/pip/main.py", false, true},
		{"work/conda/lib/csv.py", false, true},
		{"work/a.py", false, false},
		{"named/a.py", false, false},
		{"named/deep/a.py", false, false},
	}
	m := matcher(t, root)
	for _, test := range tests {
		if got := m.Ignored(test.path, test.isDir); got != test.want {
			t.Errorf("Ignored(%q, %v) is %v, want %v", test.path, test.isDir, got, test.want)
		}
	}
	if err := m.Err(); err != nil {
		t.Error(err)
	}
}

// TestFolder holds that a walk that asks folder by folder hears what Ignored
// says of each path.
func TestFolder(t *testing.T) {
	root := tree(t, map[string]string{
		".git/info/exclude":     "local.txt\n",
		".gitignore":            "*.log\n!keep.log\n/build\ndocs/*.tmp\n",
		"sub/.gitignore":        "*.txt\n/anchored\n!important.log\n",
		"sub/.maniculeignore":   "!wanted.txt\n",
		"sub/deeper/.gitignore": "!*.txt\n",
		"build/.gitignore":      "!a.go\n",
		"docs/a.tmp":            "",
		"empty/a.log":           "",
		"venv/pyvenv.cfg":       "",
		"conda/conda-meta/h":    "",
		"plain/conda-meta":      "",
	})
	alone, walked := matcher(t, root), matcher(t, root)
	names := []string{"a.go", "a.log", "keep.log", "important.log", "a.txt", "wanted.txt", "local.txt", "anchored", "a.tmp", "build", "node_modules", ".ipynb_checkpoints", ".git"}
	for _, dir := range []string{"", "sub", "sub/deeper", "docs", "empty", "build", "build/below", "venv", "conda", "plain"} {
		entries, err := os.ReadDir(filepath.Join(root, dir))
		if err != nil && dir != "build/below" {
			t.Fatal(err)
		}
		folder := walked.Folder(dir, entries)
		for _, name := range names {
			for _, isDir := range []bool{false, true} {
				got, want := folder.Ignored(name, isDir), alone.Ignored(path.Join(dir, name), isDir)
				if got != want {
					t.Errorf("%s in %q (a folder: %v): %v, want %v", name, dir, isDir, got, want)
				}
			}
		}
	}
}

func TestInvalidate(t *testing.T) {
	root := tree(t, map[string]string{"sub/a.txt": ""})
	m := matcher(t, root)
	if m.Ignored("sub/a.txt", false) {
		t.Fatal("ignored without a rule")
	}
	put(t, root, "sub/.maniculeignore", "*.txt\n")
	if m.Ignored("sub/a.txt", false) {
		t.Error("the new file is read before Invalidate")
	}
	m.Invalidate()
	if !m.Ignored("sub/a.txt", false) {
		t.Error("the new file is not read after Invalidate")
	}
	for name, want := range map[string]bool{"sub/.gitignore": true, `a\.maniculeignore`: true, ".git/info/exclude": true, ".venv/pyvenv.cfg": true, "env/conda-meta": true, "a.go": false, "exclude": false} {
		if IsIgnoreFile(name) != want {
			t.Errorf("IsIgnoreFile(%q) is %v", name, !want)
		}
	}
}

// TestEnvironmentAsRoot holds that who opens an environment sees what is in it.
func TestEnvironmentAsRoot(t *testing.T) {
	root := tree(t, map[string]string{"pyvenv.cfg": "", "conda-meta/history": "", "app/a.py": ""})
	m := matcher(t, root)
	for _, path := range []string{"a.py", "app/a.py"} {
		if m.Ignored(path, false) {
			t.Errorf("%s is ignored", path)
		}
	}
}

func TestWorktree(t *testing.T) {
	base := tree(t, map[string]string{
		"main/.git/info/exclude":           "*.local\n",
		"main/.git/worktrees/w/commondir":  "../..\n",
		"linked/.git":                      "gitdir: ../main/.git/worktrees/w\n",
		"linked/a.local":                   "",
		"strange/.git":                     "no gitdir here\n",
		"module/.git":                      "gitdir: ../main/.git/modules/m\n",
		"main/.git/modules/m/info/exclude": "*.mod\n",
	})
	tests := map[string]struct {
		path string
		want bool
	}{
		"linked":  {"a.local", true},
		"strange": {"a.local", false},
		"module":  {"a.mod", true},
	}
	for name, test := range tests {
		if got := matcher(t, filepath.Join(base, name)).Ignored(test.path, false); got != test.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestSymlinkLoop(t *testing.T) {
	root := tree(t, map[string]string{".gitignore": "*.log\n", "sub/a": ""})
	if err := os.Symlink(root, filepath.Join(root, "sub", "loop")); err != nil {
		t.Skip(err)
	}
	must.OK(t, os.Symlink(".gitignore", filepath.Join(root, "sub", ".gitignore")))
	m := matcher(t, root)
	if !m.Ignored("sub/loop/sub/loop/a.log", false) || m.Ignored("sub/loop/sub/loop/a", false) {
		t.Error("a loop changes the answer")
	}
	if m.Err() == nil {
		t.Error("an ignore file that is a link to itself is not told")
	}
}

func TestNew(t *testing.T) {
	root := tree(t, map[string]string{"file": ""})
	for _, name := range []string{"file", "missing"} {
		if _, err := New(filepath.Join(root, name)); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestConcurrentUse(t *testing.T) {
	root := tree(t, map[string]string{".gitignore": "*.log\n", "a/b/.gitignore": "!x.log\n"})
	m := matcher(t, root)
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for range 100 {
				if m.Ignored("a/b/x.log", false) || !m.Ignored("a/b/y.log", false) {
					t.Error("wrong answer")
				}
				m.Invalidate()
			}
		})
	}
	group.Wait()
}

func FuzzIgnored(f *testing.F) {
	f.Add("*.log\n!a\n/b/**/c\n", "b/x/c", true)
	f.Add("[\n\\\n!\n/\n**\n", "a", false)
	root := f.TempDir()
	f.Fuzz(func(t *testing.T, rules, name string, isDir bool) {
		put(t, root, ".gitignore", rules)
		m := matcher(t, root)
		first := m.Ignored(name, isDir)
		if again := m.Ignored(name, isDir); first != again {
			t.Errorf("%q has two answers", name)
		}
	})
}

func BenchmarkIgnored(b *testing.B) {
	root := tree(b, map[string]string{".gitignore": "*.log\n/build\n**/x/*.tmp\n", "a/b/.gitignore": "!x.log\n"})
	m := matcher(b, root)
	for b.Loop() {
		m.Ignored("a/b/c/d/main.go", false)
	}
}
