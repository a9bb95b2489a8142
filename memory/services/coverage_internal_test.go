package services

import "testing"

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
