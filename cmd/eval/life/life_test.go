package life

import (
	"os"
	"strings"
	"testing"

	"manicule/indexer/must"
	"manicule/memory/life"
)

// TestMain is also the merge driver of the clones.
func TestMain(m *testing.M) {
	if len(os.Args) == 5 && os.Args[1] == "merge" {
		if err := Merge(os.Args[2:]); err != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// TestPlay plays the weeks in which work states go, with real git.
func TestPlay(t *testing.T) {
	if testing.Short() {
		t.Skip("plays 50 days")
	}
	self, err := os.Executable()
	must.OK(t, err)
	y, err := play(t.Context(), Options{Days: 50, Seed: 1, Driver: self + " merge %O %A %B"})
	must.OK(t, err)
	if y.edits == 0 || y.uses == 0 || len(y.facts) < 10 || y.sweeps != 150 {
		t.Errorf("%d edits, %d uses, %d memories, %d sweeps", y.edits, y.uses, len(y.facts), y.sweeps)
	}
	for _, f := range y.facts {
		if f.fate == 0 {
			t.Errorf("%s of day %d is lost", f.uuid, f.written)
		}
		if f.pinned && f.fate != life.Kept {
			t.Errorf("a pinned one is %s: %s", f.fate, f.reason)
		}
	}
	if !strings.Contains(y.String(), "| pinned | ") {
		t.Error(y.String())
	}
}
