package event

import (
	"strings"
	"testing"
)

func TestTyped(t *testing.T) {
	long := "# Context\n\n" + strings.Repeat("You work in Host. ", 60) + "\n\n## Files\n\na.go\n\n## Form\n\nshort\n\n"
	terminal := "#terminalLastCommand there are errors " + strings.Repeat("and more ", 200) + "end" // begins like a heading, has none
	for _, tt := range []struct{ prompt, text, instructions string }{
		{terminal, terminal, ""},
		{"", "", ""},
		{" fix it\n", "fix it", ""},
		{"<command-name>/clear</command-name>", "<command-name>/clear</command-name>", ""},
		{"<system_instruction>\nYou work in Host.\n</system_instruction>\n\nfix it", "fix it", "You work in Host."},
		{"<system_instruction>You work in Host.</system-instruction>\nfix it", "fix it", "You work in Host."},
		{"<system-instruction>a</system-instruction><system_instruction>b</system_instruction>fix it", "fix it", "b"},
		{"<system-instruction>\nAddress the comments.", "", "Address the comments."},
		{"<system-instruction>Address the comments.</system-instruction>", "", "Address the comments."},
		{"# In app browser:\n- It is open.\n\n## My request for Codex:\nfix it", "fix it", "# In app browser:\n- It is open."},
		{"\"# Context\n\nYou are \\\"A\\\".\n\n# User Request\n\nfix it\n\"", "fix it", "# Context\n\nYou are \"A\"."},
		{"# Plan\n\n## Tasks\n\nfix it", "# Plan\n\n## Tasks\n\nfix it", ""},
		{long + "## Tasks\n\nfix it", "fix it", strings.TrimSpace(long)},
		{long + "## Tasks\n\nfix it\n\n## Rules\n\nnone", long + "## Tasks\n\nfix it\n\n## Rules\n\nnone", ""},
		{"<!-- host-task:task-6 -->\nfix it", "fix it", ""},
		{"<!-- nothing else -->", "<!-- nothing else -->", ""},
		{"[[ ## user_query ## ]]\n\nfix it", "fix it", ""},
		{"[[ ## user_query ## ]]", "[[ ## user_query ## ]]", ""},
		{"<codex_delegation>\n  <source_thread_id>1</source_thread_id>\n  <input>fix it\n</input>\n</codex_delegation>", "fix it", ""},
		{"<codex_delegation>\n</codex_delegation>", "<codex_delegation>\n</codex_delegation>", ""},
		{"<ide_opened_file>The user opened /a.go.</ide_opened_file>\n\n<ide_selection>a := 1</ide_selection>\n\nfix it", "fix it", ""},
		{"<ide_opened_file>The user opened /a.go.</ide_opened_file>", "<ide_opened_file>The user opened /a.go.</ide_opened_file>", ""},
		{"\"fix it\"", "\"fix it\"", ""},
		{"Do the work.\n\nBase directory for this skill: /s\nRelative paths are relative to this base directory.\n\nfix it", "fix it", "Do the work.\n\nBase directory for this skill: /s\nRelative paths"},
		{"Do the work.\n\nBase directory for this skill: /s\nRelative paths are relative to this base directory.", "Do the work.\n\nBase directory for this skill: /s\nRelative paths are relative to this base directory.", ""},
	} {
		if text, instructions := Typed(tt.prompt); text != tt.text || instructions != tt.instructions {
			t.Errorf("Typed(%q) = %q, %q, want %q, %q", tt.prompt, text, instructions, tt.text, tt.instructions)
		}
	}
}
