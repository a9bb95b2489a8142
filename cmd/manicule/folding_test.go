package main

import (
	"strings"
	"testing"
)

// TestFoldingOfOutput holds that a person's lines are folded on a terminal, and what a program reads is not.
func TestFoldingOfOutput(t *testing.T) {
	long := strings.Repeat("word ", 20) + "end"
	for name, test := range map[string]struct {
		args []string
		want bool
	}{
		"list": {[]string{"list"}, true}, "graph": {[]string{"graph", "run"}, true}, "its drawing": {[]string{"graph", "run", "--format", "dot"}, false}, "json": {[]string{"list", "--json"}, false}, "document": {[]string{"export"}, false},
		"drawing": {[]string{"impact", "--format", "dot"}, false}, "code": {[]string{"search", "--code", "x"}, false}, "nothing": {nil, false}, "version": {[]string{"version"}, true},
		"root first": {[]string{"--root", "export", "list"}, true}, "its other form": {[]string{"--json=false", "--root=list", "export"}, false}, "root alone": {[]string{"--root"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			a, out, _ := testApp(t, test.args...)
			a.tty, a.columns = true, func() int { return 40 }
			c := newCLI(a, a.in, &output{})
			c.json = name == "json"
			c.printf("%s\n", long)
			if got := strings.Contains(strings.TrimSuffix(out.String(), "\n"), "\n"); got != test.want {
				t.Errorf("folded: %v, want %v: %q", got, test.want, out)
			}
		})
	}
}

// TestExamplesStayWhole: an example of a help text that is longer than the terminal is wide can be copied.
func TestExamplesStayWhole(t *testing.T) {
	a, out, _ := testApp(t, "thread", "--help")
	a.tty, a.columns = true, func() int { return 60 }
	if code := a.run(); code != exitOK || !strings.Contains(out.String(), "--at queue/retry.go#Retry\n") {
		t.Errorf("exit code %d:\n%s", code, out)
	}
}
