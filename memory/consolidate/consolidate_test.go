package consolidate

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"manicule/indexer/anchor"
	"manicule/indexer/must"
	"manicule/indexer/workspace"
	"manicule/memory"
	"manicule/memory/embed"
	"manicule/memory/file"
	"manicule/memory/gate"
	"manicule/memory/restate"
	"manicule/memory/secret/full"
	"manicule/memory/store"
)

// bag is an embedder whose vector counts the words of a text: texts are near that
// share most of them.
type bag struct{ step func() error }

func (bag) Info() embed.Info { return embed.Info{Model: "bag", Dims: 512, Backend: "test"} }

func (b bag) Embed(_ context.Context, texts []string) ([][]float32, error) {
	if b.step != nil {
		if err := b.step(); err != nil {
			return nil, err
		}
	}
	out := make([][]float32, len(texts))
	for i, t := range texts {
		out[i] = make([]float32, 512)
		for _, w := range restate.Read(t).Words {
			h := fnv.New32()
			_, _ = h.Write([]byte(w)) // never fails
			out[i][h.Sum32()%512]++
		}
		unit(out[i])
	}
	return out, nil
}

func (bag) Close() error { return nil }

func model(t testing.TB, open ...embed.Opener) *embed.Service {
	t.Helper()
	if open == nil {
		open = []embed.Opener{func(context.Context) (embed.Embedder, error) { return bag{}, nil }}
	}
	s := embed.New(embed.Options{Open: open, Idle: time.Minute, Retry: time.Minute, Clock: embed.System()})
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func expect() embed.Info { return bag{}.Info() }

// now is the time in all tests.
func now() time.Time { return time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC) }

func openIn(t testing.TB, base string) *memory.Workspace {
	t.Helper()
	homes := map[string]string{"HOME": filepath.Join(base, "home")}
	for _, name := range []string{"XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"} {
		homes[name] = filepath.Join(base, "home", name)
	}
	root := filepath.Join(base, "w")
	must.Mkdir(t, filepath.Join(root, ".manicule", "memories"))
	w, err := memory.Open(memory.Options{Secrets: full.Rules{}, Dir: root, Env: workspace.Env{Getenv: func(n string) string { return homes[n] }}, Now: now, User: "ada"})
	must.OK(t, err)
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	return w
}

// put writes memories as files: what is not said is as Remember would have it.
func put(t testing.TB, w *memory.Workspace, list ...*file.Memory) {
	t.Helper()
	for i, m := range list {
		fill(m, i, len(list))
		if _, err := file.Write(w.Place().MemoriesDir(), m); err != nil {
			t.Fatal(err)
		}
	}
}

// fill completes memory i of n.
func fill(m *file.Memory, i, n int) {
	m.Format = file.Format
	m.UUID = cmp.Or(m.UUID, fmt.Sprintf("0198f0c2-7a41-7c3e-9d7a-%012d", i+1))
	m.Type = cmp.Or(m.Type, file.Gotcha)
	m.Layer = cmp.Or(m.Layer, m.Type.DefaultLayer(m.Scope != nil || len(m.Anchors) > 0))
	m.Visibility = cmp.Or(m.Visibility, file.Project)
	m.Importance = cmp.Or(m.Importance, file.Medium)
	m.Trust.Origin = cmp.Or(m.Trust.Origin, file.UserTaught)
	if m.Lineage.Version == 0 {
		m.Lineage = file.Lineage{Version: 1, ChangeKind: "create"}
	}
	if m.CreatedAt.IsZero() {
		m.CreatedAt = file.At(now().Add(-time.Duration(n-i) * time.Hour))
	}
	m.UpdatedAt = m.CreatedAt
}

func find(t testing.TB, w *memory.Workspace, o Options) Report {
	t.Helper()
	o.Workspace = w
	r, err := New(o).Find(t.Context(), nil)
	must.OK(t, err)
	return r
}

