package learn

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"manicule/hooks/event"
	"manicule/hooks/eventlog"
	"manicule/indexer/workspace"
)

// newestLogs is how many logs [Waiting] looks at. What waits is among the newest: each start of a session learns from all that wait,
// the oldest first.
const newestLogs = 64

// Waiting reports whether [Pending] would find a session to learn from among those that were written last. It only reads.
func Waiting(ctx context.Context, p *workspace.Workspace, now time.Time, state ObservedLogs) (bool, error) {
	logs, err := eventlog.OpenLogs(p.StateDir())
	if err != nil || len(logs) == 0 {
		return false, err
	}
	logs = logs[max(0, len(logs)-newestLogs):]
	names := make([]string, len(logs))
	for i, l := range logs {
		names[i] = l.Name
	}
	done, err := state.LogsNamed(ctx, names)
	if err != nil {
		return false, fmt.Errorf("look up the sessions that were observed: %w", err)
	}
	waits, err := waitingOf(ctx, p, now, logs, done, 1)
	return len(waits) > 0, err
}

// Observed returns the logs that were learned from, with their sizes at that time.
type Observed interface {
	Logs(ctx context.Context) (map[string]int64, error)
}

// ObservedLogs returns those of some logs that were learned from, with their sizes at that time.
type ObservedLogs interface {
	LogsNamed(ctx context.Context, names []string) (map[string]int64, error)
}

// logsOf returns the logs of a workspace's sessions, and how many bytes of each were learned from.
func logsOf(ctx context.Context, p *workspace.Workspace, state Observed) (logs []eventlog.Log, done map[string]int64, err error) {
	logs, err = eventlog.Logs(p.StateDir())
	if err != nil || len(logs) == 0 {
		return nil, nil, err
	}
	if done, err = state.Logs(ctx); err != nil {
		return nil, nil, fmt.Errorf("look up the sessions that were observed: %w", err)
	}
	return logs, done, nil
}

// settle notes which logs are open after some were learned from.
func settle(ctx context.Context, p *workspace.Workspace, state Observed) error {
	at, err := eventlog.FolderTime(p.StateDir())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	logs, done, err := logsOf(ctx, p, state)
	if err != nil {
		return err
	}
	var open []string
	for _, l := range logs {
		if have, ok := done[l.Name]; !ok || have != l.Bytes {
			open = append(open, l.Name)
		}
	}
	return eventlog.Settle(p.StateDir(), at, open)
}

// waiting names the logs that wait, oldest first.
func waiting(ctx context.Context, p *workspace.Workspace, now time.Time, state Observed) ([]string, error) {
	logs, done, err := logsOf(ctx, p, state)
	if err != nil {
		return nil, err
	}
	return waitingOf(ctx, p, now, logs, done, 0)
}

// waitingOf names those of some logs that wait, at most limit unless limit is 0.
func waitingOf(ctx context.Context, p *workspace.Workspace, now time.Time, logs []eventlog.Log, done map[string]int64, limit int) ([]string, error) {
	var out []string
	for _, l := range logs {
		if have, ok := done[l.Name]; ok && have == l.Bytes {
			continue
		}
		if ctx.Err() != nil || limit > 0 && len(out) == limit {
			break // the rest waits for the next run
		}
		rests := now.Sub(l.Written) >= Idle
		if !rests {
			if last, ok := eventlog.Last(p.StateDir(), l.Name); !ok || last.Kind != string(event.SessionEnd) {
				continue // it goes on, or may be just being written
			}
		}
		first, last, ok := eventlog.FirstAndLast(p.StateDir(), l.Name)
		if !ok && !rests {
			continue // it may be just being written
		}
		if !ok || first.CWD == "" { // the records between must tell
			records, _, err := eventlog.ReadLog(p.StateDir(), l.Name)
			if err != nil {
				return nil, fmt.Errorf("look whose session %s is: %w", l.Name, err)
			}
			if len(records) == 0 {
				continue
			}
			first, last = firstLocated(records), records[len(records)-1]
		}
		if first.Session != "" && startedBelow(first, p.Root) && (rests || last.Kind == string(event.SessionEnd)) {
			out = append(out, l.Name)
		}
	}
	return out, nil
}

// firstLocated returns the first record of a log that locates its session, and the session's id.
// The location is its folder, else the first absolute path of a call.
func firstLocated(records []eventlog.Record) eventlog.Record {
	first := records[0]
	for _, r := range records {
		if r.CWD != "" {
			first.CWD = r.CWD
			return first
		}
	}
	for _, r := range records {
		for _, c := range r.Calls {
			for _, p := range c.Paths {
				if filepath.IsAbs(p) {
					first.CWD = filepath.Dir(p)
					return first
				}
			}
		}
	}
	return first
}

// startedBelow reports whether a session began below a root. Worktrees of a repository share
// their logs, but paths have a meaning in only one of them.
func startedBelow(first eventlog.Record, root string) bool {
	if first.CWD == "" {
		return true // no record locates the session
	}
	dir := workspace.RealPath(first.CWD)
	return dir == root || strings.HasPrefix(dir, root+string(filepath.Separator))
}
