package mcp

import (
	"slices"
	"testing"
	"time"

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

// An agent that asks is told how sure a memory still is, once nobody would tell it unasked, by the number that people see.
func TestMarksSayWhatFaded(t *testing.T) {
	now := time.Date(2026, 5, 2, 10, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		kind   file.Type
		stated float64
		idle   int
		want   []string
	}{
		{file.Gotcha, .9, 0, nil},
		{file.Gotcha, .9, 59, nil},
		{file.Gotcha, .9, 61, []string{"confidence 0.44, stated 0.90"}},
		{file.Gotcha, .4, 61, nil}, // its file says so
		{file.Decision, .9, 900, nil},
	} {
		m := &file.Memory{Type: tt.kind, Confidence: tt.stated, UpdatedAt: file.At(now.AddDate(0, 0, -tt.idle))}
		if got := marks(memory.Hit{Memory: m, Now: now}); !slices.Equal(got, tt.want) {
			t.Errorf("%s, %d days: got %q, want %q", tt.kind, tt.idle, got, tt.want)
		}
	}
}
