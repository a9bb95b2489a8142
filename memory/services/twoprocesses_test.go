package services

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"manicule/indexer/anchor"
	"manicule/indexer/must"
	"manicule/memory"
	"manicule/memory/episode"
	"manicule/memory/file"
	"manicule/memory/record"
	"manicule/memory/store"
	"manicule/memory/thread"
	"manicule/memory/threads"
	"manicule/memory/units"
	"manicule/memory/work"
)

// seen is what a process says of every kind of record, by kind.
func seen(ctx context.Context, w *Workspace) (map[string]string, error) {
	if _, err := w.Sync(ctx); err != nil {
		return nil, err
	}
	if err := w.Uses().Note(ctx, nil); err != nil { // as a server does from time to time: a use alone changes no view elsewhere
		return nil, err
	}
	type memoryOf struct {
		Memory *file.Memory
		Places []store.Place
		Uses   int
	}
	say := func(list []memory.Hit) (out []memoryOf) {
		for _, h := range list {
			out = append(out, memoryOf{h.Memory, h.Places, h.Use.Uses})
		}
		slices.SortFunc(out, func(a, b memoryOf) int { return cmp.Compare(a.Memory.UUID, b.Memory.UUID) })
		return out
	}
	s, list := w.State(), threads.Of(w.Workspace)
	out := map[string]string{}
	for kind, read := range map[string]func() (any, error){
		"memories in view": func() (any, error) { return say(w.View().All()), nil },
		"memories recalled": func() (any, error) {
			r, err := w.Recaller().Recall(ctx, memory.Query{Limit: -1})
			return say(r.Hits), err
		},
		"drafts":       func() (any, error) { return w.Drafts().List(ctx) },
		"all drafts":   func() (any, error) { return s.Drafts().All(ctx) },
		"open threads": func() (any, error) { return list.Open(ctx) },
		"all threads":  func() (any, error) { return list.All(ctx) },
		"episodes":     func() (any, error) { return s.Episodes().Latest(ctx, 10) },
		"work":         func() (any, error) { return w.Work().Units(ctx) },
		"work here":    func() (any, error) { return w.Work().Here(), nil },
		"open work":    func() (any, error) { return work.Load(w.Place()), nil },
		"records":      func() (any, error) { return s.Records().Latest(ctx, record.Touchstone, "*") },
		"moved":        func() (any, error) { return s.Receipts().Moved(ctx) },
		"stale":        func() (any, error) { return s.Receipts().Stale(ctx, w.Place().WorktreeID) },
		"rejections": func() (any, error) {
			r, err := s.Receipts().Rejections(ctx)
			return fmt.Sprint(slices.Collect(maps.Keys(r))), err
		},
		"accesses":   func() (any, error) { return s.Usage().Accesses(ctx) },
		"usage":      func() (any, error) { return s.Usage().Since(ctx, time.Unix(0, 0)) },
		"trust":      func() (any, error) { return s.Trust().Evidence(ctx, 2) },
		"tombstones": func() (any, error) { return w.Forgotten().List(ctx) },
		"dismissals": func() (any, error) { return w.Dismissals().Surfaces(ctx) },
		"digests":    func() (any, error) { return s.Digests().Latest(ctx, 10) },
		"weights":    func() (any, error) { return s.Weights().Log(ctx) },
		"reset":      func() (any, error) { return s.Weights().Discarded(ctx) },
	} {
		v, err := read()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", kind, err)
		}
		data, err := json.Marshal(v)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", kind, err)
		}
		out[kind] = string(data)
	}
	return out, nil
}

