package lsp

import (
	"context"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"
)

// heldFiles has lists wait until somebody lets them go on, and counts them.
type heldFiles struct {
	begun int
	goOn  chan struct{}
}

// List waits.
func (h *heldFiles) List(context.Context) ([]string, error) {
	h.begun++
	<-h.goOn
	return []string{"a.go"}, nil
}

// Modified knows no history.
func (*heldFiles) Modified(string) (time.Time, bool) { return time.Time{}, false }

// TestListAfterSave: a file that is saved while the files are listed has them
// listed once more, and saves do so once in two seconds.
func TestListAfterSave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		files := &heldFiles{goOn: make(chan struct{})}
		s := &server{ctx: ctx, log: slog.New(slog.DiscardHandler), stale: make(chan struct{}, 1),
			opts: Options{Now: time.Now, Log: slog.New(slog.DiscardHandler), Files: func(Memories) Files { return files }}}
		s.diags = newPublisher(s)
		f := &folder{}
		ask := func(begun int) {
			t.Helper()
			s.listFiles(f)
			synctest.Wait()
			if files.begun != begun {
				t.Fatalf("%d lists were begun, want %d", files.begun, begun)
			}
		}
		made := func() {
			files.goOn <- struct{}{}
			synctest.Wait()
		}
		ask(1)
		f.scopes.saved() // while they are listed
		ask(1)
		made()
		ask(1) // too early
		select {
		case <-s.listFiles(f):
		default:
			t.Error("the old list does not do while a new one is made")
		}
		time.Sleep(listEvery)
		ask(2)
		made()
		ask(2) // nothing was saved since
		for range 20 {
			f.scopes.saved()
			ask(2)
		}
		time.Sleep(listEvery)
		ask(3)
		made()
		time.Sleep(listedFor)
		ask(4)
		made()
		cancel()
		s.work.Wait()
	})
}
