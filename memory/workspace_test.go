package memory

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"manicule/indexer/anchoring"
	"manicule/indexer/must"
	"manicule/indexer/workspace"
	"manicule/memory/file"
	"manicule/memory/scope"
	"manicule/memory/secret/full"
)

// clock is a time that tests move.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(time.Millisecond)
	return c.at
}

// pass lets time pass.
func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

func open(t testing.TB, dir string, seed uint64) (*Workspace, *clock) {
	t.Helper()
	c := &clock{at: time.Now().Add(time.Hour)} // ahead of the files: none counts as just changed
	home := filepath.Join(filepath.Dir(dir), "home")
	w, err := Open(Options{Secrets: full.Rules{}, MakeAnchor: anchoring.Make, Dir: dir, Now: c.now, Random: rand.NewChaCha8([32]byte{byte(seed)}), User: "ada", Scopes: &scope.Options{},
		Env: workspace.Env{Getenv: func(k string) string { return map[string]string{"HOME": home}[k] }, Random: bytes.NewReader(make([]byte, 64))}})
	must.OK(t, err)
	w.dedupe.patience = time.Minute // what a test expects does not depend on what else the machine does
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	return w, c
}

func fixture(t testing.TB) *Workspace {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "repo")
	write(t, filepath.Join(dir, "src/auth/token.go"), "package auth\n\n// Validate checks a token.\nfunc Validate(t string) bool {\n\treturn t != \"\"\n}\n")
	must.Mkdir(t, filepath.Join(dir, ".manicule/memories"))
	w, _ := open(t, dir, 1)
	return w
}

func write(t testing.TB, path, text string) {
	t.Helper()
	must.Write(t, path, text)
}

func remember(t testing.TB, w *Workspace, d Draft) *file.Memory {
	t.Helper()
	r, err := w.Remember(t.Context(), d)
	if err != nil || !r.Accepted {
		t.Fatalf("remember %q: %+v, %v", d.What, r, err)
	}
	return r.Memory
}

func recallText(t testing.TB, w *Workspace, q Query) string {
	t.Helper()
	if _, err := w.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	r, err := w.Recaller().Recall(t.Context(), q)
	must.OK(t, err)
	var out []string
	for _, h := range r.Hits {
		out = append(out, h.Memory.What)
	}
	s := strings.Join(out, ",")
	if r.Omitted > 0 {
		s += fmt.Sprintf("+%d", r.Omitted)
	}
	return s
}

func TestRecallOrder(t *testing.T) {
	w := fixture(t)
	for _, d := range []Draft{
		{What: "project rule", Type: file.Convention},
		{What: "project gotcha", Type: file.Gotcha},
		{What: "auth convention", Type: file.Convention, Scope: []string{"src/auth/**"}},
		{What: "src gotcha", Type: file.Gotcha, Scope: []string{"src/**"}},
		{What: "auth gotcha", Type: file.Gotcha, Scope: []string{"src/auth/**"}},
		{What: "auth gotcha of redis", Type: file.Gotcha, Scope: []string{"src/auth/**"}},
		{What: "auth pattern", Type: file.Pattern, Scope: []string{"src/auth/**"}},
		{What: "validate", Type: file.Gotcha, At: []string{"src/auth/token.go#Validate"}},
		{What: "db gotcha", Type: file.Gotcha, Scope: []string{"src/db/**"}},
		{What: "important auth", Type: file.Gotcha, Scope: []string{"src/auth/**"}, Importance: file.High},
	} {
		remember(t, w, d)
	}
	tests := []struct {
		name string
		q    Query
		want string
	}{
		{"match, layer, specificity", Query{Paths: []string{"src/auth/token.go"}},
			"validate,important auth,auth gotcha of redis,auth gotcha,src gotcha,auth pattern,auth convention,project gotcha,project rule"},
		{"a file that is not there yet", Query{Paths: []string{"src/auth/new.go"}},
			"important auth,auth gotcha of redis,auth gotcha,src gotcha,auth pattern,auth convention,project gotcha,project rule"},
		{"keywords break ties", Query{Paths: []string{"src/auth/new.go"}, Text: "redis", Limit: 1}, "auth gotcha of redis+7"},
		{"limit", Query{Paths: []string{"src/auth/new.go"}, Limit: 6}, "important auth,auth gotcha of redis,auth gotcha,src gotcha,auth pattern,auth convention+2"},
		{"few results stay diverse", Query{Paths: []string{"src/auth/new.go"}, Limit: 3}, "important auth,auth convention,auth pattern+5"},
		{"types", Query{Paths: []string{"src/auth/new.go"}, Types: []file.Type{file.Pattern}}, "auth pattern"},
		{"parent folder", Query{Paths: []string{"src/"}, Types: []file.Type{file.Gotcha}, Limit: -1},
			"important auth,db gotcha,auth gotcha of redis,auth gotcha,src gotcha,validate,project gotcha"},
		{"outside", Query{Paths: []string{"../elsewhere/x.go"}}, ""},
		{"other subtree", Query{Paths: []string{"src/db/store.go"}}, "db gotcha,src gotcha,project gotcha,project rule"},
		{"two paths once each", Query{Paths: []string{"src/db/a.go", "src/db/b.go"}}, "db gotcha,src gotcha,project gotcha,project rule"},
	}
	for _, tt := range tests {
		if got := recallText(t, w, tt.q); got != tt.want {
			t.Errorf("%s:\n got %s\nwant %s", tt.name, got, tt.want)
		}
	}
}

