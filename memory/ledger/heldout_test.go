package ledger

import (
	"flag"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"manicule/indexer/linefile"
	"manicule/indexer/must"
	"manicule/memory/store"
)

func TestHoldsOut(t *testing.T) {
	held, both, other := 0, 0, 0
	const n = 20_000
	for i := range n {
		id := fmt.Sprint("s", i)
		a, b := HoldsOut("repo", id, "a"), HoldsOut("repo", id, "b")
		if a != HoldsOut("repo", id, "a") {
			t.Fatal("whether it is held out changes")
		}
		if a {
			held++
		}
		if a && b {
			both++
		}
		if a && HoldsOut("other", id, "a") {
			other++
		}
	}
	if got := float64(held) / n; math.Abs(got-.05) > .005 {
		t.Errorf("%.3f of the sessions don't hear of it, want .05", got)
	}
	if both > n/200 || other > n/200 { // .0025 by chance
		t.Errorf("two memories are held out together %d times, and one in two repositories %d times: they hang together", both, other)
	}
}

// session returns one in which a memory is held out, or is not.
func session(held bool, uuid string, from int) string {
	for i := from; ; i++ {
		if id := fmt.Sprint("s", i); HoldsOut("repo", id, uuid) == held {
			return id
		}
	}
}

func TestTrials(t *testing.T) {
	in, out := session(true, "m", 0), session(false, "m", 0)
	told := []Entry{{UUID: "m", Surface: Hook}, {UUID: "m", Surface: Hook}}
	for _, c := range []struct {
		name, session string
		entries       []Entry
		heldOut       []string
		want          []store.TrialRow
	}{
		{"told, twice", out, told, nil, []store.TrialRow{{UUID: "m", Session: out}}},
		{"held out", in, nil, []string{"m"}, []store.TrialRow{{UUID: "m", Session: in, Held: true}}},
		{"held out, and asked for", in, []Entry{{UUID: "m", Surface: MCP}}, []string{"m"}, []store.TrialRow{{UUID: "m", Session: in, Held: true}}},
		{"told although it was to be held out, as while it was pinned", in, told, nil, nil},
		{"asked for", out, []Entry{{UUID: "m", Surface: CLI}}, nil, nil},
		{"held out by another rule", out, nil, []string{"m"}, nil},
	} {
		if got := Trials("repo", c.session, c.entries, c.heldOut); !slices.Equal(got, c.want) {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

// TestHeldOutIsRecorded: the file of a session says what was held out, and that it was not shown.
func TestHeldOutIsRecorded(t *testing.T) {
	dir := t.TempDir()
	r := NewRecorder(dir, "", func() time.Time { return time.UnixMilli(1) })
	for _, s := range []Showing{
		{Surface: Hook, Agent: "x", Session: "s", HeldOut: []string{"a"}},
		{Surface: Hook, Agent: "x", Session: "s", Tokens: 9, Memories: []Share{{UUID: "c"}}, HeldOut: []string{"b", "a"}},
	} {
		must.OK(t, r.Shown(t.Context(), s))
	}
	entries, sum, err := Read(dir, linefile.FileName("s"), "")
	if err != nil || len(entries) != 1 || entries[0].UUID != "c" || sum.Count != 1 || !slices.Equal(sum.HeldOut, []string{"a", "b"}) {
		t.Errorf("%+v, %+v, %v", entries, sum, err)
	}
}

// world are sessions with trials of memories. effect is what a memory adds to the corrections of a session that is told it.
type world struct {
	sessions []store.ShownSession
	trials   []store.TrialRow
}

func newWorld(r *rand.Rand, sessions int, effects map[string]int) world {
	var w world
	for i := range sessions {
		x := store.ShownSession{Session: fmt.Sprint("s", i), Over: true, Arm: string(Full), Calls: 20 + r.IntN(60), Corrections: r.IntN(3) / 2, Repeated: r.IntN(4) / 3, Reread: r.IntN(9)}
		for _, uuid := range slices.Sorted(maps.Keys(effects)) {
			held := r.IntN(20) == 0
			w.trials = append(w.trials, store.TrialRow{UUID: uuid, Session: x.Session, Held: held})
			if !held {
				x.Corrections += effects[uuid]
			}
		}
		w.sessions = append(w.sessions, x)
	}
	return w
}

func (w world) compared(t *testing.T, uuid string) HeldOutMemory {
	t.Helper()
	for _, m := range compareHeldOut(w.sessions, w.trials, nil, 1).Compared {
		if m.UUID == uuid {
			return m
		}
	}
	t.Fatalf("%s is not compared", uuid)
	return HeldOutMemory{}
}

func TestCompareHeldOut(t *testing.T) {
	w := newWorld(rand.New(rand.NewPCG(7, 7)), 400, map[string]int{"harmful": 2, "idle": 0})
	m := w.compared(t, "harmful")
	if m.Harms != "corrections" || m.Told+m.Held != 400 || m.Held < 10 {
		t.Errorf("%+v", m)
	}
	if i := w.compared(t, "idle"); i.Harms != "" {
		t.Errorf("it is said to do harm: %+v", i)
	}
	for i := range w.sessions { // what it is told against, happens
		if slices.Contains(w.trials, store.TrialRow{UUID: "idle", Session: w.sessions[i].Session, Held: true}) {
			w.sessions[i].Repeated += 3
		}
	}
	if m := w.compared(t, "idle"); m.Harms != "" || !m.Known() || m.Figures[1].Name != "failures_repeated" || m.Figures[1].More < 2 || m.Figures[1].MoreLow <= 0 {
		t.Errorf("it helps: %+v", m)
	}
	if got := compareHeldOut(w.sessions, w.trials, []string{"idle"}, 1); len(got.Compared) != 1 || got.Memories != 2 {
		t.Errorf("of one memory: %+v", got)
	}
	for i := range w.sessions {
		w.sessions[i].Over = false
	}
	if got := compareHeldOut(w.sessions, w.trials, nil, 1); got.Sessions != 0 || got.Memories != 0 || len(got.Compared) != 0 {
		t.Errorf("of sessions that go on: %+v", got)
	}
}

// TestTooFewHeldOut: below ten sessions of both nothing is said.
func TestTooFewHeldOut(t *testing.T) {
	var w world
	for i := range 40 {
		w.sessions = append(w.sessions, store.ShownSession{Session: fmt.Sprint(i), Over: true, Corrections: i / 31})
		w.trials = append(w.trials, store.TrialRow{UUID: "m", Session: fmt.Sprint(i), Held: i > 30})
	}
	if got := compareHeldOut(w.sessions, w.trials, nil, 1); len(got.Compared) != 0 || got.Memories != 1 || got.Sessions != 9 {
		t.Errorf("%+v", got)
	}
	w.trials[30].Held, w.sessions[30].Corrections = true, 1
	if m := w.compared(t, "m"); !m.Known() || m.Held != 10 {
		t.Errorf("with ten: %+v", m)
	}
}

// harmWorlds is set higher to measure what docs/ledger.md says.
var harmWorlds = flag.Int("worlds", 3, "projects that TestHarmByChance makes up")

// TestHarmByChance: many memories without any effect are seldom said to do harm, and one that adds a correction to every session is
// found among them.
func TestHarmByChance(t *testing.T) {
	harmless := map[string]int{}
	for i := range 30 {
		harmless[fmt.Sprint("m", i)] = 0
	}
	worlds, wrong, found := *harmWorlds, 0, 0
	for i := range worlds {
		r := rand.New(rand.NewPCG(uint64(i), 3))
		harms := func(w world) (all []string) {
			for _, m := range compareHeldOut(w.sessions, w.trials, nil, 1).Compared {
				if m.Harms != "" {
					all = append(all, m.UUID)
				}
			}
			return all
		}
		if len(harms(newWorld(r, 300, harmless))) > 0 {
			wrong++
		}
		harmless["bad"] = 1
		if slices.Contains(harms(newWorld(r, 300, harmless)), "bad") {
			found++
		}
		delete(harmless, "bad")
	}
	t.Logf("of %d projects, in %d a harmless memory is said to do harm, and in %d a harmful one is found", worlds, wrong, found)
	if wrong > 1+worlds/8 || found < worlds/2 {
		t.Errorf("of %d projects, in %d a harmless memory is said to do harm, and in %d a harmful one is found", worlds, wrong, found)
	}
}

// BenchmarkHeldOut compares a hundred memories of a thousand sessions.
func BenchmarkHeldOut(b *testing.B) {
	memories := map[string]int{}
	for i := range 100 {
		memories[fmt.Sprint("m", i)] = 0
	}
	w := newWorld(rand.New(rand.NewPCG(1, 1)), 1000, memories)
	for b.Loop() {
		compareHeldOut(w.sessions, w.trials, nil, 1)
	}
}
