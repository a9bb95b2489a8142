//go:build unix

package file

import (
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"manicule/indexer/must"
	"manicule/indexer/treefile"
)

// TestAnchorsStayInside refuses a memory that cites what lies outside of the
// workspace, however it is written: such a file may come from anybody.
func TestAnchorsStayInside(t *testing.T) {
	for at, inside := range map[string]bool{
		"..": false, "../x": false, "../../etc/passwd": false, "/etc/passwd": false, "/": false, "C:/x": false, "c:x": false,
		"src/../../x": false, "src/..": false, "src/../x": true, "./../x": false, `..\\x`: false, `src\\..\\..\\x`: false, `\\\\host\\x`: false, `\\x`: false,
		"": false, ".": false,
		"x": true, "a": true, "..x": true, ".github/x": true, "src/..x": true, "src/x:y": true, "..../x": true, ".../x": true,
	} {
		_, err := Parse([]byte(strings.Replace(sample, `"src/auth/token.go"`, `"`+at+`"`, 1)))
		if e, ok := errors.AsType[*Error](err); (err == nil) != inside || err != nil && (!ok || e.Line != 12 || e.Hint == "") {
			t.Errorf("%q: %v", at, err)
		}
	}
}

// linked makes a folder of memories in a project, and one outside to which the
// layer area_context and the file of another memory are links.
func linked(t *testing.T) (dir, outside string, m *Memory) {
	t.Helper()
	top := t.TempDir()
	dir, outside = filepath.Join(top, "repo", treefile.Folder, "memories"), filepath.Join(top, "outside")
	m, err := Parse([]byte(sample))
	must.OK(t, err)
	must.OK(t, errors.Join(os.MkdirAll(filepath.Join(dir, "technical"), 0o755), os.MkdirAll(outside, 0o755)))
	must.Write(t, filepath.Join(outside, m.UUID+".json"), sample)
	if err := os.Symlink(outside, filepath.Join(dir, "area_context")); err != nil {
		t.Skip(err)
	}
	must.OK(t, os.Symlink(filepath.Join(outside, m.UUID+".json"), filepath.Join(dir, "technical", m.UUID+".json")))
	return dir, outside, m
}

// TestLinksAreNotRead: neither a file that is a link nor one in a folder that is.
func TestLinksAreNotRead(t *testing.T) {
	dir, _, m := linked(t)
	for _, layer := range []string{"area_context", "technical"} {
		_, err := Read(filepath.Join(dir, layer, m.UUID+".json"))
		if e, ok := errors.AsType[*Error](err); !ok || !errors.Is(err, treefile.ErrLink) || e.Hint == "" {
			t.Errorf("%s: %v", layer, err)
		}
		if IsUnreadable(err) {
			t.Errorf("%s: taken for a fault that passes", layer)
		}
	}
}

// TestLinksAreNotWritten: nothing is written or removed behind a link, and a link
// is not replaced by a file.
func TestLinksAreNotWritten(t *testing.T) {
	dir, outside, m := linked(t)
	m.What = "something else"
	for _, layer := range []Layer{AreaContext, Technical} {
		m.Layer = layer
		if layer == Technical {
			m.Scope = nil
		}
		_, err := Write(dir, m)
		if !errors.Is(err, treefile.ErrLink) {
			t.Errorf("%s: %v", layer, err)
		}
	}
	if err := Remove(dir, "area_context/"+m.UUID+".json"); err == nil {
		t.Error("removed behind a link")
	}
	data, err := os.ReadFile(filepath.Join(outside, m.UUID+".json"))
	if err != nil || string(data) != sample {
		t.Errorf("what lies outside: %q, %v", data, err)
	}
	if list, err := os.ReadDir(outside); err != nil || len(list) != 1 {
		t.Errorf("outside: %v, %v", list, err)
	}
}

func TestIsMemoryPath(t *testing.T) {
	for rel, want := range map[string]bool{
		"technical/x.json": true, "technical/personal/x.json": true, "preferences/shared/x.json": true,
		"x.json": false, "technical/a/b/x.json": false, "technical/personal/a/x.json": false, "technical/other/x.json": false,
		"technical/x.txt": false, "technical/.x.json": false, "technical/personal/.x.json": false, "elsewhere/x.json": false,
	} {
		if IsMemoryPath(rel) != want {
			t.Errorf("%s: %v", rel, !want)
		}
	}
}

