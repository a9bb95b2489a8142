package hooks

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"manicule/indexer/linefile"
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

// TestLongFault: a fault is logged however long it is, and its log does not grow for ever.
func TestLongFault(t *testing.T) {
	dir := t.TempDir()
	j := newJob(Options{Now: time.Now}.withDefaults())
	j.stateDir, j.name, j.agent = dir, strings.Repeat("\x01", 5000), claudeCode()
	j.writeNote("x", errors.New(strings.Repeat("\x02", 5000)))
	if list, err := Recent(dir, 10); err != nil || len(list) != 1 || !strings.Contains(list[0].Message, "\x02\x02") {
		t.Errorf("logged: %v, %v", list, err)
	}
	if err := os.WriteFile(filepath.Join(dir, logName), bytes.Repeat([]byte("x\n"), logLimit/2+1), 0o600); err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		j.writeNote(fmt.Sprint(i), nil)
	}
	st, err := os.Stat(filepath.Join(dir, logName))
	if err != nil || st.Size() > 4*linefile.MaxLine {
		t.Errorf("after a full log: %+v, %v", st, err)
	}
	if list, err := Recent(dir, 10); err != nil || len(list) != 3 {
		t.Errorf("logged: %v, %v", list, err)
	}
}
