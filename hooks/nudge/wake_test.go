package nudge

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"manicule/memory"
	"manicule/memory/file"
	"manicule/memory/thread"
)

// TestCutPath: a path that is too long keeps its end, which says which file it is.
func TestCutPath(t *testing.T) {
	for path, want := range map[string]string{
		"a/b.go": "a/b.go",
		"packages/server/src/unstable-core-do-not-import/http/resolveResponse.ts":        "…/http/resolveResponse.ts",
		"packages/server/src/" + strings.Repeat("very", 12) + "/" + "resolveResponse.ts": "…/resolveResponse.ts",
	} {
		if got := cutPath(path, 54); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
	if got := cutPath(strings.Repeat("long", 30)+".go", 50); charge(got) > 50 || !strings.HasSuffix(got, "ng.go") || !strings.HasPrefix(got, "longlong") {
		t.Errorf("a long name: %q", got)
	}
	const folder = "docs/plans/2026-02-25-entity-parsing"
	if design, plan := cutPath(folder+"-design.md", 30), cutPath(folder+"-plan.md", 30); design == plan || charge(design) > 30 {
		t.Errorf("two files that begin alike: %q, %q", design, plan)
	}
}

// TestWakeLeavesRoom: many threads leave room for a lesson about what the session is for, and few are not shortened for one.
func TestWakeLeavesRoom(t *testing.T) {
	var b thread.Bundle
	for i := range 12 {
		m := &file.Memory{UUID: fmt.Sprintf("0198f0c2-7a41-7c3e-9d7a-0000000000%02d", i), What: fmt.Sprintf("Part %d of the move to the new queue is not done, and its workers still poll the old one", i)}
		b.Threads = append(b.Threads, thread.Thread{Memory: m, Kind: thread.NextStep, State: thread.StateOpen, Branch: "feat"})
	}
	text, shown := Wake(b, "", Beside{})
	lesson := memory.Hit{Memory: &file.Memory{UUID: "0198f0c2-7a41-7c3e-9d7a-000000000099", Type: file.Gotcha, What: "Workers of the old queue must be stopped first, or jobs run twice"}}
	said, quoted := Lessons([]memory.Hit{lesson}, time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC), text)
	if len(shown) < firstThreads || len(shown) == 12 || len(quoted) != 1 || charge(text)+charge(said) > maxWake {
		t.Errorf("%d threads and %d lessons, charged %d:\n%s\n%s", len(shown), len(quoted), charge(text)+charge(said), text, said)
	}
}
