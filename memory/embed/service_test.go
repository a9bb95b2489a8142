package embed

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"manicule/indexer/must"
)

// counter is an embedder whose vector is the hash of the text: the queue does
// not care what a vector means. It says what it was asked, in order.
type counter struct {
	info Info
	// step, when not nil, is called in each Embed.
	step func(ctx context.Context, texts []string) error

	mu     sync.Mutex
	seen   []string
	closed bool
}

func (c *counter) Info() Info { return c.info }

func (c *counter) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	if c.step != nil {
		if err := c.step(ctx, texts); err != nil {
			return nil, err
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.seen = append(c.seen, texts...)
	var out [][]float32
	for _, t := range texts {
		h := fnv.New32()
		_, _ = h.Write([]byte(c.info.Model + t)) // never fails
		out = append(out, []float32{float32(h.Sum32())})
	}
	return out, nil
}

func (c *counter) Close() error { c.closed = true; return nil }

func (c *counter) asked() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.seen)
}

// clock is a time that a test moves; timers fire when the test says so.
type clock struct {
	mu     sync.Mutex
	now    time.Time
	timers chan chan time.Time // one for each After
}

func newClock() *clock {
	return &clock{now: time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC), timers: make(chan chan time.Time, 100)}
}

func (c *clock) Now() time.Time { c.mu.Lock(); defer c.mu.Unlock(); return c.now }

func (c *clock) move(d time.Duration) { c.mu.Lock(); defer c.mu.Unlock(); c.now = c.now.Add(d) }

func (c *clock) After(time.Duration) (<-chan time.Time, func()) {
	ch := make(chan time.Time, 1)
	c.timers <- ch
	return ch, func() {}
}

func start(t *testing.T, c Clock, open ...Opener) *Service {
	t.Helper()
	s := New(Options{Open: open, Idle: time.Minute, Retry: time.Minute, Clock: c})
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func opens(e Embedder) Opener { return func(context.Context) (Embedder, error) { return e, nil } }

// TestQueryGoesFirst: a query that comes while background work runs is served
// after the step that runs, not after the rest.
func TestQueryGoesFirst(t *testing.T) {
	reached, release := make(chan struct{}), make(chan struct{})
	first := true
	e := &counter{info: Info{Model: "m", Dims: 1}}
	e.step = func(context.Context, []string) error {
		if first {
			first = false
			close(reached)
			<-release
		}
		return nil
	}
	s := start(t, newClock(), opens(e))
	long := strings.Repeat("x", stepBytes)
	background := []string{long + "1", long + "2", long + "3"}
	done := make(chan error, 2)
	var steps []int
	go func() {
		_, v, err := s.Embed(t.Context(), Background, background, func(n, total int) { steps = append(steps, n, total) })
		if err == nil && len(v) != 3 {
			err = fmt.Errorf("%d vectors", len(v))
		}
		done <- err
	}()
	<-reached
	go func() {
		_, _, err := s.Embed(t.Context(), Query, []string{"query"}, nil)
		done <- err
	}()
	for s.State().Waiting < 2 { // the query is in the queue
		runtime.Gosched()
	}
	close(release)
	for range 2 {
		must.OK(t, <-done)
	}
	want := []string{background[0], "query", background[1], background[2]}
	if got := e.asked(); !slices.Equal(got, want) {
		t.Errorf("order of %d texts is another", len(got))
	}
	if !slices.Equal(steps, []int{1, 3, 2, 3, 3, 3}) {
		t.Errorf("progress %v", steps)
	}
}

// pauses is a clock that tells the waits of background work from those of a model
// that rests.
type pauses struct {
	*clock
	rest time.Duration
}

func (p pauses) After(d time.Duration) (<-chan time.Time, func()) {
	if d == p.rest {
		return nil, func() {}
	}
	return p.clock.After(d)
}

// TestHush: after a query background work keeps still for a while, so that the
// next query does not wait for it; but not for ever.
func TestHush(t *testing.T) {
	e := &counter{info: Info{Model: "m", Dims: 1}}
	c := pauses{newClock(), time.Hour}
	s := New(Options{Open: []Opener{opens(e)}, Idle: c.rest, Retry: time.Minute, QuietPeriod: time.Second, Clock: c})
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	embed := func(ctx context.Context, p Priority, texts ...string) chan error {
		done := make(chan error, 1)
		go func() {
			_, _, err := s.Embed(ctx, p, texts, nil)
			done <- err
		}()
		return done
	}
	must.OK(t, <-embed(t.Context(), Query, "first"))
	one, two := strings.Repeat("1", stepBytes), strings.Repeat("2", stepBytes)
	done := embed(t.Context(), Background, one, two)
	for range maxQuietPeriods { // from query to query
		<-c.timers
		if slices.Contains(e.asked(), one) {
			t.Fatal("background work does not wait")
		}
		c.move(time.Second)
		must.OK(t, <-embed(t.Context(), Query, "next"))
	}
	for !slices.Contains(e.asked(), one) { // it has waited for as long as it does at most
		runtime.Gosched()
	}
	late := <-c.timers
	if slices.Contains(e.asked(), two) {
		t.Fatal("the second step does not wait")
	}
	c.move(time.Second)
	for ended := false; !ended; {
		late <- c.Now()
		select {
		case late = <-c.timers:
		case err := <-done:
			if ended = true; err != nil {
				t.Fatal(err)
			}
		}
	}
	// Who gives up is told at once, and the end does not wait.
	must.OK(t, <-embed(t.Context(), Query, "last"))
	ctx, cancel := context.WithCancel(t.Context())
	done = embed(ctx, Background, "given up")
	for s.State().Waiting == 0 {
		runtime.Gosched()
	}
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("given up: %v", err)
	}
}

