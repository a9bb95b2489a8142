package memory

import (
	"testing"

	"manicule/memory/file"
)

// TestSettledConflicts: memories contradict each other until a person has decided, whichever of them states it.
func TestSettledConflicts(t *testing.T) {
	for name, test := range map[string]struct {
		settle func(t *testing.T, w *Workspace, old, now *file.Memory) (Result, error)
		stays  bool
	}{
		"superseded by the other side": {settle: func(t *testing.T, w *Workspace, old, now *file.Memory) (Result, error) {
			return w.Edits().Change(t.Context(), old.UUID, func(m *file.Memory) error {
				return AddRelations(m, []file.Relation{{Type: "supersedes", Memory: now.UUID, Confidence: 1}})
			}, "edit", "")
		}},
		"superseded by a third one": {settle: func(t *testing.T, w *Workspace, old, _ *file.Memory) (Result, error) {
			return w.Remember(t.Context(), Draft{What: "Sessions of the browser end after a day", At: []string{"src/auth/token.go#Validate"},
				Relations: []file.Relation{{Type: "supersedes", Memory: old.UUID, Confidence: 1}}})
		}},
		"deprecated": {settle: func(t *testing.T, w *Workspace, old, _ *file.Memory) (Result, error) {
			return w.Edits().Deprecate(t.Context(), old.UUID, "it was an old release")
		}},
		"edited so that they agree": {settle: func(t *testing.T, w *Workspace, old, _ *file.Memory) (Result, error) {
			return w.Edits().Change(t.Context(), old.UUID, func(m *file.Memory) error { m.What = "All tokens expire after 30 minutes"; return nil }, "edit", "")
		}},
		"edited so that they still differ": {stays: true, settle: func(t *testing.T, w *Workspace, old, _ *file.Memory) (Result, error) {
			return w.Edits().Change(t.Context(), old.UUID, func(m *file.Memory) error { m.What = "Tokens expire after 20 minutes"; return nil }, "edit", "")
		}},
	} {
		t.Run(name, func(t *testing.T) {
			w := fixture(t)
			old := remember(t, w, Draft{What: "Tokens expire after 15 minutes", At: []string{"src/auth/token.go#Validate"}})
			now := remember(t, w, Draft{What: "Tokens expire after 30 minutes", At: []string{"src/auth/token.go#Validate"}})
			conflicts := func() (n int) {
				if _, err := w.Sync(t.Context()); err != nil {
					t.Fatal(err)
				}
				for _, id := range []string{old.UUID, now.UUID} {
					h, ok := w.View().Get(id)
					if !ok {
						t.Fatalf("%s is gone", id)
					}
					listed, err := w.Relations().Of(t.Context(), h.Memory)
					if err != nil {
						t.Fatal(err)
					}
					for _, r := range append(listed, w.View().RelatedTo(h.Memory)...) {
						if r.Type == conflictsWith {
							n++
						}
					}
				}
				return n
			}
			if n := conflicts(); n != 4 {
				t.Fatalf("a conflict is listed %d times, want 4: by both sides, in a view and by the databases", n)
			}
			if r, err := test.settle(t, w, old, now); err != nil || !r.Accepted {
				t.Fatalf("%+v, %v", r, err)
			}
			if n := conflicts(); n != 0 && !test.stays || n != 4 && test.stays {
				t.Errorf("then it is listed %d times", n)
			}
		})
	}
}

// TestEditOfVerified: whoever changes the words of a memory that another person verified is the one who vouches for them.
func TestEditOfVerified(t *testing.T) {
	w := fixture(t)
	id := remember(t, w, Draft{What: "Tokens expire after 15 minutes", At: []string{"src/auth/token.go#Validate"}}).UUID
	change := func(kind string, f func(m *file.Memory)) *file.Memory {
		t.Helper()
		r, err := w.Edits().Change(t.Context(), id, func(m *file.Memory) error { f(m); return nil }, kind, "")
		if err != nil || !r.Accepted {
			t.Fatalf("%+v, %v", r, err)
		}
		return r.Memory
	}
	change("verify", func(m *file.Memory) { m.Trust.VerifiedBy = "bea" })
	if m := change("edit", func(m *file.Memory) { m.Tags = []string{"auth"} }); m.Trust.VerifiedBy != "bea" {
		t.Errorf("with another tag: verified by %q", m.Trust.VerifiedBy)
	}
	if m := change("edit", func(m *file.Memory) { m.What = "Tokens expire after an hour" }); m.Trust.VerifiedBy != "ada" || m.Trust.VerifiedAt == nil {
		t.Errorf("in other words: verified by %q", m.Trust.VerifiedBy)
	}
	w.maker.user, w.maker.getenv = "", func(string) string { return "" }
	if m := change("edit", func(m *file.Memory) { m.What = "Tokens expire after a day" }); m.Trust.VerifiedBy != "" || m.Trust.VerifiedAt != nil {
		t.Errorf("by somebody whom git does not name: verified by %q at %v", m.Trust.VerifiedBy, m.Trust.VerifiedAt)
	}
}
