package memory

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"manicule/indexer/must"
	"manicule/indexer/treefile"
	"manicule/memory/file"
)

// TestNoOtherFileIsOverwritten: what lies where a memory belongs and is not the
// version that it replaces stays as it is, whatever it is.
func TestNoOtherFileIsOverwritten(t *testing.T) {
	w := fixture(t)
	m := remember(t, w, Draft{What: "one"})
	path := filepath.Join(w.Place().MemoriesDir(), filepath.FromSlash(m.RelPath()))
	whole := must.Read(t, path)
	for name, text := range map[string]string{"half written": "{\n", "of a person": "my own notes\n", "the same": string(whole)} {
		write(t, path, text)
		m.What = "two"
		_, err := w.Forgotten().RestoreFile(m)
		if u, ok := errors.AsType[*UserError](err); !ok || !errors.Is(err, errExists) || u.Hint == "" {
			t.Errorf("%s: %v", name, err)
		}
		if now, err := os.ReadFile(path); err != nil || string(now) != text {
			t.Errorf("%s: the file holds %q, %v", name, now, err)
		}
	}
	// A memory of another layer does not make room for itself either.
	write(t, path, string(whole))
	if _, err := w.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	there := filepath.Join(w.Place().MemoriesDir(), string(file.Guidelines), m.UUID+".json")
	write(t, there, "my own notes\n")
	if _, err := w.Edits().Change(t.Context(), m.UUID, func(m *file.Memory) error { m.Type, m.Layer = file.Convention, file.Guidelines; return nil }, "edit", ""); err == nil {
		t.Error("moved over another file")
	}
	for path, want := range map[string]string{path: string(whole), there: "my own notes\n"} {
		if now, err := os.ReadFile(path); err != nil || string(now) != want {
			t.Errorf("%s holds %q, %v", path, now, err)
		}
	}
}

// TestNothingPassesByTheGate: also what is only put back is looked at.
func TestNothingPassesByTheGate(t *testing.T) {
	w := fixture(t)
	for what, code := range map[string]string{"token " + "ghp" + "_" + "wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO0pINUx": "secret", strings.Repeat("x", 2001): "malformed"} {
		m := remember(t, w, Draft{What: "one " + code})
		path := filepath.Join(w.Place().MemoriesDir(), filepath.FromSlash(m.RelPath()))
		must.OK(t, os.Remove(path))
		m.What = what
		if r, err := w.Forgotten().RestoreFile(m); err != nil || r.Accepted || r.Code != code {
			t.Errorf("%s: %+v, %v", code, r, err)
		}
		if _, err := os.Lstat(path); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: there is a file: %v", code, err)
		}
		m.What = "one " + code
		if r, err := w.Forgotten().RestoreFile(m); err != nil || !r.Accepted || r.Path != path {
			t.Errorf("%s, as it was: %+v, %v", code, r, err)
		}
	}
}

// TestNothingIsRemovedBehindALink: not even where the link stays among the memories.
func TestNothingIsRemovedBehindALink(t *testing.T) {
	w := fixture(t)
	m := remember(t, w, Draft{What: "one"})
	dir := w.Place().MemoriesDir()
	kept := filepath.Join(dir, filepath.FromSlash(m.RelPath()))
	link := filepath.Join(dir, "preferences")
	if err := os.Symlink(string(m.Layer), link); err != nil {
		t.Skip(err)
	}
	err := w.writer.removeFile(t.Context(), filepath.Join(link, m.UUID+".json"))
	if u, ok := errors.AsType[*UserError](err); !ok || !errors.Is(err, treefile.ErrLink) || u.Hint == "" {
		t.Error(err)
	}
	if _, err := os.Lstat(kept); err != nil {
		t.Error(err)
	}
}
