package eventlog

import (
	"strings"
	"testing"
)

// TestLogMasksCommands: what is written of a call holds none of them.
func TestLogMasksCommands(t *testing.T) {
	line, err := Encode(Record{Session: "s", Kind: "k", Prompt: "log in with curl -u bob:hunterprompt h", Text: "I ran mysql -phunter1text", Calls: []Call{{Tool: "Bash", Class: "shell",
		Command: "PGPASSWORD=huntercommand psql", URL: "https://h/?token=hunterurl", Query: "curl -u a:hunterquery", Error: "psql: password=hunter2error rejected"}}})
	if err != nil || strings.Contains(string(line), "hunter") {
		t.Errorf("%s %v", line, err)
	}
}