// TestViewAgreesWithRecall: the snapshot of a server and the queries of a
// command answer alike.
func TestViewAgreesWithRecall(t *testing.T) {
	w := fixture(t)
	scopes := []string{"**", "src/**", "src/auth/**", "*.go", "**/*.{go,ts}", "src/auth/token.go", "!vendor/**", "lib/*/x/**", "src/"}
	for i, s := range scopes {
		remember(t, w, Draft{What: fmt.Sprint("memory ", i), Scope: []string{s}})
	}
	remember(t, w, Draft{What: "anchored", At: []string{"src/auth/token.go:4"}})
	remember(t, w, Draft{What: "project"})
	if _, err := w.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, p := range []string{"", "src", "src/auth", "src/auth/token.go", "src/x.ts", "vendor/a.go", "lib/a", "lib/a/x/y", "README", "a/b/c/d.go"} {
		for _, dir := range []bool{false, true} {
			var a, b []string
			for _, h := range w.View().ForPath(p, dir) {
				a = append(a, h.Memory.What+" "+h.Match.String())
			}
			hits, err := w.Recaller().reaching(t.Context(), p, dir || p == "")
			must.OK(t, err)
			for _, h := range hits {
				b = append(b, h.Memory.What+" "+h.Match.String())
			}
			if strings.Join(a, ",") != strings.Join(b, ",") {
				t.Errorf("%q dir=%v:\nview   %v\nrecall %v", p, dir, a, b)
			}
		}
	}
}

func TestRememberFillsIn(t *testing.T) {
	w := fixture(t)
	m := remember(t, w, Draft{What: "  first\r\nsecond ", At: []string{"src/auth/token.go#Validate"}, Tags: []string{"A"}, Type: file.Decision})
	if m.Layer != file.AreaContext || m.What != "first\nsecond" || m.Contributor != "ada" || m.Trust.Origin != file.UserTaught || m.Lineage.Version != 1 ||
		m.Anchors[0].Symbol != "Validate" || m.Anchors[0].Lines.Start != 4 || m.Anchors[0].Blob == "" || m.Tags[0] != "a" || m.GeneratedBy.AuthorType != "human" {
		t.Errorf("%+v", m)
	}
	if m := remember(t, w, Draft{What: "a decision of all", Type: file.Decision}); m.Layer != file.Technical || m.Scope != nil {
		t.Errorf("layer %s, scope %v", m.Layer, m.Scope)
	}
	if m := remember(t, w, Draft{What: "mine", Personal: true}); !strings.Contains(m.RelPath(), "/personal/") {
		t.Errorf("personal memory at %s", m.RelPath())
	}
}

