package services

import (
	"context"
	"errors"
	"time"

	"manicule/memory/config"
	"manicule/memory/embed"
	"manicule/memory/embed/provider"
)

// When a leader prepares what searches need.
const (
	// prepareAfter is how long a folder must have been open: what an editor asks at
	// once comes first.
	prepareAfter = 20 * time.Second
	// memoryDebounce is how long memories must rest after a change.
	memoryDebounce = 2 * time.Second
	// codeInterval is how often the code and its history are looked through.
	codeInterval = 5 * time.Minute
)

// prepareWhileLeading keeps ready what searches need: the vectors of memories,
// those of code where the settings want them, and the history.
func (s *Server) prepareWhileLeading(ctx context.Context) {
	wait, again := time.NewTimer(prepareAfter), time.NewTicker(codeInterval)
	defer wait.Stop()
	defer again.Stop()
	begun, withCode := false, true
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.changed:
			if begun { // opening a folder is a change too
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

// prepare does it once. A step that fails is logged, and the next one runs.
func (s *Server) prepare(ctx context.Context, withCode bool) {
	ready := s.modelReady()
	embedCode := ready && withCode && s.embedsCode()
	for _, step := range []struct {
		what   string
		wanted bool
		run    func() error
	}{
		{"read the history", withCode, func() error { return s.UpdateHistory(ctx) }},
		{"embed memories", ready, func() error {
			_, err := s.searcher.EmbedMemories(ctx, nil)
			return err
		}},
		{"read the code for search", embedCode, func() error { return s.searcher.SyncCode(ctx, nil) }},
		{"embed code", embedCode, func() error {
			_, err := s.searcher.EmbedCode(ctx, nil)
			return err
		}},
	} {
		if !step.wanted {
			continue
		}
		err := step.run()
		if errors.Is(err, embed.ErrNone) || errors.Is(err, ErrNoGraph) || ctx.Err() != nil {
			return // a model, or a graph, may come yet
		}
		if err != nil {
			s.opener.Log.Warn(step.what, "root", s.Root(), "err", err)
		}
	}
}

// embedsCode reports whether code gets vectors too. A server of vectors would get
// all the code: it does where a person has set so, never by the default.
func (s *Server) embedsCode() bool {
	local := s.Config.String("embedding.provider") == provider.Local
	return s.Config.Bool("embedding.code") && (local || s.Config.From("embedding.code") != config.Default)
}

// modelReady reports whether there is a model now: writing the texts of all
// memories for none would only take memory. The settings are read again, since a
// person may have chosen a model meanwhile.
func (s *Server) modelReady() bool {
	if s.Embedder() == nil {
		return false
	}
	c, _ := s.opener.Settings(s.Place()) // Open has returned the warnings
	return s.opener.hasModel(s.Place(), c)
}
