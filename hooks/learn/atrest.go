package learn

import (
	"context"
	"time"

	"manicule/hooks/event"
	"manicule/hooks/eventlog"
	"manicule/indexer/workspace"
)

// What a session must have for [AtRest]: an agent that has waited for its person that long, and a log that has grown by so
// many bytes since it was last read, some sixty calls.
const (
	restsAfter = 2 * time.Minute
	grownBytes = 24 << 10
)

// AtRest learns from the sessions that go on and are at the end of a turn, where much was done since they were last
// read: what they show need not wait for their end. What follows is learned with the whole.
func AtRest(ctx context.Context, options Options) ([]Outcome, error) {
	o := newLearner(options)
	names, err := atRest(ctx, o.Workspace.Place(), o.Now(), o.Workspace.State().Sessions())
	if err != nil {
		return nil, err
	}
	var out []Outcome
	for _, name := range names {
		if ctx.Err() != nil {
			break
		}
		x, err := o.fromLog(ctx, name)
		if err != nil {
			return out, err
		}
		out = append(out, x)
	}
	return out, nil
}

// atRest names the logs for [AtRest].
func atRest(ctx context.Context, p *workspace.Workspace, now time.Time, state Observed) ([]string, error) {
	logs, done, err := logsOf(ctx, p, state)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, l := range logs {
		waited := now.Sub(l.Written)
		if waited < restsAfter || waited >= Idle || l.Bytes-done[l.Name] < grownBytes {
			continue
		}
		first, last, ok := eventlog.FirstAndLast(p.StateDir(), l.Name)
		if ok && last.Kind == string(event.Stop) && first.Session != "" && first.CWD != "" && startedBelow(first, p.Root) {
			out = append(out, l.Name)
		}
	}
	return out, nil
}
