package learn

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"manicule/hooks/event"
	"manicule/hooks/eventlog"
	"manicule/hooks/observe"
	"manicule/hooks/observe/cmdline"
	"manicule/hooks/observe/fold"
	"manicule/indexer/workspace"
)

// leastPieces is the number of pieces of work from which a session is so long that what it has shown is learned after
// each of them, if its log has also grown as for [AtRest].
const leastPieces = 6

// Midway learns from the sessions that go on without a pause, up to the last piece of work that was checked or committed:
// an agent that works by itself for hours never waits for its person. What was not finished is left to the end.
func Midway(ctx context.Context, options Options) ([]Outcome, error) {
	o := newLearner(options)
	logs, done, err := logsOf(ctx, o.Workspace.Place(), o.Workspace.State().Sessions())
	if err != nil {
		return nil, err
	}
	var out []Outcome
	for _, l := range logs {
		grown := l.Bytes - done[l.Name]
		if ctx.Err() != nil || grown < grownBytes || !worksOn(o.Workspace.Place(), l, o.Now()) {
			continue
		}
		x, err := o.toLastPiece(ctx, l, grown)
		if err != nil {
			return out, err
		}
		if x.Report.Session != "" {
			out = append(out, x)
		}
	}
	return out, nil
}

// worksOn reports whether the session of a log is in the middle of its work.
func worksOn(p *workspace.Workspace, l eventlog.Log, now time.Time) bool {
	waited := now.Sub(l.Written)
	if waited >= Idle {
		return false
	}
	first, last, ok := eventlog.FirstAndLast(p.StateDir(), l.Name)
	if !ok || first.Session == "" || first.CWD == "" || !startedBelow(first, p.Root) || last.Kind == string(event.SessionEnd) {
		return false
	}
	return waited < restsAfter || last.Kind != string(event.Stop)
}

// toLastPiece learns from a session up to the end of its last piece of work, if that is in the part by which its log has grown.
func (o learner) toLastPiece(ctx context.Context, l eventlog.Log, grown int64) (out Outcome, err error) {
	w := o.Workspace
	stateDir := w.Place().StateDir()
	recent, _, err := eventlog.TailOf(stateDir, l.Name, grown)
	if err != nil {
		return out, fmt.Errorf("read the log of a session: %w", err)
	}
	if !slices.ContainsFunc(recent, mayEnd) {
		return out, nil // before all of it is folded
	}
	records, bad, err := eventlog.ReadLog(stateDir, l.Name)
	if err != nil {
		return out, fmt.Errorf("read the log of a session: %w", err)
	}
	if len(records) == 0 {
		return out, nil
	}
	pieces := observed(w.Root(), records).Pieces()
	if len(pieces) < leastPieces {
		return out, nil
	}
	end := endOf(records, pieces[len(pieces)-1])
	if end <= len(records)-len(recent) {
		return out, nil // nothing was finished since
	}
	release := w.State().Hold()
	defer func() { err = errors.Join(err, release()) }()
	h := o.readTranscripts(ctx, l.Name, records)
	o.midway = true
	out, err = o.finish(ctx, folded(w.Root(), records[:end], h), l.Name, l.Bytes-1) // so that all is read again when it is over
	out.Bad = bad
	return out, err
}

// mayEnd reports whether a record may be the end of a piece of work.
func mayEnd(r eventlog.Record) bool {
	return r.Kind == string(event.PostTool) && slices.ContainsFunc(r.Calls, func(c eventlog.Call) bool { return c.Class == string(event.Shell) && cmdline.MayEndPiece(c.Command) })
}

// observed folds records alone.
func observed(root string, records []eventlog.Record) *observe.Fold {
	f := observe.New(root)
	for _, r := range records {
		f.Add(r)
	}
	return f
}

// endOf returns how many records there are up to the result of a call.
func endOf(records []eventlog.Record, c fold.Call) int {
	for i := max(0, c.N-1); i < len(records); i++ {
		r := records[i]
		if strings.HasPrefix(r.Kind, string(event.PostTool)) && slices.ContainsFunc(r.Calls, func(x eventlog.Call) bool { return x.Command == c.Command }) {
			return i + 1
		}
	}
	return len(records)
}
