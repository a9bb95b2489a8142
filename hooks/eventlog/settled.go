package eventlog

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"manicule/indexer/atomicfile"
	"manicule/indexer/sorting"
	"manicule/indexer/treefile"
)

// settled says of which logs it was not settled, when a session was learned from, that nothing in them waits to be learned. It holds
// until a session that is not open is started or asked for something, or the folder has other files: so a start that follows an end
// needs not look at the logs of thousands of sessions.
type settled struct {
	Folder int64    `json:"folder"` // when a file was last added or removed, in Unix nanoseconds
	Open   []string `json:"open"`   // names of logs
}

const settledName = "settled.json"

// FolderTime returns when a log was last added to a state folder or removed from it.
func FolderTime(stateDir string) (time.Time, error) {
	st, err := os.Stat(folder(stateDir))
	if err != nil {
		return time.Time{}, fmt.Errorf("look at the sessions: %w", err)
	}
	return st.ModTime(), nil
}

// Settle notes that nothing waits to be learned in the logs of a state folder, but for the open ones by their names. at is
// the [FolderTime] before they were listed.
func Settle(stateDir string, at time.Time, open []string) error {
	data, err := json.Marshal(settled{Folder: at.UnixNano(), Open: open})
	if err != nil {
		return fmt.Errorf("note which sessions are open: %w", err)
	}
	if err := atomicfile.Write(filepath.Join(stateDir, settledName), data, 0o600); err != nil {
		return fmt.Errorf("note which sessions are open: %w", err)
	}
	return nil
}

// Unsettle forgets what [Settle] noted, as the log of a session grows, unless it is one of the open ones.
func Unsettle(stateDir, session string) error {
	if s, ok := readSettled(stateDir); ok && slices.Contains(s.Open, SafeName(session)) {
		return nil
	}
	if err := os.Remove(filepath.Join(stateDir, settledName)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("forget which sessions are open: %w", err)
	}
	return nil
}

// OpenLogs lists the logs that may wait to be learned from, the oldest first: those that [Settle] left open, as long as that holds,
// else all.
func OpenLogs(stateDir string) ([]Log, error) {
	s, ok := readSettled(stateDir)
	if !ok {
		return Logs(stateDir)
	}
	if at, err := FolderTime(stateDir); err != nil || at.UnixNano() != s.Folder {
		return Logs(stateDir)
	}
	var out []Log
	for _, name := range s.Open {
		if l, ok := LogNamed(stateDir, name); ok {
			out = append(out, l)
		}
	}
	sortLogs(out)
	return out, nil
}

// readSettled reads what Settle noted. ok is false if that is nothing, or can't be read.
func readSettled(stateDir string) (s settled, ok bool) {
	data, err := treefile.Read(filepath.Join(stateDir, settledName), maxSettled)
	return s, err == nil && json.Unmarshal(data, &s) == nil
}

// maxSettled bounds what is read of the file that says which logs are open.
const maxSettled = 1 << 20

// LogNamed describes a log by its name. ok is false if there is none.
func LogNamed(stateDir, name string) (l Log, ok bool) {
	if name != filepath.Base(name) {
		return l, false
	}
	l.Name = name
	for _, suffix := range []string{".jsonl", ".jsonl.1"} {
		st, err := os.Lstat(filepath.Join(folder(stateDir), name+suffix))
		if err != nil {
			continue
		}
		ok = true
		l.add(st)
	}
	return l, ok
}

// add adds one of a log's files.
func (l *Log) add(st fs.FileInfo) {
	l.Bytes += st.Size()
	if st.ModTime().After(l.Written) {
		l.Written = st.ModTime()
	}
}

// sortLogs sorts logs by when they were last written.
func sortLogs(list []Log) {
	sorting.Func(list, func(a, b Log) int { return cmp.Or(a.Written.Compare(b.Written), strings.Compare(a.Name, b.Name)) })
}
