package rerank

import (
	"context"
	"fmt"
	"sync"
	"time"

	"manicule/memory/embed"
)

// Opener loads a reranker. It wraps ErrNone if there is none to load.
type Opener func(ctx context.Context) (Reranker, error)

// Lazy is a reranker that is loaded on first use and freed when idle. Calls run one after another,
// because two at once are no faster on few cores.
type Lazy struct {
	open   Opener
	expect func() Info
	idle   time.Duration
	clock  embed.Clock

	sem chan struct{} // holds a token while a call uses what follows
	// Guarded by turn.
	loaded   Reranker
	closed   bool
	idleStop chan struct{} // stops the idle timer; nil if none runs

	idleWaits sync.WaitGroup // running idle timers

	mu   sync.Mutex // guards what follows
	info Info       // of the loaded reranker
}

// NewLazy returns a reranker that open loads. expect names what open would load, without loading
// it. idle is how long an idle reranker stays in memory.
func NewLazy(open Opener, expect func() Info, idle time.Duration, clock embed.Clock) *Lazy {
	return &Lazy{open: open, expect: expect, idle: idle, clock: clock, sem: make(chan struct{}, 1)}
}

// Info names the loaded reranker, else the expected one.
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

// Rerank calls the reranker and loads it if needed. After a failure, the next call tries to load it
// again.
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
		return nil, errClosed
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

// cancelIdle stops the idle timer.
func (l *Lazy) cancelIdle() {
	if l.idleStop != nil {
		close(l.idleStop)
		l.idleStop = nil
	}
}

// unloadWhenIdle frees the model after the idle time.
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
			if l.idleStop == rest { // no call in between
				l.idleStop = nil
				_ = l.unload() // it is out of use; the next call loads it again
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

// Close waits for the running call, frees the model and rejects later calls.
func (l *Lazy) Close() error {
	l.sem <- struct{}{}
	l.closed = true
	l.cancelIdle()
	err := l.unload()
	<-l.sem
	l.idleWaits.Wait()
	return err
}