const (
	refresh  = "Token refresh fails silently when the cache server is unreachable"
	refresh2 = "Token refresh fails silently when the cache server is down and unreachable"
	refresh3 = "The token refresh silently fails when the cache server is unreachable"
)

func TestWhatIsTheSame(t *testing.T) {
	at := func(path, symbol string) []anchor.Anchor {
		return []anchor.Anchor{{Kind: anchor.KindSymbol, Path: path, Symbol: symbol}}
	}
	disputed := file.Trust{Origin: file.UserTaught, DisputedBy: "bob"}
	tests := []struct {
		name  string
		a, b  *file.Memory
		same  bool
		says  string // a reason in the report
		apart bool   // of pairs, else of memories
	}{
		{"a paraphrase", &file.Memory{What: refresh}, &file.Memory{What: refresh2}, true, "", false},
		{"the same text twice", &file.Memory{What: refresh, Tags: []string{"a"}}, &file.Memory{What: refresh, Tags: []string{"b"}}, true, "", false},
		{"another kind", &file.Memory{What: refresh}, &file.Memory{What: refresh2, Type: file.DeadEnd}, false, "", false},
		{"another module", &file.Memory{What: refresh, Scope: file.Scope{"src/a/**"}}, &file.Memory{What: refresh, Scope: file.Scope{"src/b/**"}}, false, "", false},
		{"one of the whole project", &file.Memory{What: refresh, Scope: file.Scope{"**"}}, &file.Memory{What: refresh}, false, "", false},
		{"a file and its folder", &file.Memory{What: refresh, Scope: file.Scope{"src/a/**"}}, &file.Memory{What: refresh, Scope: file.Scope{"src/a/x.go"}}, true, "", false},
		{"others leave out", &file.Memory{What: refresh, Scope: file.Scope{"src/a/**", "!src/a/x.go"}}, &file.Memory{What: refresh, Scope: file.Scope{"src/a/**"}}, false, "", false},
		{"a personal one", &file.Memory{What: refresh}, &file.Memory{What: refresh, Visibility: file.Personal}, false, "", false},
		{"one that may repeat a stranger's text", &file.Memory{What: refresh}, &file.Memory{What: refresh, Trust: file.Trust{Origin: file.UserTaught, Tainted: true}}, false, "", false},
		{"a verified one that may repeat a stranger's text", &file.Memory{What: refresh, Trust: file.Trust{Origin: file.UserTaught, Tainted: true, VerifiedBy: "bob"}},
			&file.Memory{What: refresh, Why: "a stranger says so", Trust: file.Trust{Origin: file.UserTaught, Tainted: true}}, false, "", false},
		{"two that may repeat a stranger's text", &file.Memory{What: refresh, Trust: file.Trust{Origin: file.UserTaught, Tainted: true}},
			&file.Memory{What: refresh2, Trust: file.Trust{Origin: file.UserTaught, Tainted: true}}, true, "", false},
		{"another owner", &file.Memory{What: refresh}, &file.Memory{What: refresh, Owner: &file.Owner{Kind: "agent", ID: "x"}}, false, "", false},
		{"the same function", &file.Memory{What: refresh, Anchors: at("a/x.go", "T")}, &file.Memory{What: refresh2, Anchors: at("a/x.go", "T.M")}, true, "", false},
		{"another function", &file.Memory{What: refresh, Anchors: at("a/x.go", "T")}, &file.Memory{What: refresh2, Anchors: at("a/x.go", "U")}, false, "tied to other code", true},
		{"a negation", &file.Memory{What: refresh}, &file.Memory{What: "Token refresh never fails silently when the cache server is unreachable"}, false, "", false},
		{"another number", &file.Memory{What: refresh + " for 30 s"}, &file.Memory{What: refresh + " for 60 s"}, false, "", false},
		{"the same number, written otherwise", &file.Memory{What: refresh + " for 30s"}, &file.Memory{What: refresh + " for 30 seconds"}, true, "", false},
		{"another name", &file.Memory{What: refresh + ", says Redis"}, &file.Memory{What: refresh + ", says Consul"}, false, "other names", true},
		{"an opposite", &file.Memory{What: refresh + " before login"}, &file.Memory{What: refresh + " after login"}, false, "opposite words", true},
		{"who does it to whom", &file.Memory{What: "the reader locks the shared buffer of the writer"}, &file.Memory{What: "the writer locks the shared buffer of the reader"}, false, "the same words in another order", true},
		{"disputed", &file.Memory{What: refresh}, &file.Memory{What: refresh2, Trust: disputed}, false, "disputed", false},
		{"a record", &file.Memory{What: refresh, Type: file.Episode}, &file.Memory{What: refresh2, Type: file.Episode}, false, "a record of one piece of work", false},
		{"related", &file.Memory{What: refresh}, &file.Memory{What: refresh2, Relations: []file.Relation{{Type: "conflicts_with", Memory: "0198f0c2-7a41-7c3e-9d7a-000000000001", Confidence: 1}}}, false, "another memory refers to it", false},
		{"other details", &file.Memory{What: refresh, Details: []byte(`{"steps":["a"]}`)}, &file.Memory{What: refresh2, Details: []byte(`{"steps":["b"]}`)}, false, "other details", true},
		{"another matter", &file.Memory{What: refresh}, &file.Memory{What: "Names of tables are singular"}, false, "", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := openIn(t, t.TempDir())
			put(t, w, tt.a, tt.b)
			r := find(t, w, Options{Model: model(t), Expect: expect})
			if got := len(r.Clusters) == 1; got != tt.same {
				t.Fatalf("same: %t, want %t; %+v", got, tt.same, r)
			}
			list := r.Skipped
			if tt.apart {
				list = r.Apart
			}
			if tt.says != "" && !slices.ContainsFunc(list, func(x store.Reason) bool { return x.Reason == tt.says }) {
				t.Errorf("no reason %q: %+v %+v", tt.says, r.Skipped, r.Apart)
			}
		})
	}
}

