package main

import (
	"context"

	"manicule/hooks/activity"
	"manicule/lsp"
	"manicule/memory/services"
)

// sessionsOf returns the agents' sessions in a workspace.
func sessionsOf(m lsp.Memories) lsp.Sessions {
	s, ok := m.(*services.Server)
	if !ok {
		return nil
	}
	return sessions{activity.New(s.Workspace.Workspace, activity.Options{})}
}

// sessions is the part of agents' sessions that the language server may read.
type sessions struct {
	of *activity.Sessions
}

// Log lists the entries of the sessions.
func (s sessions) Log(ctx context.Context, limit int) ([]lsp.SessionEntry, error) {
	list, err := s.of.Log(ctx, limit)
	out := make([]lsp.SessionEntry, len(list))
	for i, e := range list {
		out[i] = lsp.SessionEntry(e)
	}
	return out, err
}

// Summary summarizes a session.
func (s sessions) Summary(ctx context.Context, id string) (lsp.SessionSummary, bool, error) {
	sum, ok, err := s.of.Summary(ctx, id)
	return lsp.SessionSummary(sum), ok, err
}

// Watch reports changes of sessions.
func (s sessions) Watch(ctx context.Context, happened func(lsp.SessionEvent)) error {
	return s.of.Watch(ctx, func(h activity.Change) { happened(lsp.SessionEvent(h)) })
}

// trust returns the trust level of a workspace.
func (e *editorServices) trust(m lsp.Memories) lsp.Trust {
	s, ok := m.(*services.Server)
	if !ok {
		return nil
	}
	return e.Trust(s.Workspace.Workspace)
}
