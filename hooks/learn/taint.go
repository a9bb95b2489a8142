package learn

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"manicule/hooks/eventlog"
	"manicule/indexer/workspace"
)

// recentLog is how old the newest log may be to be taken for the session at hand.
const recentLog = 2 * time.Hour

// Newest guesses at the session at hand in a workspace: the log that was written
// to last, if that was lately.
func Newest(p *workspace.Workspace, now time.Time) ([]eventlog.Record, error) {
	logs, err := eventlog.Logs(p.StateDir())
	if err != nil {
		return nil, fmt.Errorf("list the sessions: %w", err)
	}
	here := func(r eventlog.Record) bool {
		return r.CWD == p.Root || strings.HasPrefix(r.CWD, p.Root+string(filepath.Separator))
	}
	for _, l := range slices.Backward(logs) {
		if now.Sub(l.Written) > recentLog {
			break
		}
		records, _, err := eventlog.ReadLog(p.StateDir(), l.Name)
		if err != nil {
			return nil, fmt.Errorf("read the log of a session: %w", err)
		}
		if slices.ContainsFunc(records, here) {
			return records, nil
		}
	}
	return nil, nil
}

// Suspect reports whether a session may have taken in text of strangers, as its
// log in a workspace says: what its agent then wants remembered may be theirs. All
// ways by which an agent writes ask this: its server, its shell and its prompts.
// Where the agent does not name its session it is the newest one there. A log that
// can't be read is no proof of anything: the answer is true then, with the error.
func Suspect(p *workspace.Workspace, session string, now time.Time) (bool, error) {
	var records []eventlog.Record
	var err error
	if session == "" {
		records, err = Newest(p, now)
	} else {
		records, _, err = eventlog.Read(p.StateDir(), session)
	}
	if err != nil {
		return true, fmt.Errorf("read the session's log: %w", err)
	}
	return Tainted(p.Root, records), nil
}