func TestWhichIsKept(t *testing.T) {
	verified := file.Trust{Origin: file.Import, VerifiedBy: "bob"}
	tests := []struct {
		name string
		list []*file.Memory // the first is kept
	}{
		{"verified", []*file.Memory{{What: refresh, Trust: verified, Confidence: 0.1}, {What: refresh2, Confidence: 1}}},
		{"taught", []*file.Memory{{What: refresh, Confidence: 0.1}, {What: refresh2, Confidence: 1, Trust: file.Trust{Origin: file.ObserverInferred}}}},
		{"surer", []*file.Memory{{What: refresh, Confidence: 0.9}, {What: refresh2, Confidence: 0.8}, {What: refresh3, Confidence: 0.1}}},
		{"newer", []*file.Memory{{What: refresh, CreatedAt: file.At(now())}, {What: refresh2, CreatedAt: file.At(now().Add(-time.Hour))}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := openIn(t, t.TempDir())
			put(t, w, tt.list...)
			r := find(t, w, Options{Model: model(t), Expect: expect})
			if len(r.Clusters) != 1 || r.Clusters[0].Kept.What != refresh || len(r.Clusters[0].Others) != len(tt.list)-1 {
				t.Errorf("%+v", r.Clusters)
			}
		})
	}
}

// TestMerged: what the others have comes to the kept one, whose text stays; the
// others can be restored, and are then left alone.
func TestMerged(t *testing.T) {
	w := openIn(t, t.TempDir())
	session := "s1"
	kept := &file.Memory{What: refresh, Confidence: 0.9, Tags: []string{"redis"}, Scope: file.Scope{"src/**"}}
	other := &file.Memory{What: refresh2, Why: "the dial error is dropped", Confidence: 0.4, Tags: []string{"auth"}, Importance: file.High, Pinned: true,
		Anchors: []anchor.Anchor{{Kind: anchor.KindFile, Path: "src/token.go"}}, Provenance: &file.Provenance{Session: &session}}
	put(t, w, kept, other)
	ctx, o := t.Context(), Options{Workspace: w, Model: model(t), Expect: expect}
	c := New(o)
	r := find(t, w, o)
	out := c.Apply(ctx, r.Clusters, nil)
	if len(out.Merged) != 1 || len(out.Failed) != 0 || out.Merged[0].Version != 2 {
		t.Fatalf("%+v", out)
	}
	h, err := w.Get(ctx, kept.UUID)
	must.OK(t, err)
	m := h.Memory
	if m.What != refresh || m.Why != other.Why || !slices.Equal(m.Tags, []string{"redis", "auth"}) || len(m.Anchors) != 1 || m.Importance != file.High || !m.Pinned || m.Confidence != 0.9 || m.Provenance.Sessions[0] != "s1" {
		t.Errorf("merged: %+v", m)
	}
	if m.Lineage.ChangeKind != "merge" || m.Lineage.ChangeNote != "consolidated with "+other.ShortID() {
		t.Errorf("lineage: %+v", m.Lineage)
	}
	if versions, err := w.State().Versions().Of(ctx, kept.UUID); err != nil || len(versions) != 2 || !reflect.DeepEqual(versions[0].Tags, kept.Tags) {
		t.Errorf("history: %v %v", versions, err)
	}
	graves, err := w.State().Tombstones().List(ctx)
	if err != nil || len(graves) != 1 || graves[0].Reason != "consolidated into "+kept.ShortID() {
		t.Fatalf("tombstones: %+v %v", graves, err)
	}
	// The same clusters again do nothing: their memories are others now.
	if again := c.Apply(ctx, r.Clusters, nil); len(again.Merged) != 0 || len(again.Failed) != 1 || !strings.Contains(again.Failed[0].Reason, "was changed since") {
		t.Errorf("applied twice: %+v", again)
	}
	must.OK(t, c.Note(ctx, r, out, 0))
	if log, err := w.State().Consolidations().Latest(ctx, 5); err != nil || len(log) != 1 || log[0].Looked != 2 || log[0].Merged != 1 || log[0].Archived != 1 || log[0].Known != 0 {
		t.Errorf("log: %+v %v", log, err)
	}
	if _, err := w.Forgotten().Restore(ctx, other.UUID); err != nil {
		t.Fatal(err)
	}
	if r := find(t, w, o); len(r.Clusters) != 0 || len(r.Apart) != 1 || r.Apart[0].Reason != "a person brought one back after they were merged" {
		t.Errorf("after it was restored: %+v", r)
	}
}

