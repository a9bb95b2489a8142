package hooks

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"manicule/hooks/eventlog"
	"manicule/indexer/must"
	"manicule/memory"
	"manicule/memory/branch"
	"manicule/memory/file"
	"manicule/memory/ledger"
)

// trial is a session that is told of memories by prompts, with what it records.
type trial struct {
	*world
	id      string
	holdOut bool
	files   []string // of the branch
	shown   []ledger.Showing
}

// say gives one event to the hook, and returns its answer.
func (x *trial) say(ev map[string]any) string {
	x.tb.Helper()
	ev["session_id"], ev["cwd"] = x.id, x.root
	in, err := json.Marshal(ev)
	must.OK(x.tb, err)
	var out bytes.Buffer
	o := x.options("claude-code", string(in), &out)
	o.TrustLevel, o.Arms, o.HoldOut = 2, true, x.holdOut
	o.Search = func(_ context.Context, _ string, q Query) (hits []memory.Hit, _ error) {
		for _, m := range x.roots[x.root] {
			if strings.Contains(strings.ToLower(m.What), strings.ToLower(strings.Fields(q.Text)[0])) {
				hits = append(hits, memory.Hit{Memory: m})
			}
		}
		return hits, nil
	}
	o.Branch = func(context.Context, string) (branch.Memories, error) {
		return branch.Memories{Name: "retry", Files: x.files}, nil
	}
	o.Shown = func(_ context.Context, _ string, s ledger.Showing) error {
		x.shown = append(x.shown, s)
		return nil
	}
	Run(context.Background(), o)
	return out.String()
}

// newTrial starts the first session of the full arm in which one memory is held out by its hash, and another is told.
func newTrial(t *testing.T, held, told string) *trial {
	w := newWorld(t)
	for _, m := range w.roots[w.root] {
		m.Confidence, m.Trust.Origin = .9, file.UserTaught
	}
	for i := range ledger.ArmsFrom {
		must.OK(t, eventlog.Append(w.state, eventlog.Record{Time: 1, Session: fmt.Sprint("earlier", i), Kind: "session_start"}))
	}
	repository := filepath.Base(w.state)
	for i := 0; ; i++ {
		id := fmt.Sprint("session-", i)
		if ledger.ArmOf(repository, id) == ledger.Full && ledger.HoldsOut(repository, id, held) && !ledger.HoldsOut(repository, id, told) {
			return &trial{world: w, id: id, holdOut: true}
		}
	}
}

func started() map[string]any {
	return map[string]any{"hook_event_name": "SessionStart", "source": "startup"}
}

// TestHoldOut: a memory that is held out is neither told nor counted, and recorded once where others are recorded as shown.
func TestHoldOut(t *testing.T) {
	x := newTrial(t, "d2", "g1")
	x.say(started())
	x.shown = nil
	got := x.say(prompt("Token refresh should stay opaque for mobile clients"))
	if strings.Contains(got, "Tokens are opaque") || !strings.Contains(got, "Token refresh fails silently") {
		t.Errorf("at a prompt: %s", got)
	}
	if len(x.shown) != 1 || !slices.Equal(x.shown[0].HeldOut, []string{"d2"}) || len(x.shown[0].Memories) != 1 || x.shown[0].Memories[0].UUID != "g1" {
		t.Errorf("recorded %+v", x.shown)
	}
	x.shown = nil
	if got := x.say(prompt("Tokens that are opaque should stay so")); got != "" || len(x.shown) != 0 {
		t.Errorf("again: %s, recorded %+v", got, x.shown)
	}
	if got := x.say(tool("Read", "file_path", "src/auth/x.ts")); !strings.Contains(got, "1 memory for src/auth/x.ts") {
		t.Errorf("it is counted: %s", got)
	}
	x.quiet()
	dedupe := eventlog.Conversation{StateDir: x.state, Session: x.id}.Dedupe("")
	shown, err := dedupe.Shown()
	if quoted := eventlog.Digest(eventlog.QuotedKey("d2")); err != nil || shown[quoted] || shown[eventlog.Digest("d2")] || !shown[eventlog.Digest(eventlog.QuotedKey("g1"))] {
		t.Errorf("shown %v, %v", shown, err)
	}
	list, err := eventlog.ClaimsIn(x.state, eventlog.SafeName(x.id))
	for _, c := range list {
		if slices.Contains(c.Keys, eventlog.Digest("d2")) {
			t.Error("it is listed as shown")
		}
	}
	if err != nil {
		t.Error(err)
	}
}

// TestHoldOutOfBranch: of the memories of a branch, one that is held out is not quoted at the start.
func TestHoldOutOfBranch(t *testing.T) {
	for _, on := range []bool{false, true} {
		x := newTrial(t, "d2", "g1")
		x.holdOut, x.files = on, []string{"g1", "d2"}
		got := x.say(started())
		if strings.Contains(got, "Tokens are opaque") == on || !strings.Contains(got, "Token refresh fails silently") {
			t.Errorf("held out %v: %s", on, got)
		}
		if on && !slices.Equal(x.shown[0].HeldOut, []string{"d2"}) {
			t.Errorf("recorded %+v", x.shown)
		}
	}
}

// TestHoldOutOnly: an answer that is empty without what was held out is recorded too.
func TestHoldOutOnly(t *testing.T) {
	x := newTrial(t, "d2", "g1")
	x.say(started())
	x.shown = nil
	if got := x.say(prompt("Tokens that are opaque should stay so")); strings.Contains(got, "☞") {
		t.Errorf("told %s", got)
	}
	if len(x.shown) != 1 || !slices.Equal(x.shown[0].HeldOut, []string{"d2"}) || len(x.shown[0].Memories) != 0 || x.shown[0].Tokens != 0 {
		t.Errorf("recorded %+v", x.shown)
	}
}

// TestNotHeldOut: what must not be held out, or not yet, is told.
func TestNotHeldOut(t *testing.T) {
	for name, change := range map[string]func(x *trial, m *file.Memory){
		"switched off":           func(x *trial, _ *file.Memory) { x.holdOut = false },
		"pinned":                 func(_ *trial, m *file.Memory) { m.Pinned = true },
		"for the whole project":  func(_ *trial, m *file.Memory) { m.Scope = nil },
		"with a rule":            func(_ *trial, m *file.Memory) { m.Details = []byte(`{"forbids": "jwt\\."}`) },
		"in an early repository": func(x *trial, _ *file.Memory) { x.state = filepath.Join(x.state, "../new", filepath.Base(x.state)) },
	} {
		t.Run(name, func(t *testing.T) {
			x := newTrial(t, "d2", "g1")
			change(x, x.roots[x.root][2])
			x.say(started())
			x.shown = nil
			if got := x.say(prompt("Tokens that are opaque should stay so")); !strings.Contains(got, "Tokens are opaque") || len(x.shown) != 1 || x.shown[0].HeldOut != nil {
				t.Errorf("told %q, recorded %+v", got, x.shown)
			}
		})
	}
	x := newTrial(t, "d2", "g1")
	if got := x.say(prompt("Tokens that are opaque should stay so")); !strings.Contains(got, "Tokens are opaque") {
		t.Errorf("in a session that was not assigned to an arm: %q", got)
	}
}
