package services

import (
	"context"
	"log/slog"

	"manicule/memory/consolidate"
)

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
