package folder

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// heldFiles blocks listings until they are released, and counts them.
type heldFiles struct {
	begun atomic.Int32
	goOn  chan struct{}
}

// List waits.
func (h *heldFiles) List(context.Context) ([]string, error) {
	h.begun.Add(1)
	<-h.goOn
	return []string{"a.go"}, nil
}

// Modified knows no history.
func (*heldFiles) Modified(string) (time.Time, bool) { return time.Time{}, false }

// TestListAfterSave: a save during a listing causes another one, and saves cause at
// most one in two seconds.
func TestListAfterSave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		files := &heldFiles{goOn: make(chan struct{})}
		set := NewSet(Options{Files: func(Memories) Files { return files }})
		scopes := &newFolder("/tmp", false, &set.opts).Scopes
		ask := func(begun int32) {
			t.Helper()
			scopes.List()
			synctest.Wait()
			if n := files.begun.Load(); n != begun {
				t.Fatalf("%d lists were begun, want %d", n, begun)
			}
		}
		made := func() {
			files.goOn <- struct{}{}
			synctest.Wait()
		}
		ask(1)
		scopes.Saved() // while they are listed
		ask(1)
		made()
		ask(1) // too early
		select {
		case <-scopes.List():
		default:
			t.Error("the old list does not do while a new one is made")
		}
		time.Sleep(minFileListInterval)
		ask(2)
		made()
		ask(2) // nothing was saved since
		for range 20 {
			scopes.Saved()
			ask(2)
		}
		time.Sleep(minFileListInterval)
		ask(3)
		made()
		time.Sleep(fileListTTL)
		ask(4)
		made()
		synctest.Wait()
	})
}