// TestMergedWithManyTags: more tags than a memory may have are no obstacle.
func TestMergedWithManyTags(t *testing.T) {
	w := openIn(t, t.TempDir())
	kept, other := &file.Memory{What: refresh, Confidence: 1}, &file.Memory{What: refresh2}
	for i := range gate.MaxTags - 2 {
		kept.Tags, other.Tags = append(kept.Tags, fmt.Sprintf("k%d", i)), append(other.Tags, fmt.Sprintf("o%d", i))
	}
	put(t, w, kept, other)
	o := Options{Workspace: w, Model: model(t), Expect: expect}
	if out := New(o).Apply(t.Context(), find(t, w, o).Clusters, nil); len(out.Merged) != 1 {
		t.Fatalf("%+v", out)
	}
	h, err := w.Get(t.Context(), kept.UUID)
	if want := append(slices.Clone(kept.Tags), "o0", "o1"); err != nil || !slices.Equal(h.Memory.Tags, want) {
		t.Errorf("%v, %v", h.Memory, err)
	}
}

// TestRewritten: a kept memory that a person gave another text represents that
// alone.
func TestRewritten(t *testing.T) {
	w := openIn(t, t.TempDir())
	kept := &file.Memory{What: refresh, Confidence: 1}
	put(t, w, kept, &file.Memory{What: refresh2})
	o := Options{Workspace: w, Model: model(t), Expect: expect}
	if out := New(o).Apply(t.Context(), find(t, w, o).Clusters, nil); len(out.Merged) != 1 {
		t.Fatalf("%+v", out)
	}
	other := "Names of database tables are singular nouns"
	r, err := w.Edits().Change(t.Context(), kept.UUID, func(m *file.Memory) error { m.What = other; return nil }, "edit", "")
	if err != nil || !r.Accepted {
		t.Fatal(r, err)
	}
	put(t, w, &file.Memory{UUID: "0198f0c2-7a41-7c3e-9d7a-000000000099", What: other + " here"})
	if r := find(t, w, o); len(r.Clusters) != 1 {
		t.Errorf("%+v", r)
	}
}

