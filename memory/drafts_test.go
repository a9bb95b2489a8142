package memory

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"manicule/indexer/must"
	"manicule/memory/file"
)

// acceptedAndKilled writes a draft's memory as Accept does, and ends there, as a process
// that is killed then.
func acceptedAndKilled(t *testing.T, w *Workspace) *file.Memory {
	t.Helper()
	r, err := w.Remember(t.Context(), Draft{What: "Refresh fails silently", Agent: true, Tool: "claude-code"})
	if err != nil || !r.Draft {
		t.Fatalf("%+v, %v", r, err)
	}
	d, err := w.drafts.find(t.Context(), "<"+strings.ToUpper(r.Memory.ShortID())+">") // as it was copied
	must.OK(t, err)
	if r, err = w.saver.save(t.Context(), d.Memory, false, MergeAgain); err != nil || !r.Accepted {
		t.Fatalf("%+v, %v", r, err)
	}
	return r.Memory
}

func TestAcceptedBeforeACrash(t *testing.T) {
	w := fixture(t)
	m := acceptedAndKilled(t, w)
	if _, err := w.Decisions().Accept(t.Context(), m.UUID); !errors.Is(err, ErrNotFound) {
		t.Errorf("it is accepted once more: %v", err)
	}
	if list, err := w.Drafts().List(t.Context()); err != nil || len(list) != 0 {
		t.Errorf("it still waits for a person: %v, %v", list, err)
	}
	if _, err := w.Get(t.Context(), m.UUID); err != nil {
		t.Errorf("the memory is gone: %v", err)
	}
}

func TestForgottenAfterACrash(t *testing.T) {
	w := fixture(t)
	m := acceptedAndKilled(t, w)
	must.OK(t, w.Forgotten().Forget(t.Context(), m.UUID))
	if r, err := w.Decisions().Accept(t.Context(), m.UUID); !errors.Is(err, ErrNotFound) {
		t.Errorf("a draft brings the forgotten text back: %+v, %v", r, err)
	}
}

func TestSweep(t *testing.T) {
	w := fixture(t)
	dir := w.Place().MemoriesDir()
	m := remember(t, w, Draft{What: "Refresh fails silently"})
	left := []string{
		filepath.Join(dir, ".tmp", ".manicule-tmp-ABCDEF"),
		filepath.Join(dir, string(m.Layer), "."+m.UUID+".json1234567890"), // of an earlier version
	}
	other := filepath.Join(dir, string(m.Layer), ".hidden.json")
	for _, name := range append(left, other) {
		must.Write(t, name, "{")
		old := w.Now().Add(-time.Hour)
		must.OK(t, os.Chtimes(name, old, old))
	}
	fresh := filepath.Join(dir, ".tmp", ".manicule-tmp-GHIJKL")
	must.Write(t, fresh, "")
	must.OK(t, os.Chtimes(fresh, w.Now(), w.Now()))
	remember(t, w, Draft{What: "Something else is remembered"})
	pulled := m.Clone()
	pulled.UUID = "0198f0c2-7a41-7c3e-9d7a-3f1f5d0b9a11"
	if _, err := file.Write(dir, pulled); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, name := range left {
		if _, err := os.Lstat(name); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s is still there: %v", name, err)
		}
	}
	for _, name := range []string{other, fresh} {
		if _, err := os.Lstat(name); err != nil {
			t.Errorf("%s is gone: %v", name, err)
		}
	}
}

// TestEditsOfPersonsAndAgents: what a person makes of an agent's draft is the person's words, of which an account or a
// fragment is only advised against; an agent's are refused.
func TestEditsOfPersonsAndAgents(t *testing.T) {
	w := fixture(t)
	const text = "Better error handling and user feedback"
	edit := func(m *file.Memory) error { m.What = text; return nil }
	draft := func(what string) string {
		t.Helper()
		r, err := w.Remember(t.Context(), Draft{What: what, Agent: true, Tool: "claude-code"})
		if err != nil || !r.Draft {
			t.Fatalf("%+v, %v", r, err)
		}
		return r.Memory.UUID
	}
	if r, err := w.Drafts().Rewrite(t.Context(), draft("Refresh fails silently when the clock is wrong"), edit); err != nil || r.Accepted {
		t.Errorf("an agent's: %+v, %v", r, err)
	}
	r, err := w.Decisions().AcceptEdited(t.Context(), draft("The cache is cleared at logout, and at no other time"), edit)
	if err != nil || !r.Accepted || r.Draft || r.Memory.What != text {
		t.Errorf("a person's: %+v, %v", r, err)
	}
}
