package fastpath

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"manicule/indexer/anchoring"
	"manicule/indexer/must"
	"manicule/indexer/workspace"
	"manicule/memory"
	"manicule/memory/file"
	"manicule/memory/retrieve"
	"manicule/memory/secret/full"
)

func fixture(t testing.TB, n int) (string, workspace.Env) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "repo")
	must.Mkdir(t, filepath.Join(dir, ".manicule/memories"))
	home := filepath.Join(filepath.Dir(dir), "home")
	env := workspace.Env{Getenv: func(k string) string { return map[string]string{"HOME": home}[k] }, Random: bytes.NewReader(nil)}
	w := slow(t, dir, env)
	var drafts []memory.Draft
	for i := range n {
		drafts = append(drafts, memory.Draft{What: fmt.Sprintf("memory %d", i), Scope: []string{fmt.Sprintf("src/m%d/**", i%500)}})
	}
	drafts = append(drafts, memory.Draft{What: "of the project", Importance: file.High}, memory.Draft{What: "pinned", Scope: []string{"lib/**"}, Pin: true})
	if _, err := w.RememberAll(t.Context(), drafts); err != nil {
		t.Fatal(err)
	}
	return dir, env
}

// slow opens the workspace as a command does.
func slow(t testing.TB, dir string, env workspace.Env) *memory.Workspace {
	t.Helper()
	w, err := memory.Open(memory.Options{Secrets: full.Rules{}, MakeAnchor: anchoring.Make, Dir: dir, Env: env, User: "ada", Random: rand.NewChaCha8([32]byte{byte(time.Now().UnixNano())}),
		Now: func() time.Time { return time.Now().Add(time.Hour) }})
	must.OK(t, err)
	t.Cleanup(func() { _ = w.Close() }) // closed twice where a test closes it
	return w
}

func texts(t *testing.T, dir string, env workspace.Env, rel string) string {
	t.Helper()
	m, err := Open(t.Context(), dir, env)
	must.OK(t, err)
	hits, err := m.ForPath(t.Context(), memory.PathQuery{Path: rel, Project: true})
	must.OK(t, err)
	var out []string
	for _, h := range hits {
		if h.Unjudged {
			if h.Memory.What+h.Memory.Why != "" {
				t.Errorf("words that nobody has judged: %q", h.Memory.What)
			}
			h.Memory.What = "unjudged"
		}
		out = append(out, h.Memory.What)
	}
	if err := m.Close(); err != nil {
		t.Error(err)
	}
	return strings.Join(out, ",")
}

func TestForPathSeesTheFilesAsTheyAre(t *testing.T) {
	dir, env := fixture(t, 5)
	mem := filepath.Join(dir, ".manicule/memories/area_context")
	check := func(what, want string) {
		t.Helper()
		if got := texts(t, dir, env, "src/m3/new.go"); got != want {
			t.Errorf("%s: %q, want %q", what, got, want)
		}
	}
	check("as written", "memory 3,of the project")
	var path string
	files, err := filepath.Glob(filepath.Join(mem, "*.json"))
	must.OK(t, err)
	for _, f := range files {
		if m, err := file.Read(f); err == nil && m.What == "memory 3" {
			path = f
		}
	}
	data := must.Read(t, path)
	edit := func(old, new string) {
		t.Helper()
		must.Write(t, path, bytes.Replace(data, []byte(old), []byte(new), 1))
	}
	edit("memory 3", "memory 3, by hand")
	check("edited by hand", "unjudged,of the project")
	edit("src/m3/**", "src/m9/**")
	check("narrowed by hand", "of the project")
	edit("{", "{ broken")
	check("broken", "of the project")
	edit("", "")
	twin := bytes.Replace(bytes.Replace(data, []byte("memory 3"), []byte("pulled"), 1), []byte(filepath.Base(path)[:36]), []byte("00000000-0000-7000-8000-000000000001"), 1)
	must.Write(t, filepath.Join(mem, "00000000-0000-7000-8000-000000000001.json"), twin)
	check("a file came with a pull", "memory 3,unjudged,of the project")
	must.OK(t, os.Remove(path))
	check("a file went", "unjudged,of the project")
}