// TestTwoProcessesSeeTheSame: two processes that have a workspace open write in turn, as an editor and an agent do. After each
// write, what each of them says of every kind of record is what a process says that begins now.
func TestTwoProcessesSeeTheSame(t *testing.T) {
	o, root, ctx := opener(t), project(t), t.Context()
	both := []*Workspace{open(t, o, root), open(t, o, root)}
	defer func() {
		for _, w := range both {
			if err := w.Close(); err != nil {
				t.Error(err)
			}
		}
	}()
	look := func(who string, w *Workspace) map[string]string {
		t.Helper()
		got, err := seen(ctx, w)
		if err != nil {
			t.Fatalf("%s: %v", who, err)
		}
		return got
	}
	accepted := func(r memory.Result, err error) error {
		if err == nil && !r.Accepted {
			return fmt.Errorf("refused: %s", r.Reason)
		}
		return err
	}
	var id, draft, thing string // of what the steps before made
	at := time.Date(2026, 5, 1, 9, 0, 0, 0, time.UTC)
	propose := func(what string) func(w *Workspace) error {
		return func(w *Workspace) error {
			r, err := w.Remember(ctx, memory.Draft{What: what, Type: file.Gotcha, Agent: true, Tool: "claude-code"})
			if err == nil {
				draft = r.Memory.UUID
			}
			return err
		}
	}
	put := func(content string) func(w *Workspace) error {
		return func(w *Workspace) error {
			_, err := w.State().Records().Put(ctx, record.Record{Lineage: "l-1", Kind: record.Touchstone, Name: "deploy", Content: []byte(content)})
			return err
		}
	}
	session := func(task string) func(w *Workspace) error {
		return func(w *Workspace) error {
			_, err := w.State().Sessions().Put(ctx, store.Observation{
				Session: "s-1", Log: "s-s-1", Agent: "claude-code", Kind: "build", Started: at.UnixMilli(), Ended: at.UnixMilli() + 1000, Events: 3, Bytes: 100, Module: "src", Touched: []string{"src/a.go"},
				Episode: episode.Episode{Session: "s-1", Agent: "claude-code", Task: task, Outcome: episode.Success, Started: at.UnixMilli(), Ended: at.UnixMilli() + 1000},
				Digests: []store.Digest{{Module: "src", Mark: len(task), At: at, Sessions: 1}},
			}, nil)
			return err
		}
	}
	settle := func(c threads.Change) func(w *Workspace) error {
		return func(w *Workspace) error {
			_, err := threads.Of(w.Workspace).Change(ctx, thing, c)
			return err
		}
	}
	stale := func(state anchor.State) func(w *Workspace) error {
		return func(w *Workspace) error {
			p := store.Place{Key: "k", State: state, Since: at}
			return w.State().Receipts().Note(ctx, w.Place().WorktreeID, []store.Receipt{{Anchor: "k", Blob: "b-" + string(state), Memory: id, Kind: store.ReceiptMoved, Place: p}}, map[string][]store.Place{id: {p}})
		}
	}
	before := look("at first", both[0])
	for i, step := range []struct {
		name  string
		write func(w *Workspace) error
	}{
		{"a memory is made", func(w *Workspace) error {
			r, err := w.Remember(ctx, memory.Draft{What: "Refresh fails when Redis is down", Type: file.Gotcha})
			if err == nil {
				id = r.Memory.UUID
			}
			return accepted(r, err)
		}},
		{"a memory is changed", func(w *Workspace) error {
			return accepted(w.Edits().Change(ctx, id, func(m *file.Memory) error { m.What = "Refresh hangs when Redis is down"; return nil }, "edit", ""))
		}},
		{"a memory is recalled", func(w *Workspace) error { return w.Uses().Recalled(ctx, []string{id}) }},
		{"a memory is hidden", func(w *Workspace) error { return w.Dismissals().Set(ctx, id, "lens", true) }},
		{"a memory is shown", func(w *Workspace) error { return w.Dismissals().Set(ctx, id, "lens", false) }},
		{"an anchor is in doubt", stale(anchor.Drifted)},
		{"an anchor is healed", stale(anchor.Fresh)},
		{"a place is rejected", func(w *Workspace) error {
			return w.State().Receipts().Reject(ctx, id, []store.Rejection{{Anchor: "k", Path: "src/b.go"}})
		}},
		{"a memory is forgotten", func(w *Workspace) error { return w.Forgotten().Forget(ctx, id) }},
		{"a memory is restored", func(w *Workspace) error { return accepted(w.Forgotten().Restore(ctx, id)) }},
		{"a draft is made", propose("Queues are drained by the worker alone")},
		{"a draft is changed", func(w *Workspace) error {
			_, err := w.Drafts().Edit(ctx, draft, func(m *file.Memory) error { m.What = "Queues are drained by one worker alone"; return nil })
			return err
		}},
		{"a draft is accepted", func(w *Workspace) error { return accepted(w.Decisions().Accept(ctx, draft)) }},
		{"another draft is made", propose("The staging database is reset on Mondays")},
		{"a draft is rejected", func(w *Workspace) error { return w.Drafts().Reject(ctx, draft, "not so") }},
		{"trust begins", func(w *Workspace) error { return w.State().Trust().Start(ctx, 2) }},
		{"a use is counted", func(w *Workspace) error { return w.State().Usage().Count(ctx, "hover") }},
		{"a thread is made", func(w *Workspace) error {
			r, err := threads.Of(w.Workspace).Add(ctx, threads.Draft{Text: "The worker stops at midnight", Kind: thread.NextStep})
			if err == nil {
				thing = r.Thread.Memory.UUID
			}
			return err
		}},
		{"a thread is changed", settle(threads.Change{Text: "The worker stops at noon"})},
		{"a thread is parked", settle(threads.Change{State: thread.StateParked, Resolution: "later"})},
		{"a thread is closed", settle(threads.Change{State: thread.StateDone})},
		{"work begins", func(w *Workspace) error {
			_, err := units.Of(w.Workspace).Begin(ctx, units.New{Name: "issue:42", Title: "Drain faster", Branch: work.AllBranches})
			return err
		}},
		{"work is changed", func(w *Workspace) error {
			_, err := units.Of(w.Workspace).Begin(ctx, units.New{Name: "issue:42", Title: "Drain much faster", Branch: work.AllBranches})
			return err
		}},
		{"work is over", func(w *Workspace) error {
			_, err := units.Of(w.Workspace).Set(ctx, "issue:42", work.Accepted, "", "", false)
			return err
		}},
		{"a record is made", put(`"taken"`)},
		{"a record is changed", put(`"free"`)},
		{"a session has ended", session("drain the queues")},
		{"a session went on", session("drain the queues faster")},
		{"a weight is learned", func(w *Workspace) error {
			return w.State().Weights().Put(ctx, []store.WeightRow{{Type: "gotcha", Phase: "refine", At: at, Weight: 1.2, Followed: 6, Decided: 10}}, at.Add(-time.Hour))
		}},
		{"weights are reset", func(w *Workspace) error {
			return w.State().Weights().Reset(ctx, []store.WeightRow{{Type: "gotcha", Phase: "refine", At: at, Followed: 6, Decided: 10}})
		}},
		{"a memory is gone", func(w *Workspace) error { return w.Forgotten().Forget(ctx, id) }},
	} {
		if err := step.write(both[i%2]); err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
		now := open(t, o, root)
		want := look("one that begins", now)
		must.OK(t, now.Close())
		if maps.Equal(before, want) {
			t.Errorf("%s, and nothing is seen of it", step.name)
		}
		before = want
		for j, who := range []string{"its writer", "the other process"} {
			got := look(who, both[(i+j)%2])
			for _, kind := range slices.Sorted(maps.Keys(want)) {
				if got[kind] != want[kind] {
					t.Errorf("%s: %s says of the %s\n%s\nand a process that begins now\n%s", step.name, who, kind, got[kind], want[kind])
				}
			}
		}
	}
}
