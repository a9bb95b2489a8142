package workspace

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"manicule/indexer/must"
)

// TestCopyHasItsOwnState: a repository that was copied, or unpacked from an archive, does not share the state of the one that it has
// the id of, whichever is looked at first; one that was moved keeps its state.
func TestCopyHasItsOwnState(t *testing.T) {
	for name, c := range map[string]struct {
		copyFirst bool // the copy is looked at first, as after an update
		settled   bool // the state is known to be the copy's for long
		moved     bool // and then the original is removed
	}{
		"the original first": {}, "the copy first": {copyFirst: true}, "the copy has had it for long": {copyFirst: true, settled: true}, "moved": {moved: true},
	} {
		t.Run(name, func(t *testing.T) {
			dir, home := tempDir(t), tempDir(t)
			e := env(map[string]string{"HOME": home})
			one, two := filepath.Join(dir, "one"), filepath.Join(dir, "two")
			must.Write(t, filepath.Join(one, ".git/HEAD"), "ref: refs/heads/main\n")
			must.Write(t, filepath.Join(one, ".git/objects/x"), "")
			must.Write(t, filepath.Join(one, ".git/refs/x"), "")
			must.Write(t, filepath.Join(one, ".manicule/memories/x.json"), "{}")
			first := discover(t, one, e)
			if err := os.MkdirAll(first.StateDir(), 0o700); err != nil {
				t.Fatal(err)
			}
			copyTree := func() {
				if c.moved {
					if err := os.Rename(one, two); err != nil {
						t.Fatal(err)
					}
					return
				}
				// The time of a change is as coarse as the clock of the system's ticks.
				id := filepath.Join(one, ".git/manicule/id")
				for {
					if err := os.RemoveAll(two); err != nil {
						t.Fatal(err)
					}
					if err := os.CopyFS(two, os.DirFS(one)); err != nil {
						t.Fatal(err)
					}
					if older, known := olderFile(id, filepath.Join(two, ".git/manicule/id")); known && older {
						return
					}
				}
			}
			if !c.copyFirst {
				discover(t, one, e) // knows now whose the state is
			}
			copyTree()
			second := discover(t, two, e)
			if c.settled {
				at := time.Now().Add(-2 * settled)
				if err := os.Chtimes(filepath.Join(second.StateDir(), homeName), at, at); err != nil {
					t.Fatal(err)
				}
			}
			if c.moved {
				if second.RepoID != first.RepoID {
					t.Errorf("moved, it has the id %s, not %s", second.RepoID, first.RepoID)
				}
				if again := discover(t, two, e); again.RepoID != first.RepoID {
					t.Errorf("moved, it has the id %s next", again.RepoID)
				}
				return
			}
			now, then := discover(t, one, e), discover(t, two, e)
			keeps := now
			if c.settled {
				keeps = then
			}
			if keeps.RepoID != first.RepoID || now.RepoID == then.RepoID {
				t.Errorf("the ids are %s and of the copy %s; it was %s", now.RepoID, then.RepoID, first.RepoID)
			}
			copied, original := then, now
			if c.settled {
				copied, original = now, then
			}
			must.Write(t, filepath.Join(home, ".local/state/manicule", first.RepoID, "state.db"), "")
			if o, ok := copied.CopyOf(); !ok || o != (Original{original.Root, original.StateDir(), copied}) {
				t.Errorf("the copy is one of %v, %v", o, ok)
			}
			if o, ok := original.CopyOf(); ok {
				t.Errorf("the original is a copy of %v", o)
			}
			must.OK(t, os.MkdirAll(copied.StateDir()+".own", 0o700))
			if o, ok := copied.CopyOf(); ok {
				t.Errorf("with its state, the copy is still told of %v", o)
			}
			for _, w := range []*Workspace{now, then} {
				if again := discover(t, w.Root, e); again.RepoID != w.RepoID {
					t.Errorf("%s has the id %s, and next time %s", w.Root, w.RepoID, again.RepoID)
				}
			}
		})
	}
}
