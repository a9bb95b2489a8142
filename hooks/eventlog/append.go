// Package eventlog owns the files that hooks keep about a session: the log of its
// events ([Record]), the memories it was already shown ([Dedupe]), and its transcript
// so far ([Statement]). Writers only append, one short write at a time, so any number
// of processes may write at once and a crash loses at most one line. The package must
// not know memories, agents' formats or databases.
package eventlog

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"manicule/indexer/linefile"
)

// SafeName converts a session id to a file name: the id itself if it is plain, else a
// digest of it.
func SafeName(id string) string { return linefile.FileName(id) }

// folder returns the folder of the sessions in a state folder.
func folder(stateDir string) string { return filepath.Join(stateDir, "sessions") }

// PruneDaily removes the files of sessions that were last written longer ago than keep, once a day: there may be thousands.
func PruneDaily(stateDir string, now time.Time, keep time.Duration) error {
	mark := filepath.Join(stateDir, "pruned")
	if st, err := os.Stat(mark); err == nil && now.Sub(st.ModTime()).Abs() < 24*time.Hour {
		return nil
	}
	if err := Prune(stateDir, now.Add(-keep)); err != nil {
		return err
	}
	if err := os.WriteFile(mark, nil, 0o600); err == nil {
		_ = os.Chtimes(mark, now, now) // without the mark it is done again at the next start
	}
	return nil
}

// Prune removes the files of sessions that were last written before a time.
func Prune(stateDir string, before time.Time) error {
	if err := linefile.Prune(folder(stateDir), before); err != nil {
		return fmt.Errorf("prune the sessions: %w", err)
	}
	return nil
}