// stoppable is a counter that may be stopped.
type stoppable struct{ *counter }

func (e stoppable) EmbedBackground(ctx context.Context, texts []string) ([][]float32, error) {
	return e.Embed(ctx, texts)
}

// TestQueryStopsAStep: a query does not wait for the step that runs, where that
// can be stopped; the step is done again. One that queries have kept from being
// done for long is not stopped any more.
func TestQueryStopsAStep(t *testing.T) {
	running := make(chan context.Context)
	e := stoppable{&counter{info: Info{Model: "m", Dims: 1}}}
	e.step = func(ctx context.Context, texts []string) error {
		if texts[0] == "query" {
			return nil
		}
		running <- ctx // taken twice: when it runs, and when it may end
		select {
		case <-ctx.Done():
			return ctx.Err()
		case running <- ctx:
			return nil
		}
	}
	c := pauses{newClock(), time.Hour}
	s := New(Options{Open: []Opener{opens(e)}, Idle: c.rest, QuietPeriod: time.Second, Clock: c})
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	query := func() {
		t.Helper()
		if _, _, err := s.Embed(t.Context(), Query, []string{"query"}, nil); err != nil {
			t.Fatal(err)
		}
	}
	done := make(chan error, 1)
	go func() {
		_, v, err := s.Embed(t.Context(), Background, []string{"background"}, nil)
		if err == nil && len(v) != 1 {
			err = fmt.Errorf("%d vectors", len(v))
		}
		done <- err
	}()
	begins := func() context.Context {
		for {
			select {
			case ctx := <-running:
				return ctx
			case timer := <-c.timers:
				c.move(100 * time.Millisecond)
				timer <- c.Now()
			}
		}
	}
	const often = maxQuietPeriods / 2
	for range often {
		begins()
		query() // the step, which nobody lets end, is stopped for it
		if got := e.asked(); slices.Contains(got, "background") {
			t.Fatalf("a stopped step counts: %q", got)
		}
	}
	c.move(maxQuietPeriods * time.Second)
	ctx := begins() // again, and for the last time
	asked := make(chan struct{})
	go func() {
		defer close(asked)
		_, _, _ = s.Embed(t.Context(), Query, []string{"query"}, nil) // looked at in what was asked
	}()
	for s.State().Waiting < 2 {
		runtime.Gosched()
	}
	if err := ctx.Err(); err != nil {
		t.Fatalf("the step is stopped without an end: %v", err)
	}
	<-running
	must.OK(t, <-done)
	<-asked
	if got := e.asked(); !slices.Equal(got[often:], []string{"background", "query"}) {
		t.Errorf("asked %q", got)
	}
}

