package learn

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"manicule/hooks/eventlog"
	"manicule/indexer/workspace"
)

// recentLog is the age up to which the newest log counts as the current session.
const recentLog = 2 * time.Hour

// Newest guesses the current session of a workspace: the log that was written last, if
// that was recently.
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

// Suspect reports whether a session may have taken in untrusted text, according to its
// log in a workspace. The agent's memories may then come from strangers. All ways by
// which an agent writes call it: its server, its shell and its prompts. If the agent does
// not name its session, the newest one counts. If a log can't be read, the answer is
// true, with the error.
func Suspect(ctx context.Context, p *workspace.Workspace, session string, now time.Time) (bool, error) {
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
	return Tainted(ctx, p.Root, records), nil
}
