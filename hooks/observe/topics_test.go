package observe

import (
	"strings"
	"testing"
)

// repeat adds lines several times.
func repeat(lines []string, n int, more ...string) []string {
	for range n {
		lines = append(lines, more...)
	}
	return lines
}

// TestMainTopic: a request for which most of the work was done is told behind a first one for which hardly anything was.
func TestMainTopic(t *testing.T) {
	work := func(first []string, second string, edits int) []string {
		return repeat(append(first, "ask "+second), edits, "edit a.go", "run make")
	}
	greeting := []string{"ask xin chao", "said hello"}
	for name, tc := range map[string]struct {
		lines []string
		want  string
	}{
		"after a greeting":       {work(greeting, "Fix the date in the list of orders", 4), "xin chao … then: Fix the date in the list of orders"},
		"in another language":    {work(greeting, "gio chung ta lam viec trong thu muc aos nhe", 4), "xin chao … then: gio chung ta lam viec trong thu muc aos nhe"},
		"little work":            {work(greeting, "Fix the date in the list of orders", 2), "xin chao"},
		"commands alone":         {repeat(append(greeting[:2:2], "ask Fix the date in the list of orders"), 30, "run make"), "xin chao"},
		"work for the first too": {work([]string{"ask Add a logo to the page", "edit b.go"}, "Fix the date in the list of orders", 6), "Add a logo to the page"},
		"looked long before":     {work(repeat([]string{"ask Why is the logo of the page so small?"}, 10, "read c.go"), "Fix the date in the list of orders", 6), "Why is the logo of the page so small?"},
		"of the same thing":      {work([]string{"ask Why are the dates of orders wrong?", "said so"}, "Fix the date in the list of orders", 6), "Why are the dates of orders wrong?"},
		"what is said between":   {repeat(append(work(greeting, "Fix the date in the list of orders", 2), "ask yes"), 2, "edit a.go", "run make"), "xin chao … then: Fix the date in the list of orders"},
		"no commit's request":    {repeat(append(greeting[:2:2], "ask commit and push everything"), 5, "edit a.go", "run git commit -m x"), "xin chao"},
	} {
		if got := played(tc.lines...).Episode().Task; got != tc.want {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}
}

// TestTemplate: of the text of a command that a program expanded only the person's words are the task.
func TestTemplate(t *testing.T) {
	const rest = "|You **MUST** consider the user input before proceeding (if not empty).||## Outline||"
	head := func(said string) string { return "## User Input||```text|" + said + "|```|" + rest }
	for name, tc := range map[string]struct{ prompt, want string }{
		"their words":       {head("build a list of orders with dates") + "1. Run x", "build a list of orders with dates"},
		"in Windows' lines": {strings.ReplaceAll(head("build a list of orders with dates")+"1. Run x", "|", "\r|"), "build a list of orders with dates"},
		"a description":     {"---|description: Plan the work on orders by its tests|---||" + head("$ARGUMENTS") + "1. Run x", "Plan the work on orders by its tests"},
		"an outline":        {head("") + "You are updating the project constitution at `x.md`. This file is a TEMPLATE.", "You are updating the project constitution at `x.md`"},
		"no template":       {"## User Input is lost in the list of orders", "User Input is lost in the list of orders"},
	} {
		if got := played("ask "+tc.prompt, "edit a.go").Episode().Task; got != tc.want {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}
	f := played("ask "+head("")+"1. Run `x.sh` and read what it prints", "ask Fix the date in the list of orders", "edit a.go")
	if got := f.Episode().Task; got != "Fix the date in the list of orders" {
		t.Errorf("without words: %q", got)
	}
	f = played("ask "+head("")+"You are updating the project constitution at `x.md`. And more.", "ask Fix the date in the list of orders", "edit a.go")
	if got := f.Episode().Task; got != "Fix the date in the list of orders" {
		t.Errorf("behind the constitution: %q", got)
	}
}

// TestSpecified: behind Spec Kit's steps before the work, the specification that a person asked for is told.
func TestSpecified(t *testing.T) {
	const rest = "|You **MUST** consider the user input before proceeding (if not empty).||## Outline||"
	head := func(said string) string { return "ask ## User Input||```text|" + said + "|```|" + rest }
	principles := head("Create principles of quality and tests") + "You are updating the project constitution at `x.md`."
	specify := head("A page with the list of orders by date") + "The text the user typed after `/speckit.specify` in the triggering message is it."
	for name, tc := range map[string]struct {
		lines []string
		want  string
	}{
		"behind the principles":    {[]string{principles, "edit a.md", "ask no tests please here", specify}, "Create principles of quality and tests … then: A page with the list of orders by date"},
		"behind its own words":     {[]string{head("") + "You are updating the project constitution at `x.md`.", specify}, "A page with the list of orders by date"},
		"as a command":             {[]string{principles, "ask /speckit.specify A page with the list of orders"}, "Create principles of quality and tests … then: /speckit.specify A page with the list of orders"},
		"behind another request":   {[]string{"ask Fix the date in the footer", "edit a.go", specify}, "Fix the date in the footer"},
		"the principles alone":     {[]string{principles, "edit a.md"}, "Create principles of quality and tests"},
		"a command that is little": {[]string{"ask Fix the date in the footer", "ask /review 12"}, "Fix the date in the footer"},
	} {
		if got := played(tc.lines...).Episode().Task; got != tc.want {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}
}