func TestRememberRefuses(t *testing.T) {
	w := fixture(t)
	tests := []struct {
		d    Draft
		code string
		text string
	}{
		{Draft{What: " "}, "malformed", "no text"},
		{Draft{What: "x", Type: "wisdom"}, "malformed", "unknown memory type"},
		{Draft{What: "x", Scope: []string{"a["}}, "malformed", "scope"},
		{Draft{What: "x", At: []string{"src/auth/token.go#Valdate"}}, "malformed", "Validate"},
		{Draft{What: "x", At: []string{"src/none.go"}}, "malformed", "no file"},
		{Draft{What: "x", At: []string{"src/auth"}}, "malformed", "folder"},
		{Draft{What: "x", At: []string{"../x"}}, "malformed", "outside"},
		{Draft{What: "x", At: []string{"src/auth/token.go:99"}}, "malformed", "line"},
		{Draft{What: "token " + "ghp" + "_" + "wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO0pINUx"}, "secret", "secret"},
		{Draft{What: "token " + "ghp" + "_" + "wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO0pINUx", Agent: true}, "secret", "secret"},
	}
	for _, tt := range tests {
		r, err := w.Remember(t.Context(), tt.d)
		if err != nil || r.Accepted || r.Code != tt.code || !strings.Contains(r.Reason, tt.text) {
			t.Errorf("%+v: %+v, %v; want %s with %q", tt.d, r, err, tt.code, tt.text)
		}
	}
	if got := recallText(t, w, Query{}); got != "" {
		t.Errorf("something was written: %s", got)
	}
}

func TestTheSameTwiceIsOneMemory(t *testing.T) {
	w := fixture(t)
	m := remember(t, w, Draft{What: "Never call X."})
	r, err := w.Remember(t.Context(), Draft{What: "never  call x"})
	if err != nil || !r.Deduped || r.MergedInto != m.UUID {
		t.Errorf("%+v, %v", r, err)
	}
	remember(t, w, Draft{What: "Never call X.", Scope: []string{"src/**"}}) // elsewhere it is another
	if got := recallText(t, w, Query{}); got != "Never call X.,Never call X." {
		t.Errorf("recall: %s", got)
	}
}

func TestDraftsAreNotMemories(t *testing.T) {
	w := fixture(t)
	m := remember(t, w, Draft{What: "agents say this too", Agent: true, Tool: "claude-code", Session: "s"})
	if got := recallText(t, w, Query{}); got != "" {
		t.Errorf("a draft is recalled: %s", got)
	}
	no := remember(t, w, Draft{What: "agents say wrong", Agent: true})
	must.OK(t, w.Drafts().Reject(t.Context(), no.ShortID(), "no"))
	r, err := w.Decisions().Accept(t.Context(), m.ShortID())
	if err != nil || !r.Accepted || r.Memory.Trust.VerifiedBy != "ada" || r.Memory.Trust.NeedsReview || r.Memory.Trust.Origin != file.AgentExplicit {
		t.Errorf("%+v, %v", r.Memory, err)
	}
	if got := recallText(t, w, Query{}); got != "agents say this too" {
		t.Errorf("after acceptance: %s", got)
	}
	if d, err := w.Drafts().List(t.Context()); err != nil || len(d) != 0 {
		t.Errorf("drafts left: %v, %v", d, err)
	}
}

