package learn

import (
	"context"
	"strings"

	"manicule/hooks/eventlog"
)

// Explanation is one session with the reasons for all its results.
type Explanation struct {
	Outcome
	Records []eventlog.Record // by event number, from 1
}

// Find names the logs of the sessions whose id begins with a text. "last" is the newest.
func Find(stateDir, session string) ([]string, error) {
	logs, err := eventlog.Logs(stateDir)
	if err != nil {
		return nil, err
	}
	if session == "last" && len(logs) > 0 {
		return []string{logs[len(logs)-1].Name}, nil
	}
	exact := eventlog.SafeName(session)
	var out []string
	for _, l := range logs {
		if l.Name == exact {
			return []string{exact}, nil
		}
		if len(session) >= 4 && strings.HasPrefix(l.Name, "s-"+session) {
			out = append(out, l.Name)
		}
	}
	return out, nil
}

// Explain judges a log as if its session ended now, and stores nothing.
func Explain(ctx context.Context, o Options, name string) (Explanation, error) {
	o.Dry = true
	var e Explanation
	var err error
	if e.Outcome, err = newLearner(o).fromLog(ctx, name); err != nil {
		return e, err
	}
	e.Records, _, err = eventlog.ReadLog(o.Workspace.Place().StateDir(), name)
	return e, err
}
