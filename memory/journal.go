package memory

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"manicule/memory/file"
)

// journal appends a line about a written memory to the day's log beside state.db, for people to
// read. The files are append-only.
func (w *fileWriter) journal(m *file.Memory) {
	now := w.now().UTC()
	what, _, _ := strings.Cut(m.What, "\n")
	line := fmt.Sprintf("- %s %s v%d %s %s by %s: %s\n", now.Format("15:04:05"), m.Lineage.ChangeKind, m.Lineage.Version, m.Type, m.ShortID(), m.Contributor, what)
	dir := filepath.Join(w.place.StateDir(), "journal")
	err := os.MkdirAll(dir, 0o700)
	if err == nil {
		err = appendLine(filepath.Join(dir, now.Format("2006-01-02")+".md"), line)
	}
	if err != nil {
		w.log.Warn("write the journal", "err", err)
	}
}

func appendLine(name, line string) error {
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(line)
	return errors.Join(err, f.Close())
}
