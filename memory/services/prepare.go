package services

import (
	"cmp"
	"context"
	"errors"
	"time"

	"manicule/memory/config"
	"manicule/memory/embed"
	"manicule/memory/embed/provider"
)

// Times at which a leader prepares searches.
const (
	// prepareAfter is how long a folder must have been open, unless the opener says otherwise. The
	// editor's first requests have priority.
	prepareAfter = 20 * time.Second
	// memoryDebounce is how long memories must be unchanged before they are embedded.
	memoryDebounce = 2 * time.Second
	// codeInterval is how often the code and its history are updated.
	codeInterval = 5 * time.Minute
)

// prepareWhileLeading keeps search data up to date: the vectors of memories, those of code if the
// settings ask for them, and the history.
func (s *Server) prepareWhileLeading(ctx context.Context) {
	wait, again := time.NewTimer(cmp.Or(s.opener.PrepareAfter, prepareAfter)), time.NewTicker(codeInterval)
	defer wait.Stop()
	defer again.Stop()
	begun, withCode := false, true
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.changed:
			if begun { // opening a folder counts as a change too
				wait.Reset(memoryDebounce)
			}
			continue
		case <-again.C:
			withCode = true
		case <-wait.C:
		}
		s.prepare(ctx, withCode)
		begun, withCode = true, false
	}
}

// prepare runs each step once. If a step fails, it is logged and the next one runs.
func (s *Server) prepare(ctx context.Context, withCode bool) {
	ready := s.modelReady()
	embedCode := ready && withCode && s.embedsCode()
	for _, step := range []struct {
		what   string
		wanted bool
		run    func() error
	}{
		{"renew the bootstrap files", true, func() error { return RenewBootstrap(ctx, s.Workspace) }},
		{"read the history", withCode, func() error { return s.UpdateHistory(ctx) }},
		{"settle what was written on branches", withCode, func() error { return s.settleBranches(ctx) }},
		{"sweep the memories", withCode, func() error { return s.sweepIfDue(ctx) }},
		{"embed memories", ready, func() error {
			_, err := s.searcher.EmbedMemories(ctx, nil)
			return err
		}},
		{"look for memories that say the same", ready && withCode, func() error { return s.lookForSameIfDue(ctx) }},
		{"read the code for search", embedCode, func() error { return s.searcher.SyncCode(ctx, nil) }},
		{"embed code", embedCode, func() error { return s.embedCode(ctx) }},
	} {
		if !step.wanted {
			continue
		}
		err := step.run()
		if ctx.Err() != nil {
			return
		}
		// A model or a graph may come later.
		if err != nil && !errors.Is(err, embed.ErrNone) && !errors.Is(err, ErrNoGraph) {
			s.opener.Log.Warn(step.what, "root", s.Root(), "err", err)
		}
	}
}

// embedsCode reports whether code gets vectors too. All code would go to a configured server, so
// that needs an explicit setting.
func (s *Server) embedsCode() bool {
	local := s.Config.String("embedding.provider") == provider.Local
	return s.Config.Bool("embedding.code") && (local || s.Config.From("embedding.code") != config.Default)
}

// modelReady reports whether there is a model now. Without one, rendering the texts of all memories
// would waste memory. It reads the settings again, because a person may have selected a model
// meanwhile.
func (s *Server) modelReady() bool {
	if s.Embedder() == nil {
		return false
	}
	c, _ := s.opener.Settings(s.Place()) // Open has returned the warnings
	return s.opener.hasModel(s.Place(), c)
}
