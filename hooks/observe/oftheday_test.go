package observe

import (
	"strings"
	"testing"

	"manicule/hooks/event"
	"manicule/hooks/eventlog"
)

// TestOfTheDay: what was so in the code or the working tree of one day is known from what is so of the project.
func TestOfTheDay(t *testing.T) {
	for _, line := range []string{
		"internal/syncer/syncer.go:567:6: syntax error: unexpected name pushToTarget, expected (",
		"src/field.tsx(3,14): error TS2344: Type 'T' does not satisfy the constraint",
		"E AssertionError: main.create_app must be public",
		"raise ValueError(",
		"❯ tests/unit/read-model.test.ts (4 tests | 1 failed) 6ms",
		"@chkit/plugin-pull:test: # Unhandled error between tests",
		"error: cannot pull with rebase: You have unstaged changes.",
		"▲ [WARNING] Missing required secrets: APP_KEY.",
	} {
		if !OfTheDay(line) {
			t.Errorf("%q is of one day", line)
		}
	}
	for _, line := range []string{
		"error: unknown option '--write'",
		"/bin/bash: line 1: go: command not found",
		"no library targets found in package 'mise'",
		"The following paths are ignored by one of your .gitignore files:",
		"REDIS_URL is not set",
		"connect ECONNREFUSED 127.0.0.1:6379",
	} {
		if OfTheDay(line) {
			t.Errorf("%q is so on other days, too", line)
		}
	}
}

// TestFailedCommandOfANetwork: git status at the end of a chain is not to blame for a server that does not answer.
func TestFailedCommandOfANetwork(t *testing.T) {
	const text = "ssh: connect to host github.com port 22: Operation timed out\nfatal: Could not read from remote repository."
	for line, want := range map[string]string{
		"git pull --rebase && git push && git status": "git pull",
		"git add -A && git push && git status":        "git push",
		"git status":                                  "git status",
	} {
		if got := failedCommand(Keys(line), text); got != want {
			t.Errorf("%s: blamed %q, want %q", line, got, want)
		}
	}
}

// TestMetSaysWhy: a line without a usual word of an error is not generic if it says what was wrong with the call or the machine.
func TestMetSaysWhy(t *testing.T) {
	for line, want := range map[string]bool{
		"ERR_PNPM_UNSUPPORTED_ENGINE Unsupported environment (bad pnpm and/or Node.js version)":       true,
		"pattern ./...: directory prefix . does not contain main module or its selected dependencies": true,
		"usage: pytest [options] [file_or_dir] [file_or_dir] [...]":                                   false,
		"This command requires approval":                                                              false,
		"Done in 2.4s":                                                                                false,
	} {
		if _, got := Met(eventlog.Call{Class: string(event.Shell), Command: "pnpm test", Error: line}); got != want {
			t.Errorf("%q: met %t, want %t", line, got, want)
		}
	}
}

// TestOfTheMachineSignIn: an account that is not signed in is of the machine, not of the code.
func TestOfTheMachineSignIn(t *testing.T) {
	for _, line := range []string{"X Failed to log in to github.com account someone (default)", "remote: Permission to owner/name.git denied to someone.", "fatal: could not read Username for 'https://git.example'",
		`Post "https://git.example/graphql": tls: failed to verify certificate: x509: OSStatus -26276`, "Host key verification failed."} {
		if !OfTheMachine(line) {
			t.Errorf("%q is of the machine", line)
		}
	}
	if OfTheMachine("login_test.go:12: the session was lost") {
		t.Error("a finding is not of the machine")
	}
}

// TestMetWithoutCommand: what denies a call quotes it, and two denials look the same all the same.
func TestMetWithoutCommand(t *testing.T) {
	denial := func(command string) string {
		first, _, _ := strings.Cut(command, "\n")
		return "PreToolUse:Bash hook error: [/home/a/.claude/hooks/guard.sh]: BLOCKED: matching 'curl .* | sh'. Command: " + first
	}
	print := func(command, failure string) string {
		f, ok := Met(eventlog.Call{Class: string(event.Shell), Command: command, Error: failure})
		if !ok {
			t.Errorf("%q is not met", failure)
		}
		return f.Print
	}
	a, b := `git commit -m "fix: the loading loop"`, "gh pr create --title \"feat: badges\" --body \"$(cat <<'EOF'\n## Summary\nEOF\n)\""
	if x, y := print(a, denial(a)), print(b, denial(b)); x != y || !strings.HasSuffix(x, "<command>") {
		t.Errorf("%q is not %q", x, y)
	}
	if x, y := print(a, denial(a)), print(b, strings.Replace(denial(b), "curl", "wget", 1)); x == y {
		t.Errorf("two denials are the same: %q", x)
	}
	if got := unquoted("error: unknown command in git commit -m \"fix: the other loop\" of the list", a); strings.Contains(got, "<command>") {
		t.Errorf("another text is taken for the command: %q", got)
	}
	if got := unquoted("Command: "+a[:30], a); got != "Command: <command>" {
		t.Errorf("a quote that was cut: %q", got)
	}
	if got := unquoted("ls: cannot access x", "ls"); got != "ls: cannot access x" {
		t.Errorf("a program's name is no quote: %q", got)
	}
}

// TestDenied: a person's hook is of the machine, and git's own word about a call is about the call.
func TestDenied(t *testing.T) {
	for _, line := range []string{"PreToolUse:Bash hook error: [guard.sh]: Use make test instead", "Hook PreToolUse:Bash denied this tool"} {
		if !Denied(line) || !OfTheMachine(line) {
			t.Errorf("%q is a hook's denial", line)
		}
	}
	if Denied("pre-commit hook failed: 2 errors") {
		t.Error("a check of git is no denial")
	}
	if !Misused("fatal: The upstream branch of your current branch does not match") || Misused("--- FAIL: TestMatch: does not match") {
		t.Error("git's fatal line is about the call, a test's is not")
	}
}
