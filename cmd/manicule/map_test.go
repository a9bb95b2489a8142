package main

import "testing"

// TestProgramOf: the page names the programs that Manicule knows, and no name that somebody gave.
func TestProgramOf(t *testing.T) {
	for agent, want := range map[string]string{"claude-code": "claude-code", "codex": "codex", "opencode": "opencode", "ada.lovelace": "others", "Claude-Code": "others"} {
		if got := programOf(agent); got != want {
			t.Errorf("the program of %q is %q, want %q", agent, got, want)
		}
	}
}
