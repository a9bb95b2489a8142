package services

import (
	"context"
	"log/slog"

	"manicule/memory/consolidate"
)

// Consolidator finds memories that say the same, and merges them. log, which may be
// nil, takes what goes wrong beside that.
func (w *Workspace) Consolidator(log *slog.Logger) *consolidate.Consolidator {
	return consolidate.New(consolidate.Options{Workspace: w.Workspace, Model: w.Embedder(), Expect: w.Embeddings().Expect, Log: log})
}

// Consolidate looks for memories that say the same, for an editor. It merges those
// groups that are named, and no others.
func (s *Server) Consolidate(ctx context.Context, ids []string, progress func(consolidate.Progress)) (consolidate.Report, consolidate.Outcome, error) {
	return s.Consolidator(s.opener.Log).Run(ctx, ids, progress)
}
