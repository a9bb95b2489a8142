package folder

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"manicule/indexer/must"
	"manicule/memory"
)

// TestFollowing: a refresh that did not look at the files ends the waiting, and makes nothing current.
func TestFollowing(t *testing.T) {
	began := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name    string
		looked  bool
		written time.Duration // after the second refresh began
		wait    bool
	}{
		{"written before it", true, -time.Minute, false},
		{"written after it", true, time.Minute, true},
		{"written as it began", true, 0, true},
		{"written before one that failed", false, -time.Minute, true},
		{"written before the one that looked", false, -2 * time.Hour, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			var p following
			p.request()
			p.done(p.seen(), began.Add(-time.Hour), true)
			p.request()
			waiting := p.catchUp(began)
			if waiting == nil {
				t.Fatal("what was written since the first is not waited for")
			}
			p.done(p.seen(), began, c.looked)
			select {
			case <-waiting:
			default:
				t.Error("the refresh is done, and it is still waited for")
			}
			if got := p.catchUp(began.Add(c.written)) != nil; got != c.wait {
				t.Errorf("waits %t, want %t", got, c.wait)
			}
		})
	}
}

// TestCatchUpAfterRename: a folder that was renamed, far above the file, is noticed.
func TestCatchUpAfterRename(t *testing.T) {
	root := t.TempDir()
	must.Mkdir(t, filepath.Join(root, "src", "old", "deep"))
	must.Write(t, filepath.Join(root, "src", "old", "deep", "a.go"), "package a\n")
	before := time.Now().Add(-time.Hour)
	for _, n := range []string{"src/old/deep/a.go", "src/old/deep", "src/old", "src", "."} {
		must.OK(t, os.Chtimes(filepath.Join(root, n), before, before))
	}
	a := &Anchors{root: root, tracker: struct{ Tracker }{}, hurry: make(chan struct{}, 1)}
	a.following.request()
	a.following.done(a.following.seen(), before.Add(time.Minute), true)
	a.CatchUp(t.Context(), "src/old/deep/a.go")
	if len(a.hurry) != 0 {
		t.Error("a file that nobody wrote needs no refresh")
	}
	must.OK(t, os.Rename(filepath.Join(root, "src", "old"), filepath.Join(root, "src", "new")))
	go func() {
		<-a.hurry
		a.following.done(a.following.seen(), time.Now(), true)
	}()
	a.CatchUp(t.Context(), "src/new/deep/a.go")
	last, err := memory.LastWritten(root, "src/new/deep/a.go")
	if err != nil || !a.following.at.After(last.Add(-fileClock)) {
		t.Errorf("no refresh after the folder was renamed (%v)", err)
	}
}