func TestKeptApart(t *testing.T) {
	w := openIn(t, t.TempDir())
	put(t, w, &file.Memory{What: refresh}, &file.Memory{What: refresh2})
	o := Options{Workspace: w, Model: model(t), Expect: expect}
	r := find(t, w, o)
	must.OK(t, New(o).KeepApart(t.Context(), r.Clusters[0]))
	if r := find(t, w, o); len(r.Clusters) != 0 {
		t.Errorf("%+v", r.Clusters)
	}
}

// TestKeptApartByWhatItStandsFor: a memory into which one was merged that a person
// keeps apart from a third is apart from the third as well.
func TestKeptApartByWhatItStandsFor(t *testing.T) {
	w := openIn(t, t.TempDir())
	a, d := &file.Memory{What: refresh}, &file.Memory{What: refresh2, Confidence: 1}
	b := &file.Memory{UUID: "0198f0c2-7a41-7c3e-9d7a-000000000099", What: refresh3}
	put(t, w, a, d)
	o := Options{Workspace: w, Model: model(t), Expect: expect}
	c := New(o)
	must.OK(t, c.KeepApart(t.Context(), Cluster{Kept: Member{UUID: a.UUID}, Others: []Member{{UUID: b.UUID}}}))
	if out := c.Apply(t.Context(), find(t, w, o).Clusters, nil); len(out.Merged) != 1 || out.Merged[0].Kept != d.UUID {
		t.Fatalf("%+v", out)
	}
	put(t, w, b)
	if r := find(t, w, o); len(r.Clusters) != 0 || len(r.Apart) != 1 || r.Apart[0].Reason != "a person keeps them apart" {
		t.Errorf("%+v", r)
	}
}

// TestBroughtBack: what a person brought back stays apart, whatever becomes of
// the memory that it was merged into.
func TestBroughtBack(t *testing.T) {
	tests := []struct {
		name string
		then func(t *testing.T, w *memory.Workspace, c *Consolidator, kept string)
	}{
		{"the kept one is rewritten", func(t *testing.T, w *memory.Workspace, _ *Consolidator, kept string) {
			r, err := w.Edits().Change(t.Context(), kept, func(m *file.Memory) error { m.What = refresh3; return nil }, "edit", "")
			if err != nil || !r.Accepted {
				t.Fatal(r, err)
			}
		}},
		{"the kept one is merged into a third", func(t *testing.T, w *memory.Workspace, c *Consolidator, kept string) {
			put(t, w, &file.Memory{UUID: "0198f0c2-7a41-7c3e-9d7a-000000000099", What: refresh, Trust: file.Trust{Origin: file.UserTaught, VerifiedBy: "bob"}})
			r, err := c.Find(t.Context(), nil)
			must.OK(t, err)
			if out := c.Apply(t.Context(), r.Clusters, nil); len(out.Merged) != 1 || !slices.Equal(out.Merged[0].Archived, []string{kept}) {
				t.Fatalf("%+v %+v", r, out)
			}
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := openIn(t, t.TempDir())
			kept, other := &file.Memory{What: refresh, Confidence: 1}, &file.Memory{What: refresh2}
			put(t, w, kept, other)
			o := Options{Workspace: w, Model: model(t), Expect: expect}
			c := New(o)
			if out := c.Apply(t.Context(), find(t, w, o).Clusters, nil); len(out.Merged) != 1 {
				t.Fatalf("%+v", out)
			}
			if _, err := w.Forgotten().Restore(t.Context(), other.UUID); err != nil {
				t.Fatal(err)
			}
			tt.then(t, w, c, kept.UUID)
			if r := find(t, w, o); len(r.Clusters) != 0 || len(r.Apart) != 1 || r.Apart[0].Reason != "a person brought one back after they were merged" {
				t.Errorf("%+v", r)
			}
		})
	}
}

