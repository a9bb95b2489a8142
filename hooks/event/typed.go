package event

import "strings"

// Typed separates what a person typed from the blocks of instructions that a program which runs the agent
// put before it, of which it returns the last.
func Typed(prompt string) (text, instructions string) {
	const begin = "<system_instruction>"
	text = strings.TrimSpace(prompt)
	if !strings.HasPrefix(text, begin) && !strings.HasPrefix(text, "<system-instruction>") {
		return text, ""
	}
	text = text[len(begin):]
	end, size := -1, 0
	for _, tag := range []string{"</system_instruction>", "</system-instruction>"} { // a block may begin with one and end with the other
		if i := strings.LastIndex(text, tag); i > end {
			end, size = i, len(tag)
		}
	}
	if end < 0 {
		return "", strings.TrimSpace(text)
	}
	text, instructions = strings.TrimSpace(text[end+size:]), text[:end]
	for _, tag := range []string{begin, "<system-instruction>"} {
		if i := strings.LastIndex(instructions, tag); i >= 0 {
			instructions = instructions[i+len(tag):]
		}
	}
	return text, strings.TrimSpace(instructions)
}
