// Package eventlog owns the files that hooks keep about a session: the log of its
// events ([Record]), the memories it was already shown ([Dedupe]), and its transcript
// so far ([Statement]). Writers only append, one short write at a time, so any number
// of processes may write at once and a crash loses at most one line. The package must
// not know memories, agents' formats or databases.
package eventlog

import (
	"fmt"
	"path/filepath"
	"time"

	"manicule/indexer/linefile"
)

// MaxLine is the maximum length of a line with its end, which all systems write in one
// piece.
const MaxLine = linefile.MaxLine

// AppendLine appends one line to a file in a single write; see [linefile.Append].
func AppendLine(path string, limit int64, line []byte) error {
	return linefile.Append(path, limit, line)
}

// appendText is AppendLine for complete lines with their ends.
func appendText(path string, limit int64, text []byte) error {
	return linefile.AppendLines(path, limit, text)
}

// ReadLines calls each for every line of the rotated and the current file. A missing file
// has no lines.
func ReadLines(path string, each func(line []byte)) error { return linefile.Read(path, each) }

// SafeName converts a session id to a file name: the id itself if it is plain, else a
// digest of it.
func SafeName(id string) string { return linefile.FileName(id) }

// folder returns the folder of the sessions in a state folder.
func folder(stateDir string) string { return filepath.Join(stateDir, "sessions") }

// Prune removes the files of sessions that were last written before a time.
func Prune(stateDir string, before time.Time) error {
	if err := linefile.Prune(folder(stateDir), before); err != nil {
		return fmt.Errorf("prune the sessions: %w", err)
	}
	return nil
}
