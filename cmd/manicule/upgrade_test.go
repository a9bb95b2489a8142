package main

import (
	"bytes"
	"compress/gzip"
	"database/sql"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	_ "modernc.org/sqlite"
)

// oldRepo is the id of the repository in the fixtures.
const oldRepo = "a915960e42ac4b0d"

// old is a machine with what a released version left on it: memory files, state.db,
// and the files beside it. Each folder below testdata/upgrade is one, and stays as
// it is for good: docs/versions.md promises that it can be opened.
type old struct {
	root, stateDir string
	vars           map[string]string
}

func openOld(t *testing.T, version string) old {
	t.Helper()
	from := filepath.Join("testdata", "upgrade", version)
	dir := t.TempDir()
	o := old{root: filepath.Join(dir, "repo"), vars: homeVars(filepath.Join(dir, "home"))}
	o.stateDir = filepath.Join(o.vars["XDG_STATE_HOME"], "manicule", oldRepo)
	copyOld(t, filepath.Join(from, "workspace"), filepath.Join(o.root, ".manicule"))
	copyOld(t, filepath.Join(from, "state"), o.stateDir)
	writeOld(t, filepath.Join(o.stateDir, "state.db"), unzipped(t, filepath.Join(from, "state.db.gz")))
	for name, text := range map[string]string{"HEAD": "ref: refs/heads/main\n", "config": "[core]\n\trepositoryformatversion = 0\n", "manicule/id": oldRepo + "\n"} {
		writeOld(t, filepath.Join(o.root, ".git", filepath.FromSlash(name)), []byte(text))
	}
	for _, name := range []string{"objects", "refs"} {
		if err := os.MkdirAll(filepath.Join(o.root, ".git", name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	writeOld(t, filepath.Join(o.root, "a.go"), []byte("package a\n\n// F adds.\nfunc F(a, b int) int { return a + b }\n"))
	return o
}

func copyOld(t *testing.T, from, to string) {
	t.Helper()
	err := filepath.WalkDir(from, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(from, name)
		if err != nil {
			return err
		}
		if filepath.Base(rel) == "gitignore" { // without its dot it does not hide the others
			rel = filepath.Join(filepath.Dir(rel), ".gitignore")
		}
		data, err := os.ReadFile(name)
		if err == nil {
			writeOld(t, filepath.Join(to, rel), data)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func writeOld(t *testing.T, name string, data []byte) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o700), os.WriteFile(name, data, 0o600)); err != nil {
		t.Fatal(err)
	}
}

func unzipped(t *testing.T, name string) []byte {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }() // it was only read
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// run runs a command there, and returns what it prints.
func (o old) run(t *testing.T, args ...string) (code int, out, complaint string) {
	t.Helper()
	a, printed, complained := testApp(t, append(args, "--root", o.root)...)
	a.getenv = func(k string) string { return o.vars[k] }
	code = a.run()
	return code, printed.String(), complained.String()
}

// oldVersions are the releases whose files are kept.
func oldVersions(t *testing.T) []string {
	t.Helper()
	dirs, err := os.ReadDir(filepath.Join("testdata", "upgrade"))
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, d := range dirs {
		out = append(out, d.Name())
	}
	return out
}

// TestUpgrade opens what each released version left: nothing is lost, and what was
// forgotten comes back.
func TestUpgrade(t *testing.T) {
	for _, version := range oldVersions(t) {
		t.Run(version, func(t *testing.T) {
			o := openOld(t, version)
			for _, step := range []struct {
				args []string
				want []string
			}{
				{[]string{"list"}, []string{"bb55b13c  gotcha      the cache is flushed by hand", "e0ed8785  preference  say the branch first", "0f5d6601  convention  retries"}},
				{[]string{"review", "list"}, []string{"c8943a6a  new      gotcha      a draft of an agent about F"}},
				{[]string{"show", "bb55b13c", "--history"}, []string{"the pool keeps it", "version    2 (edit)"}},
				{[]string{"recall", "a.go"}, []string{"the cache is flushed by hand"}},
				{[]string{"restore", "fd799b32"}, []string{"to be forgotten soon enough"}},
				{[]string{"review", "accept", "c8943a6a"}, []string{"a draft of an agent about F"}},
				{[]string{"list"}, []string{"a draft of an agent about F", "to be forgotten soon enough"}},
			} {
				code, out, complaint := o.run(t, step.args...)
				if code != exitOK {
					t.Fatalf("%s: exit code %d: %s", step.args, code, complaint)
				}
				for _, want := range step.want {
					if !strings.Contains(out, want) {
						t.Errorf("%s: no %q in\n%s", step.args, want, out)
					}
				}
			}
		})
	}
}

// TestDowngrade: what a newer version has written is left alone. Memories can be
// read, what needs state.db says why not and what to do, and no byte of it changes.
func TestDowngrade(t *testing.T) {
	o := openOld(t, "0.1")
	name := filepath.Join(o.stateDir, "state.db")
	db, err := sql.Open("sqlite", name)
	if err != nil {
		t.Fatal(err)
	}
	_, err = db.Exec("PRAGMA journal_mode = WAL; CREATE TABLE of_the_future (x); PRAGMA user_version = 1000")
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"list"}, {"recall", "a.go"}, {"search", "cache"}} {
		if code, out, complaint := o.run(t, args...); code != exitOK || !strings.Contains(out, "the cache is flushed by hand") {
			t.Errorf("%s: exit code %d: %s%s", args, code, out, complaint)
		}
	}
	for _, args := range [][]string{{"review", "list"}, {"restore", "fd799b32"}} {
		code, _, complaint := o.run(t, args...)
		if code == exitOK || !strings.Contains(complaint, "newer version") || !strings.Contains(complaint, "try:") {
			t.Errorf("%s: exit code %d: %s", args, code, complaint)
		}
	}
	after, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(before, after) {
		t.Error("state.db was changed")
	}
}

// TestNewerMemoryFile: a memory file of a later format is shown as one that can't be
// read, and is not rewritten.
func TestNewerMemoryFile(t *testing.T) {
	o := openOld(t, "0.1")
	name := filepath.Join(o.root, ".manicule", "memories", "guidelines", "01a20665-89db-7b1d-9f78-48b40f5d6601.json")
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	newer := bytes.Replace(data, []byte(`"format": 1`), []byte(`"format": 1000`), 1)
	writeOld(t, name, newer)
	code, out, complaint := o.run(t, "doctor")
	if code != exitFindings || !strings.Contains(out, "Format 1000 needs a newer version") {
		t.Errorf("exit code %d: %s%s", code, out, complaint)
	}
	if code, out, _ := o.run(t, "list"); code != exitOK || strings.Contains(out, "retries") || !strings.Contains(out, "the cache") {
		t.Errorf("exit code %d: %s", code, out)
	}
	if now, err := os.ReadFile(name); err != nil || !bytes.Equal(now, newer) {
		t.Errorf("the file was changed (%v)", err)
	}
}