// TestPlaces files memories by layer and visibility, for their owner alone where
// they are personal.
func TestPlaces(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "not", "there", "yet")
	m, err := Parse([]byte(sample))
	must.OK(t, err)
	other := "0198f0c2-7a41-7c3e-9d7a-3f1f5d0b9a12"
	if Exists(dir, m.UUID) {
		t.Error("there, before the folder is")
	}
	for _, c := range []struct {
		layer Layer
		vis   Visibility
		want  string
		mode  fs.FileMode
	}{
		{Technical, Project, "technical/", 0o644}, {Technical, Personal, "technical/personal/", 0o600},
		{Preferences, Personal, "preferences/personal/", 0o600}, {Preferences, Project, "preferences/shared/", 0o644},
	} {
		m.Layer, m.Visibility = c.layer, c.vis
		name, err := Write(dir, m)
		if err != nil || name != filepath.Join(dir, filepath.FromSlash(c.want), m.UUID+".json") {
			t.Fatalf("%s %s: %s, %v", c.layer, c.vis, name, err)
		}
		if st, err := os.Stat(name); err != nil || st.Mode().Perm()&^c.mode != 0 || st.Mode().Perm()&0o600 != 0o600 {
			t.Errorf("%s: %v, %v", name, st, err)
		}
		if !Exists(dir, m.UUID) || Exists(dir, other) {
			t.Errorf("%s is not found, or another", name)
		}
		for range 2 { // gone is gone
			if err := Remove(dir, m.RelPath()); err != nil {
				t.Error(err)
			}
		}
		if Exists(dir, m.UUID) {
			t.Errorf("%s is still there", name)
		}
	}
}

// TestSweep counts what it removes in all folders, or in that of today's versions
// alone.
func TestSweep(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "memories")
	now := time.Now()
	if n, err := Sweep(dir, now); n != 0 || err != nil {
		t.Errorf("no folder: %d, %v", n, err)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("it was made to be swept")
	}
	leave := func() {
		for _, folder := range []string{Scratch, "technical", "preferences/shared"} {
			name := filepath.Join(dir, filepath.FromSlash(folder), ".manicule-tmp-x")
			must.OK(t, errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, nil, 0o600), os.Chtimes(name, now, now)))
		}
	}
	leave()
	if n, err := SweepWritten(dir, now.Add(time.Minute)); n != 1 || err != nil {
		t.Errorf("of this version: %d, %v", n, err)
	}
	leave()
	if n, err := Sweep(dir, now.Add(-time.Minute)); n != 0 || err != nil {
		t.Errorf("too new: %d, %v", n, err)
	}
	if n, err := Sweep(dir, now.Add(time.Minute)); n != 3 || err != nil {
		t.Errorf("of all: %d, %v", n, err)
	}
}

func TestIsUnreadable(t *testing.T) {
	for err, want := range map[error]bool{
		syscall.EIO: true, syscall.EMFILE: true, syscall.EACCES: true,
		syscall.ENOENT: false, syscall.ELOOP: false, syscall.ENOTDIR: false, syscall.EISDIR: false, syscall.ENXIO: false,
		fs.ErrNotExist: false, errors.New("else"): false,
	} {
		if IsUnreadable(&fs.PathError{Op: "open", Path: "x", Err: err}) != want {
			t.Errorf("%v: %v", err, !want)
		}
	}
	if IsUnreadable(nil) {
		t.Error("nothing is unreadable")
	}
}

// TestWriteFails says so, and leaves no file behind.
func TestWriteFails(t *testing.T) {
	dir := t.TempDir()
	m, err := Parse([]byte(sample))
	must.OK(t, err)
	must.Write(t, filepath.Join(dir, string(m.Layer)), "")
	if name, err := Write(dir, m); err == nil || name != "" {
		t.Errorf("a file lies where the folder belongs: %q, %v", name, err)
	}
	m.Layer, m.Confidence = Technical, math.NaN()
	if name, err := Write(dir, m); err == nil || name != "" || Exists(dir, m.UUID) {
		t.Errorf("it has no form as JSON: %q, %v", name, err)
	}
}
