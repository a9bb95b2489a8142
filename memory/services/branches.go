package services

import (
	"context"

	"manicule/memory/branches"
)

// settleBranches settles what was written on branches that have reached the default one, or are gone.
func (s *Server) settleBranches(ctx context.Context) error {
	list, err := branches.Of(s.Workspace.Workspace).Settle(ctx)
	for _, b := range list {
		if b.Threads+b.Memories+b.Proposals > 0 {
			s.opener.Log.Info("settled a branch", "root", s.Root(), "branch", b.Name, "state", b.State, "threads", b.Threads, "memories", b.Memories, "proposals", b.Proposals)
		}
	}
	return err
}
