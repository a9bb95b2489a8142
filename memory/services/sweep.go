package services

import (
	"context"
	"runtime"
	"time"

	"manicule/memory"
	"manicule/memory/ledger"
	"manicule/memory/search"
	"manicule/memory/store"
)

// Triggers of a sweep.
const (
	SweepManual   = "manual"
	SweepSchedule = "schedule"
)

// sweepInterval is how often a leader sweeps.
const sweepInterval = 24 * time.Hour

// Sweep moves memories between tiers and archives those that outlived their use. A person's sweep
// also archives what git carries; a scheduled one only lists it.
func (w *Workspace) Sweep(ctx context.Context, trigger string, dryRun bool) (memory.SweepReport, error) {
	o := memory.SweepOptions{Trigger: trigger, DryRun: dryRun, Shared: trigger == SweepManual, Locate: w.Tracker().Locate, Yield: yield}
	if past := w.GitHistory(); past != nil && updateHistory(ctx, w.Place(), past) == nil { // without it what was noted stays
		o.Changed = func(h memory.Hit) float64 { return search.ChangedShare(past, h) }
	}
	return w.Workspace.Sweep(ctx, o)
}

// yield lets requests run that wait for the processor.
func yield(ctx context.Context) error {
	runtime.Gosched()
	return ctx.Err()
}

// LastSweep returns the last sweep; ok is false if there was none.
func LastSweep(ctx context.Context, w *memory.Workspace) (s store.Sweep, ok bool, err error) {
	list, err := w.State().Sweeps().Latest(ctx, 1)
	if err != nil || len(list) == 0 {
		return s, false, err
	}
	return list[0], true, nil
}

// sweepIfDue sweeps once a day while this process leads.
func (s *Server) sweepIfDue(ctx context.Context) error {
	if !s.Place().IsProject() {
		return nil
	}
	last, ok, err := LastSweep(ctx, s.Workspace.Workspace)
	if err != nil || ok && s.Now().Sub(last.At).Abs() < sweepInterval {
		return err
	}
	r, err := s.Sweep(ctx, SweepSchedule, false)
	if err != nil {
		return err
	}
	s.opener.Log.Info("swept the memories", "root", s.Root(), "looked", r.Looked, "promoted", r.Promoted, "demoted", r.Demoted, "archived", r.Archived, "waiting", r.Waiting, "took", r.Took)
	return ledger.Prune(s.Place().StateDir(), s.Now().Add(-ledger.Keep))
}
