package memory

import (
	"fmt"
	"path/filepath"
	"strings"

	"manicule/indexer/linefile"
	"manicule/memory/file"
)

// maxJournal is the size in bytes above which a day's log is rotated: agents can write all day.
const maxJournal = 16 << 20

// journal appends a line about a written memory to the day's log beside state.db, for people to
// read. The files are append-only.
func (w *fileWriter) journal(m *file.Memory) {
	now := w.now().UTC()
	what, _, _ := strings.Cut(m.What, "\n")
	line := fmt.Sprintf("- %s %s v%d %s %s by %s: %s\n", now.Format("15:04:05"), m.Lineage.ChangeKind, m.Lineage.Version, m.Type, m.ShortID(), m.Contributor, what)
	dir := filepath.Join(w.place.StateDir(), "journal")
	if err := linefile.AppendLines(filepath.Join(dir, now.Format("2006-01-02")+".md"), maxJournal, []byte(line)); err != nil {
		w.log.Warn("write the journal", "err", err)
	}
}
