package ledger

import (
	"testing"

	"manicule/memory"
	"manicule/memory/file"
	"manicule/memory/store"
)

func TestSavedMayBeNegative(t *testing.T) {
	for _, tc := range []struct {
		name     string
		sessions []store.ShownSession
		want     Saved
	}{
		{"nothing", nil, Saved{}},
		{"told, and nothing came of it", []store.ShownSession{{Tokens: 100}}, Saved{Injected: 100, Net: -100}},
		{"followed, of calls that cost nothing known", []store.ShownSession{{Tokens: 100, Heeded: 2}}, Saved{Heeded: 2, Injected: 100, Net: -100}},
		{"followed", []store.ShownSession{{Tokens: 100, Heeded: 2}, {Failed: 4, Retry: 900}}, Saved{Heeded: 2, PerCall: 225, AtMost: 450, Injected: 100, Net: 350}},
	} {
		tc.want.Method = Method
		if got := saved(tc.sessions); got != tc.want {
			t.Errorf("%s: got %+v, want %+v", tc.name, got, tc.want)
		}
	}
}

func TestBuckets(t *testing.T) {
	var list []store.ShownSession
	for i := range 17 {
		list = append(list, store.ShownSession{Calls: 10, Prompts: 2, Rereads: i, Tokens: 3})
	}
	got := buckets(list)
	if len(got) != 3 || got[0].Sessions != 5 || got[1].Sessions != 10 || got[2].Sessions != 2 || got[2].From != 16 || got[0].Calls != 5 || got[0].Rereads != 2 || got[2].Rereads != 15.5 || got[1].Tokens != 3 {
		t.Errorf("%+v", got)
	}
	if len(buckets(nil)) != 0 {
		t.Error("buckets of nothing")
	}
}

func TestFirstOf(t *testing.T) {
	mem := func(id string, change func(*file.Memory)) memory.Hit {
		m := &file.Memory{UUID: id, What: id, Type: file.Gotcha, Confidence: .8, Importance: file.Medium, Visibility: file.Project, Trust: file.Trust{Origin: file.AgentExplicit}}
		if change != nil {
			change(m)
		}
		return memory.Hit{Memory: m}
	}
	hits := []memory.Hit{
		mem("plain", nil),
		mem("sure", func(m *file.Memory) { m.Confidence = .9 }),
		mem("taught", func(m *file.Memory) { m.Trust.Origin = file.UserTaught }),
		mem("pinned", func(m *file.Memory) { m.Pinned = true }),
		mem("used", func(m *file.Memory) {}),
		mem("shown", func(m *file.Memory) {}),
		mem("tainted", func(m *file.Memory) { m.Trust.Tainted, m.Pinned = true, true }),
		mem("confirmed", func(m *file.Memory) { m.Trust.Tainted, m.Trust.VerifiedBy, m.Confidence = true, "Ada", .2 }),
		mem("unreviewed", func(m *file.Memory) { m.Trust.NeedsReview, m.Pinned = true, true }),
		mem("disputed", func(m *file.Memory) { m.Trust.DisputedBy = "Bea" }),
		mem("mine", func(m *file.Memory) { m.Visibility = file.Personal }),
		mem("passing", func(m *file.Memory) { m.Type = file.WorkState }),
		mem("repeated for a folder", func(m *file.Memory) { m.What, m.Scope, m.Confidence = "Plain", []string{"docs/**"}, .1 }),
	}
	totals := Totals{Memories: map[string]*Summary{"shown": {Shown: 40, asked: 37}}}
	list, left := Starters(hits, map[string]int{"used": 50}, totals, 10)
	var got []string
	for _, f := range list {
		got = append(got, f.Hit.Memory.UUID)
	}
	want := []string{"pinned", "used", "shown", "taught", "sure", "plain", "confirmed"}
	if len(got) != len(want) || left != 5 {
		t.Fatalf("%v, %d left out", got, left)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("got %v, want %v", got, want)
			break
		}
	}
	if list, _ := Starters(hits, nil, totals, 2); len(list) != 2 {
		t.Errorf("%d of at most 2", len(list))
	}
}

// TestFirstByType: what bites and what was decided comes before what the code says.
func TestFirstByType(t *testing.T) {
	var hits []memory.Hit
	for _, typ := range []file.Type{file.ModuleInsight, file.Convention, file.Decision, file.Gotcha} {
		hits = append(hits, memory.Hit{Memory: &file.Memory{UUID: string(typ), What: string(typ), Type: typ, Confidence: .8, Importance: file.Medium, Visibility: file.Project, Trust: file.Trust{Origin: file.Import}}})
	}
	list, _ := Starters(hits, nil, Totals{}, 4)
	for i, want := range []file.Type{file.Gotcha, file.Decision, file.Convention, file.ModuleInsight} {
		if list[i].Hit.Memory.Type != want {
			t.Errorf("place %d has %s, want %s", i+1, list[i].Hit.Memory.Type, want)
		}
	}
}

// TestUnasked: what counts as asked for is not counted as shown too.
func TestUnasked(t *testing.T) {
	for surface, want := range map[Surface]int{Hook: 3, CLI: 0, MCP: 0} {
		totals := Totals{Memories: map[string]*Summary{}}
		at(totals.Memories, "m").add(store.ShownCount{UUID: "m", Agent: "x", Surface: string(surface), Count: 3})
		if got := totals.unasked("m"); got != want {
			t.Errorf("%s: %d, want %d", surface, got, want)
		}
	}
}
