package repair

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"manicule/indexer/must"
	"manicule/memory/file"
)

var now = time.Date(2026, 5, 10, 12, 0, 0, 0, time.UTC)

const (
	one   = "01900000-0000-7000-8000-000000000001"
	two   = "01900000-0000-7000-8000-000000000002"
	fresh = "01900000-0000-7000-8000-0000000000ff"
)

// memoryFile is a memory as Manicule writes it.
func memoryFile(t *testing.T, id, what string, change func(*file.Memory)) string {
	t.Helper()
	m := &file.Memory{Format: file.Format, UUID: id, Type: file.Gotcha, Layer: file.AreaContext, What: what, Visibility: file.Project, Importance: file.Medium, Confidence: 1}
	m.CreatedAt, m.UpdatedAt = file.Time{Time: now.Add(-48 * time.Hour)}, file.Time{Time: now.Add(-24 * time.Hour)}
	m.Lineage.Version, m.Lineage.ChangeKind = 1, "create"
	if change != nil {
		change(m)
	}
	data, err := m.Marshal()
	must.OK(t, err)
	return string(data)
}

func options(t *testing.T, files map[string]string) Options {
	t.Helper()
	dir := t.TempDir()
	for rel, text := range files {
		name := filepath.Join(dir, filepath.FromSlash(rel))
		must.Write(t, name, text)
		must.OK(t, os.Chtimes(name, now, now.Add(-time.Hour)))
	}
	return Options{Dir: dir, Kept: filepath.Join(t.TempDir(), KeptFolder), Now: now, NewID: func() (string, error) { return fresh, nil }}
}

// content returns all files below the folder.
func content(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if d.Name() == file.Scratch {
				return fs.SkipDir
			}
			return nil
		}
		data, err := os.ReadFile(name)
		rel, _ := filepath.Rel(dir, name)
		out[filepath.ToSlash(rel)] = string(data)
		return err
	})
	must.OK(t, err)
	return out
}

