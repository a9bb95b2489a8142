package event

import (
	"regexp"
	"strings"
)

// Typed separates what a person typed from the blocks of instructions that a program which runs the agent
// put before it, of which it returns the last, or from the context under whose headings that program put the request.
func Typed(prompt string) (text, instructions string) {
	const begin = "<system_instruction>"
	text = unwrapped(strings.TrimSpace(prompt))
	if !strings.HasPrefix(text, begin) && !strings.HasPrefix(text, "<system-instruction>") {
		if skill, given, ok := strings.Cut(text, skillEnd); ok && strings.Contains(skill, "\nBase directory for this skill: ") && strings.TrimSpace(given) != "" {
			return strings.TrimSpace(given), strings.TrimSpace(skill)
		}
		return underHeading(text)
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

// unwrapped removes what a program put around a request without saying more: a comment with its number, the name
// of a field, the file that the editor shows, or the elements in which one agent passes work on to another.
func unwrapped(text string) string {
	const comment, commentEnd = "<!--", "-->"
	if strings.HasPrefix(text, comment) {
		if _, rest, ok := strings.Cut(text, commentEnd); ok && strings.TrimSpace(rest) != "" {
			text = strings.TrimSpace(rest)
		}
	}
	if strings.HasPrefix(text, "[[ ## ") {
		if line, rest, ok := strings.Cut(text, "\n"); ok && strings.HasSuffix(strings.TrimSpace(line), " ## ]]") && strings.TrimSpace(rest) != "" {
			text = strings.TrimSpace(rest)
		}
	}
	for _, tag := range []string{"ide_opened_file", "ide_selection"} { // what the editor shows; there may be one of each
		if rest, ok := strings.CutPrefix(text, "<"+tag+">"); ok {
			if _, typed, ok := strings.Cut(rest, "</"+tag+">"); ok && strings.TrimSpace(typed) != "" {
				text = strings.TrimSpace(typed)
			}
		}
	}
	if strings.HasPrefix(text, "<codex_delegation>") {
		if _, inside, ok := strings.Cut(text, "<input>"); ok {
			inside, _, _ = strings.Cut(inside, "</input>")
			if inside = strings.TrimSpace(inside); inside != "" {
				text = inside
			}
		}
	}
	return text
}

// skillEnd ends the text of a skill that a person called, before what they gave it.
const skillEnd = "are relative to this base directory."

// longPrompt is the length from which a prompt whose last heading names a task is a program's (judgement: people write shorter ones).
const longPrompt = 1000

// The patterns are compiled when a prompt begins with a heading, which few do: a hook starts for each call of a tool.

// requestHeading matches the headings under which programs put what the person typed.
func requestHeading() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^#{1,3} (?:User Request|My request for [A-Z]\w*):?[ \t]*$`)
}

func heading() *regexp.Regexp { return regexp.MustCompile(`(?m)^#{1,4} .*$`) }

func taskHeading() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^#{1,4} (?:(?:your|the|current) )?(?:tasks?|request):?\s*$`)
}

// underHeading finds the request in a prompt that a program made of it and of headings with context.
func underHeading(prompt string) (text, context string) {
	text = prompt
	if n := len(text); n > 1 && text[0] == '"' && text[n-1] == '"' && strings.Contains(text, "\n") { // quoted once too often
		text = strings.TrimSpace(strings.ReplaceAll(text[1:n-1], `\"`, `"`))
	}
	if !strings.HasPrefix(text, "#") {
		return text, ""
	}
	if at := requestHeading().FindStringIndex(text); at != nil {
		if rest := strings.TrimSpace(text[at[1]:]); rest != "" {
			return rest, strings.TrimSpace(text[:at[0]])
		}
	}
	if len(text) < longPrompt {
		return text, ""
	}
	all := heading().FindAllStringIndex(text, -1)
	if len(all) == 0 { // "#terminalLastCommand …" is a reference of an editor
		return text, ""
	}
	last := all[len(all)-1]
	if rest := strings.TrimSpace(text[last[1]:]); len(all) > 3 && rest != "" && taskHeading().MatchString(text[last[0]:last[1]]) {
		return rest, strings.TrimSpace(text[:last[0]])
	}
	return text, ""
}
