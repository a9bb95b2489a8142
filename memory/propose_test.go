package memory

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"manicule/indexer/must"
	"manicule/memory/file"
	"manicule/memory/store"
)

func TestPropose(t *testing.T) {
	edit := func(what string) func(*file.Memory) error {
		return func(m *file.Memory) error { m.What = what; return nil }
	}
	for _, tt := range []struct {
		name   string
		change Change
		check  func(t *testing.T, w *Workspace, id string)
	}{
		{"edit", Change{Act: ActEdit, Edit: edit("Refresh fails loudly now")}, func(t *testing.T, w *Workspace, id string) {
			h, err := w.Get(t.Context(), id)
			if err != nil || h.Memory.What != "Refresh fails loudly now" || h.Memory.Lineage.Version != 2 || h.Memory.Trust.VerifiedBy != "ada" || len(h.Memory.Details) > 0 {
				t.Errorf("%+v, %v", h.Memory, err)
			}
		}},
		{"forget", Change{Act: ActForget, Reason: "the code is gone"}, func(t *testing.T, w *Workspace, id string) {
			if _, err := w.Get(t.Context(), id); !errors.Is(err, ErrNotFound) {
				t.Errorf("it is still there: %v", err)
			}
			if r, err := w.Forgotten().Restore(t.Context(), id); err != nil || !r.Accepted {
				t.Errorf("restore: %+v, %v", r, err)
			}
		}},
		{"confirm", Change{Act: ActConfirm, Reason: "the test of it passes"}, func(t *testing.T, w *Workspace, id string) {
			h, err := w.Get(t.Context(), id)
			if err != nil || h.Memory.Trust.VerifiedAt == nil || h.Memory.Lineage.ChangeKind != "verify" {
				t.Errorf("%+v, %v", h.Memory, err)
			}
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := fixture(t)
			m := remember(t, w, Draft{What: "Refresh fails silently", At: []string{"src/auth/token.go#Validate"}})
			tt.change.Memory, tt.change.Tool = m.ShortID(), "claude-code"
			before, err := m.Hash()
			must.OK(t, err)
			r, err := w.Drafts().Propose(t.Context(), tt.change)
			if err != nil || !r.Accepted || !r.Draft {
				t.Fatalf("%+v, %v", r, err)
			}
			now, err := w.Get(t.Context(), m.UUID)
			must.OK(t, err)
			if h, _ := now.Memory.Hash(); h != before {
				t.Error("a proposal changed the memory")
			}
			if again, err := w.Drafts().Propose(t.Context(), tt.change); err != nil || !again.Deduped {
				t.Errorf("again: %+v, %v", again, err)
			}
			if got, err := w.Decisions().Accept(t.Context(), r.Memory.UUID); err != nil || !got.Accepted || got.Memory.UUID != m.UUID {
				t.Fatalf("accept: %+v, %v", got, err)
			}
			tt.check(t, w, m.UUID)
			if left, err := w.Drafts().List(t.Context()); err != nil || len(left) != 0 {
				t.Errorf("drafts left: %v, %v", left, err)
			}
		})
	}
}

func TestProposeConflict(t *testing.T) {
	w := fixture(t)
	m := remember(t, w, Draft{What: "first", Scope: []string{"src/**"}})
	set := func(what string) func(*file.Memory) error {
		return func(m *file.Memory) error { m.What = what; return nil }
	}
	r, err := w.Drafts().Propose(t.Context(), Change{Act: ActEdit, Memory: m.UUID, Edit: set("b is what an agent says"), Tool: "x"})
	if err != nil || !r.Accepted {
		t.Fatalf("%+v, %v", r, err)
	}
	if _, err := w.Edits().Change(t.Context(), m.UUID, set("changed"), "edit", ""); err != nil {
		t.Fatal(err)
	}
	if got, err := w.Decisions().Accept(t.Context(), r.Memory.UUID); err != nil || got.Accepted || got.Code != "conflict" {
		t.Errorf("a change of an older version: %+v, %v", got, err)
	}
	if same, err := w.Drafts().Propose(t.Context(), Change{Act: ActEdit, Memory: m.UUID, Edit: set("changed"), Tool: "x"}); err != nil || same.Accepted {
		t.Errorf("nothing to change: %+v, %v", same, err)
	}
}

