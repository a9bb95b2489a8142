package main

import (
	"context"
	"fmt"

	"manicule/hooks/activity"
	"manicule/hooks/eventlog"
	"manicule/indexer/workspace"
	"manicule/lsp"
	"manicule/memory/config"
	"manicule/memory/ledger"
	"manicule/memory/services"
)

// sessionsOf returns the agents' sessions in a workspace.
func sessionsOf(m lsp.Memories) lsp.Sessions {
	s, ok := m.(*services.Server)
	if !ok {
		return nil
	}
	return sessions{activity.New(s.Workspace.Workspace, activity.Options{}), s.Place()}
}

// sessions is the part of agents' sessions that the language server may read.
type sessions struct {
	of    *activity.Sessions
	place *workspace.Workspace
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

// Summary summarizes a session. The tokens come from the ledger, because the event log
// knows only memories that were quoted in full, and a nudge that counts memories quotes
// none.
func (s sessions) Summary(ctx context.Context, id string) (lsp.SessionSummary, bool, error) {
	sum, ok, err := s.of.Summary(ctx, id)
	if err != nil || !ok {
		return lsp.SessionSummary(sum), ok, err
	}
	_, answers, err := ledger.Read(s.place.StateDir(), eventlog.SafeName(id), s.place.GitPrefix())
	if err != nil {
		return lsp.SessionSummary(sum), false, fmt.Errorf("read what session %s was shown: %w", id, err)
	}
	sum.Tokens = max(sum.Tokens, answers.Tokens) // older versions kept no ledger
	return lsp.SessionSummary(sum), true, nil
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
	return trustSetting{e.Opener, s.Place()}
}

// trustKey is the setting that lowering the level changes.
const trustKey = "hooks.trust_level"

// trustSetting is the person's own setting, which a repository can't have.
type trustSetting struct {
	opener *services.Opener
	place  *workspace.Workspace
}

// Level returns the effective level.
func (t trustSetting) Level(context.Context) int {
	c, _ := t.opener.Settings(t.place) // doctor shows the warnings
	return c.Int(trustKey)
}

// SetLevel writes the level to the person's configuration file.
func (t trustSetting) SetLevel(_ context.Context, level int) error {
	c, _ := t.opener.Settings(t.place) // doctor shows the warnings
	if c.From(trustKey) == config.Env {
		return fmt.Errorf("an environment variable says what %s is: change it there", trustKey)
	}
	return config.Write(t.place.UserConfigFile(), trustKey, level)
}
