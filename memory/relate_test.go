package memory

import (
	"strings"
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

// TestSharedRelatesToNoPersonal: the file of a shared memory does not name a personal one, which nobody else has.
func TestSharedRelatesToNoPersonal(t *testing.T) {
	w := fixture(t)
	mine := remember(t, w, Draft{What: "My proxy drops idle connections after 20 seconds", Personal: true})
	shared := remember(t, w, Draft{What: "The proxy must reconnect to the database"})
	for _, kind := range []string{"supersedes", "conflicts_with", "related_to", "required_with"} {
		relation := []file.Relation{{Type: kind, Memory: mine.UUID, Confidence: 1}}
		state := func(m *file.Memory) error { return AddRelations(m, relation) }
		if r, err := w.Edits().Change(t.Context(), shared.UUID, state, "edit", ""); err != nil || r.Accepted || !strings.Contains(r.Reason, "is personal") {
			t.Errorf("%s of a shared memory: %+v, %v", kind, r, err)
		}
		for _, agent := range []bool{false, true} {
			if r, err := w.Remember(t.Context(), Draft{What: "Streams stay open for " + kind, Relations: relation, Agent: agent}); err != nil || r.Accepted {
				t.Errorf("%s of a new one, by an agent %t: %+v, %v", kind, agent, r, err)
			}
		}
		back := []file.Relation{{Type: kind, Memory: shared.UUID, Confidence: 1}}
		if r, err := w.Edits().Change(t.Context(), mine.UUID, func(m *file.Memory) error { m.Relations = back; return nil }, "edit", ""); err != nil || !r.Accepted {
			t.Errorf("%s of the personal one: %+v, %v", kind, r, err)
		}
	}
	other := remember(t, w, Draft{What: "Deploys wait for the nightly run", Personal: true, Relations: []file.Relation{{Type: "related_to", Memory: mine.UUID, Confidence: 1}}})
	publish := func(m *file.Memory) error { m.Visibility = file.Project; return nil }
	if r, err := w.Edits().Change(t.Context(), other.UUID, publish, "edit", ""); err != nil || r.Accepted {
		t.Errorf("a personal one that names another becomes shared: %+v, %v", r, err)
	}
}

// TestSupersedeEachOther: one of two memories can supersede the other. If a merge or a hand leaves both or a memory that
// supersedes itself, nobody loses one: they are told, as a conflict.
func TestSupersedeEachOther(t *testing.T) {
	w := fixture(t)
	at := []string{"src/auth/token.go#Validate"}
	a := remember(t, w, Draft{What: "Tokens are checked against the clock of the server", At: at})
	b := remember(t, w, Draft{What: "Refresh never asks for the password again", At: at})
	over := func(m *file.Memory) []file.Relation {
		return []file.Relation{{Type: file.Supersedes, Memory: m.UUID, Confidence: 1}}
	}
	if r, err := w.Edits().Change(t.Context(), a.UUID, func(m *file.Memory) error { return AddRelations(m, over(b)) }, "edit", ""); err != nil || !r.Accepted {
		t.Fatalf("%+v, %v", r, err)
	}
	if r, err := w.Edits().Change(t.Context(), b.UUID, func(m *file.Memory) error { return AddRelations(m, over(a)) }, "edit", ""); err != nil || r.Accepted {
		t.Errorf("the other way round it is accepted, too: %+v, %v", r, err)
	}
	c := remember(t, w, Draft{What: "A session is bound to the address that began it", At: at})
	if r, err := w.Edits().Change(t.Context(), c.UUID, func(m *file.Memory) error { return AddRelations(m, over(a)) }, "edit", ""); err != nil || !r.Accepted {
		t.Fatalf("%+v, %v", r, err)
	}
	if r, err := w.Edits().Change(t.Context(), b.UUID, func(m *file.Memory) error { return AddRelations(m, over(c)) }, "edit", ""); err != nil || r.Accepted || !strings.Contains(r.Reason, "by way of others") {
		t.Errorf("what supersedes it by way of another is superseded: %+v, %v", r, err)
	}
	if err := w.Forgotten().Forget(t.Context(), c.UUID); err != nil {
		t.Fatal(err)
	}
	told := func() (n int) {
		t.Helper()
		if _, err := w.Sync(t.Context()); err != nil {
			t.Fatal(err)
		}
		n = len(strings.Split(recallText(t, w, Query{Paths: []string{"src/auth/token.go"}}), ","))
		if live := len(w.View().Live()); live != n {
			t.Errorf("%d are recalled, and %d are live", n, live)
		}
		return n
	}
	one := told()
	byHand := func(of *file.Memory, list []file.Relation) {
		h, err := w.Get(t.Context(), of.UUID)
		if err != nil {
			t.Fatal(err)
		}
		m := h.Memory.Clone()
		m.Relations = list
		if _, err := file.Write(w.Place().MemoriesDir(), m); err != nil {
			t.Fatal(err)
		}
	}
	byHand(b, over(a))
	if n := told(); n != one+1 {
		t.Errorf("%d are told once each supersedes the other, want %d", n, one+1)
	}
	for _, id := range []string{a.UUID, b.UUID} {
		h, err := w.Get(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		list, err := w.Relations().Of(t.Context(), h.Memory)
		if err != nil || len(list) != 1 || list[0].Type != conflictsWith || len(w.View().RelatedTo(h.Memory)) != 1 {
			t.Errorf("%s is related as %+v, %v", id, list, err)
		}
	}
	byHand(a, over(a))
	byHand(b, nil)
	if n := told(); n != one+1 {
		t.Errorf("%d are told once one supersedes itself, want %d", n, one+1)
	}
}

// TestSettledDraft: a draft that contradicts a memory needs a look, until that memory is out of use.
func TestSettledDraft(t *testing.T) {
	w := fixture(t)
	at := []string{"src/auth/token.go#Validate"}
	old := remember(t, w, Draft{What: "Tokens expire after 15 minutes", At: at})
	remember(t, w, Draft{What: "Tokens expire after 30 minutes", At: at, Agent: true})
	needsLook := func() bool {
		t.Helper()
		list, err := w.Drafts().Candidates(t.Context())
		if err != nil || len(list) != 1 {
			t.Fatalf("%+v, %v", list, err)
		}
		return list[0].NeedsLook()
	}
	if !needsLook() {
		t.Fatal("a draft that contradicts a memory needs no look")
	}
	if r, err := w.Edits().Deprecate(t.Context(), old.UUID, "of an old release"); err != nil || !r.Accepted {
		t.Fatalf("%+v, %v", r, err)
	}
	if needsLook() {
		t.Error("it needs a look, though what it contradicts is out of use")
	}
}

// TestNamedStaysShared: a memory that a shared one names does not become personal until it is named no more.
func TestNamedStaysShared(t *testing.T) {
	w := fixture(t)
	named := remember(t, w, Draft{What: "Tokens expire after 15 minutes", At: []string{"src/auth/token.go#Validate"}})
	by := remember(t, w, Draft{What: "Sessions of the browser end after a day", Relations: []file.Relation{{Type: "related_to", Memory: named.UUID, Confidence: 1}}})
	hide := func() Result {
		t.Helper()
		r, err := w.Edits().Change(t.Context(), named.UUID, func(m *file.Memory) error { m.Visibility = file.Personal; return nil }, "edit", "")
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	if r := hide(); r.Accepted || !strings.Contains(r.Reason, by.ShortID()+", which is shared, names this one") {
		t.Errorf("while it is named: %+v", r)
	}
	if _, err := w.Edits().Change(t.Context(), by.UUID, func(m *file.Memory) error { return RemoveRelations(m, []string{named.UUID}) }, "edit", ""); err != nil {
		t.Fatal(err)
	}
	if r := hide(); !r.Accepted {
		t.Errorf("once it is not: %+v", r)
	}
}
