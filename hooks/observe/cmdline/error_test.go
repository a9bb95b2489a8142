package cmdline

import "testing"

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
		`" " now && "	" -x`:                           "", // a blank is quoted
	} {
		if got := FailedCommand(Keys(line), text); got != want {
			t.Errorf("%s: blamed %q, want %q", line, got, want)
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
