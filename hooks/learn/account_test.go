package learn

import (
	"fmt"
	"testing"
	"time"

	"manicule/hooks/eventlog"
	"manicule/memory"
	"manicule/memory/file"
	"manicule/memory/ledger"
)

// remember keeps a memory as a person does, and returns its uuid.
func (p *place) remember(typ file.Type, what string) string {
	p.t.Helper()
	r := must(p.w.Remember(p.t.Context(), memory.Draft{Type: typ, What: what}))(p.t)
	if !r.Accepted {
		p.t.Fatalf("not remembered: %s", r.Reason)
	}
	return r.Memory.UUID
}

func (p *place) show(s ledger.Showing) {
	p.t.Helper()
	r := ledger.NewRecorder(p.w.Place().StateDir(), p.w.Place().GitPrefix(), func() time.Time { return p.now })
	if err := r.Shown(p.t.Context(), s); err != nil {
		p.t.Fatal(err)
	}
}

func (p *place) verdicts(uuid string) string {
	p.t.Helper()
	s := must(ledger.Of(p.t.Context(), p.w.State(), uuid))(p.t)
	return fmt.Sprintf("shown %d, followed %d, overridden %d, ignored %d, unknown %d, open %d, repeats %d, people %d", s.Shown, s.Followed, s.Overridden, s.Ignored, s.Unknown, s.Open, s.Repeats, s.ToPeople)
}

func (p *place) tick() { p.now = p.now.Add(10 * time.Second) }

func hook(session, uuid string) ledger.Showing {
	return ledger.Showing{Surface: ledger.Hook, Agent: "claude-code", Session: session, Tool: "Read", Tokens: 30, Memories: []ledger.Share{{UUID: uuid, Tokens: 20}}}
}

