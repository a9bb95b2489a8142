package search_test

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"manicule/indexer/anchoring"
	codeindex "manicule/indexer/code"
	"manicule/indexer/graph"
	"manicule/indexer/must"
	"manicule/indexer/words"
	"manicule/indexer/workspace"
	"manicule/memory"
	"manicule/memory/embed"
	"manicule/memory/file"
	"manicule/memory/retrieve"
	"manicule/memory/search"
	"manicule/memory/secret/full"
	"manicule/memory/store"
)

// bag is an embedder whose meaning of a text is its words: enough to tell texts
// apart without a model. The real ones are tested in memory/embed.
type bag struct{ asked int }

func (b *bag) Info() embed.Info { return embed.Info{Model: "bag", Dims: 64, Backend: "test"} }
func (b *bag) Close() error     { return nil }
func (b *bag) Embed(_ context.Context, texts []string) ([][]float32, error) {
	b.asked += len(texts)
	out := make([][]float32, len(texts))
	for i, t := range texts {
		v := make([]float32, 64)
		for _, w := range words.Terms(t) {
			h := fnv.New32a()
			_, _ = h.Write([]byte(w)) // never fails
			v[h.Sum32()%64]++
		}
		sum := 0.0
		for _, x := range v {
			sum += float64(x * x)
		}
		for k := range v {
			v[k] /= float32(math.Sqrt(max(sum, 1e-9)))
		}
		out[i] = v
	}
	return out, nil
}

// project is a workspace with some code and memories.
type project struct {
	*memory.Workspace
	index *graph.Index
	model *embed.Service
	bag   *bag
	now   time.Time
}

func newProject(t *testing.T, files map[string]string) *project {
	t.Helper()
	return projectIn(t, t.TempDir(), files)
}

func projectIn(t *testing.T, dir string, files map[string]string) *project {
	t.Helper()
	root := filepath.Join(dir, "root")
	for name, text := range files {
		p := filepath.Join(root, name)
		must.Write(t, p, text)
	}
	must.Mkdir(t, filepath.Join(root, workspace.Folder))
	env := workspace.Env{Random: strings.NewReader(strings.Repeat("0123456789abcdef", 100)), Getenv: func(name string) string {
		if strings.HasPrefix(name, "XDG_") || name == "HOME" {
			return filepath.Join(dir, name)
		}
		return ""
	}}
	p := &project{bag: &bag{}, now: time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)}
	w, err := memory.Open(memory.Options{Secrets: full.Rules{}, MakeAnchor: anchoring.Make, Dir: root, Env: env, User: "Ada", Now: func() time.Time { return p.now }})
	must.OK(t, err)
	p.Workspace = w
	p.index = graph.Open(graph.Options{Root: w.Root(), Dir: w.Place().CacheDir()})
	p.model = embed.New(embed.Options{Open: []embed.Opener{func(context.Context) (embed.Embedder, error) { return p.bag, nil }}, Idle: time.Hour, Clock: embed.System()})
	t.Cleanup(func() {
		if err := errors.Join(p.model.Close(), p.index.Close(), w.Close()); err != nil {
			t.Error(err)
		}
	})
	if _, err := p.index.Sync(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	return p
}

func (p *project) remember(t *testing.T, d memory.Draft) string {
	t.Helper()
	d.Origin, d.Confidence = file.UserTaught, 1
	r, err := p.Remember(t.Context(), d)
	if err != nil || !r.Accepted {
		t.Fatalf("%+v, %v", r, err)
	}
	return r.Memory.UUID
}

