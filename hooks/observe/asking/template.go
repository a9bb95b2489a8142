package asking

import (
	"regexp"
	"strings"
)

// template matches the text of a command that a program put in place of its name: after its description, the person's own words in a
// block below the heading "User Input", then what the agent is to do with them. It is compiled when one is met, which is rare.
func template() *regexp.Regexp {
	return regexp.MustCompile("(?s)^(?:---\n(?:description: *([^\n]+)\n)?.*?\n?---\\s*)?(?:## User Input\\s*```(?:text)?\n(.*?)\n?```\\s*(.*))?")
}

// outline finds what such a command is for, where it says so in a sentence and not in steps.
func outline() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^## Outline\s+([A-Z][^\n]{20,})$`)
}

// persona begins the text by which a command of BMAD makes the agent one of its roles, within its first personaWithin bytes: what is asked
// for comes with the next messages.
const (
	persona       = "You must fully embody this agent's persona and follow all activation instructions"
	personaWithin = 300
)

// inTemplate returns what a person asked for with a command whose text a program expanded: their own words, else what the command is
// for, "" where neither is told. ok is false for any other text.
func inTemplate(text string) (asked string, ok bool) {
	text = strings.TrimSpace(text)
	if strings.Contains(text[:min(len(text), personaWithin)], persona) {
		return "", true
	}
	if !strings.HasPrefix(text, "---") && !strings.HasPrefix(text, "## User Input") {
		return "", false
	}
	m := template().FindStringSubmatch(strings.ReplaceAll(text, "\r\n", "\n"))
	if m == nil || m[1] == "" && m[3] == "" {
		return "", false
	}
	if said := strings.TrimSpace(m[2]); said != "" && said != "$ARGUMENTS" {
		return said, true
	}
	if m[1] != "" {
		return m[1], true
	}
	if o := outline().FindStringSubmatch(m[3]); o != nil && !strings.HasPrefix(o[1], "The text the user typed") {
		said, _, _ := strings.Cut(o[1], ". ")
		return said, true
	}
	return "", true
}

// Prepares reports whether a text is a step of Spec Kit before the work: the project's principles, or a command without the person's words.
func Prepares(text string) bool {
	asked, ok := inTemplate(text)
	return ok && (strings.Contains(text, "You are updating the project constitution at ") || asked == "" || !strings.Contains(text, "```text\n"+asked))
}

// Specifies reports whether a person had Spec Kit write a specification, in their own words.
func Specifies(text string) bool {
	if _, ok := inTemplate(text); ok {
		return !Prepares(text) && strings.Contains(text, "specify` in the triggering message")
	}
	name, words, _ := strings.Cut(strings.TrimSpace(text), " ")
	return strings.HasPrefix(name, "/") && strings.HasSuffix(name, "specify") && words != ""
}