// TestAccount: a session that goes on is accounted for on demand, and judged
// when it ends, in the transaction that keeps what it has shown.
func TestAccount(t *testing.T) {
	p := newPlace(t)
	ctx := t.Context()
	bun := p.remember(file.ErrorPattern, "`rtk bun run test` does not work here; `bun run test` does.")
	other := p.remember(file.Gotcha, "`make gen` hangs when Redis is down")
	p.log("a", sh("ls", ""))
	p.tick()
	p.show(hook("a", bun))
	p.show(hook("a", other))
	p.tick()
	p.show(hook("a", bun))
	p.log("a", sh("bun run test --watch", ""))

	account := func(want string) {
		t.Helper()
		if err := Account(ctx, p.options()); err != nil {
			t.Fatal(err)
		}
		if got := p.verdicts(bun); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	account("shown 2, followed 0, overridden 0, ignored 0, unknown 0, open 1, repeats 1, people 0")
	account("shown 2, followed 0, overridden 0, ignored 0, unknown 0, open 1, repeats 1, people 0")
	p.tick()
	p.log("a", sh("nl x", "boom"), end())
	must(Session(ctx, p.options(), "a"))(t)
	ended := "shown 2, followed 1, overridden 0, ignored 0, unknown 0, open 0, repeats 1, people 0"
	if got := p.verdicts(bun); got != ended {
		t.Errorf("at the end %s", got)
	}
	if got := p.verdicts(other); got != "shown 1, followed 0, overridden 0, ignored 1, unknown 0, open 0, repeats 0, people 0" {
		t.Errorf("at the end %s", got)
	}
	account(ended)
	if got := must(ledger.Of(ctx, p.w.State(), bun))(t); got.Worked != 1 || got.Failed != 0 {
		t.Errorf("following it worked in %d sessions and failed in %d", got.Worked, got.Failed)
	}
	if u := must(p.w.State().Usage().ByMemory(ctx))(t)[bun]; u.Worked != 1 || u.Followed != 1 {
		t.Errorf("its use is %+v", u)
	}
	s := must(p.w.State().Shown().Sessions(ctx))(t)
	if len(s) != 1 || s[0].Session != "a" || !s[0].Over || s[0].Answers != 3 || s[0].Tokens != 90 || s[0].Calls != 3 || s[0].Failed != 1 || s[0].Heeded != 1 || s[0].Reentered != 0 || s[0].Retry < 2 {
		t.Errorf("sessions %+v", s)
	}
	// It goes on after its end: what it then does counts.
	p.tick()
	p.log("a", sh("rtk bun run test", "unrecognized"))
	p.now = p.now.Add(Idle + time.Minute)
	account("shown 2, followed 0, overridden 1, ignored 0, unknown 0, open 0, repeats 1, people 0")
	if got := must(ledger.TotalsOf(ctx, p.w.State()))(t); got.Worked != 0 {
		t.Errorf("what was not followed worked in %d sessions", got.Worked)
	}
}

// TestAccountOfNoSession: what an agent asks for by a command is given to the
// session that ran it; a person's look is nobody's; the rest is not known.
func TestAccountOfNoSession(t *testing.T) {
	p := newPlace(t)
	id := p.remember(file.ErrorPattern, "`rtk bun run test` does not work here; `bun run test` does.")
	p.log("a", sh("manicule recall x.go", ""))
	by := func(agent string) ledger.Showing {
		return ledger.Showing{Surface: ledger.CLI, Agent: agent, Tool: "recall", Tokens: 9, Memories: []ledger.Share{{UUID: id, Tokens: 9}}}
	}
	p.show(by("claude-code"))
	p.show(by(""))
	p.show(by("codex"))
	p.tick()
	p.log("a", sh("bun run test", ""), end())
	account := func() {
		t.Helper()
		if err := Account(t.Context(), p.options()); err != nil {
			t.Fatal(err)
		}
	}
	want := "shown 2, followed 1, overridden 0, ignored 0, unknown 1, open 0, repeats 0, people 1"
	account()
	must(Session(t.Context(), p.options(), "a"))(t)
	if got := p.verdicts(id); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	p.tick()
	p.show(by("")) // the day's file has grown, and is read again
	p.tick()
	account()
	if got := p.verdicts(id); got != "shown 2, followed 1, overridden 0, ignored 0, unknown 1, open 0, repeats 0, people 2" {
		t.Errorf("read again: %s", got)
	}
}

// TestAccountOfAnotherWorktree: paths mean something in one worktree only.
func TestAccountOfAnotherWorktree(t *testing.T) {
	p := newPlace(t)
	id := p.remember(file.Gotcha, "The pool panics when it is closed twice")
	p.show(hook("b", id))
	if err := eventlog.Append(p.w.Place().StateDir(), eventlog.Record{Session: "b", Agent: "claude-code", CWD: "/elsewhere", Time: p.now.UnixMilli(), Kind: "session_start"}); err != nil {
		t.Fatal(err)
	}
	if err := Account(t.Context(), p.options()); err != nil {
		t.Fatal(err)
	}
	if got := p.verdicts(id); got != "shown 0, followed 0, overridden 0, ignored 0, unknown 0, open 0, repeats 0, people 0" {
		t.Errorf("got %s", got)
	}
}

// TestArmIsStored: the ledger has a session's arm, and what it did that an earlier one had done.
func TestArmIsStored(t *testing.T) {
	p := newPlace(t)
	start := eventlog.Record{Kind: "session_start", Facts: map[string]string{"arm": "off"}}
	read := eventlog.Record{Kind: "post_tool", Calls: []eventlog.Call{{Tool: "Read", Class: "read", ID: "r", Paths: []string{p.w.Root() + "/a.go"}}}}
	for _, session := range []string{"first", "second"} {
		p.log(session, start, sh("npm test", "Error: connect ECONNREFUSED 127.0.0.1:6379"), read, end())
		must(Pending(t.Context(), p.options(), 0))(t)
		p.now = p.now.Add(time.Hour)
	}
	list := must(p.w.State().Shown().Sessions(t.Context()))(t)
	if len(list) != 2 || list[0].Arm != "off" || list[0].Repeated != 0 || list[0].Reread != 0 || list[1].Arm != "off" || list[1].Repeated != 1 || list[1].Reread != 1 {
		t.Errorf("%+v", list)
	}
}
