package services

import (
	"context"
	"log/slog"
	"time"

	"manicule/memory/consolidate"
)

// consolidateInterval is how often a leader looks for memories that say the same.
const consolidateInterval = 7 * 24 * time.Hour

// Consolidator finds memories that say the same, and merges them. log, which may be nil, receives
// secondary errors.
func (w *Workspace) Consolidator(log *slog.Logger) *consolidate.Consolidator {
	return consolidate.New(consolidate.Options{Workspace: w.Workspace, Model: w.Embedder(), Expect: w.Embeddings().Expect, Log: log})
}

// Consolidate finds memories that say the same, for an editor. It merges only the groups with the
// given ids.
func (s *Server) Consolidate(ctx context.Context, ids []string, progress func(consolidate.Progress)) (consolidate.Report, consolidate.Outcome, error) {
	return s.Consolidator(s.opener.Log).Run(ctx, ids, progress)
}

// lookForSameIfDue looks for memories that say the same once a week while this process leads. It
// merges none: what it finds is counted until a person decides.
func (s *Server) lookForSameIfDue(ctx context.Context) error {
	if !s.Place().IsProject() {
		return nil
	}
	last, err := s.State().Consolidations().Latest(ctx, 1)
	if err != nil || len(last) > 0 && last[0].Model != "" && s.Now().Sub(last[0].At).Abs() < consolidateInterval {
		return err
	}
	c := s.Consolidator(s.opener.Log)
	r, err := c.Find(ctx, nil)
	if err != nil || r.Unavailable != "" {
		return err
	}
	return c.Note(ctx, r, consolidate.Outcome{}, 0)
}
