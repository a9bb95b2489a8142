package memory

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"manicule/indexer/must"
)

// TestAnswersWhileManyAreRead: who asks while many files are read gets the memories from before and is told so, and those who ask
// later the new ones. A few files are waited for.
func TestAnswersWhileManyAreRead(t *testing.T) {
	l := newLateSync()
	t.Cleanup(l.close)
	read := make(chan struct{})
	looks := 0
	look := func(context.Context) (bool, error) {
		looks++
		<-read
		return true, nil
	}
	many := func() bool { return true }
	for range 3 {
		if changed, inTime, err := l.do(t.Context(), many, look); changed || inTime || err != nil {
			t.Errorf("%v, %v, %v", changed, inTime, err)
		}
	}
	asked := 0
	few := func() bool {
		if asked++; asked == 1 {
			close(read)
		}
		return false
	}
	if changed, inTime, err := l.do(t.Context(), few, look); !changed || !inTime || err != nil {
		t.Errorf("%v, %v, %v", changed, inTime, err)
	}
	if looks != 2 { // one was under way, and the next is for all who came meanwhile
		t.Errorf("%d looks at the files", looks)
	}
}

// TestLateSyncEnds with the workspace, and with who asks.
func TestLateSyncEnds(t *testing.T) {
	l := newLateSync()
	began := make(chan struct{})
	look := func(ctx context.Context) (bool, error) {
		close(began)
		<-ctx.Done()
		return false, ctx.Err()
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := l.do(ctx, func() bool { return false }, look); !errors.Is(err, context.Canceled) {
		t.Errorf("it goes on: %v", err)
	}
	<-began
	l.close()
}

// TestViewStaysWhileAnotherIsLoaded: what is noted while a view is read from the database is in both.
func TestViewStaysWhileAnotherIsLoaded(t *testing.T) {
	w := fixture(t)
	m := remember(t, w, Draft{What: "before"})
	_, err := w.Sync(t.Context())
	must.OK(t, err)
	v := w.Views()
	h, err := w.Get(t.Context(), m.UUID)
	must.OK(t, err)
	must.Write(t, h.Path, bytes.Replace(must.Read(t, h.Path), []byte("before"), []byte("by hand"), 1))
	report, err := w.Refresh(t.Context())
	must.OK(t, err)
	if !v.begin(report) {
		t.Fatal("the files changed, and no view is loaded")
	}
	var seen []uint64
	v.change(false, func(old *View, generation uint64) *View {
		seen = append(seen, generation)
		c := *old
		c.generation = generation
		return &c
	})
	tell, err := v.replace(t.Context(), report)
	must.OK(t, err)
	tell()
	if got, ok := w.View().Get(m.UUID); !ok || got.Memory.What != "by hand" || len(seen) != 2 || w.View().Generation() != seen[1] {
		t.Errorf("%+v at %d; the change was made at %v", got.Memory, w.View().Generation(), seen)
	}
}

// TestManyFilesAreReadInSteps: a workspace with a view takes what a pull brings as one that opens afterwards.
func TestManyFilesAreReadInSteps(t *testing.T) {
	dir := fixture(t).Root()
	w, _ := open(t, dir, 3)
	remember(t, w, Draft{What: "there before"})
	_, err := w.SyncWithin(t.Context(), 0)
	must.OK(t, err)
	other, _ := open(t, t.TempDir(), 4)
	var drafts []Draft
	for i := range 700 {
		drafts = append(drafts, Draft{What: fmt.Sprintf("row %d of the ledger is locked until %d is settled", i, i*7), Scope: []string{fmt.Sprintf("src/m%d/**", i)}})
	}
	_, err = other.RememberAll(t.Context(), drafts)
	must.OK(t, err)
	files, err := filepath.Glob(filepath.Join(other.Place().MemoriesDir(), "*", "*.json"))
	must.OK(t, err)
	for _, f := range files {
		rel, err := filepath.Rel(other.Place().MemoriesDir(), f)
		must.OK(t, err)
		must.Write(t, filepath.Join(w.Place().MemoriesDir(), rel), must.Read(t, f))
	}
	for range 100 {
		if _, err := w.SyncWithin(t.Context(), 0); err != nil {
			t.Fatal(err)
		}
		if !w.Views().Behind() {
			break
		}
	}
	if n := len(w.View().All()); n != 701 || w.Views().Behind() {
		t.Errorf("%d memories, behind: %v", n, w.Views().Behind())
	}
}
