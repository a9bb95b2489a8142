package failures

import (
	"strings"
	"testing"

	"manicule/hooks/event"
	"manicule/hooks/eventlog"
	"manicule/hooks/observe/cmdline"
)

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
	if got := cmdline.Unquoted("error: unknown command in git commit -m \"fix: the other loop\" of the list", a); strings.Contains(got, "<command>") {
		t.Errorf("another text is taken for the command: %q", got)
	}
	if got := cmdline.Unquoted("Command: "+a[:30], a); got != "Command: <command>" {
		t.Errorf("a quote that was cut: %q", got)
	}
	if got := cmdline.Unquoted("ls: cannot access x", "ls"); got != "ls: cannot access x" {
		t.Errorf("a program's name is no quote: %q", got)
	}
}