func TestEditsAreVersions(t *testing.T) {
	w := fixture(t)
	m := remember(t, w, Draft{What: "one", Type: file.Gotcha})
	h1, err := m.Hash()
	must.OK(t, err)
	r, err := w.Edits().Change(t.Context(), m.UUID, func(m *file.Memory) error {
		m.What, m.Type, m.Layer = "two", file.Convention, file.Guidelines
		return nil
	}, "edit", "better")
	if err != nil || r.Memory.Lineage.Version != 2 || r.Memory.Lineage.Parent != h1 || r.Memory.CreatedAt != m.CreatedAt {
		t.Fatalf("%+v, %v", r.Memory, err)
	}
	if got := recallText(t, w, Query{}); got != "two" {
		t.Errorf("recall: %s", got)
	}
	if files, err := filepath.Glob(filepath.Join(w.Place().MemoriesDir(), "*/*.json")); err != nil || len(files) != 1 {
		t.Errorf("files after a move to another layer: %v, %v", files, err)
	}
	if r, err := w.Edits().Change(t.Context(), m.UUID, func(m *file.Memory) error { m.What = "two"; return nil }, "edit", ""); err != nil || !r.Accepted || r.Code != "unchanged" || r.Memory.Lineage.Version != 2 {
		t.Errorf("an edit that changes nothing: %+v, %v", r, err)
	}
	if _, err := w.Edits().Change(t.Context(), m.UUID, func(m *file.Memory) error { m.What = ""; return nil }, "edit", ""); err != nil {
		t.Fatal(err)
	}
	if got := recallText(t, w, Query{}); got != "two" {
		t.Errorf("a refused edit changed something: %s", got)
	}
	for _, step := range []func() (Result, error){
		func() (Result, error) { return w.Edits().Pin(t.Context(), m.UUID, true) },
		func() (Result, error) { return w.Edits().Dispute(t.Context(), m.UUID, "not so") },
		func() (Result, error) { return w.Edits().Confirm(t.Context(), m.UUID) },
	} {
		if r, err := step(); err != nil || !r.Accepted {
			t.Errorf("%+v, %v", r, err)
		}
	}
	h, err := w.Get(t.Context(), m.ShortID())
	if err != nil || h.Memory.Lineage.Version != 5 || !h.Memory.Pinned || h.Memory.Trust.VerifiedBy != "ada" || h.Memory.Trust.DisputedBy != "" {
		t.Errorf("%+v, %v", h.Memory, err)
	}
	if v, err := w.State().Versions().Of(t.Context(), m.UUID); err != nil || len(v) != 5 {
		t.Errorf("%d versions kept, %v", len(v), err)
	}
}

func TestForgetAndRestore(t *testing.T) {
	w := fixture(t)
	m := remember(t, w, Draft{What: "gone soon", Why: "because"})
	must.OK(t, w.Forgotten().Forget(t.Context(), m.ShortID()))
	if got := recallText(t, w, Query{}); got != "" {
		t.Errorf("still there: %s", got)
	}
	if err := w.Forgotten().Forget(t.Context(), m.UUID); !errors.Is(err, ErrNotFound) {
		t.Errorf("twice: %v", err)
	}
	r, err := w.Forgotten().Restore(t.Context(), m.ShortID())
	if err != nil || r.Memory.Lineage.ChangeKind != "restore" || r.Memory.Why != "because" {
		t.Errorf("%+v, %v", r.Memory, err)
	}
	if got := recallText(t, w, Query{}); got != "gone soon" {
		t.Errorf("recall: %s", got)
	}
}

func TestVanishedMemoriesAreRestorable(t *testing.T) {
	w := fixture(t)
	m := remember(t, w, Draft{What: "mine alone", Personal: true})
	shared := remember(t, w, Draft{What: "ours"})
	for _, x := range []*file.Memory{m, shared} {
		must.OK(t, os.Remove(filepath.Join(w.Place().MemoriesDir(), filepath.FromSlash(x.RelPath()))))
	}
	if got := recallText(t, w, Query{}); got != "" {
		t.Errorf("recall: %s", got)
	}
	list, err := w.State().Tombstones().List(t.Context())
	if err != nil || len(list) != 2 {
		t.Fatalf("%d tombstones, %v", len(list), err)
	}
	for _, x := range []*file.Memory{m, shared} {
		if _, err := w.Forgotten().Restore(t.Context(), x.UUID); err != nil {
			t.Fatal(err)
		}
		if got := recallText(t, w, Query{}); !strings.Contains(got, x.What) {
			t.Errorf("recall: %s", got)
		}
	}
}