func (p *project) searcher(t *testing.T, o search.Options) *search.Searcher {
	t.Helper()
	o.Workspace = p.Workspace
	s := search.New(o)
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func what(p *project, a search.Answer) string {
	var out []string
	for _, r := range a.Results {
		h, _ := p.View().Get(r.ID)
		out = append(out, h.Memory.What)
	}
	return strings.Join(out, "; ")
}

func ask(t *testing.T, s *search.Searcher, q search.Question) search.Answer {
	t.Helper()
	if q.Limit == 0 {
		q.Limit = 10
	}
	q.Explicit = true
	a, err := s.Memories(t.Context(), q)
	must.OK(t, err)
	return a
}

// code is two packages, of which one uses the other.
func code() map[string]string {
	return map[string]string{
		"go.mod":          "module shop\n\ngo 1.25\n",
		"README.md":       "# Shop\n\n## Input/Output\n\nWhat comes in\nand goes out\nof the shop\nis said here.\n\n## Tests\n\nHow to\nrun the tests\nof all parts\nof it.\n",
		"store/store.go":  "package store\n\n// Load reads a user.\nfunc Load(id string) string {\n\treturn id\n}\n\n// Save keeps a user for later.\nfunc Save(id string) {\n\t_ = id\n}\n",
		"auth/session.go": "package auth\n\nimport \"shop/store\"\n\n// Refresh renews a session token before it expires.\nfunc Refresh(id string) string {\n\treturn store.Load(id)\n}\n",
	}
}

func TestMemories(t *testing.T) {
	p := newProject(t, code())
	ids := map[string]string{}
	for name, d := range map[string]memory.Draft{
		"redis":  {Type: file.Gotcha, What: "Token refresh fails silently when Redis is down", Scope: []string{"auth/**"}},
		"store":  {Type: file.Decision, What: "Users are kept in one table", At: []string{"store/store.go#Load"}},
		"style":  {Type: file.Convention, What: "Errors are wrapped with the act and the object"},
		"tagged": {Type: file.Gotcha, What: "The cache of prices is never emptied", Tags: []string{"cache"}},
	} {
		ids[name] = p.remember(t, d)
	}
	s := p.searcher(t, search.Options{Model: p.model, Graph: p.index.Ask})
	if got := what(p, ask(t, s, search.Question{Text: "refresh of tokens"})); !strings.HasPrefix(got, "Token refresh") {
		t.Errorf("found %s", got)
	}
	// A symbol of the code leads to the memories about its file.
	a := ask(t, s, search.Question{Text: "auth/session.go"})
	if got := what(p, a); !strings.HasPrefix(got, "Token refresh") || a.Index.Graph != "ready" {
		t.Errorf("by a path: %s, %+v", got, a.Index)
	}
	a = ask(t, s, search.Question{Text: "store.Load"})
	if got := what(p, a); !strings.HasPrefix(got, "Users are kept in one table") {
		t.Errorf("by a symbol: %s", got)
	}
	// Filters.
	for name, c := range map[string]struct {
		f    search.Filter
		want string
	}{
		"type":   {search.Filter{Types: []file.Type{file.Decision}}, "store"},
		"tag":    {search.Filter{Tags: []string{"cache"}}, "tagged"},
		"module": {search.Filter{Modules: []string{"auth"}}, "redis"},
		"own":    {search.Filter{Allow: func(m *file.Memory) bool { return m.UUID == ids["style"] }}, "style"},
	} {
		a := ask(t, s, search.Question{Text: "token users errors cache wrapped prices table refresh", Filter: c.f})
		if len(a.Results) != 1 || a.Results[0].ID != ids[c.want] {
			t.Errorf("%s: %s", name, what(p, a))
		}
	}
	a = ask(t, s, search.Question{Text: "users errors refresh", Filter: search.Filter{Files: []string{"store/store.go"}}})
	if got := what(p, a); strings.Contains(got, "Token") || !strings.Contains(got, "Users") || !strings.Contains(got, "Errors") {
		t.Errorf("of a file: %s", got)
	}
	// A memory that another supersedes is gone.
	p.remember(t, memory.Draft{Type: file.Gotcha, What: "Token refresh is retried since May", Relations: []file.Relation{{Type: "supersedes", Memory: ids["redis"]}}})
	if got := what(p, ask(t, s, search.Question{Text: "refresh of tokens"})); strings.Contains(got, "Redis") {
		t.Errorf("a superseded one: %s", got)
	}
}

// TestSelect: an author, a state and an age select before the limit, so that as many are found as were
// asked for.
func TestSelect(t *testing.T) {
	p := newProject(t, code())
	var mine []string
	for i := range 40 {
		id := p.remember(t, memory.Draft{Type: file.Gotcha, What: fmt.Sprintf("The cache of prices in region%d is never emptied by job%d", i, i), Origin: file.UserTaught})
		if i%8 == 7 {
			mine = append(mine, id)
		}
	}
	for _, id := range mine {
		if r, err := p.Edits().Dispute(t.Context(), id, "it is"); err != nil || !r.Accepted {
			t.Fatal(r, err)
		}
	}
	s := p.searcher(t, search.Options{Model: p.model})
	for name, c := range map[string]struct {
		f    search.Filter
		want int
	}{
		"state":      {search.Filter{State: "disputed"}, len(mine)},
		"not":        {search.Filter{State: "verified"}, 0},
		"author":     {search.Filter{Author: "nobody at all"}, 0},
		"old":        {search.Filter{Older: 24 * time.Hour}, 0},
		"new":        {search.Filter{State: "disputed", Newer: 24 * time.Hour}, len(mine)},
		"way":        {search.Filter{Methodology: file.Native, State: "disputed"}, len(mine)},
		"another":    {search.Filter{Methodology: file.TestFirst}, 0},
		"everything": {search.Filter{Newer: 24 * time.Hour}, 5},
	} {
		for _, lexical := range []bool{false, true} {
			a := ask(t, s, search.Question{Text: "cache of prices emptied", Limit: 5, Filter: c.f, Lexical: lexical})
			if len(a.Results) != c.want {
				t.Errorf("%s: %d results, want %d", name, len(a.Results), c.want)
			}
			for _, r := range a.Results {
				if c.f.State == "disputed" && !slices.Contains(mine, r.ID) {
					t.Errorf("%s: found %s", name, r.ID)
				}
			}
		}
	}
}

// TestVectorsAreKept: what was embedded once is not embedded again, by this
// process or the next.
func TestVectorsAreKept(t *testing.T) {
	p := newProject(t, code())
	var drafts []memory.Draft
	for i := range 600 {
		drafts = append(drafts, memory.Draft{Type: file.Gotcha, What: fmt.Sprintf("Lesson number %d about topic%d", i, i), Origin: file.UserTaught})
	}
	if _, err := p.RememberAll(t.Context(), drafts); err != nil {
		t.Fatal(err)
	}
	s := search.New(search.Options{Workspace: p.Workspace, Model: p.model})
	a := ask(t, s, search.Question{Text: "topic77"})
	if a.Index.Unread != 600 || a.Index.Vectors != 0 {
		t.Errorf("before: %+v", a.Index)
	}
	if r, err := s.EmbedMemories(t.Context(), nil); err != nil || r.Made != 600 {
		t.Fatalf("%+v, %v", r, err)
	}
	if a = ask(t, s, search.Question{Text: "topic77"}); a.Index.Unread != 0 || a.Index.Vectors != 600 || a.Index.Model != "bag" {
		t.Errorf("after: %+v", a.Index)
	}
	p.remember(t, memory.Draft{Type: file.Gotcha, What: "A new lesson about zebras"})
	if a = ask(t, s, search.Question{Text: "zebras"}); a.Index.Vectors != 601 || !strings.Contains(what(p, a), "zebras") {
		t.Errorf("a new one: %+v, %s", a.Index, what(p, a))
	}
	must.OK(t, s.Close())
	if _, err := os.Stat(filepath.Join(p.Place().CacheDir(), "memories.vectors")); err != nil {
		t.Errorf("the vectors are not kept as they lie in memory: %v", err)
	}
	asked := p.bag.asked
	next := p.searcher(t, search.Options{Model: p.model})
	if a = ask(t, next, search.Question{Text: "topic77"}); a.Index.Vectors != 601 || p.bag.asked != asked+1 {
		t.Errorf("the next process embeds %d texts: %+v", p.bag.asked-asked, a.Index)
	}
}

// TestVectorsThatNobodyUsed go 60 days after their memory did; that of a memory that is there is used each time.
func TestVectorsThatNobodyUsed(t *testing.T) {
	p := newProject(t, code())
	p.remember(t, memory.Draft{Type: file.Gotcha, What: "Zebras sleep in the cage"})
	gone := p.remember(t, memory.Draft{Type: file.Gotcha, What: "Tokens run out at noon"})
	day := 24 * time.Hour
	for _, step := range []struct {
		after time.Duration
		left  int
	}{{0, 2}, {59 * day, 2}, {2 * day, 1}, {90 * day, 1}} {
		p.now = p.now.Add(step.after)
		s := search.New(search.Options{Workspace: p.Workspace, Model: p.model, Expect: p.bag.Info})
		_, err := s.EmbedMemories(t.Context(), nil)
		must.OK(t, errors.Join(err, s.Close()))
		if p.bag.asked != 2 {
			t.Errorf("%v later %d texts were embedded, want each once", step.after, p.bag.asked)
		}
		v, err := store.OpenVectors(t.Context(), p.Place().VectorsDir(), p.Now)
		must.OK(t, err)
		counts, err := v.Counts(t.Context())
		if err := errors.Join(err, v.Close()); err != nil || len(counts) != 1 || counts[0].N != step.left {
			t.Errorf("%v later: %+v, %v; want %d", step.after, counts, err, step.left)
		}
		if step.after == 0 {
			must.OK(t, p.Forgotten().Forget(t.Context(), gone))
		}
	}
}

// TestWithoutModel: words and structure answer alone.
func TestWithoutModel(t *testing.T) {
	p := newProject(t, code())
	p.remember(t, memory.Draft{Type: file.Gotcha, What: "Prices are rounded twice"})
	none := embed.New(embed.Options{Idle: time.Hour, Clock: embed.System()})
	t.Cleanup(func() {
		if err := none.Close(); err != nil {
			t.Error(err)
		}
	})
	s := p.searcher(t, search.Options{Model: none})
	a := ask(t, s, search.Question{Text: "rounded prices"})
	if what(p, a) != "Prices are rounded twice" || a.Meaning || a.Fault != "" || a.Index.Graph != "not asked" {
		t.Errorf("%+v", a)
	}
	if a = ask(t, s, search.Question{Text: "store/store.go"}); a.Index.Graph != "not there" {
		t.Errorf("%+v", a.Index)
	}
}

// history is what a test says of a file.
type history map[string]float64

func (h history) Volatility(path string) float64 {
	if v, ok := h[path]; ok {
		return v
	}
	return -1
}
func (h history) ChangedSince(_, path string) bool { return h[path] > 0 }
func (h history) Modified(string) time.Time        { return time.Time{} }

// TestVolatility: of two that fit alike, the one about restless code comes
// after the one about code that rests.
func TestVolatility(t *testing.T) {
	p := newProject(t, code())
	restless := p.remember(t, memory.Draft{Type: file.Gotcha, What: "Lesson about alpha", Scope: []string{"store/store.go"}})
	calm := p.remember(t, memory.Draft{Type: file.Gotcha, What: "Lesson about omega", Scope: []string{"auth/session.go"}})
	p.now = p.now.Add(30 * 24 * time.Hour)
	s := p.searcher(t, search.Options{History: history{"store/store.go": 2, "auth/session.go": 0}})
	a := ask(t, s, search.Question{Text: "lesson"})
	i := slices.IndexFunc(a.Results, func(r retrieve.Result) bool { return r.ID == restless })
	j := slices.IndexFunc(a.Results, func(r retrieve.Result) bool { return r.ID == calm })
	if i < 0 || j < 0 || a.Results[i].Parts.Recency > .01 || a.Results[j].Parts.Recency != 1 {
		t.Errorf("%+v", a.Results)
	}
}

// A folder's pieces are found where a thousand others fit better.
func TestCodeOfAFolder(t *testing.T) {
	files := code()
	var b strings.Builder
	b.WriteString("package many\n")
	for i := range 1100 {
		fmt.Fprintf(&b, "\n// Renew%d renews the session token.\nfunc Renew%d() {}\n", i, i)
	}
	files["many/many.go"] = b.String()
	files["few/few.go"] = "package few\n\n// Late says when a token is too old to be of use to anybody who has it, however it was made.\nfunc Late() {}\n"
	p := newProject(t, files)
	s := p.searcher(t, search.Options{Model: p.model, Graph: p.index.Ask, Index: p.index, Expect: p.bag.Info})
	must.OK(t, s.SyncCode(t.Context(), nil))
	for _, embedded := range []bool{false, true} {
		if embedded {
			if _, err := s.EmbedCode(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
		}
		q := search.Question{Text: "renew the session token", Limit: 3, Explicit: true, Filter: search.Filter{Modules: []string{"few"}}}
		a, pieces, err := s.Code(t.Context(), q)
		must.OK(t, err)
		if a.Meaning != embedded || len(pieces) == 0 || pieces[0].File != "few/few.go" {
			t.Errorf("with vectors %t: %v, %+v", embedded, pieces, a.Legs)
		}
	}
}

// TestCodeReranked: late interaction reads what is embedded of a piece, and decides a share; a cross-encoder reads the whole.
func TestCodeReranked(t *testing.T) {
	files := code()
	files["auth/long.go"] = "package auth\n\n// RenewLater renews a session token when it is time.\nfunc RenewLater(userName string) {\n" + strings.Repeat("\tRefresh(userName)\n", 40) + "}\n"
	p := newProject(t, files)
	var read []string
	o := search.Options{Graph: p.index.Ask, Index: p.index, Rerank: func(_ context.Context, _ string, texts []string) ([]float64, error) {
		read = texts
		out := make([]float64, len(texts))
		for i, s := range texts {
			if strings.Contains(s, "when it is time") {
				out[i] = 1
			}
		}
		return out, nil
	}}
	for _, share := range []float64{0, 1} {
		o.RerankShare = share
		s := p.searcher(t, o)
		must.OK(t, s.SyncCode(t.Context(), nil))
		_, pieces, err := s.Code(t.Context(), search.Question{Text: "renew the session token", Limit: 5, Explicit: true})
		if err != nil || len(pieces) == 0 || pieces[0].Symbol != "RenewLater" {
			t.Fatalf("share %.0f: %+v, %v", share, pieces, err)
		}
		repeated := slices.ContainsFunc(read, func(s string) bool { return strings.Count(s, "Refresh(userName)") == 40 })
		split := slices.ContainsFunc(read, func(s string) bool { return strings.Contains(s, "user Name") })
		if repeated == (share > 0) || split == (share == 0) {
			t.Errorf("share %.0f: it reads %q", share, read)
		}
	}
}

func TestCode(t *testing.T) {
	p := newProject(t, code())
	s := p.searcher(t, search.Options{Model: p.model, Graph: p.index.Ask, Index: p.index, Expect: p.bag.Info})
	must.OK(t, s.SyncCode(t.Context(), nil))
	find := func(q search.Question) (string, search.Answer) {
		t.Helper()
		q.Limit, q.Explicit = 5, true
		a, pieces, err := s.Code(t.Context(), q)
		must.OK(t, err)
		var out []string
		for _, x := range pieces {
			out = append(out, fmt.Sprintf("%s:%d %s", x.File, x.Line, x.Symbol))
		}
		return strings.Join(out, "; "), a
	}
	got, a := find(search.Question{Text: "renew the session token"})
	if !strings.HasPrefix(got, "auth/session.go:5 Refresh") || a.Meaning || a.Fault != "" {
		t.Errorf("by words: %s, %+v", got, a.Legs)
	}
	if r, err := s.EmbedCode(t.Context(), nil); err != nil || r.Made == 0 {
		t.Fatalf("%+v, %v", r, err)
	}
	if got, a = find(search.Question{Text: "renew the session token"}); !a.Meaning || a.Index.Unread != 0 || !strings.HasPrefix(got, "auth/session.go:5 Refresh") {
		t.Errorf("by both: %s, %+v", got, a.Index)
	}
	if got, _ = find(search.Question{Text: "store.Save"}); !strings.HasPrefix(got, "store/store.go:8 Save") {
		t.Errorf("by a symbol: %s", got)
	}
	if got, a = find(search.Question{Text: "renew the session token as on FreeBSD"}); a.Kind != retrieve.Semantic || !strings.HasPrefix(got, "auth/session.go:5 Refresh") ||
		!slices.ContainsFunc(a.Legs, func(l retrieve.LegReport) bool { return l.Name == retrieve.ByHead }) {
		t.Errorf("a name in a sentence: %s, %s, %+v", got, a.Kind, a.Legs)
	}
	if got, _ = find(search.Question{Text: "a user", Filter: search.Filter{Modules: []string{"auth"}}}); strings.Contains(got, "store/") {
		t.Errorf("of a module: %s", got)
	}
	if got, _ = find(search.Question{Text: "what does README.md say"}); !strings.Contains(got, "README.md") {
		t.Errorf("of a file with a heading that has a slash: %s", got)
	}
	// What changed is found as it is now.
	must.Write(t, filepath.Join(p.Root(), "auth/session.go"), "package auth\n\n// Zebra counts stripes.\nfunc Zebra() int {\n\treturn 1\n}\n")
	if _, err := p.index.Sync(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	must.OK(t, s.SyncCode(t.Context(), nil))
	if got, _ = find(search.Question{Text: "count stripes"}); !strings.HasPrefix(got, "auth/session.go:3 Zebra") {
		t.Errorf("after a change: %s", got)
	}
	if got, _ = find(search.Question{Text: "renew the session token"}); strings.Contains(got, "Refresh") {
		t.Errorf("what is gone: %s", got)
	}
}

// TestCodeVectorsOfAnotherProcess: a server whose search says that vectors are missing finds them once the command that
// it names has made them.
func TestCodeVectorsOfAnotherProcess(t *testing.T) {
	p := newProject(t, code())
	o := search.Options{Model: p.model, Graph: p.index.Ask, Index: p.index, Expect: p.bag.Info}
	server, command := p.searcher(t, o), p.searcher(t, o)
	q := search.Question{Text: "renew the session token", Limit: 5, Explicit: true}
	must.OK(t, server.SyncCode(t.Context(), nil))
	if a, _, err := server.Code(t.Context(), q); err != nil || a.Meaning || a.Index.Vectors != 0 {
		t.Fatalf("before: %+v, %v", a.Index, err)
	}
	if r, err := command.EmbedCode(t.Context(), nil); err != nil || r.Made == 0 {
		t.Fatalf("%+v, %v", r, err)
	}
	if a, _, err := server.Code(t.Context(), q); err != nil || !a.Meaning || a.Index.Unread != 0 {
		t.Errorf("after: %+v, %v", a.Index, err)
	}
	// What another process indexes meanwhile is found by its meaning, too.
	must.Write(t, filepath.Join(p.Root(), "auth/session.go"), "package auth\n\n// Zebra counts stripes.\nfunc Zebra() int {\n\treturn 1\n}\n")
	if _, err := p.index.Sync(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	must.OK(t, command.SyncCode(t.Context(), nil))
	if _, err := command.EmbedCode(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if err := server.SyncCode(t.Context(), nil); err != nil { // there is nothing to do
		t.Fatal(err)
	}
	q.Text = "count stripes"
	own, _, err := server.Code(t.Context(), q)
	must.OK(t, err)
	fresh, _, err := p.searcher(t, o).Code(t.Context(), q)
	if err != nil || len(own.Results) == 0 || !slices.EqualFunc(own.Results, fresh.Results, func(a, b retrieve.Result) bool { return a.ID == b.ID && a.Score == b.Score }) {
		t.Errorf("the server finds %+v, one that was started now %+v: %v", own.Results, fresh.Results, err)
	}
}

// TestCodeReadsParts: a question that names a symbol reads its part of the code graph, and not all of it.
func TestCodeReadsParts(t *testing.T) {
	p := newProject(t, code())
	s := p.searcher(t, search.Options{Graph: p.index.Ask, Index: p.index})
	must.OK(t, s.SyncCode(t.Context(), nil))
	p.index.Release(0)
	a, _, err := s.Code(t.Context(), search.Question{Text: "RefreshToken", Limit: 5, Explicit: true})
	if err != nil || a.Index.Graph != "ready" {
		t.Fatalf("the graph is %q: %v", a.Index.Graph, err)
	}
	if p.index.Loaded() {
		t.Error("the whole graph was loaded")
	}
}

// TestDamagedCode: a damaged keyword index is made anew, by a process that opens it and by one that has it open.
func TestDamagedCode(t *testing.T) {
	p := newProject(t, code())
	o := search.Options{Graph: p.index.Ask, Index: p.index}
	q := search.Question{Text: "renew the session token", Limit: 5, Explicit: true}
	first := p.searcher(t, o)
	must.OK(t, first.SyncCode(t.Context(), nil))
	if err := first.Close(); err != nil { // the journal goes into the file
		t.Fatal(err)
	}
	names, err := filepath.Glob(filepath.Join(p.Place().CacheDir(), "code.v*.db"))
	if err != nil || len(names) != 1 {
		t.Fatal(names, err)
	}
	data := must.Read(t, names[0])
	for at := 4096; at+3000 < len(data); at += 4096 { // the schema stays
		copy(data[at:], slices.Repeat([]byte{0xff}, 3000))
	}
	must.Write(t, names[0], data)
	server, command := p.searcher(t, o), p.searcher(t, o)
	for _, s := range []*search.Searcher{server, command, server} {
		if a, _, err := s.Code(t.Context(), q); err != nil || len(a.Results) == 0 {
			t.Errorf("%d results: %v", len(a.Results), err)
		}
		if err := s.SyncCode(t.Context(), nil); err != nil {
			t.Error(err)
		}
	}
}

// deletes is a graph on whose first reads somebody deletes the cache folder.
type deletes struct {
	*graph.Index
	dir   string
	times int
}

func (d *deletes) Files(ctx context.Context) ([]graph.File, error) {
	if d.times--; d.times >= 0 {
		if err := os.RemoveAll(d.dir); err != nil {
			return nil, err
		}
	}
	return d.Index.Files(ctx)
}

// TestDeletedCode: a search finds what is new after the cache folder was deleted, also if that goes on meanwhile.
func TestDeletedCode(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("what is open can't be deleted")
	}
	p := newProject(t, code())
	g := &deletes{Index: p.index, dir: p.Place().CacheDir()}
	s := p.searcher(t, search.Options{Graph: p.index.Ask, Index: g})
	must.OK(t, s.SyncCode(t.Context(), nil))
	must.Write(t, filepath.Join(p.Root(), "later.go"), "package shop\n\n// Defragment compacts the ledger.\nfunc Defragment() {}\n")
	if _, err := p.index.Sync(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	g.times = 3 // of a synchronization that looks twice, the second begins anew, too
	must.OK(t, s.SyncCode(t.Context(), nil))
	_, found, err := s.Code(t.Context(), search.Question{Text: "defragment the ledger", Limit: 5, Explicit: true})
	if err != nil || !slices.ContainsFunc(found, func(x codeindex.Piece) bool { return x.Symbol == "Defragment" }) {
		t.Errorf("%+v, %v", found, err)
	}
}

// TestEarlierSchemas: the graph and the index of an earlier version go when this version's are complete.
func TestEarlierSchemas(t *testing.T) {
	p := newProject(t, code())
	dir := p.Place().CacheDir()
	old := []string{filepath.Join(dir, "code.v1.db"), filepath.Join(dir, "graph.v1.x.db"), filepath.Join(dir, "graph.v1.current")}
	at := time.Now().AddDate(-1, 0, 0)
	for _, name := range old {
		must.Write(t, name, "")
		must.OK(t, os.Chtimes(name, at, at))
	}
	ix := graph.Open(graph.Options{Root: p.Root(), Dir: dir})
	if _, err := ix.Sync(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	must.OK(t, ix.Close())
	must.OK(t, p.searcher(t, search.Options{Graph: p.index.Ask, Index: p.index}).SyncCode(t.Context(), nil))
	for _, name := range old {
		if _, err := os.Stat(name); err == nil {
			t.Errorf("%s is left", filepath.Base(name))
		}
	}
}
