package nudge

import (
	"strings"
	"testing"
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