func TestMend(t *testing.T) {
	good := memoryFile(t, one, "Never call Close twice", nil)
	loose := func(members string) string {
		return `{"uuid":"` + one + `","type":"gotcha","what":"Never call Close twice","created_at":"2026-05-01T10:00:00Z"` + members + `}`
	}
	at := "area_context/" + one + ".json"
	for _, tc := range []struct {
		name  string
		files map[string]string
		kinds []Kind   // of all faults, in order of the paths
		paths []string // that are there afterwards
		check func(t *testing.T, after map[string]string)
	}{
		{name: "sound files", files: map[string]string{at: good, ".gitignore": "x", "area_context/notes.txt": "mine", "area_context/personal/.gitignore": "*"},
			paths: []string{".gitignore", at, "area_context/notes.txt", "area_context/personal/.gitignore"}},
		{name: "another layer's folder", files: map[string]string{"technical/" + one + ".json": good}, kinds: []Kind{Misplaced}, paths: []string{at}},
		{name: "another name", files: map[string]string{"area_context/close.json": good}, kinds: []Kind{Misplaced}, paths: []string{at}},
		{name: "outside of the folders", files: map[string]string{one + ".json": good}, kinds: []Kind{Misplaced}, paths: []string{at}},
		{name: "a shared memory among the personal ones is not published", files: map[string]string{"area_context/personal/" + one + ".json": good},
			kinds: []Kind{Misplaced}, paths: []string{"area_context/personal/" + one + ".json"}, check: func(t *testing.T, after map[string]string) {
				if !strings.Contains(after["area_context/personal/"+one+".json"], `"visibility": "personal"`) {
					t.Error("it is not personal")
				}
			}},
		{name: "a personal memory in a shared folder", files: map[string]string{at: memoryFile(t, one, "Mine", func(m *file.Memory) { m.Visibility = file.Personal })},
			kinds: []Kind{Misplaced}, paths: []string{"area_context/personal/" + one + ".json"}},
		{name: "the same memory twice", files: map[string]string{at: good, "area_context/copy.json": good}, kinds: []Kind{SameID}, paths: []string{at}},
		{name: "the newer version is kept", files: map[string]string{at: good, "area_context/copy.json": memoryFile(t, one, "Never call Close twice", func(m *file.Memory) { m.Lineage.Version = 4 })},
			kinds: []Kind{SameID}, paths: []string{at}, check: func(t *testing.T, after map[string]string) {
				if !strings.Contains(after[at], `"version": 4`) {
					t.Error("the older version is kept")
				}
			}},
		{name: "two memories with one id", files: map[string]string{at: good, "area_context/b.json": memoryFile(t, one, "Something else", nil)},
			kinds: []Kind{SameID, Misplaced}, paths: []string{at, "area_context/" + fresh + ".json"}},
		{name: "a shared memory keeps its id beside a newer personal copy", files: map[string]string{at: good, "area_context/personal/copy.json": memoryFile(t, one, "Mine says more", func(m *file.Memory) { m.Visibility, m.Lineage.Version = file.Personal, 5 })},
			kinds: []Kind{SameID, Misplaced}, paths: []string{at, "area_context/personal/" + fresh + ".json"}, check: func(t *testing.T, after map[string]string) {
				if after[at] != good {
					t.Errorf("what others know by its id changed:\n%s", after[at])
				}
			}},
		{name: "a copy of the second of two with one id", files: map[string]string{at: good, "area_context/b.json": memoryFile(t, one, "Something else", nil), "technical/c.json": memoryFile(t, one, "Something else", nil)},
			kinds: []Kind{SameID, Misplaced, SameID}, paths: []string{at, "area_context/" + fresh + ".json"}},
		{name: "leftovers", files: map[string]string{at: good, at + ".orig": good, "area_context/x.json~": "{", "technical/.DS_Store": ""},
			kinds: []Kind{Leftover, Leftover, Leftover}, paths: []string{at}},
		{name: "a clock ahead", files: map[string]string{at: memoryFile(t, one, "From the future", func(m *file.Memory) { m.UpdatedAt.Time = now.Add(400 * 24 * time.Hour) })},
			kinds: []Kind{Clock}, paths: []string{at}, check: func(t *testing.T, after map[string]string) {
				m, err := file.Parse([]byte(after[at]))
				if err != nil || !m.UpdatedAt.Equal(now.Add(-time.Hour)) || !m.CreatedAt.Equal(now.Add(-48*time.Hour)) {
					t.Errorf("%v, %v to %v", err, m.CreatedAt, m.UpdatedAt)
				}
			}},
		{name: "a clock that begins in 1970", files: map[string]string{at: memoryFile(t, one, "From the epoch", func(m *file.Memory) { m.CreatedAt.Time = time.Unix(60, 0).UTC() })},
			kinds: []Kind{Clock}, paths: []string{at}, check: func(t *testing.T, after map[string]string) {
				m, err := file.Parse([]byte(after[at]))
				if err != nil || !m.CreatedAt.Equal(now.Add(-24*time.Hour)) || !m.UpdatedAt.Equal(now.Add(-24*time.Hour)) {
					t.Errorf("%v, %v to %v", err, m.CreatedAt, m.UpdatedAt)
				}
			}},
		{name: "confirmed in the future", files: map[string]string{at: memoryFile(t, one, "Sure for long", func(m *file.Memory) {
			m.Trust.VerifiedBy, m.Trust.VerifiedAt = "Ana", &file.Time{Time: now.Add(5000 * 24 * time.Hour)}
		})},
			kinds: []Kind{Clock}, paths: []string{at}, check: func(t *testing.T, after map[string]string) {
				m, err := file.Parse([]byte(after[at]))
				if err != nil || !m.Trust.VerifiedAt.Equal(now.Add(-time.Hour)) || !m.UpdatedAt.Equal(now.Add(-24*time.Hour)) {
					t.Errorf("%v, %v", err, m.Trust.VerifiedAt)
				}
			}},
		{name: "a clock a little ahead", files: map[string]string{at: memoryFile(t, one, "Soon", func(m *file.Memory) { m.UpdatedAt.Time = now.Add(10 * time.Minute) })}, paths: []string{at}},
		{name: "written by hand", files: map[string]string{at: "// mine\n" + strings.ReplaceAll(loose(`,"scope":"auth/**","importance":"Huge","confidence":90,"mine":1,`), `"gotcha"`, `"Gotchas"`)},
			kinds: []Kind{Form}, paths: []string{at}, check: func(t *testing.T, after map[string]string) {
				m, err := file.Parse([]byte(after[at]))
				if err != nil || m.Type != file.Gotcha || !slices.Equal(m.Scope, []string{"auth/**"}) || m.Confidence != .9 || !strings.Contains(after[at], `"mine": 1`) {
					t.Errorf("%v\n%s", err, after[at])
				}
			}},
		{name: "in other letters", files: map[string]string{at: loose(`,"importance":"HIGH","visibility":"Team","confidence":1.5,"tags":"auth, redis"`)},
			kinds: []Kind{Form}, paths: []string{at}, check: func(t *testing.T, after map[string]string) {
				m, err := file.Parse([]byte(after[at]))
				if err != nil || m.Importance != file.High || m.Visibility != file.Team || m.Confidence != 1 || !slices.Equal(m.Tags, []string{"auth", "redis"}) {
					t.Errorf("%v\n%s", err, after[at])
				}
			}},
		{name: "a number in quotes", files: map[string]string{at: loose(`,"confidence":"0.7"`)}, kinds: []Kind{Form}, paths: []string{at}, check: func(t *testing.T, after map[string]string) {
			if m, err := file.Parse([]byte(after[at])); err != nil || m.Confidence != .7 {
				t.Errorf("%v\n%s", err, after[at])
			}
		}},
		{name: "without id and time", files: map[string]string{"area_context/note.json": `{"type":"gotcha","what":"Never call Close twice"}`},
			kinds: []Kind{Form, Misplaced}, paths: []string{"area_context/" + fresh + ".json"}, check: func(t *testing.T, after map[string]string) {
				m, err := file.Parse([]byte(after["area_context/"+fresh+".json"]))
				if err != nil || !m.CreatedAt.Equal(now.Add(-time.Hour)) {
					t.Errorf("%v\n%v", err, after)
				}
			}},
		{name: "the file's name is its id", files: map[string]string{at: `{"uuid":"","type":"gotcha","what":"Never call Close twice","created_at":"2026-05-01"}`}, kinds: []Kind{Form}, paths: []string{at}},
		{name: "an unknown visibility is not published", files: map[string]string{at: loose(`,"visibility":"private"`)},
			kinds: []Kind{Form, Misplaced}, paths: []string{"area_context/personal/" + one + ".json"}},
		{name: "what only a person can mend", files: map[string]string{at: loose(`,"anchors":[{"path":"../x"}]`), "area_context/a.json": "{", "area_context/b.json": loose(`,"format":99`),
			"area_context/c.json": "<<<<<<< HEAD\n{}\n=======\n[]\n>>>>>>> x\n", "area_context/d.json": `{"type":"wisdom","what":"x","created_at":"2026-05-01T10:00:00Z"}`,
			"area_context/e.json": "null", "area_context/f.json": "// mine\nnull", "area_context/g.json": "[]", "area_context/h.json": "", "area_context/i.json": "{}"},
			paths: []string{at, "area_context/a.json", "area_context/b.json", "area_context/c.json", "area_context/d.json",
				"area_context/e.json", "area_context/f.json", "area_context/g.json", "area_context/h.json", "area_context/i.json"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			o := options(t, tc.files)
			before := content(t, o.Dir)
			faults, err := Find(t.Context(), o)
			must.OK(t, err)
			var kinds []Kind
			for _, f := range faults {
				kinds = append(kinds, f.Kinds...)
				if len(f.Kinds) != len(f.What) {
					t.Errorf("%s: %d kinds, %d phrases", f.Path, len(f.Kinds), len(f.What))
				}
			}
			if !slices.Equal(kinds, tc.kinds) {
				t.Errorf("kinds %v, want %v: %+v", kinds, tc.kinds, faults)
			}
			if got := content(t, o.Dir); !maps.Equal(got, before) {
				t.Error("Find changed a file")
			}
			if left, err := Apply(t.Context(), o, faults); err != nil || len(left) > 0 {
				t.Fatalf("%v, left %v", err, left)
			}
			after := content(t, o.Dir)
			slices.Sort(tc.paths)
			if got := slices.Sorted(maps.Keys(after)); !slices.Equal(got, tc.paths) {
				t.Errorf("files %v, want %v", got, tc.paths)
			}
			if tc.check != nil {
				tc.check(t, after)
			}
			if again, err := Find(t.Context(), o); err != nil || len(again) > 0 {
				t.Errorf("mended files are mended again: %+v, %v", again, err)
			}
			_, _, err = Undo(t.Context(), o)
			if want := len(faults) == 0; errors.Is(err, ErrNothing) != want || !want && err != nil {
				t.Errorf("undo: %v", err)
			}
			if got := content(t, o.Dir); !maps.Equal(got, before) {
				t.Errorf("undone, it is\n%v\nwant\n%v", got, before)
			}
		})
	}
}

