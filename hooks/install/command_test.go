package install

import (
	"strings"
	"testing"
)

// TestUnknownAgent: who writes a name that no agent has is told which one may be meant, if there is one.
func TestUnknownAgent(t *testing.T) {
	for name, want := range map[string]string{"codex-cli": " (codex?);", "claudecode": " (claude-code?);", "Gemini": " (gemini?);", "chatgpt": "is not known;", "": "is not known;"} {
		_, err := File(name, false)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", name, err, want)
		}
	}
}