func TestWithdraw(t *testing.T) {
	w := fixture(t)
	m := remember(t, w, Draft{What: "an agent wrote a draft", Agent: true, Tool: "codex"})
	is := func(agent string) func(store.DraftRow) bool {
		return func(d store.DraftRow) bool { return d.Tool == agent }
	}
	if ok, err := w.Drafts().Withdraw(t.Context(), m.UUID, is("gemini")); !ok || err == nil || !strings.Contains(err.Error(), "not yours") {
		t.Errorf("by another agent: %v, %v", ok, err)
	}
	if ok, err := w.Drafts().Withdraw(t.Context(), m.UUID, is("codex")); !ok || err != nil {
		t.Errorf("by its agent: %v, %v", ok, err)
	}
	if ok, err := w.Drafts().Withdraw(t.Context(), m.UUID, is("codex")); ok || err != nil {
		t.Errorf("twice: %v, %v", ok, err)
	}
}

// TestProposalText: what a person reads of a proposal is what accepting it does.
func TestProposalText(t *testing.T) {
	w := fixture(t)
	m := remember(t, w, Draft{What: "Refresh fails silently", Why: "no error", Scope: []string{"src/**"}})
	edit := func(f func(*file.Memory)) func(*file.Memory) error {
		return func(m *file.Memory) error { f(m); return nil }
	}
	for _, act := range []Act{ActForget, ActConfirm} {
		r, err := w.Drafts().Propose(t.Context(), Change{Act: act, Memory: m.UUID, Reason: "seen", Tool: "x"})
		if err != nil || !r.Accepted {
			t.Fatalf("%+v, %v", r, err)
		}
		if _, err := w.Drafts().Edit(t.Context(), r.Memory.UUID, edit(func(m *file.Memory) { m.What = "Still true: something else" })); err == nil || !strings.Contains(err.Error(), "can't be changed") {
			t.Errorf("%s: its text was changed: %v", act, err)
		}
	}
	r, err := w.Drafts().Propose(t.Context(), Change{Act: ActEdit, Memory: m.UUID, Reason: "ran it", Tool: "x", Edit: edit(func(m *file.Memory) { m.Tags = []string{"redis"} })})
	if err != nil || !r.Accepted {
		t.Fatalf("%+v, %v", r, err)
	}
	if _, err := w.Drafts().Edit(t.Context(), r.Memory.UUID, edit(func(m *file.Memory) { m.Why, m.Details = "it logs nothing", nil })); err != nil {
		t.Fatal(err)
	}
	list, err := w.Drafts().Pending(t.Context())
	if err != nil || len(list) != 3 {
		t.Fatalf("%d, %v", len(list), err)
	}
	for i, act := range []Act{ActForget, ActConfirm, ActEdit} {
		if x := list[i]; x.Act != act || x.Target == nil || x.Target.What != m.What || x.Why == "" {
			t.Errorf("%d: %+v", i, x)
		}
	}
	want := []Field{{"why", "no error", "it logs nothing"}, {"tags", "", "redis"}}
	if got := list[2].Fields; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestProposalKeys: only a proposal that would do the same is the same.
func TestProposalKeys(t *testing.T) {
	w := fixture(t)
	m := remember(t, w, Draft{What: "Refresh fails silently", Scope: []string{"src/**"}})
	propose := func(c Change) Result {
		t.Helper()
		c.Memory, c.Tool = m.UUID, "x"
		r, err := w.Drafts().Propose(t.Context(), c)
		must.OK(t, err)
		return r
	}
	why := func(s string) func(*file.Memory) error {
		return func(m *file.Memory) error { m.Why = s; return nil }
	}
	for _, c := range []Change{
		{Act: ActEdit, Edit: why("a")}, {Act: ActEdit, Edit: why("b")},
		{Act: ActEdit, Edit: func(m *file.Memory) error { m.Tags = []string{"t"}; return nil }},
		{Act: ActEdit, Edit: func(m *file.Memory) error { m.Type = file.DeadEnd; return nil }},
		{Act: ActConfirm, Reason: "a run"}, {Act: ActConfirm, Reason: "a test"}, {Act: ActForget, Reason: "a run"},
	} {
		r := propose(c)
		if !r.Accepted || r.Deduped {
			t.Errorf("%s %q was taken for another: %+v", c.Act, c.Reason, r)
			continue
		}
		if again := propose(c); !again.Deduped {
			t.Errorf("%s %q twice: %+v", c.Act, c.Reason, again)
		}
		must.OK(t, w.Drafts().Reject(t.Context(), r.Memory.UUID, "no"))
		if again := propose(c); again.Accepted || again.Code != "rejected" {
			t.Errorf("%s %q after its rejection: %+v", c.Act, c.Reason, again)
		}
	}
}
