package hooks

import (
	"errors"
	"strings"
	"testing"
	"time"
)

// TestFaultThatIsNoUTF8: a fault is logged whatever its words, and wherever they are cut.
func TestFaultThatIsNoUTF8(t *testing.T) {
	dir := t.TempDir()
	for _, text := range []string{"open \xff\xfe.go: no such file", strings.Repeat("é", 2000), "x" + strings.Repeat("é", 2000)} {
		j := newJob(Options{Now: time.Now}.withDefaults())
		j.stateDir, j.name, j.agent = dir, "Stop", claudeCode()
		j.writeNote("the event could not be read", errors.New(text))
	}
	if list, err := Recent(dir, 10); err != nil || len(list) != 3 {
		t.Errorf("logged: %v, %v", list, err)
	}
}