// TestChangedMeanwhile holds that what somebody changed after Find, or after Apply, stays.
func TestChangedMeanwhile(t *testing.T) {
	rel, name := "technical/"+one+".json", "area_context/"+one+".json"
	o := options(t, map[string]string{rel: memoryFile(t, one, "Never call Close twice", nil), "technical/" + two + ".json": memoryFile(t, two, "Another", nil)})
	faults, err := Find(t.Context(), o)
	if err != nil || len(faults) != 2 {
		t.Fatalf("%v, %v", faults, err)
	}
	edited := memoryFile(t, one, "Never call it at all", nil)
	must.Write(t, filepath.Join(o.Dir, filepath.FromSlash(rel)), edited)
	left, err := Apply(t.Context(), o, faults)
	if err != nil || len(left) != 1 || left[0].Path != rel {
		t.Fatalf("left %v, %v", left, err)
	}
	moved := "area_context/" + two + ".json"
	if got := content(t, o.Dir); got[rel] != edited || got[name] != "" || got[moved] == "" {
		t.Errorf("it is %v", got)
	}
	must.Write(t, filepath.Join(o.Dir, filepath.FromSlash(moved)), edited)
	restored, kept, err := Undo(t.Context(), o)
	if err != nil || !slices.Equal(kept, []string{moved}) || !slices.Equal(restored, []string{"technical/" + two + ".json"}) {
		t.Errorf("restored %v, left %v, %v", restored, kept, err)
	}
	if got := content(t, o.Dir); got[moved] != edited {
		t.Error("an edit after the repair was lost")
	}
}