// TestMergedAndNotNoted: what was merged is told also where the log can't be written.
func TestMergedAndNotNoted(t *testing.T) {
	for _, merges := range []bool{true, false} {
		t.Run(fmt.Sprint(merges), func(t *testing.T) {
			w := openIn(t, t.TempDir())
			put(t, w, &file.Memory{What: refresh}, &file.Memory{What: refresh2})
			o := Options{Workspace: w, Model: model(t), Expect: expect}
			c, found := New(o), find(t, w, o)
			if err := c.Note(t.Context(), found, Outcome{}, 0); err != nil { // makes state.db
				t.Fatal(err)
			}
			ids, last := []string{found.Clusters[0].ID}, Merge
			if !merges {
				ids, last = nil, Compare
			}
			_, out, err := c.Run(t.Context(), ids, func(p Progress) {
				if p.Phase == last && p.Done == p.Total {
					dropLog(t, w)
				}
			})
			if len(out.Merged) != len(ids) || (err == nil) != merges {
				t.Errorf("%+v, %v", out, err)
			}
		})
	}
}

// dropLog takes the log of runs out of state.db.
func dropLog(t *testing.T, w *memory.Workspace) {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(w.Place().StateDir(), "state.db"))
	must.OK(t, err)
	_, err = db.ExecContext(t.Context(), "DROP TABLE consolidations")
	if err := errors.Join(err, db.Close()); err != nil {
		t.Error(err)
	}
}

// TestNamedByAnother: a memory that another one names is never archived.
func TestNamedByAnother(t *testing.T) {
	w := openIn(t, t.TempDir())
	a, b := &file.Memory{What: refresh, Confidence: 1}, &file.Memory{What: refresh2}
	put(t, w, a, b, &file.Memory{What: "Something else", Relations: []file.Relation{{Type: "required_with", Memory: "0198f0c2-7a41-7c3e-9d7a-000000000002", Confidence: 1}}})
	r := find(t, w, Options{Model: model(t), Expect: expect})
	if len(r.Clusters) != 0 || len(r.Skipped) != 1 || r.Skipped[0].Reason != "another memory refers to it" {
		t.Errorf("%+v", r)
	}
}

func TestWithoutAModel(t *testing.T) {
	w := openIn(t, t.TempDir())
	put(t, w, &file.Memory{What: refresh}, &file.Memory{What: refresh2})
	none := func(context.Context) (embed.Embedder, error) { return nil, embed.ErrNone }
	for name, m := range map[string]*embed.Service{"switched off": nil, "not installed": model(t, none)} {
		t.Run(name, func(t *testing.T) {
			r := find(t, w, Options{Model: m})
			if r.Unavailable == "" || r.Hint == "" || len(r.Skipped) != 1 || r.Skipped[0].Count != 2 {
				t.Errorf("%+v", r)
			}
		})
	}
	broken := errors.New("the disk is full")
	_, err := New(Options{Workspace: w, Model: model(t, func(context.Context) (embed.Embedder, error) { return bag{step: func() error { return broken }}, nil })}).Find(t.Context(), nil)
	if !errors.Is(err, broken) {
		t.Errorf("a model that fails: %v", err)
	}
}

