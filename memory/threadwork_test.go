package memory

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"manicule/memory/thread"
)

// TestSettledElsewhere: a plan that waited on the default branch is settled by a session on a branch that was made for it. A
// check fails on its own branch, and a branch's plan says nothing of another branch.
func TestSettledElsewhere(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "repo")
	if err := os.MkdirAll(filepath.Join(dir, ".manicule", "memories"), 0o750); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "-q", "--allow-empty", "-m", "first"}} {
		if out, err := exec.CommandContext(t.Context(), "git", append([]string{"-C", dir}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	w, now := open(t, dir, 1)
	all := func(string) bool { return true }
	for i, tt := range []struct {
		left, later string // branches
		key         string
		want        thread.State
	}{
		{"main", "feat", thread.WaitKey + "move the queue", thread.StateResolved},
		{"feat", "main", thread.WaitKey + "move the cache", thread.StateOpen},
		{"main", "feat", "check:go test", thread.StateOpen},
		{"feat", "feat", "check:go vet", thread.StateResolved},
	} {
		now.at = now.at.Add(time.Hour)
		left := SessionWork{Session: "a" + tt.key, Agent: "claude-code", Branch: tt.left, Ended: now.at, Left: []LeftOver{{Key: tt.key, Kind: thread.Open, Text: "About " + tt.key}}, Settles: func(string) bool { return false }}
		if err := w.SettleWork(t.Context(), left); err != nil {
			t.Fatal(err)
		}
		now.at = now.at.Add(time.Hour)
		if err := w.SettleWork(t.Context(), SessionWork{Session: "b" + tt.key, Agent: "claude-code", Branch: tt.later, Ended: now.at, Settles: all}); err != nil {
			t.Fatal(err)
		}
		threads, err := w.Threads(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		got := thread.State("")
		for _, x := range threads {
			if x.Memory.Source == tt.key {
				got = x.State
			}
		}
		if got != tt.want {
			t.Errorf("%d: %s on %s, then %s: %q, want %q", i, tt.key, tt.left, tt.later, got, tt.want)
		}
	}
}
