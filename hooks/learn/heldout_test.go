package learn

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"manicule/hooks/eventlog"
	"manicule/memory/file"
	"manicule/memory/ledger"
)

// TestHeldOut: sessions that were told a memory are compared with those in which it was held out, and one that does harm is
// proposed to be disputed, once.
func TestHeldOut(t *testing.T) {
	p := newPlace(t)
	ctx := t.Context()
	bad := p.remember(file.Gotcha, "The cache in `src/cache.go` has to be emptied by hand before each test")
	repository := filepath.Base(p.w.Place().StateDir())
	next := 0
	run := func(held bool, arm string) {
		t.Helper()
		id := ""
		for ; id == ""; next++ {
			if s := fmt.Sprint("s", next); ledger.HoldsOut(repository, s, bad) == held {
				id = s
			}
		}
		p.log(id, eventlog.Record{Kind: "session_start", Facts: map[string]string{"arm": arm}})
		p.tick()
		s := hook(id, bad)
		if held {
			s.Tokens, s.Memories, s.HeldOut = 0, nil, []string{bad}
		}
		p.show(s)
		calls := 2
		if !held {
			calls = 20
		}
		for i := range calls + next%3 {
			p.tick()
			p.log(id, sh(fmt.Sprintf("echo %d", i), ""))
		}
		p.log(id, end())
		must(Session(ctx, p.options(), id))(t)
	}
	drafts := func() (out []string) {
		t.Helper()
		for _, d := range must(p.w.Drafts().List(ctx))(t) {
			out = append(out, d.What+": "+d.Why)
		}
		return out
	}
	stats := func() ledger.HeldOut {
		t.Helper()
		return must(ledger.StatsOf(ctx, p.w))(t).HeldOut
	}
	for i := range ledger.LeastHeldOut {
		if i > 0 {
			run(true, "full")
		}
		run(false, "full")
	}
	run(true, "off") // told nothing at all
	if got := stats(); got.Sessions != 9 || len(got.Compared) != 0 || len(drafts()) != 0 {
		t.Errorf("with nine sessions: %+v, drafts %v", got, drafts())
	}
	run(true, "full")
	got := stats()
	if len(got.Compared) != 1 || got.Compared[0].Harms != "calls" || got.Compared[0].Told != 10 || got.Compared[0].Held != 10 || !strings.HasPrefix(got.Compared[0].What, "The cache") {
		t.Fatalf("with ten: %+v", got)
	}
	list := drafts()
	if len(list) != 1 || !strings.HasPrefix(list[0], "Disputed: The cache") || !strings.Contains(list[0], "by their calls") {
		t.Fatalf("drafts %q", list)
	}
	id := must(p.w.Drafts().List(ctx))(t)[0].UUID
	if err := p.w.Drafts().Reject(ctx, id, ""); err != nil {
		t.Fatal(err)
	}
	run(true, "full")
	run(false, "full")
	if got := drafts(); len(got) != 0 {
		t.Errorf("what was rejected is proposed again: %q", got)
	}
	if err := p.w.State().Shown().Clear(ctx); err != nil {
		t.Fatal(err)
	}
	if got := stats(); got.Memories != 0 {
		t.Errorf("after the ledger was cleared: %+v", got)
	}
}
