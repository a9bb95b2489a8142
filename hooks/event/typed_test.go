package event

import "testing"

func TestTyped(t *testing.T) {
	for _, tt := range []struct{ prompt, text, instructions string }{
		{"", "", ""},
		{" fix it\n", "fix it", ""},
		{"<command-name>/clear</command-name>", "<command-name>/clear</command-name>", ""},
		{"<system_instruction>\nYou work in Host.\n</system_instruction>\n\nfix it", "fix it", "You work in Host."},
		{"<system_instruction>You work in Host.</system-instruction>\nfix it", "fix it", "You work in Host."},
		{"<system-instruction>a</system-instruction><system_instruction>b</system_instruction>fix it", "fix it", "b"},
		{"<system-instruction>\nAddress the comments.", "", "Address the comments."},
		{"<system-instruction>Address the comments.</system-instruction>", "", "Address the comments."},
	} {
		if text, instructions := Typed(tt.prompt); text != tt.text || instructions != tt.instructions {
			t.Errorf("Typed(%q) = %q, %q, want %q, %q", tt.prompt, text, instructions, tt.text, tt.instructions)
		}
	}
}
