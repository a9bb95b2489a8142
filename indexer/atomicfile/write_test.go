package atomicfile

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"manicule/indexer/must"
)

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "a.txt")
	for _, text := range []string{"one", "two, longer", ""} {
		must.OK(t, Write(name, []byte(text), 0o640))
		if data, err := os.ReadFile(name); err != nil || string(data) != text {
			t.Errorf("%q, %v", data, err)
		}
	}
	if err := Write(filepath.Join(dir, "no", "folder"), nil, 0o600); err == nil {
		t.Error("a file was written into a folder that is not there")
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func open(t *testing.T) (dir string, root *os.Root) {
	t.Helper()
	dir = t.TempDir()
	root, err := os.OpenRoot(dir)
	must.OK(t, err)
	t.Cleanup(func() { _ = root.Close() })
	return dir, root
}

// TestReplaces puts a new file in the place of the old one: who has the old one
// open reads it to its end, and a second name keeps what it named.
func TestReplaces(t *testing.T) {
	dir, root := open(t)
	for _, c := range []struct {
		name  string
		write func(text string) error
	}{
		{"alone", func(text string) error { return Write(filepath.Join(dir, "alone"), []byte(text), 0o600) }},
		{"below", func(text string) error { return WriteIn(root, ".tmp", "below", []byte(text), 0o600) }},
	} {
		must.OK(t, c.write("the old text"))
		name := filepath.Join(dir, c.name)
		if err := os.Link(name, name+".link"); err != nil {
			t.Skip(err) // a file system without links
		}
		must.OK(t, c.write("new"))
		for file, want := range map[string]string{name: "new", name + ".link": "the old text"} {
			if data, err := os.ReadFile(file); err != nil || string(data) != want {
				t.Errorf("%s: %q, %v; want %q", file, data, err, want)
			}
		}
	}
}

func TestWriteIn(t *testing.T) {
	dir, root := open(t)
	for range 2 { // the second finds the folder there
		must.OK(t, WriteIn(root, "a/tmp", "f", []byte("text"), 0o600))
	}
	if data, err := os.ReadFile(filepath.Join(dir, "f")); err != nil || string(data) != "text" {
		t.Errorf("%q, %v", data, err)
	}
	if data, err := os.ReadFile(filepath.Join(dir, "a", "tmp", ".gitignore")); err != nil || string(data) != "*\n" {
		t.Errorf("git is told %q, %v", data, err)
	}
	if err := WriteIn(root, "a/tmp", "no/folder", nil, 0o600); err == nil {
		t.Error("a file was written into a folder that is not there")
	}
	if left, err := os.ReadDir(filepath.Join(dir, "a", "tmp")); err != nil || len(left) != 1 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	if err := WriteIn(root, "f", "g", nil, 0o600); err == nil {
		t.Error("a file was taken for a folder")
	}
	if _, err := os.Lstat(filepath.Join(dir, "g")); err == nil {
		t.Error("it was written beside its temporary folder")
	}
	// A folder that git is told about by a link to nowhere counts as told.
	must.OK(t, root.MkdirAll("b", 0o755))
	if err := root.Symlink("nowhere", "b/.gitignore"); err != nil {
		t.Skip(err)
	}
	if err := WriteIn(root, "b", "h", nil, 0o600); err != nil {
		t.Error(err)
	}
}

func TestRemove(t *testing.T) {
	dir, root := open(t)
	must.Mkdir(t, filepath.Join(dir, "full", "folder"))
	must.OK(t, Write(filepath.Join(dir, "f"), nil, 0o600))
	for range 2 { // the second finds it gone
		if err := Remove(root, "f"); err != nil {
			t.Error(err)
		}
	}
	if _, err := os.Lstat(filepath.Join(dir, "f")); err == nil {
		t.Error("it is still there")
	}
	if err := Remove(root, "full"); err == nil {
		t.Error("a folder with something in it was removed")
	}
}

func TestSync(t *testing.T) {
	dir, _ := open(t)
	if err := Sync(filepath.Join(dir, "none")); err == nil {
		t.Error("what is not there was synced")
	}
	must.OK(t, Write(filepath.Join(dir, "f"), []byte("text"), 0o600))
	if err := Sync(filepath.Join(dir, "f")); err != nil {
		t.Error(err)
	}
}

// TestSweep removes the old temporary files, and nothing else.
func TestSweep(t *testing.T) {
	dir, root := open(t)
	now := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	if n, err := Sweep(root, "none", now); n != 0 || err != nil {
		t.Errorf("no folder: %d, %v", n, err)
	}
	for name, at := range map[string]time.Time{
		prefix + "old": now.Add(-time.Second), prefix + "older": now.Add(-time.Hour), prefix + "now": now, "kept": now.Add(-time.Hour),
	} {
		must.Write(t, filepath.Join(dir, name), "")
		must.OK(t, os.Chtimes(filepath.Join(dir, name), at, at))
	}
	must.OK(t, os.Mkdir(filepath.Join(dir, prefix+"folder"), 0o700))
	must.OK(t, os.Chtimes(filepath.Join(dir, prefix+"folder"), now.Add(-time.Hour), now.Add(-time.Hour)))
	if n, err := Sweep(root, ".", now); n != 2 || err != nil {
		t.Errorf("swept %d, %v", n, err)
	}
	var left []string
	list, err := os.ReadDir(dir)
	must.OK(t, err)
	for _, e := range list {
		left = append(left, e.Name())
	}
	if want := []string{prefix + "folder", prefix + "now", "kept"}; !slices.Equal(left, want) {
		t.Errorf("left: %q, want %q", left, want)
	}
	if _, err := Sweep(root, "kept", now); err == nil {
		t.Error("a file was taken for a folder")
	}
}