func TestWithoutTheHooksFile(t *testing.T) {
	dir, env := fixture(t, 5)
	place, err := workspace.Discover(dir, env)
	must.OK(t, err)
	found, err := filepath.Glob(filepath.Join(place.CacheDir(), "hooks.*"))
	if err != nil || len(found) != 1 {
		t.Fatalf("%v, %v", found, err)
	}
	for _, harm := range []func() error{
		func() error { return os.WriteFile(found[0], []byte("none of ours"), 0o600) },
		func() error { return os.Truncate(found[0], 0) },
		func() error { return os.RemoveAll(place.CacheDir()) },
	} {
		must.OK(t, harm())
		if got := texts(t, dir, env, "src/m3/x.go"); got != "unjudged,unjudged" {
			t.Errorf("got %q", got)
		}
	}
	if _, err := os.Stat(place.CacheDir()); err == nil {
		t.Error("a hook built something")
	}
}

func TestBrief(t *testing.T) {
	dir, env := fixture(t, 7)
	m, err := Open(t.Context(), dir, env)
	must.OK(t, err)
	defer func() { _ = m.Close() }() // nothing was written
	hits, total, err := m.Brief(t.Context())
	if err != nil || total != 9 || len(hits) != 2 || hits[0].Memory.What != "pinned" {
		t.Errorf("%d of %d, %v", len(hits), total, err)
	}
}

func TestAFolderWithoutMemories(t *testing.T) {
	env := workspace.Env{Getenv: func(string) string { return "" }, Random: bytes.NewReader(nil)}
	if got := texts(t, t.TempDir(), env, "x.go"); got != "" {
		t.Errorf("got %q", got)
	}
}

func BenchmarkHook10k(b *testing.B) {
	dir, env := fixture(b, 10_000)
	for b.Loop() {
		m, err := Open(b.Context(), dir, env)
		must.OK(b, err)
		if _, err := m.ForPath(b.Context(), memory.PathQuery{Path: "src/m7/x.go", Project: true}); err != nil {
			b.Fatal(err)
		}
		must.OK(b, m.Close())
	}
}

// TestForAgents: a hook reads neither what belongs to another agent nor a layer that is switched off.
func TestForAgents(t *testing.T) {
	dir, env := fixture(t, 0)
	w := slow(t, dir, env)
	if _, err := w.Remember(t.Context(), memory.Draft{What: "for codex alone", Scope: []string{"lib/**"}, For: "codex"}); err != nil {
		t.Fatal(err)
	}
	must.OK(t, w.Close())
	for _, test := range []struct {
		agent, want string
		off         []string
	}{
		{"codex", "for codex alone, of the project, pinned", nil},
		{"cursor", "of the project, pinned", nil},
		{"codex", "of the project", []string{"area_context"}},
	} {
		m, err := Open(t.Context(), dir, env)
		must.OK(t, err)
		m.For(test.agent, "")
		m.Without(test.off)
		hits, err := m.ForPath(t.Context(), memory.PathQuery{Path: "lib/a.go", Project: true})
		var got []string
		for _, h := range hits {
			got = append(got, h.Memory.What)
		}
		slices.Sort(got)
		if text := strings.Join(got, ", "); err != nil || text != test.want {
			t.Errorf("%s without %v: %q, want %q (%v)", test.agent, test.off, text, test.want, err)
		}
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestSearchByPlace: a text that names a file, or the words of its name, finds what is said of it, as the search with a code
// graph does.
func TestSearchByPlace(t *testing.T) {
	dir, env := fixture(t, 20)
	must.Mkdir(t, filepath.Join(dir, "src/db"))
	must.Write(t, filepath.Join(dir, "src/db/store.go"), "package db\n\nfunc Open() {}\n")
	w := slow(t, dir, env)
	if _, err := w.Remember(t.Context(), memory.Draft{What: "Pool size must stay below 30", At: []string{"src/db/store.go#Open"}}); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"Look at src/db/store.go":                    "Pool size must stay below 30",
		"Look at ./src/db/store.go:3, and at a/b.go": "Pool size must stay below 30",
		"the db store needs work":                    "Pool size must stay below 30",
		"Look at lib/other.go":                       "",
		"Look at /tmp/a/other.go":                    "",
	} {
		m, err := Open(t.Context(), dir, env)
		must.OK(t, err)
		hits, err := m.Search(t.Context(), text, retrieve.NoPhase, 8, time.Now)
		must.OK(t, err)
		got := ""
		for _, h := range hits {
			got += h.Memory.What
		}
		if got != want {
			t.Errorf("%q finds %q, want %q", text, got, want)
		}
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	}
}