func TestAdoptFollowsTheLineage(t *testing.T) {
	w := fixture(t)
	m := remember(t, w, Draft{What: "base"})
	adopt := func(x *file.Memory) Result {
		t.Helper()
		r, err := w.Adopt(t.Context(), x)
		must.OK(t, err)
		return r
	}
	if r := adopt(m.Clone()); !r.Deduped {
		t.Errorf("the same: %+v", r)
	}
	h, err := m.Hash()
	must.OK(t, err)
	child := m.Clone()
	child.What = "newer"
	child.Lineage = file.Lineage{Version: 2, Parent: h, ChangeKind: "edit"}
	if r := adopt(child); !r.Accepted || r.Deduped {
		t.Errorf("a descendant: %+v", r)
	}
	if r := adopt(m.Clone()); !r.Deduped {
		t.Errorf("an ancestor: %+v", r)
	}
	stranger := m.Clone()
	stranger.What = "from somewhere else"
	stranger.Lineage = file.Lineage{Version: 9, Parent: "sha256:ff", ChangeKind: "edit"}
	stranger.UpdatedAt = file.At(time.Now().Add(1000 * time.Hour))
	if r := adopt(stranger); r.Accepted || r.Code != "conflict" {
		t.Errorf("a newer one of no relation: %+v", r)
	}
	if got := recallText(t, w, Query{}); got != "newer" {
		t.Errorf("recall: %s", got)
	}
}

func TestSyncTellsSubscribers(t *testing.T) {
	w := fixture(t)
	other, _ := open(t, w.Root(), 2)
	told := 0
	cancel := w.Views().Subscribe(func() { told++ })
	sync := func() bool {
		t.Helper()
		changed, err := w.Sync(t.Context())
		must.OK(t, err)
		return changed
	}
	sync()
	if sync() || told != 1 {
		t.Errorf("told %d times of nothing new", told)
	}
	remember(t, other, Draft{What: "from another process"})
	if !sync() || told != 2 || len(w.View().All()) != 1 {
		t.Errorf("told %d times, %d memories", told, len(w.View().All()))
	}
	cancel()
	remember(t, other, Draft{What: "from another one again"})
	if !sync() || told != 2 {
		t.Errorf("told after cancel")
	}
}

