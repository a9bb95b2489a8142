package install

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"manicule/hooks/agent/spec"
	"manicule/indexer/must"
)

// TestCommandNeverRefuses: a program that ends before it begins exits with 2, by which most agents refuse the tool call.
// No line passes that on.
func TestCommandNeverRefuses(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("without a POSIX shell")
	}
	dir := t.TempDir()
	program := filepath.Join(dir, "my manicule")
	for _, name := range []string{"manicule", "my manicule"} {
		must.OK(t, os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\nexit 2\n"), 0o755))
	}
	for _, name := range Agents() {
		for _, shared := range []bool{false, true} {
			for _, binary := range []string{"manicule", program, filepath.Join(dir, "none")} {
				line, err := Command(name, binary, shared)
				must.OK(t, err)
				cmd := exec.Command("/bin/sh", "-c", line)
				cmd.Env = []string{"PATH=" + dir}
				if err := cmd.Run(); err != nil {
					t.Errorf("%s: %v", line, err)
				}
			}
		}
	}
}

// TestEarlierLineIsReplaced: what an earlier version wrote becomes the line of this one, once.
func TestEarlierLineIsReplaced(t *testing.T) {
	for _, name := range Agents() {
		earlier, err := BareCommand(name, "/opt/manicule")
		must.OK(t, err)
		now, err := Command(name, "/opt/manicule", false)
		must.OK(t, err)
		was, err := Add(name, nil, earlier)
		must.OK(t, err)
		is, err := Add(name, was, now)
		must.OK(t, err)
		fresh, err := Add(name, nil, now)
		must.OK(t, err)
		if string(is) != string(fresh) {
			t.Errorf("%s: %s", name, is)
		}
		if p := spec.PowerShell(now); strings.Contains(p, "||") || p != spec.PowerShell(earlier) {
			t.Errorf("%s: in PowerShell %s", name, p)
		}
	}
}

// TestUnknownAgent: who writes a name that no agent has is told which one may be meant, if there is one.
func TestUnknownAgent(t *testing.T) {
	for name, want := range map[string]string{"codex-cli": "Did you mean codex?", "claudecode": "Did you mean claude-code?", "Gemini": "Did you mean gemini?", "chatgpt": "Use one of: claude-code, ", "": "Use one of: "} {
		_, err := File(name, false)
		var unknown *UnknownAgentError
		if !errors.As(err, &unknown) || !strings.HasPrefix(unknown.Hint(), want) || err.Error() != fmt.Sprintf("unknown agent %q", name) {
			t.Errorf("%q: %v, want %q", name, err, want)
		}
	}
}
