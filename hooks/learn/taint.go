package learn

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"manicule/hooks/event"
	"manicule/hooks/eventlog"
	"manicule/indexer/workspace"
)

// recentLog is the age up to which the newest log counts as the current session.
const recentLog = 2 * time.Hour

// RecentSession is a session of a workspace that hooks have logged lately.
type RecentSession struct {
	ID      string
	Agent   string
	Written time.Time // its last event
}

// Recent lists at most limit sessions of a workspace that were logged in the last two hours and are not over, the latest
// first: those of one agent, or of all if it is "".
func Recent(p *workspace.Workspace, agent string, now time.Time, limit int) ([]RecentSession, error) {
	var out []RecentSession
	err := eachRecent(p, now, func(written time.Time, records []eventlog.Record) bool {
		last := records[len(records)-1]
		if over := last.Kind == string(event.SessionEnd); !over && (agent == "" || last.Agent == agent) {
			out = append(out, RecentSession{last.Session, last.Agent, written})
		}
		return len(out) < limit
	})
	return out, err
}

// eachRecent passes the recent logs of a workspace to f, the latest first, until f returns false.
func eachRecent(p *workspace.Workspace, now time.Time, f func(written time.Time, records []eventlog.Record) bool) error {
	logs, err := eventlog.Logs(p.StateDir())
	if err != nil {
		return fmt.Errorf("list the sessions: %w", err)
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
			return fmt.Errorf("read the log of a session: %w", err)
		}
		if slices.ContainsFunc(records, here) && !f(l.Written, records) {
			break
		}
	}
	return nil
}

// Suspect reports whether a session may have taken in untrusted text, according to its
// log in a workspace. The agent's memories may then come from strangers. All ways by
// which an agent writes call it: its server, its shell and its prompts. If the agent does
// not name its session, each of the last two hours counts, one that is over by its log
// too: that is doubt enough. If a log can't be read, the answer is true, with the error.
func Suspect(ctx context.Context, p *workspace.Workspace, session string, now time.Time) (bool, error) {
	if session == "" {
		tainted := false
		err := eachRecent(p, now, func(_ time.Time, records []eventlog.Record) bool {
			tainted = Tainted(ctx, p.Root, records)
			return !tainted
		})
		return tainted || err != nil, err
	}
	records, _, err := eventlog.Read(p.StateDir(), session)
	if err != nil {
		return true, fmt.Errorf("read the session's log: %w", err)
	}
	return Tainted(ctx, p.Root, records), nil
}
