package observe

import (
	"slices"
	"testing"

	"manicule/hooks/event"
	"manicule/hooks/eventlog"
	"manicule/hooks/observe/cmdline"
)

// TestSentenceOfWhatIsNotThere: that a program or a subcommand is not installed is worth a sentence once three sessions met it, also
// where no call is known that works. Other errors without a way out are not.
func TestSentenceOfWhatIsNotThere(t *testing.T) {
	for _, tt := range []struct {
		message  string
		sessions int
		want     string
	}{
		{"error: no such command: `nextest`", 3, "`cargo nextest` fails here with “error: no such command: `nextest`”, and no call of it that works is known."},
		{"error: no such command: `nextest`", 2, ""},
		{"bash: cargo: command not found", 3, "`cargo nextest` fails here with “bash: cargo: command not found”, and no call of it that works is known."},
		{"error: unknown flag --x", 3, ""},
	} {
		d := FailedCall{Key: "cargo nextest", Failed: "cargo nextest run topn", Message: tt.message}
		if what, _, _ := d.sentence(extent{sessions: tt.sessions}); what != tt.want {
			t.Errorf("%s in %d sessions: %q, want %q", tt.message, tt.sessions, what, tt.want)
		}
	}
}

func TestRefusalSentence(t *testing.T) {
	d := FailedCall{"cargo test", "cargo test parse --lib", "cargo test parse", "no library targets found in package `tool`"}
	if what, _, _ := d.refusal(extent{sessions: 2}); what != "`cargo test` with `--lib` is refused here: leave it out." {
		t.Errorf("%q", what)
	}
	d = FailedCall{"git push", "git push origin main --tags", "git push origin release/1", "remote: error: GH006: Protected branch update failed for refs/heads/main."}
	if what, _, _ := d.refusal(extent{sessions: 2}); what != "`git push` with `main` is refused here: leave it out." {
		t.Errorf("an option is blamed for what a protected branch refuses: %q", what)
	}
	d = FailedCall{"gh pr diff", "gh pr diff 1 -- docs", "gh pr diff 1 --color=never", "accepts at most 1 arg(s), received 2"}
	if what, _, _ := d.refusal(extent{sessions: 2}); what != "" {
		t.Errorf("a candidate without a refused word: %q", what)
	}
}

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
