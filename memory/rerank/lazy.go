package rerank

import (
	"context"
	"fmt"
	"sync"
	"time"

	"manicule/memory/embed"
)

// Opener loads a reranker. It wraps ErrNone where there is none to load.
type Opener func(ctx context.Context) (Reranker, error)

// Lazy is a reranker that is loaded when a text comes and freed when none has
// come for a while. Calls wait for each other: on few cores two at once are no
// faster.
type Lazy struct {
	open   Opener
	expect func() Info
	idle   time.Duration
	clock  embed.Clock

	sem chan struct{} // holds a token while somebody uses what follows
	// Guarded by turn.
	loaded   Reranker
	closed   bool
	idleStop chan struct{} // ends the wait for idleness that runs; nil when none does

	idleWaits sync.WaitGroup // waits for idleness that run

	mu   sync.Mutex // guards what follows
	info Info       // of what is loaded
}

// NewLazy returns a reranker that open loads. expect names, without loading,
// what open would load; idle is how long it stays in memory unasked.
func NewLazy(open Opener, expect func() Info, idle time.Duration, clock embed.Clock) *Lazy {
	return &Lazy{open: open, expect: expect, idle: idle, clock: clock, sem: make(chan struct{}, 1)}
}

// Info names what is loaded, else what would be.
func (l *Lazy) Info() Info {
	l.mu.Lock()
	info := l.info
	l.mu.Unlock()
	if info == (Info{}) {
		return l.expect()
	}
	return info
}

func (l *Lazy) note(info Info) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.info = info
}

// Rerank loads the reranker if it is not loaded and asks it. What failed to
// load is tried again with the next call.
func (l *Lazy) Rerank(ctx context.Context, query string, texts []string) ([]float64, error) {
	select {
	case l.sem <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-l.sem }()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if l.closed {
		return nil, ErrClosed
	}
	l.cancelIdle()
	if l.loaded == nil {
		r, err := l.open(ctx)
		if err != nil {
			return nil, err
		}
		l.loaded = r
		l.note(r.Info())
	}
	scores, err := l.loaded.Rerank(ctx, query, texts)
	l.unloadWhenIdle()
	if err != nil {
		return nil, err
	}
	if len(scores) != len(texts) {
		return nil, fmt.Errorf("%s gave %d scores for %d texts", l.loaded.Info().Backend, len(scores), len(texts))
	}
	return scores, nil
}

// cancelIdle ends the wait for idleness.
func (l *Lazy) cancelIdle() {
	if l.idleStop != nil {
		close(l.idleStop)
		l.idleStop = nil
	}
}

// unloadWhenIdle frees the model when nobody asks for as long as it may idle.
func (l *Lazy) unloadWhenIdle() {
	rest := make(chan struct{})
	l.idleStop = rest
	fires, stop := l.clock.After(l.idle)
	l.idleWaits.Go(func() {
		defer stop()
		select {
		case <-rest:
			return
		case <-fires:
		}
		select {
		case <-rest:
		case l.sem <- struct{}{}:
			if l.idleStop == rest { // nobody came in between
				l.idleStop = nil
				_ = l.unload() // it is gone from here; the next call loads it again
			}
			<-l.sem
		}
	})
}

func (l *Lazy) unload() error {
	r := l.loaded
	l.loaded = nil
	l.note(Info{})
	if r == nil {
		return nil
	}
	if err := r.Close(); err != nil {
		return fmt.Errorf("free the reranker: %w", err)
	}
	return nil
}

// Close waits for the call that runs, frees the model and refuses what follows.
func (l *Lazy) Close() error {
	l.sem <- struct{}{}
	l.closed = true
	l.cancelIdle()
	err := l.unload()
	<-l.sem
	l.idleWaits.Wait()
	return err
}
