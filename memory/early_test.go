package memory

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"manicule/indexer/must"
	"manicule/memory/file"
)

// TestEarlyView compares the views of single files with the view of all.
func TestEarlyView(t *testing.T) {
	w := fixture(t)
	remembered := map[string]string{}
	for what, d := range map[string]Draft{
		"anchored here":     {At: []string{"src/auth/token.go#Validate"}},
		"about the folder":  {Scope: []string{"src/auth/**"}},
		"about all of it":   {},
		"somewhere else":    {Scope: []string{"web/**"}},
		"for tests in auth": {Scope: []string{"**/*_test.go"}},
		"old":               {Scope: []string{"src/**"}},
	} {
		d.What = what
		r, err := w.Remember(t.Context(), d)
		must.OK(t, err)
		remembered[what] = r.Memory.UUID
	}
	_, err := w.Remember(t.Context(), Draft{What: "new", Scope: []string{"src/**"}, Relations: []file.Relation{{Type: "supersedes", Memory: remembered["old"]}}})
	must.OK(t, err)
	if _, err := w.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.Views().NoteFollowed(time.Now().Add(time.Minute))
	again, _ := open(t, w.Root(), 2)
	for _, rel := range []string{"src/auth/token.go", "src/auth/a_test.go", "web/a.ts", "none.go", "", "../x"} {
		v, ok := again.Views().Early(t.Context(), rel)
		if !ok {
			t.Fatalf("%s: only a sync can tell", rel)
		}
		if got, want := texts(v.ForPath(rel, false)), texts(w.View().ForPath(rel, false)); rel != "" && !reflect.DeepEqual(got, want) {
			t.Errorf("%s: early %q, later %q", rel, got, want)
		}
		if got, want := texts(v.Anchored(rel)), texts(w.View().Anchored(rel)); !reflect.DeepEqual(got, want) {
			t.Errorf("anchored in %s: early %q, later %q", rel, got, want)
		}
	}
	if now, _ := again.Views().Early(t.Context(), "web/a.ts"); len(now.ForPath("web/a.ts", false)) != 2 {
		t.Errorf("web/a.ts has %q", texts(now.ForPath("web/a.ts", false)))
	}
	if _, err := again.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	if v, ok := again.Views().Early(t.Context(), "none.go"); !ok || v != again.View() {
		t.Error("after a sync it is not the view of all")
	}
}

// TestEarlyViewOfChangedFiles changes memory files behind the database's back.
func TestEarlyViewOfChangedFiles(t *testing.T) {
	for name, change := range map[string]func(path string) error{
		"edited":  func(path string) error { return os.WriteFile(path, []byte("{}"), 0o600) },
		"removed": os.Remove,
		"added": func(path string) error {
			return os.WriteFile(filepath.Join(filepath.Dir(path), "x.json"), []byte("{}"), 0o600)
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := fixture(t)
			r, err := w.Remember(t.Context(), Draft{What: "about the folder", Scope: []string{"src/**"}})
			must.OK(t, err)
			if _, err := w.Sync(t.Context()); err != nil {
				t.Fatal(err)
			}
			must.OK(t, change(r.Path))
			w.Views().NoteFollowed(time.Now().Add(time.Minute))
			again, _ := open(t, w.Root(), 2)
			if v, ok := again.Views().Early(t.Context(), "src/a.go"); ok {
				t.Errorf("it answered with %q", texts(v.ForPath("src/a.go", false)))
			}
		})
	}
}

// TestEarlyViewOfWrittenFiles: code may have moved into a file that was written, or renamed, since
// anchors were last followed.
func TestEarlyViewOfWrittenFiles(t *testing.T) {
	w := fixture(t)
	if _, err := w.Remember(t.Context(), Draft{What: "about the folder", Scope: []string{"src/**"}}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	const rel = "src/auth/token.go"
	name, folder := filepath.Join(w.Root(), rel), filepath.Join(w.Root(), "src/auth")
	now := time.Now()
	for _, c := range []struct {
		name           string
		followed       bool
		file, folderAt time.Duration // after they were followed
		above          time.Duration // of the folder above, and of the root
		want           bool
	}{
		{"never followed", false, -time.Hour, -time.Hour, -time.Hour, false},
		{"followed since", true, -time.Hour, -time.Hour, -time.Hour, true},
		{"written since", true, time.Second, -time.Hour, -time.Hour, false},
		{"written as it was followed", true, 0, -time.Hour, -time.Hour, false},
		{"a file of the folder was renamed since", true, -time.Hour, time.Second, -time.Hour, false},
		{"a folder was renamed since", true, -time.Hour, -time.Hour, time.Second, false},
	} {
		if c.followed {
			w.Views().NoteFollowed(now)
		}
		for n, d := range map[string]time.Duration{name: c.file, folder: c.folderAt, filepath.Dir(folder): c.above, w.Root(): -time.Hour} {
			must.OK(t, os.Chtimes(n, now.Add(d), now.Add(d)))
		}
		again, _ := open(t, w.Root(), 2)
		if _, ok := again.Views().Early(t.Context(), rel); ok != c.want {
			t.Errorf("%s: %v, want %v", c.name, ok, c.want)
		}
	}
}

func texts(hits []Hit) []string {
	var out []string
	for _, h := range hits {
		out = append(out, h.Memory.What)
	}
	return out
}
