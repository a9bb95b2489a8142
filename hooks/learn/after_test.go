package learn

import (
	"strings"
	"testing"

	"manicule/hooks/eventlog"
)

// met is a command that has just failed.
func met(command, failure string) eventlog.Call {
	return eventlog.Call{Tool: "Bash", Class: "shell", Command: command, Error: failure}
}

// With an error at hand, what became of the same error in earlier sessions is told, of another command too.
func TestReminders(t *testing.T) {
	p := newPlace(t)
	o := learnt(t, p,
		[]eventlog.Record{sh("go build ./cmd/web", "Exit code 127\n/bin/bash: line 1: go: command not found"), sh("ls", ""), sh("ls docs", ""), sh("/usr/local/go/bin/go test ./...", "")},
		[]eventlog.Record{sh("git pull --rebase", "ssh: connect to host git.example port 22: Operation timed out\nfatal: Could not read from remote repository.")},
		[]eventlog.Record{sh("tool status --no-pager", "Error: unknown flag: --no-pager"), sh("tool status", "")},
		[]eventlog.Record{sh("go test ./x", "--- FAIL: TestX (0.00s)\n    x_test.go:7: got 1"), sh("go test ./y", "")},
		[]eventlog.Record{sh("git commit -m 'fix: a thing'", "PreToolUse:Bash hook error: [guard.sh]: BLOCK: no commits on main"), sh("git switch -c fix", ""), sh("git commit -m 'fix: a thing' 2>&1", "")},
		[]eventlog.Record{web(), sh("make all", "make all: cannot connect: connection refused by 5432")},
	)
	for _, tc := range []struct{ name, command, failure, want string }{
		{"a program that is found elsewhere, many calls later", "cd sub && go doc embed", "Exit code 127\n/bin/bash: line 1: go: command not found", "`/usr/local/go/bin/go test ./...` then worked."},
		{"nothing worked", "git fetch", "ssh: connect to host git.example port 22: Operation timed out\nfatal: Could not read from remote repository.", "there no `git pull` worked after it."},
		{"another act of the program", "tool search x --no-pager", "Error: unknown flag: --no-pager", "`tool status` then worked."},
		{"denied by a hook", "git commit -m 'feat: b' -m 'more of it'", "PreToolUse:Bash hook error: [guard.sh]: BLOCK: no commits on main", "there the same call was let through later."},
		{"another program", "other search x --no-pager", "Error: unknown flag: --no-pager", ""},
		{"a finding in the code", "go test ./...", "--- FAIL: TestX (0.00s)\n    x_test.go:7: got 1", ""},
		{"only in a tainted session", "make all", "make all: cannot connect: connection refused by 5432", ""},
		{"another error", "go vet ./...", "Exit code 127\n/bin/bash: line 1: gopher: command not found", ""},
		{"refused by a person", "go build ./cmd/web", "The user doesn't want to proceed with this tool use: go: command not found", ""},
	} {
		got := must(Reminders(t.Context(), o, met(tc.command, tc.failure)))(t)
		if tc.want == "" && len(got) != 0 || tc.want != "" && (len(got) != 1 || !strings.HasSuffix(got[0].Text, tc.want)) {
			t.Errorf("%s: %v, want %q", tc.name, got, tc.want)
		}
	}
}

// A way out that was offered before the call has the id of that offer: a session is told once.
func TestReminderIsNoSecondOffer(t *testing.T) {
	p := newPlace(t)
	o := learnt(t, p, []eventlog.Record{sh("tool status --no-pager", "Error: unknown flag: --no-pager"), sh("tool status", "")})
	before := must(Offers(t.Context(), o, "shell", "tool status --no-pager", nil))(t)
	after := must(Reminders(t.Context(), o, met("tool status --no-pager", "Error: unknown flag: --no-pager")))(t)
	if len(before) != 1 || len(after) != 1 || before[0].ID != after[0].ID {
		t.Errorf("before the call %v, after it %v", before, after)
	}
}