// TestStopped: who has enough stops between two clusters, and whatever was merged
// stays so.
func TestStopped(t *testing.T) {
	w := openIn(t, t.TempDir())
	var list []*file.Memory
	for i := range 6 {
		for _, text := range []string{refresh, refresh2} {
			list = append(list, &file.Memory{What: text, Scope: file.Scope{fmt.Sprintf("src/%d/**", i)}})
		}
	}
	put(t, w, list...)
	o := Options{Workspace: w, Model: model(t), Expect: expect}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	out := New(o).Apply(ctx, find(t, w, o).Clusters, func(p Progress) {
		if p.Done == 2 {
			cancel()
		}
	})
	if len(out.Merged) != 2 || !out.Stopped {
		t.Errorf("%+v", out)
	}
	if r := find(t, w, o); len(r.Clusters) != 4 {
		t.Errorf("%d clusters left", len(r.Clusters))
	}
	ctx, cancel = context.WithCancel(t.Context())
	_, err := New(o).Find(ctx, func(Progress) { cancel() })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("a search that was stopped: %v", err)
	}
}

// TestNothingIsLost: whatever there is, all memories are kept or archived as they
// were, and a second run finds nothing to do.
func TestNothingIsLost(t *testing.T) {
	seeds := uint64(12)
	if testing.Short() {
		seeds = 4
	}
	for seed := range seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(seed, 7))
			w := openIn(t, t.TempDir())
			list := anything(r, 40)
			put(t, w, list...)
			before := map[string]*file.Memory{}
			o := Options{Workspace: w, Model: model(t), Expect: expect, Threshold: []float64{0.6, 0.75, 0.86}[r.IntN(3)]}
			report := find(t, w, o)
			for _, h := range w.View().All() {
				before[h.Memory.UUID] = h.Memory
			}
			checkClusters(t, report, before, o.Threshold)
			out := New(o).Apply(t.Context(), report.Clusters, nil)
			if len(out.Failed) > 0 {
				t.Fatalf("failed: %+v", out.Failed)
			}
			checkWhole(t, w, before, out)
			if again := find(t, w, o); len(again.Clusters) > 0 {
				t.Errorf("a second run finds %+v", again.Clusters)
			}
		})
	}
}

// anything makes memories of which some say the same.
func anything(r *rand.Rand, n int) []*file.Memory {
	base := []string{refresh, refresh2, refresh3, "Names of database tables are singular nouns", "Database table names are always singular nouns",
		"Run the linter and the tests before each commit", "Run the tests and the linter before each commit of the day"}
	more := []string{"", "", " here", " really", " again", " in practice", " never", " for 30 s", " by Redis"}
	scopes := []file.Scope{nil, nil, {"src/**"}, {"src/a/**"}, {"src/a/x.go"}}
	var out []*file.Memory
	for range n {
		m := &file.Memory{
			What: base[r.IntN(len(base))] + more[r.IntN(len(more))], Scope: scopes[r.IntN(len(scopes))], Confidence: float64(r.IntN(10)) / 10,
			Trust: file.Trust{Origin: file.Origins()[r.IntN(7)], Tainted: r.IntN(6) == 0}, Importance: file.Importances()[r.IntN(3)],
		}
		if r.IntN(3) == 0 {
			m.Tags = []string{fmt.Sprintf("t%d", r.IntN(5)), fmt.Sprintf("u%d", r.IntN(5))}
		}
		if r.IntN(3) == 0 {
			m.Why = fmt.Sprintf("reason %d", r.IntN(9))
		}
		for range r.IntN(3) {
			m.Anchors = append(m.Anchors, anchor.Anchor{Kind: anchor.KindSymbol, Path: "src/a/x.go", Symbol: fmt.Sprintf("F%d", r.IntN(3))})
		}
		if r.IntN(8) == 0 {
			m.Visibility = file.Personal
		}
		if r.IntN(8) == 0 {
			m.Trust.VerifiedBy = "bob"
		}
		if r.IntN(12) == 0 {
			m.Trust.DisputedBy = "bob"
		}
		if r.IntN(6) == 0 {
			m.Relations = []file.Relation{{Type: "required_with", Memory: fmt.Sprintf("0198f0c2-7a41-7c3e-9d7a-%012d", r.IntN(n)+1), Confidence: 1}}
		}
		out = append(out, m)
	}
	return out
}

