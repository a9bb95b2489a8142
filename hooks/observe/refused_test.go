package observe

import (
	"slices"
	"testing"

	"manicule/hooks/event"
	"manicule/hooks/eventlog"
	"manicule/hooks/observe/cmdline"
)

// The program that refuses an option is to blame, also one that prints what another found.
func TestSubjectOfARefusal(t *testing.T) {
	for _, tt := range []struct{ command, failed, key string }{
		{"sed -n '1,2p' main.go | cat -A", "cat: illegal option -- A\nusage: cat [-belnstuv] [file ...]", "cat"},
		{"go test ./... | tail -5", "FAIL x 0.1s", "go test"},
		{"sed -n 1p a | cat -A", "sed: a: No such file or directory", "sed"},
	} {
		f := New("/repo")
		f.Add(eventlog.Record{Kind: string(event.PostToolFailure), Calls: []eventlog.Call{{Tool: "Bash", Class: string(event.Shell), ID: "1", Command: tt.command, Error: tt.failed}}})
		got := f.Report().Failures
		if len(got) != 1 || got[0].Key != tt.key {
			t.Fatalf("%s: blamed is %+v, want %s", tt.command, got, tt.key)
		}
		if !slices.Contains(cmdline.Subjects(tt.command), tt.key) {
			t.Errorf("%s: nothing is looked up for %s: %v", tt.command, tt.key, cmdline.Subjects(tt.command))
		}
	}
}

// Whatever then ran on the machine shows how to get there.
func TestWayIntoAMachine(t *testing.T) {
	run := func(command, failed string) eventlog.Record {
		r := eventlog.Record{Kind: string(event.PostTool), Calls: []eventlog.Call{{Tool: "Bash", Class: string(event.Shell), ID: command, Command: command, Error: failed}}}
		if failed != "" {
			r.Kind = string(event.PostToolFailure)
		}
		return r
	}
	for failed, want := range map[string]string{
		"git@host.example: Permission denied (publickey).": "ssh ada@host.example ls",
		"bash: line 1: x: command failed":                  "",
	} {
		f := New("/repo")
		f.Add(run("ssh host.example 'cd app && git pull origin main'", failed))
		f.Add(run("ssh ada@host.example ls", ""))
		if got := f.Report().Failures; len(got) != 1 || got[0].Fix != want {
			t.Errorf("%s: the way out is %+v, want %q", failed, got, want)
		}
	}
}