// FuzzForm holds that no file makes a repair fail, and that what it makes is a memory.
func FuzzForm(f *testing.F) {
	f.Add(`{"type":"Gotchas","what":"x","scope":"a/**","confidence":"90%","created_at":"yesterday"}`)
	f.Add("// c\n{\"uuid\":1,\"lineage\":{\"version\":-1},\"trust\":[]}")
	f.Fuzz(func(t *testing.T, text string) {
		_, fault := file.Parse([]byte(text))
		if fault == nil {
			return
		}
		o := Options{Now: now, NewID: func() (string, error) { return fresh, nil }}
		m, said, err := o.reform("x", "area_context/x.json", []byte(text), fault)
		must.OK(t, err)
		if m == nil {
			return
		}
		if len(said) == 0 {
			t.Error("mended without a word")
		}
		data, err := m.Marshal()
		must.OK(t, err)
		if _, err := file.Parse(data); err != nil {
			t.Errorf("%v:\n%s", err, data)
		}
	})
}

func ExampleFault() {
	f := Fault{Path: "technical/x.json", Kinds: []Kind{Misplaced}, What: []string{"its place is area_context/x.json: moved"}}
	fmt.Println(f.Path, f.Kinds, f.What[0])
	// Output: technical/x.json [misplaced] its place is area_context/x.json: moved
}

