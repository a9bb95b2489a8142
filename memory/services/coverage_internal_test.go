package services

import (
	"fmt"
	"slices"
	"testing"
)

// TestRecorded holds which files are no reason to write a memory.
func TestRecorded(t *testing.T) {
	for file, want := range map[string]bool{
		"a.go": false, "internal/agent/testdata/x/a.json": true, "src/tests/cassettes/one.yaml": true, "internal/fixture/a.go": false, "a/testdata": false,
		"web/pnpm-lock.yaml": true, "web/package.json": false,
		"packages/types/CHANGELOG.md": true, "CHANGES.rst": true, "cmd/changelog.go": false, "docs/changelog-format.md": false,
	} {
		if got := Recorded(file); got != want {
			t.Errorf("%s: got %t", file, got)
		}
	}
}

// TestWithoutBumps: a manifest counts where a commit changed more in it than versions.
func TestWithoutBumps(t *testing.T) {
	many := []string{"lerna.json"}
	for i := range 6 {
		many = append(many, fmt.Sprintf("packages/p%d/package.json", i))
	}
	for name, tt := range map[string]struct{ files, want []string }{
		"an update":        {[]string{"package.json", "pnpm-lock.yaml", "src/a.ts"}, []string{"pnpm-lock.yaml", "src/a.ts"}},
		"a release":        {append(slices.Clone(many), "README.md"), []string{"README.md"}},
		"a script":         {[]string{"package.json", "scripts/b.ts"}, []string{"package.json", "scripts/b.ts"}},
		"without manifest": {[]string{"src/a.ts"}, []string{"src/a.ts"}},
	} {
		if got := withoutBumps(tt.files); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}
