package learn

import (
	"testing"

	"manicule/hooks/event"
	"manicule/memory/store"
)

// TestNotOffered: a failure without a way out, and options that the way out has, too, say nothing before a call.
func TestNotOffered(t *testing.T) {
	for _, tt := range []struct {
		name, command string
		f             store.KnownFailure
		want          string
	}{
		{"a way out", "asc builds list --platform IOS", store.KnownFailure{Message: "flag provided but not defined: -platform", Trigger: []string{"--platform"}, Fix: "asc builds list --limit 3"}, ""},
		{"none", "asc builds add-groups --build 3", store.KnownFailure{Message: "builds add-groups: builds cannot be assigned to this group", Trigger: []string{"add-groups"}}, "no way out"},
		{"its path is right, too", "Get-Content src/[id]/page.tsx", store.KnownFailure{Message: "Get-Content: An object at the specified path src/[id]/page.tsx does not exist", Trigger: []string{"src/[id]/page.tsx"}, Fix: "Get-Content -LiteralPath src/[id]/page.tsx", Ran: 20}, ""},
		{"its option works, too", "git diff --stat", store.KnownFailure{Message: "fatal: option '--stat' must come before non-option arguments", Trigger: []string{"--stat"}, Fix: "git diff --stat -- a.go", Ran: 44}, "seldom"},
	} {
		f := tt.f
		f.Tool, f.Sessions, f.Subject = string(event.Shell), 2, "asc builds"
		f.Ran = max(f.Ran, f.Sessions)
		if got := Untold(f, event.Shell, tt.command); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}
