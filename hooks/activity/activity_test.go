package activity

import (
	"context"
	"crypto/rand"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"manicule/hooks/event"
	"manicule/hooks/eventlog"
	"manicule/indexer/workspace"
	"manicule/memory"
	"manicule/memory/file"
	"manicule/memory/ledger"
	"manicule/memory/secret/full"
	"manicule/memory/store"
)

func noon() time.Time { return time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC) }

// open makes a workspace with one memory and returns its uuid.
func open(t *testing.T) (*memory.Workspace, string) {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	homes := map[string]string{"HOME": filepath.Join(base, "home")}
	for _, name := range []string{"XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"} {
		homes[name] = filepath.Join(base, "home", name)
	}
	root := filepath.Join(base, "w")
	if err := os.MkdirAll(filepath.Join(root, ".manicule", "memories"), 0o755); err != nil {
		t.Fatal(err)
	}
	w, err := memory.Open(memory.Options{Secrets: full.Rules{}, Dir: root, Env: workspace.Env{Getenv: func(n string) string { return homes[n] }, Random: rand.Reader}, Now: noon, User: "ahmed"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	r, err := w.Remember(t.Context(), memory.Draft{What: "tokens expire early", Why: "clock skew"})
	if err != nil || r.Memory == nil {
		t.Fatalf("remember: %+v %v", r, err)
	}
	if _, err := w.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	return w, r.Memory.UUID
}

func appendRecord(t *testing.T, w *memory.Workspace, r eventlog.Record) {
	t.Helper()
	if r.CWD == "" {
		r.CWD = w.Root()
	}
	if r.Agent == "" {
		r.Agent = "claude-code"
	}
	if err := eventlog.Append(w.Place().StateDir(), r); err != nil {
		t.Fatal(err)
	}
}

// session writes the log of a session that was told a memory, and ended.
func sessionOf(t *testing.T, w *memory.Workspace, id, uuid string, from time.Time) {
	t.Helper()
	appendRecord(t, w, eventlog.Record{Time: from.UnixMilli(), Kind: string(event.SessionStart), Session: id})
	for i, keys := range [][]string{{uuid, "how"}, {eventlog.QuotedKey(uuid)}, {"project\x00" + w.Root()}} {
		l := eventlog.Conversation{StateDir: w.Place().StateDir(), Session: id}.Dedupe("m")
		if _, err := l.Claim(from.Add(time.Duration(i+1)*time.Second), keys); err != nil {
			t.Fatal(err)
		}
	}
	sub := eventlog.Conversation{StateDir: w.Place().StateDir(), Session: id, Agent: "helper"}.Dedupe("n")
	if _, err := sub.Claim(from.Add(time.Minute), []string{uuid}); err != nil {
		t.Fatal(err)
	}
	if _, err := sub.First(from.Add(time.Minute), uuid, time.Second); err != nil {
		t.Fatal(err)
	}
	appendRecord(t, w, eventlog.Record{Time: from.Add(time.Hour).UnixMilli(), Kind: string(event.SessionEnd), Session: id})
}

func TestLogAndSummary(t *testing.T) {
	w, uuid := open(t)
	start := noon().Add(-2 * time.Hour)
	sessionOf(t, w, "one", uuid, start)
	appendRecord(t, w, eventlog.Record{Time: start.UnixMilli(), Kind: string(event.SessionStart), Session: "two", CWD: "/elsewhere"})
	r, err := w.Remember(t.Context(), memory.Draft{What: "Only one agent holds the lock at a time", Agent: true, Tool: "claude-code", Session: "one"})
	if err != nil || r.Memory == nil {
		t.Fatalf("draft: %+v %v", r, err)
	}
	obs := store.Observation{Session: "one", Log: "s-one", Agent: "claude-code", Kind: "x", Started: start.UnixMilli(), Ended: start.UnixMilli()}
	list, err := w.Observer().Observe(t.Context(), obs, []memory.Inferred{{Draft: memory.Draft{Type: file.Gotcha, What: "Stop the watcher before a rename, or it misses the new name", Confidence: .6, Session: "one"}, Kind: "backtrack", Key: "k", Count: 2}})
	if err != nil || list[0].Memory == nil {
		t.Fatalf("candidate: %+v %v", list, err)
	}
	s := New(w, Options{})
	log, err := s.Log(t.Context(), 100)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range log {
		got = append(got, e.At.Format("15:04:05")+" "+e.Session+" "+e.Agent+" "+e.Kind+" "+e.What)
	}
	want := []string{
		"12:00:00 one claude-code learned Stop the watcher before a rename, or it misses the new name", "12:00:00 one claude-code written Only one agent holds the lock at a time",
		"11:00:00 one claude-code ended the session ended", "10:01:00 one claude-code shown tokens expire early",
		"10:00:02 one claude-code shown tokens expire early", "10:00:01 one claude-code shown tokens expire early",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if short, err := s.Log(t.Context(), 2); err != nil || !slices.Equal(short, log[:2]) {
		t.Errorf("the newest two: %v %v", short, err)
	}
	sum, ok, err := s.Summary(t.Context(), "one")
	if err != nil || !ok || sum.Agent != "claude-code" || !sum.Started.Equal(start) || !sum.Ended.Equal(start.Add(time.Hour)) ||
		!slices.Equal(sum.Used, []string{uuid}) || len(sum.Learned) != 2 || sum.Balance != (ledger.Balance{Tokens: 5 + 3}) {
		t.Errorf("summary: %+v %v %v", sum, ok, err)
	}
	err = w.State().Shown().Put(t.Context(), []store.ShownLog{
		{Name: "s-0", Session: &store.ShownSession{Session: "earlier", Failed: 2, Retry: 600, Tokens: 70}},
		{Name: "s-one", Session: &store.ShownSession{Session: "one", Heeded: 2, Tokens: 90}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if sum, _, err = s.Summary(t.Context(), "one"); err != nil || sum.Balance != (ledger.Balance{Tokens: 90, Heeded: 2, Saved: 600}) || sum.Balance.Sentence() != "It was told 90 tokens and spared at most 600." {
		t.Errorf("what it saved: %+v %v", sum.Balance, err)
	}
	for _, id := range []string{"two", "none", ""} {
		if _, ok, err := s.Summary(t.Context(), id); ok || err != nil {
			t.Errorf("session %q: %v %v", id, ok, err)
		}
	}
}

func TestWatch(t *testing.T) {
	w, uuid := open(t)
	sessionOf(t, w, "old", uuid, noon()) // nobody is told of what was before
	ctx, cancel := context.WithCancel(t.Context())
	happened := make(chan Change, 10)
	ended := make(chan error, 1)
	s := New(w, Options{LearnWithin: time.Millisecond, LookEvery: time.Millisecond})
	go func() { ended <- s.Watch(ctx, func(h Change) { happened <- h }) }()
	sessionOf(t, w, "new", uuid, noon())
	appendRecord(t, w, eventlog.Record{Time: 1, Kind: string(event.SessionEnd), Session: "foreign", CWD: "/elsewhere"})
	appendRecord(t, w, eventlog.Record{Time: 1, Kind: string(event.PreCompact), Session: "new"}) // it says so again when it goes on
	appendRecord(t, w, eventlog.Record{Time: 1, Kind: string(event.SessionStart), Source: string(event.Compact), Session: "new"})
	appendRecord(t, w, eventlog.Record{Time: 1, Kind: string(event.PreCompact), Session: "cursor-1", Agent: "cursor"})
	if r, err := w.Remember(t.Context(), memory.Draft{What: "an agent wrote a draft", Agent: true, Session: "new"}); err != nil || !r.Draft {
		t.Fatalf("draft: %+v %v", r, err)
	}
	got := map[Change]bool{}
	deadline := time.After(time.Minute)
	for len(got) < 4 {
		select {
		case h := <-happened:
			h.Learned = 0 // the draft may have been there already
			if got[h] && h.Kind != State {
				t.Errorf("told twice: %+v", h)
			}
			got[h] = true
		case <-deadline:
			t.Fatalf("only %+v came", got)
		}
	}
	for _, want := range []Change{
		{Kind: Ended, Session: "new", Agent: "claude-code", Used: 1, Balance: ledger.Balance{Tokens: 5 + 3}}, {Kind: Compacted, Session: "new", Agent: "claude-code"},
		{Kind: Compacted, Session: "cursor-1", Agent: "cursor"}, {Kind: State},
	} {
		if !got[want] {
			t.Errorf("%+v did not come; %+v did", want, got)
		}
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// TestWatchGoesOn: a session that is never learned from holds nothing up, and one
// that is to be read again counts as learned from.
func TestWatchGoesOn(t *testing.T) {
	w, uuid := open(t)
	ctx, cancel := context.WithCancel(t.Context())
	happened := make(chan Change, 10)
	ended := make(chan error, 1)
	s := New(w, Options{LearnWithin: time.Hour, LookEvery: time.Millisecond})
	go func() { ended <- s.Watch(ctx, func(h Change) { happened <- h }) }()
	await := func(kind, id string) {
		t.Helper()
		deadline := time.After(time.Minute)
		for {
			select {
			case h := <-happened:
				if h.Kind == Ended && h.Session == "never" {
					t.Fatalf("nobody learned from %+v", h)
				}
				if h.Kind == kind && h.Session == id {
					return
				}
			case <-deadline:
				t.Fatalf("%s of %s did not come", kind, id)
			}
		}
	}
	sessionOf(t, w, "never", uuid, noon())
	appendRecord(t, w, eventlog.Record{Time: 1, Kind: string(event.PreCompact), Session: "cursor-1", Agent: "cursor"})
	await(Compacted, "cursor-1")
	sessionOf(t, w, "more", uuid, noon())
	info, err := os.Stat(eventlog.LogPath(w.Place().StateDir(), eventlog.SafeName("more")))
	if err != nil {
		t.Fatal(err)
	}
	obs := store.Observation{Session: "more", Log: strings.TrimSuffix(eventlog.SafeName("more"), ".jsonl"), Bytes: info.Size() - 1, Agent: "claude-code", Kind: "feature", Started: 1, Ended: 2}
	if _, err := w.Observer().Observe(t.Context(), obs, nil); err != nil {
		t.Fatal(err)
	}
	await(Ended, "more")
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
