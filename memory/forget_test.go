package memory

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gofrs/flock"

	"manicule/indexer/must"
	"manicule/memory/file"
)

// TestForgetOfAChangedFile: an editor saves a memory while it is forgotten. Its words are in the file or in the copy.
func TestForgetOfAChangedFile(t *testing.T) {
	w := fixture(t)
	m := remember(t, w, Draft{What: "the pool is closed first, before version 0"})
	name := filepath.Join(w.Place().MemoriesDir(), filepath.FromSlash(m.RelPath()))
	data, err := os.ReadFile(name)
	must.OK(t, err)
	state := flock.New(w.State().Path() + ".lock") // so that the copy has to wait
	must.OK(t, state.Lock())
	done := make(chan error, 1)
	go func() { done <- w.Forgotten().Forget(t.Context(), m.UUID) }()
	edits := flock.New(filepath.Join(w.Place().StateDir(), editLock(w.Place().WorktreeID)))
	last := ""
	deadline := time.Now().Add(time.Minute)
	for i, locked := 1, 0; locked < 200; i++ { // it has begun, and has read the memory by then
		if ok, err := edits.TryLock(); err != nil {
			t.Fatal(err)
		} else if ok {
			must.OK(t, edits.Unlock())
		} else {
			locked++
		}
		last = fmt.Sprintf("before version %d", i)
		must.OK(t, os.WriteFile(name+".new", []byte(strings.Replace(string(data), "before version 0", last, 1)), 0o644))
		must.OK(t, os.Rename(name+".new", name))
		if time.Now().After(deadline) {
			t.Fatal("nothing is forgotten")
		}
	}
	must.OK(t, state.Unlock())
	err = <-done
	now, rerr := file.Read(name)
	graves, gerr := w.State().Tombstones().Of(t.Context(), m.UUID)
	if gerr != nil {
		t.Fatal(gerr)
	}
	switch {
	case rerr == nil && strings.HasSuffix(now.What, last):
		if err == nil || len(graves) > 0 {
			t.Errorf("the file stays: %v, copies %v", err, graves)
		}
	case len(graves) != 1 || !strings.Contains(string(graves[0].JSON), last):
		t.Errorf("%q is lost: %v", last, err)
	}
}