// checkClusters: no memory is in two, and every two of one may be the same.
func checkClusters(t *testing.T, r Report, all map[string]*file.Memory, threshold float64) {
	t.Helper()
	seen := map[string]bool{}
	for _, c := range r.Clusters {
		members := append([]Member{c.Kept}, c.Others...)
		for i, a := range members {
			if seen[a.UUID] {
				t.Errorf("%s is in two clusters", a.UUID)
			}
			seen[a.UUID] = true
			for _, b := range members[:i] {
				x, y := all[a.UUID], all[b.UUID]
				if why := restate.Differ(x.What, y.What); why != "" || block(x, restate.Read(x.What)) != block(y, restate.Read(y.What)) || !overlap(x, y) || x.Trust.DisputedBy != "" {
					t.Errorf("%q and %q are one (%s)", x.What, y.What, why)
				}
			}
		}
		if c.Least < threshold-0.001 {
			t.Errorf("two are %.3f alike", c.Least)
		}
	}
}

// checkWhole: each memory is active or archived as it was, and a kept one has all
// that the others had.
func checkWhole(t *testing.T, w *memory.Workspace, before map[string]*file.Memory, out Outcome) {
	t.Helper()
	if _, err := w.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	graves, err := w.State().Tombstones().List(t.Context())
	must.OK(t, err)
	archived := map[string]*file.Memory{}
	for _, g := range graves {
		if archived[g.UUID], err = file.Parse(g.JSON); err != nil {
			t.Fatal(err)
		}
	}
	merged := map[string][]string{}
	for _, m := range out.Merged {
		merged[m.Kept] = m.Archived
	}
	if got := len(w.View().All()) + len(archived); got != len(before) {
		t.Errorf("%d kept or archived of %d", got, len(before))
	}
	for id, was := range before {
		h, active := w.View().Get(id)
		switch {
		case !active:
			if archived[id] == nil || hash(t, archived[id]) != hash(t, was) {
				t.Errorf("%s is lost", id)
			}
		case merged[id] == nil:
			if hash(t, h.Memory) != hash(t, was) {
				t.Errorf("%s was changed", id)
			}
		default:
			checkKept(t, h.Memory, was, merged[id], before)
		}
	}
}

func checkKept(t *testing.T, m, was *file.Memory, others []string, before map[string]*file.Memory) {
	t.Helper()
	if m.What != was.What || m.Lineage.Version != was.Lineage.Version+1 || was.Why != "" && m.Why != was.Why {
		t.Errorf("kept %+v, it was %+v", m, was)
	}
	for _, id := range others {
		o := before[id]
		for _, tag := range o.Tags {
			if !slices.Contains(m.Tags, tag) {
				t.Errorf("the tag %s is lost", tag)
			}
		}
		for _, a := range o.Anchors {
			if !slices.ContainsFunc(m.Anchors, func(x anchor.Anchor) bool { return x.Symbol == a.Symbol }) {
				t.Errorf("the anchor at %s is lost", a.Symbol)
			}
		}
		if m.Confidence < o.Confidence || o.Why != "" && m.Why == "" {
			t.Errorf("kept %+v lacks what %+v has", m, o)
		}
	}
}

func hash(t *testing.T, m *file.Memory) string {
	t.Helper()
	h, err := m.Hash()
	must.OK(t, err)
	return h
}