// TestTornFile: a file that is cut off gets the newest known version back, byte for byte to be had again; one that a
// person broke, or of which nothing is known, is left alone.
func TestTornFile(t *testing.T) {
	whole := memoryFile(t, one, "Close is called once", nil)
	for name, x := range map[string]struct {
		text   string
		known  bool
		mended bool
	}{
		"cut off":     {whole[:60], true, true},
		"empty":       {"", true, true},
		"zeros":       {whole[:60] + "\x00\x00\x00", true, true},
		"not known":   {whole[:60], false, false},
		"broken only": {strings.Replace(whole, "\"type\":", "\"type\"", 1), true, false},
	} {
		t.Run(name, func(t *testing.T) {
			at := "area_context/" + one + ".json"
			o := options(t, map[string]string{at: x.text})
			o.Last = func(uuid string) (*file.Memory, error) {
				if uuid != one || !x.known {
					return nil, nil
				}
				return file.Parse([]byte(whole))
			}
			faults, err := Find(t.Context(), o)
			if err != nil || (len(faults) == 1) != x.mended {
				t.Fatalf("found %+v, %v", faults, err)
			}
			if !x.mended {
				return
			}
			if !slices.Contains(faults[0].Kinds, Torn) {
				t.Errorf("kinds %v", faults[0].Kinds)
			}
			if left, err := Apply(t.Context(), o, faults); err != nil || len(left) > 0 {
				t.Fatalf("%v, %v", left, err)
			}
			if got := content(t, o.Dir)[at]; got != whole {
				t.Errorf("mended to %q", got)
			}
			if _, _, err := Undo(t.Context(), o); err != nil || content(t, o.Dir)[at] != x.text {
				t.Errorf("taken back: %v", err)
			}
		})
	}
}

// TestTwinFiles: files that say the same under two ids become one, the same in every clone, and relations follow.
func TestTwinFiles(t *testing.T) {
	const three = "01900000-0000-7000-8000-000000000003"
	older := func(m *file.Memory) { m.CreatedAt = file.Time{Time: now.Add(-72 * time.Hour)} }
	files := map[string]string{
		"area_context/" + one + ".json": memoryFile(t, one, "Close is called once", func(m *file.Memory) { m.Tags = []string{"pool"} }),
		"area_context/" + two + ".json": memoryFile(t, two, "Close is called once", older),
		"area_context/" + three + ".json": memoryFile(t, three, "Open is cheap", func(m *file.Memory) {
			m.Relations = []file.Relation{{Type: "supersedes", Memory: one, Confidence: 1}}
		}),
	}
	o := options(t, files)
	if faults, err := Find(t.Context(), o); err != nil || len(faults) > 0 {
		t.Fatalf("without a rule to merge: %+v, %v", faults, err)
	}
	o.Merge = func(to, m *file.Memory) (*file.Memory, bool, error) {
		next := to.Clone()
		next.Tags = append(next.Tags, m.Tags...)
		return next, true, nil
	}
	faults, err := Find(t.Context(), o)
	if err != nil || len(faults) != 3 {
		t.Fatalf("found %+v, %v", faults, err)
	}
	if _, err := Apply(t.Context(), o, faults); err != nil {
		t.Fatal(err)
	}
	got := content(t, o.Dir)
	if len(got) != 2 || !strings.Contains(got["area_context/"+two+".json"], "pool") || !strings.Contains(got["area_context/"+three+".json"], two) {
		t.Errorf("%v", got)
	}
	if faults, err := Find(t.Context(), o); err != nil || len(faults) > 0 {
		t.Errorf("once more: %+v, %v", faults, err)
	}
	if _, left, err := Undo(t.Context(), o); err != nil || len(left) > 0 || !maps.Equal(content(t, o.Dir), files) {
		t.Errorf("taken back: %v, %v", left, err)
	}
}

// TestNothingDoneLeavesNothing: a repair that could change no file leaves nothing to be taken back.
func TestNothingDoneLeavesNothing(t *testing.T) {
	o := options(t, map[string]string{
		"area_context/" + one + ".json": memoryFile(t, one, "Tabs are eight wide", func(m *file.Memory) { m.Layer = file.Preferences }),
		file.Scratch:                    "a file where the folder should be",
	})
	faults, err := Find(t.Context(), o)
	if err != nil || len(faults) != 1 {
		t.Fatalf("found %+v, %v", faults, err)
	}
	if _, err := Apply(t.Context(), o, faults); err == nil {
		t.Fatal("it was mended")
	}
	if list, err := os.ReadDir(o.Kept); err != nil || len(list) > 0 {
		t.Errorf("kept: %v, %v", list, err)
	}
	if _, _, err := Undo(t.Context(), o); !errors.Is(err, ErrNothing) {
		t.Errorf("taken back: %v", err)
	}
}
