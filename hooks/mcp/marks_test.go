package mcp

import (
	"slices"
	"testing"

	"manicule/memory"
	"manicule/memory/file"
)

// An agent is told who a memory is for, unless it is for the whole project.
func TestMarksSayWhoItIsFor(t *testing.T) {
	for visibility, want := range map[file.Visibility][]string{file.Project: nil, file.Personal: {"personal"}, file.Team: {"for the team"}, file.Org: {"for the org"}} {
		if got := marks(memory.Hit{Memory: &file.Memory{Visibility: visibility}}); !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", visibility, got, want)
		}
	}
}