func TestManyEditorsOfOneMemory(t *testing.T) {
	w := fixture(t)
	m := remember(t, w, Draft{What: "count", Tags: []string{"t"}})
	var wg sync.WaitGroup
	for i := range 3 {
		other, _ := open(t, w.Root(), uint64(10+i))
		wg.Go(func() {
			for j := range 5 {
				_, err := other.Edits().Change(t.Context(), m.UUID, func(m *file.Memory) error {
					m.Tags = append(m.Tags, fmt.Sprintf("w%d-%d", i, j))
					return nil
				}, "edit", "")
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	h, err := w.Get(t.Context(), m.UUID)
	if err != nil || len(h.Memory.Tags) != 16 || h.Memory.Lineage.Version != 16 {
		t.Errorf("%d tags, version %d, %v: an edit was lost", len(h.Memory.Tags), h.Memory.Lineage.Version, err)
	}
}

func TestWritesAreInTheJournal(t *testing.T) {
	w := fixture(t)
	remember(t, w, Draft{What: "one"})
	remember(t, w, Draft{What: "this is an agent's", Agent: true})
	if _, err := w.RememberAll(t.Context(), []Draft{{What: "two"}}); err != nil {
		t.Fatal(err)
	}
	days, err := filepath.Glob(filepath.Join(w.Place().StateDir(), "journal", "*.md"))
	if err != nil || len(days) != 1 {
		t.Fatalf("journal %v, %v", days, err)
	}
	data, err := os.ReadFile(days[0])
	if err != nil || strings.Count(string(data), "\n") != 2 || !strings.Contains(string(data), "by ada: one") || !strings.Contains(string(data), "by ada: two") {
		t.Errorf("journal %q, %v", data, err)
	}
}

func TestRememberAll(t *testing.T) {
	w := fixture(t)
	drafts := []Draft{
		{What: "first", Import: &file.ImportOrigin{File: "X", Line: 1, Key: "k1"}},
		{What: "second", Import: &file.ImportOrigin{File: "X", Line: 2, Key: "k2"}},
		{What: "first", Import: &file.ImportOrigin{File: "Y", Line: 1, Key: "k3"}},
		{What: "", Import: &file.ImportOrigin{File: "Y", Line: 2, Key: "k4"}},
	}
	for round := range 2 {
		r, err := w.RememberAll(t.Context(), drafts)
		must.OK(t, err)
		got := fmt.Sprint(r[0].Deduped, r[1].Deduped, r[2].Deduped, r[3].Accepted)
		if want := []string{"false false true false", "true true true false"}[round]; got != want {
			t.Errorf("round %d: %s, want %s", round, got, want)
		}
	}
	if got := recallText(t, w, Query{}); got != "second,first" {
		t.Errorf("recall: %s", got)
	}
}

func BenchmarkView10k(b *testing.B) {
	dir := filepath.Join(b.TempDir(), "repo")
	must.Mkdir(b, filepath.Join(dir, ".manicule/memories"))
	w, _ := open(b, dir, 1)
	var drafts []Draft
	for i := range 10_000 {
		drafts = append(drafts, Draft{What: fmt.Sprintf("memory %d", i), Scope: []string{fmt.Sprintf("src/m%d/**", i%300)}})
	}
	if _, err := w.RememberAll(b.Context(), drafts); err != nil {
		b.Fatal(err)
	}
	if _, err := w.Sync(b.Context()); err != nil {
		b.Fatal(err)
	}
	v := w.View()
	for b.Loop() {
		v.ForPath("src/m7/x/y.go", false)
	}
}

// TestOpenOnAFile has a file where the folder belongs.
func TestOpenOnAFile(t *testing.T) {
	dir := t.TempDir()
	must.Write(t, filepath.Join(dir, ".manicule"), "x")
	_, err := Open(Options{Secrets: full.Rules{}, MakeAnchor: anchoring.Make, Dir: dir})
	if u, ok := errors.AsType[*UserError](err); !ok || u.Hint != "Move it away." {
		t.Errorf("got %v", err)
	}
}

func TestSyncWithin(t *testing.T) {
	dir := fixture(t).Root()
	w, now := open(t, dir, 3)
	other, _ := open(t, dir, 4)
	m := remember(t, other, Draft{What: "before"})
	sync := func(want bool) {
		t.Helper()
		if changed, err := w.SyncWithin(t.Context(), time.Second); err != nil || changed != want {
			t.Errorf("changed %v, %v, want %v", changed, err, want)
		}
	}
	sync(true)
	sync(false)
	remember(t, other, Draft{What: "a new file is seen at once"})
	sync(true)
	h, err := other.Get(t.Context(), m.UUID)
	must.OK(t, err)
	text := must.Read(t, h.Path)
	must.Write(t, h.Path, bytes.Replace(text, []byte("before"), []byte("by hand"), 1))
	sync(false)
	now.mu.Lock()
	now.at = now.at.Add(time.Second)
	now.mu.Unlock()
	sync(true)
	if got, ok := w.View().Get(m.UUID); !ok || got.Memory.What != "by hand" {
		t.Errorf("%+v", got.Memory)
	}
}

// TestScopeNamesAnAnchor: a place that a scope names is an anchor, once.
func TestScopeNamesAnAnchor(t *testing.T) {
	w := fixture(t)
	symbol, lines := "src/auth/token.go#Validate", "src/auth/token.go:4-6"
	m := remember(t, w, Draft{What: "an empty token is no error", Type: file.Gotcha, At: []string{symbol}, Scope: []string{symbol, lines}})
	if len(m.Anchors) != 2 || m.Scope != nil {
		t.Errorf("%d anchors, scope %q", len(m.Anchors), m.Scope)
	}
	r, err := w.Edits().Change(t.Context(), m.UUID, func(m *file.Memory) error {
		m.Why, m.Scope = "callers rely on it", []string{symbol, lines}
		return nil
	}, "edit", "")
	if err != nil || !r.Accepted || len(r.Memory.Anchors) != 2 || r.Memory.Scope != nil {
		t.Errorf("after an edit: %+v, %v", r, err)
	}
	d, err := w.Remember(t.Context(), Draft{What: "Validate takes a token of any length", Type: file.Gotcha, Scope: []string{"src/**"}, Agent: true, Tool: "x"})
	if err != nil || !d.Draft {
		t.Fatalf("%+v, %v", d, err)
	}
	r, err = w.Drafts().Rewrite(t.Context(), d.Memory.UUID, func(m *file.Memory) error { m.Scope = []string{symbol}; return nil })
	if err != nil || !r.Accepted || len(r.Memory.Anchors) != 1 || r.Memory.Scope != nil {
		t.Errorf("a rewritten draft: %+v, %v", r, err)
	}
}
