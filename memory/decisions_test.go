package memory

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gofrs/flock"

	"manicule/indexer/must"
	"manicule/memory/store"
)

// interrupted are drafts whose next reader is interrupted after its look.
type interrupted struct {
	draftRows
	by func()
}

func (r *interrupted) Find(ctx context.Context, id string) ([]store.DraftRow, error) {
	list, err := r.draftRows.Find(ctx, id)
	if by := r.by; by != nil {
		r.by = nil
		by()
	}
	return list, err
}

// TestTwoDecisions: of two decisions about one draft at the same time, in two windows or by two people, one is made and the other one is
// told that it was not.
func TestTwoDecisions(t *testing.T) {
	type decision func(context.Context, *Workspace, string) error
	accept := func(ctx context.Context, w *Workspace, id string) error {
		_, err := w.Decisions().Accept(ctx, id)
		return err
	}
	reject := func(ctx context.Context, w *Workspace, id string) error { return w.Drafts().Reject(ctx, id, "not so") }
	withdraw := func(ctx context.Context, w *Workspace, id string) error {
		ok, err := w.Drafts().Withdraw(ctx, id, func(store.DraftRow) bool { return true })
		if err == nil && !ok {
			return ErrNotFound
		}
		return err
	}
	for _, tt := range []struct {
		name         string
		first, other decision
		accepted     bool
	}{
		{"reject while it is accepted", accept, reject, true},
		{"accept while it is accepted", accept, accept, true},
		{"withdraw while it is accepted", accept, withdraw, true},
		{"accept while it is rejected", reject, accept, false},
		{"accept while it is withdrawn", withdraw, accept, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			one := fixture(t)
			two, _ := open(t, one.Place().Root, 2)
			r, err := one.Remember(t.Context(), Draft{What: "Refresh fails silently", Agent: true, Tool: "claude-code"})
			if err != nil || !r.Draft {
				t.Fatalf("%+v, %v", r, err)
			}
			id := r.Memory.UUID
			var meanwhile error
			one.drafts.rows = &interrupted{one.drafts.rows, func() {
				ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
				defer cancel()
				meanwhile = tt.other(ctx, two, id)
			}}
			if err := tt.first(t.Context(), one, id); err != nil {
				t.Fatal(err)
			}
			if meanwhile == nil {
				t.Error("both were made")
			}
			if err := tt.other(t.Context(), two, id); !errors.Is(err, ErrNotFound) {
				t.Errorf("afterwards: %v", err)
			}
			if _, err := two.Refresh(t.Context()); err != nil {
				t.Fatal(err)
			}
			if _, err := two.Get(t.Context(), id); (err == nil) != tt.accepted {
				t.Errorf("the memory: %v", err)
			}
		})
	}
}

// TestEditsWithoutCache: two changes of memories at the same time wait for each other also where somebody deletes the cache meanwhile.
func TestEditsWithoutCache(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("what is open can't be deleted")
	}
	one := fixture(t)
	two, _ := open(t, one.Place().Root, 2)
	unlock, err := LockEdits(t.Context(), one.Place())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(one.Place().CacheDir()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if also, err := LockEdits(ctx, two.Place()); err == nil {
		also()
		t.Error("both may change files")
	}
	unlock()
	also, err := LockEdits(t.Context(), two.Place())
	if err != nil {
		t.Fatal(err)
	}
	also()
}

// TestEditsWaitOnce: where one lock is free late and the other never, a change waits no longer than for one of them.
func TestEditsWaitOnce(t *testing.T) {
	place := fixture(t).Place()
	must.OK(t, os.MkdirAll(place.StateDir(), 0o700))
	hold := func(name string) *flock.Flock {
		l := flock.New(name)
		if ok, err := l.TryLock(); err != nil || !ok {
			t.Fatal(ok, err)
		}
		t.Cleanup(func() { _ = l.Close() })
		return l
	}
	first := hold(filepath.Join(place.StateDir(), editLock(place.WorktreeID)))
	hold(filepath.Join(place.CacheDir(), earlierEditLock))
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		time.AfterFunc(editTimeout-time.Second, func() { _ = first.Unlock() })
		if unlock, err := LockEdits(t.Context(), place); err == nil {
			unlock()
			t.Error("both may change files")
		}
		if waited := time.Since(began); waited > editTimeout {
			t.Errorf("it waited %v, of %v", waited, editTimeout)
		}
	})
}

// TestEditsGivenUp: a change that is given up while another process makes one does not go on without the lock.
func TestEditsGivenUp(t *testing.T) {
	place := fixture(t).Place()
	unlock, err := LockEdits(t.Context(), place)
	must.OK(t, err)
	defer unlock()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if also, err := LockEdits(ctx, place); !errors.Is(err, context.Canceled) {
		if also != nil {
			also()
		}
		t.Errorf("given up: %v", err)
	}
}

// TestEditsBesideAnEarlierProgram: a change waits for one by a program that knows only the lock in the cache, and has that one wait.
func TestEditsBesideAnEarlierProgram(t *testing.T) {
	w := fixture(t)
	earlier := flock.New(filepath.Join(w.Place().CacheDir(), "edit.lock"))
	if ok, err := earlier.TryLock(); err != nil || !ok {
		t.Fatal(ok, err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if also, err := LockEdits(ctx, w.Place()); err == nil {
		also()
		t.Error("both may change files")
	}
	if err := earlier.Unlock(); err != nil {
		t.Fatal(err)
	}
	unlock, err := LockEdits(t.Context(), w.Place()) // the first try has left nothing locked
	if err != nil {
		t.Fatal(err)
	}
	if ok, err := earlier.TryLock(); err != nil || ok {
		t.Errorf("the earlier program may change files: %v, %v", ok, err)
	}
	unlock()
	if ok, err := earlier.TryLock(); err != nil || !ok {
		t.Errorf("afterwards: %v, %v", ok, err)
	}
}
