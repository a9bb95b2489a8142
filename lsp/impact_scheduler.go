package lsp

import (
	"context"
	"sync"
	"time"

	"go.lsp.dev/uri"
)

// impactScheduler computes the impact of unsaved edits after a debounce, one document
// at a time. A new edit cancels the computation of its document.
type impactScheduler struct {
	*debouncer
	compute func(ctx context.Context, u uri.URI)

	mu     sync.Mutex
	cancel map[uri.URI]context.CancelFunc // guarded by mu; of the computations in flight
}

func newImpactScheduler(delay time.Duration, compute func(context.Context, uri.URI)) *impactScheduler {
	return &impactScheduler{debouncer: newDebouncer(delay), compute: compute, cancel: make(map[uri.URI]context.CancelFunc)}
}

// schedule computes a document's impact after the debounce.
func (s *impactScheduler) schedule(u uri.URI) {
	s.cancelComputation(u)
	s.soon(u)
}

// forget cancels the work on a document that was saved or closed.
func (s *impactScheduler) forget(u uri.URI) {
	s.drop(u)
	s.cancelComputation(u)
}

func (s *impactScheduler) cancelComputation(u uri.URI) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if cancel, ok := s.cancel[u]; ok {
		cancel()
	}
}

// run computes until ctx ends.
func (s *impactScheduler) run(ctx context.Context) {
	defer s.stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.wake:
		}
		for _, u := range s.take() {
			s.computeOne(ctx, u)
		}
	}
}

func (s *impactScheduler) computeOne(ctx context.Context, u uri.URI) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s.mu.Lock()
	s.cancel[u] = cancel
	s.mu.Unlock()
	s.compute(ctx, u)
	s.mu.Lock()
	delete(s.cancel, u)
	s.mu.Unlock()
}

// updateImpacts computes the impact of a document's edits and publishes it.
func (s *server) updateImpacts(ctx context.Context, u uri.URI) {
	r := s.current()
	doc, open := r.snap.Get(u)
	if !open {
		return
	}
	begin := s.now()
	p, ok := s.pages.Open(ctx, r.snap, u)
	if !ok {
		return
	}
	shown := p.UpdateImpacts(ctx)
	if ctx.Err() != nil {
		return
	}
	s.opts.Log.Debug("impact of an edit", "file", doc.Path, "declarations", len(p.Impacts()), "took", s.now().Sub(begin))
	if !shown {
		return
	}
	s.diags.documentDue(s.session.Snapshot(), doc)
	s.spawn(s.refresh.diagnostics)
}
