package asking_test

import (
	"testing"

	"manicule/hooks/observe/asking"
)

// TestTask: of what a person typed, the task is what they ask for.
func TestTask(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"a sentence", "Make the retry wait longer", "Make the retry wait longer"},
		{"a plan", "Implement the following plan:\n\n# Retry with jitter\n\n## Steps\n1. x", "Retry with jitter"},
		{"a file in quotes", `@"D:\my files\deck v2.pptx" Check the order of the slides`, "Check the order of the slides"},
		{"a memory is no task", "/remember the port is 5433", ""},
		{"white space", "  Fix   the parser \n", "Fix the parser"},
		{"a role of the agent", "---\nname: 'dev'\ndescription: 'dev agent'\n---\n\nYou must fully embody this agent's persona and follow all activation instructions exactly as specified.", ""},
		{"words without spaces", "参考内容为template/login，把这个移植过来", "参考内容为template/login，把这个移植过来"},
		{"a path that answers", "_bmad-output/implementation-artifacts", ""},
	} {
		if got := asking.Task(c.text); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestLastWords: how a session's last words are taken decides how it is judged.
func TestLastWords(t *testing.T) {
	for _, c := range []struct {
		text                               string
		praise, complains, further, little bool
	}{
		{"perfect, thanks", true, false, false, false},
		{"thanks, now add a test for the empty case", true, false, true, false},
		{"it still fails on main", false, true, false, false},
		{"you broke the login", false, true, false, false},
		{"commit and push these changes", false, false, false, true},
		{"rename the flag to --dry-run", false, false, false, false},
	} {
		if asking.Praise(c.text) != c.praise || asking.Complains(c.text) != c.complains || asking.AsksFurther(c.text) != c.further || asking.SaysLittle(c.text) != c.little {
			t.Errorf("%q: praise %t, complains %t, asks further %t, says little %t", c.text, asking.Praise(c.text), asking.Complains(c.text), asking.AsksFurther(c.text), asking.SaysLittle(c.text))
		}
	}
}

// TestOwnCommand: a command of the person's own is a request; a setting of the agent and a path are none.
func TestOwnCommand(t *testing.T) {
	for text, want := range map[string]bool{
		"/review 12": true, "/specify a page that lists all users": true, "/clear": false, "/usr/bin/env python": false, "/remember the port": false, "review 12": false,
	} {
		if got := asking.OwnCommand(text); got != want {
			t.Errorf("%q: %t, want %t", text, got, want)
		}
	}
}

// TestOnlyAsks tells a question from work.
func TestOnlyAsks(t *testing.T) {
	for text, want := range map[string]bool{
		"what does this function do?": true, "show me the failing test": true, "explain the cache": true, "add a cache": false, "fix why it fails": false, "ok, can you point me to the report": true, "give me all the details on the retry": true, "give me a faster queue": false, "ok, check why it fails and fix it": false, "show me the test, then explain it": true,
	} {
		if got := asking.OnlyAsks(text); got != want {
			t.Errorf("%q: %t, want %t", text, got, want)
		}
	}
}