// TestPause: what computes in the background with one model makes way for a query to another.
func TestPause(t *testing.T) {
	running := make(chan context.Context)
	e := stoppable{&counter{info: Info{Model: "code", Dims: 1}}}
	first := true
	e.step = func(ctx context.Context, _ []string) error {
		if !first {
			return nil
		}
		first = false
		running <- ctx
		<-ctx.Done()
		return ctx.Err()
	}
	c := pauses{newClock(), time.Hour}
	code := New(Options{Open: []Opener{opens(e)}, Idle: c.rest, QuietPeriod: time.Second, Clock: c})
	t.Cleanup(func() {
		if err := code.Close(); err != nil {
			t.Error(err)
		}
	})
	memories := start(t, newClock(), opens(&counter{info: Info{Model: "memories", Dims: 1}}))
	remove := memories.OnQuery(code.Pause)
	done := make(chan error, 1)
	go func() {
		_, _, err := code.Embed(t.Context(), Background, []string{"background"}, nil)
		done <- err
	}()
	<-running
	if _, _, err := memories.Embed(t.Context(), Query, []string{"query"}, nil); err != nil {
		t.Fatal(err)
	}
	waited, err := false, error(nil)
	for ended := false; !ended; { // it may look for work once more before it rests
		select {
		case timer := <-c.timers:
			if len(e.asked()) != 0 {
				t.Error("a stopped step counts")
			}
			waited = true
			c.move(time.Second)
			timer <- c.Now()
		case err = <-done:
			ended = true
		}
	}
	if err != nil || !waited || !slices.Equal(e.asked(), []string{"background"}) {
		t.Errorf("%q, waited %t: %v", e.asked(), waited, err)
	}
	remove()
	before := code.queue.lastPause()
	c.move(time.Second)
	if _, _, err := memories.Embed(t.Context(), Query, []string{"query"}, nil); err != nil || !code.queue.lastPause().Equal(before) {
		t.Errorf("it pauses after it was removed: %v", err)
	}
}

// TestIdleModelIsFreed: and loaded again by the next text.
func TestIdleModelIsFreed(t *testing.T) {
	c := newClock()
	var loaded []*counter
	s := start(t, c, func(context.Context) (Embedder, error) {
		loaded = append(loaded, &counter{info: Info{Model: "m", Dims: 1, Backend: "test"}})
		return loaded[len(loaded)-1], nil
	})
	if s.State().Loaded || len(loaded) != 0 {
		t.Error("a model was loaded before a text came")
	}
	for want := 1; want <= 2; want++ {
		if _, _, err := s.Embed(t.Context(), Query, []string{"a"}, nil); err != nil || len(loaded) != want {
			t.Fatalf("%d loads: %v", len(loaded), err)
		}
		if st := s.State(); !st.Loaded || st.Info.Backend != "test" {
			t.Errorf("state %+v", st)
		}
		for s.State().Loaded { // it may look for work once more before it rests
			select {
			case idle := <-c.timers:
				idle <- c.Now()
			default:
				runtime.Gosched()
			}
		}
	}
}

// TestFallBack: what failed is passed over, visibly, and tried again later.
func TestFallBack(t *testing.T) {
	c, down := newClock(), true
	first := &counter{info: Info{Model: "server", Dims: 2}}
	first.step = func(context.Context, []string) error {
		if down {
			return errors.New("connection refused")
		}
		return nil
	}
	second := &counter{info: Info{Model: "local", Dims: 1}}
	s := start(t, c, opens(first), opens(second))
	embed := func(want, fallback string) {
		t.Helper()
		info, v, err := s.Embed(t.Context(), Background, []string{"a"}, nil)
		if err != nil || info.Model != want || len(v) != 1 || s.State().Fallback != fallback {
			t.Errorf("%+v, %q, %v", info, s.State().Fallback, err)
		}
	}
	embed("local", "connection refused")
	down = false
	embed("local", "connection refused") // not yet time to try again
	c.move(2 * time.Minute)
	embed("server", "")
	if !first.closed || !second.closed {
		t.Error("a model that was given up was not freed")
	}
}

func TestErrors(t *testing.T) {
	s := start(t, newClock())
	if _, _, err := s.Embed(t.Context(), Query, []string{"a"}, nil); !errors.Is(err, ErrNone) {
		t.Errorf("no opener: %v", err)
	}
	broken := errors.New("broken")
	s = start(t, newClock(), func(context.Context) (Embedder, error) { return nil, broken })
	for range 2 {
		if _, _, err := s.Embed(t.Context(), Query, []string{"a"}, nil); !errors.Is(err, broken) {
			t.Errorf("a broken opener: %v", err)
		}
	}
	must.OK(t, s.Close())
	if _, _, err := s.Embed(t.Context(), Query, []string{"a"}, nil); !errors.Is(err, ErrClosed) {
		t.Errorf("closed: %v", err)
	}
}

// TestCancel: a request that is given up ends at once, and what comes after it
// is served.
func TestCancel(t *testing.T) {
	e := &counter{info: Info{Model: "m", Dims: 1}}
	reached := make(chan struct{}, 1)
	e.step = func(ctx context.Context, texts []string) error {
		if texts[0] != "stuck" {
			return nil
		}
		reached <- struct{}{}
		<-ctx.Done()
		return ctx.Err()
	}
	s := start(t, newClock(), opens(e))
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-reached; cancel() }()
	if _, _, err := s.Embed(ctx, Background, []string{"stuck"}, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if _, v, err := s.Embed(t.Context(), Background, []string{"next"}, nil); err != nil || len(v) != 1 {
		t.Errorf("%v, %v", v, err)
	}
}
