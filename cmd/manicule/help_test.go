package main

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"manicule/indexer/must"

	"github.com/spf13/cobra"
)

// testApp is a run of the program within the test, with a home of its own.
func testApp(t *testing.T, args ...string) (a *app, out, complaint *bytes.Buffer) {
	t.Helper()
	home := t.TempDir()
	out, complaint = &bytes.Buffer{}, &bytes.Buffer{}
	vars := homeVars(home)
	vars[envBudget] = hookBudget
	return &app{in: strings.NewReader(""), out: out, err: complaint, getenv: func(k string) string { return vars[k] },
		now: func() time.Time { return time.Date(2026, 5, 2, 10, 0, 0, 0, time.UTC) }, random: randomSource(), start: time.Now(), args: args}, out, complaint
}

// everyCommand lists the commands with those below them.
func everyCommand(c *cobra.Command) []*cobra.Command {
	out := []*cobra.Command{c}
	for _, sub := range c.Commands() {
		out = append(out, everyCommand(sub)...)
	}
	return out
}

func TestHelp(t *testing.T) {
	a, _, _ := testApp(t)
	root := newRootCommand(newCLI(a, a.in, &output{}))
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, c := range everyCommand(root) {
		words := strings.Fields(c.CommandPath())[1:]
		t.Run(strings.Join(append([]string{"manicule"}, words...), "_"), func(t *testing.T) {
			a, out, complaint := testApp(t, append(words, "--help")...)
			if code := a.run(); code != exitOK || complaint.Len() > 0 {
				t.Fatalf("exit code %d: %s", code, complaint)
			}
			golden(t, filepath.Join("testdata", "help", strings.Join(append([]string{"manicule"}, words...), "_")+".golden"), out.Bytes())
		})
	}
}

// TestOneCommandIsBuilt where the arguments begin with its name, and each is found by that.
func TestOneCommandIsBuilt(t *testing.T) {
	all := allCommands()
	for _, named := range all {
		a, _, _ := testApp(t, named.name, "--json")
		root := newRootCommand(newCLI(a, a.in, &output{}))
		found, rest, err := root.Find(a.args)
		if err != nil || found.Name() != named.name || len(rest) != 1 {
			t.Errorf("%s is not found by its name: %v", named.name, err)
		}
		if n := len(root.Commands()); named.name != "man" && n > 2 { // cobra adds "help"
			t.Errorf("%s: %d commands are built", named.name, n)
		}
	}
	for _, args := range [][]string{nil, {"lst"}, {"--root", "list", "show"}, {"man"}, {"help", "list"}, {"completion", "bash"}, {"__complete", "list"}} {
		if n := len(commandsFor(args)); n != len(all) {
			t.Errorf("%q: %d commands are built, want all", args, n)
		}
	}
}

func golden(t *testing.T, path string, got []byte) {
	t.Helper()
	if *update {
		must.Write(t, path, got)
	}
	want := must.Read(t, path)
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs; -update rewrites it. Got:\n%s", path, got)
	}
}

// TestOnlyBelow: a command that only has commands below it answers a program with JSON, too.
func TestOnlyBelow(t *testing.T) {
	for _, name := range []string{"capture", "model", "record", "session", "skill"} {
		a, out, _ := testApp(t, name, "--json")
		if code := a.run(); code != exitUsage || !strings.Contains(out.String(), `"shape": "manicule/error/1"`) || !strings.Contains(out.String(), "Use one of: `manicule "+name+" ") {
			t.Errorf("%s: exit code %d: %s", name, code, out)
		}
		a, out, _ = testApp(t, name)
		if code := a.run(); code != exitOK || !strings.Contains(out.String(), "Available Commands:") {
			t.Errorf("%s: exit code %d: %s", name, code, out)
		}
	}
}
