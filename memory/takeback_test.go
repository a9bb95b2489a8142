package memory

import (
	"errors"
	"os"
	"strings"
	"testing"

	"manicule/indexer/must"
	"manicule/memory/file"
)

// TestTakeBack: a decision that is taken back leaves everything as it was before.
func TestTakeBack(t *testing.T) {
	for _, c := range []struct {
		name   string
		decide func(w *Workspace, id string) error
	}{
		{"accepted", func(w *Workspace, id string) error { _, err := w.Decisions().Accept(t.Context(), id); return err }},
		{"accepted with changes", func(w *Workspace, id string) error {
			_, err := w.Decisions().AcceptEdited(t.Context(), id, func(m *file.Memory) error { m.What = "Something else altogether"; return nil })
			return err
		}},
		{"rejected", func(w *Workspace, id string) error { return w.Drafts().Reject(t.Context(), id, "not so") }},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := fixture(t)
			said := Draft{What: "Refresh fails silently", Agent: true, Tool: "claude-code", Session: "s1"}
			r, err := w.Remember(t.Context(), said)
			if err != nil || !r.Draft {
				t.Fatalf("%+v, %v", r, err)
			}
			if again, err := w.Remember(t.Context(), said); err != nil || !again.Deduped { // counted: said 2 times
				t.Fatalf("%+v, %v", again, err)
			}
			before, err := w.Drafts().Candidates(t.Context())
			if err != nil || len(before) != 1 {
				t.Fatalf("%v, %v", before, err)
			}
			was, err := w.Drafts().Waiting(t.Context(), r.Memory.UUID)
			must.OK(t, err)
			must.OK(t, c.decide(w, r.Memory.UUID))
			if left, err := w.Drafts().List(t.Context()); err != nil || len(left) != 0 {
				t.Fatalf("it waits although it was %s: %v, %v", c.name, left, err)
			}
			must.OK(t, w.Decisions().TakeBack(t.Context(), was))
			after, err := w.Drafts().Candidates(t.Context())
			if err != nil || len(after) != 1 || after[0].Memory.What != said.What || after[0].Status != before[0].Status || after[0].Observations != before[0].Observations ||
				strings.Join(after[0].Evidence, ";") != strings.Join(before[0].Evidence, ";") {
				t.Errorf("waits again as %+v, want %+v (%v)", after, before, err)
			}
			if _, err := w.Get(t.Context(), r.Memory.UUID); !errors.Is(err, ErrNotFound) {
				t.Errorf("the memory is still there: %v", err)
			}
			if gone, err := w.state.Tombstones().List(t.Context()); err != nil || len(gone) != 0 {
				t.Errorf("it can be restored beside the draft: %v, %v", gone, err)
			}
			if e, err := w.state.Trust().Evidence(t.Context(), 0); err != nil || e.Accepted != 0 || e.Rejected != 0 {
				t.Errorf("it counts as judged: %+v, %v", e, err)
			}
			if r, err := w.Decisions().Accept(t.Context(), r.Memory.UUID); err != nil || !r.Accepted {
				t.Errorf("accept again: %+v, %v", r, err)
			}
			if err := w.Decisions().TakeBack(t.Context(), was); err != nil {
				t.Errorf("take back again: %v", err)
			}
		})
	}
}

// TestTakeBackRefused: what happened to the memory since is not lost.
func TestTakeBackRefused(t *testing.T) {
	w := fixture(t)
	m := remember(t, w, Draft{What: "Refresh fails silently", Scope: []string{"src/**"}})
	draft := remember(t, w, Draft{What: "an agent wrote a draft", Agent: true, Tool: "codex"})
	proposed, err := w.Drafts().Propose(t.Context(), Change{Act: ActForget, Memory: m.UUID, Reason: "seen", Tool: "x"})
	must.OK(t, err)
	for _, c := range []struct {
		name, id, want string
		then           func() error
	}{
		{"changed", draft.UUID, "was changed since", func() error {
			_, err := w.Edits().Change(t.Context(), draft.UUID, func(m *file.Memory) error { m.What = "a person wrote this"; return nil }, "edit", "")
			return err
		}},
		{"a change of another memory", proposed.Memory.UUID, "can't be taken back", func() error { return nil }},
	} {
		was, err := w.Drafts().Waiting(t.Context(), c.id)
		must.OK(t, err)
		if _, err := w.Decisions().Accept(t.Context(), c.id); err != nil {
			t.Fatal(err)
		}
		must.OK(t, c.then())
		if err := w.Decisions().TakeBack(t.Context(), was); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	if h, err := w.Get(t.Context(), draft.UUID); err != nil || h.Memory.What != "a person wrote this" {
		t.Errorf("the memory that a person changed: %+v, %v", h, err)
	} else if _, err := os.Stat(h.Path); err != nil {
		t.Error(err)
	}
}
