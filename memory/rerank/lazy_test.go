package rerank

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"
)

// hand is a clock whose timers fire when the test says so.
type hand struct {
	mu     sync.Mutex
	timers []chan time.Time
}

func (h *hand) Now() time.Time { return time.Time{} }

func (h *hand) After(time.Duration) (<-chan time.Time, func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	c := make(chan time.Time, 1)
	h.timers = append(h.timers, c)
	return c, func() {}
}

// fire lets a timer end, and says whether there is one of that number.
func (h *hand) fire(i int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.timers[i] <- time.Time{}
}

// lengths judges texts by their length, and notes when it is freed.
type lengths struct {
	freed chan struct{}
	wait  chan struct{} // when not nil a call waits for it, or for its context
	extra int
}

func (l *lengths) Info() Info { return Info{Model: "lengths", Backend: "test"} }

func (l *lengths) Rerank(ctx context.Context, _ string, texts []string) ([]float64, error) {
	if l.wait != nil {
		select {
		case <-l.wait:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	out := make([]float64, len(texts)+l.extra)
	for i, t := range texts {
		out[i] = float64(len(t))
	}
	return out, nil
}

func (l *lengths) Close() error { close(l.freed); return nil }

// lazy is a Lazy over models that are made one after another, with the times
// that one was loaded.
func lazy(t *testing.T, clock *hand, models ...*lengths) (*Lazy, *int) {
	t.Helper()
	n := 0
	l := NewLazy(func(context.Context) (Reranker, error) {
		if n == len(models) {
			return nil, ErrNone
		}
		n++
		models[n-1].freed = make(chan struct{})
		return models[n-1], nil
	}, func() Info { return Info{Model: "expected"} }, time.Minute, clock)
	return l, &n
}

// TestLazy: loaded by the first call, kept by the next, freed when idle, loaded
// again, and gone after Close.
func TestLazy(t *testing.T) {
	clock := &hand{}
	first, second := &lengths{}, &lengths{}
	l, loads := lazy(t, clock, first, second)
	if l.Info().Model != "expected" || *loads != 0 {
		t.Errorf("%+v, %d loads", l.Info(), *loads)
	}
	ask := func(want int) {
		t.Helper()
		s, err := l.Rerank(t.Context(), "q", []string{"a", "bcd"})
		if err != nil || len(s) != 2 || s[0] != 1 || s[1] != 3 || *loads != want || l.Info().Backend != "test" {
			t.Fatalf("%v, %d loads, want %d: %v", s, *loads, want, err)
		}
	}
	ask(1)
	ask(1)
	clock.fire(0) // of the first call: the second came in between
	clock.fire(1)
	<-first.freed
	ask(2)
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	<-second.freed
	if _, err := l.Rerank(t.Context(), "q", nil); !errors.Is(err, errClosed) {
		t.Errorf("after Close: %v", err)
	}
	if err := l.Close(); err != nil || l.Info().Model != "expected" {
		t.Errorf("a second time: %v", err)
	}
}

func TestLazyFaults(t *testing.T) {
	l, _ := lazy(t, &hand{})
	if _, err := l.Rerank(t.Context(), "q", []string{"a"}); !errors.Is(err, ErrNone) {
		t.Errorf("none: %v", err)
	}
	l, _ = lazy(t, &hand{}, &lengths{extra: 1})
	if _, err := l.Rerank(t.Context(), "q", []string{"a"}); err == nil {
		t.Error("two scores for one text")
	}
	// Who waits for its turn can leave, and who is served can be stopped.
	busy := &lengths{wait: make(chan struct{})}
	l, _ = lazy(t, &hand{}, busy)
	ctx, cancel := context.WithCancel(t.Context())
	served, waiting := make(chan error, 1), make(chan error, 1)
	go func() { _, err := l.Rerank(ctx, "q", []string{"a"}); served <- err }()
	go func() { _, err := l.Rerank(ctx, "q", []string{"a"}); waiting <- err }()
	cancel()
	for _, c := range []chan error{served, waiting} {
		if err := <-c; !errors.Is(err, context.Canceled) {
			t.Errorf("%v", err)
		}
	}
	close(busy.wait)
	if _, err := l.Rerank(t.Context(), "q", []string{"a"}); err != nil && !errors.Is(err, ErrNone) {
		t.Errorf("after that: %v", err)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
}
