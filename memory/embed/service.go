package embed

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"
)

// Opener loads an embedder. It returns ErrNone if there is none to load.
type Opener func(ctx context.Context) (Embedder, error)

// Clock is a service's source of time.
type Clock interface {
	Now() time.Time
	// After sends the time once d has passed, unless stop is called first.
	After(d time.Duration) (fires <-chan time.Time, stop func())
}

// Options configure a service.
type Options struct {
	// Open are the embedders in order of preference. If one fails, the next replaces it, and State
	// says so.
	Open []Opener
	// Idle is how long an idle model stays in memory.
	Idle time.Duration
	// QuietPeriod is how long background work pauses after a query, so that the next of several
	// searches does not wait for a step. A query also preempts a running step if the embedder is
	// Preemptible. During continuous queries, one step runs every maxQuietPeriods quiet periods. 0
	// disables pauses and preemption.
	QuietPeriod time.Duration
	// Retry is how long a service stays with a fallback.
	Retry time.Duration
	Clock Clock
}

// maxQuietPeriods is the number of quiet periods after which background work runs despite queries.
const maxQuietPeriods = 10

// State is the state of a service.
type State struct {
	Loaded bool `json:"loaded"`
	Info   Info `json:"info"` // of the last embedder that was loaded
	// Fallback says why a preferred embedder is not in use, or "".
	Fallback string `json:"fallback"`
	Waiting  int    `json:"waiting"` // requests in the queue
}

// Service is the queue in front of an embedder. It loads the model for the first text and frees it
// when idle. It is safe for concurrent use.
type Service struct {
	o     Options
	queue queue
	ended chan struct{}

	mu      sync.Mutex // guards what follows
	state   State
	onQuery map[int]func()
	ids     int // of onQuery

	// Owned by the worker.
	loaded Embedder
	choice int       // of o.Open, when loaded is not nil
	until  time.Time // until then, skip the failed choices
	failed int       // number of failed choices
	// For QuietPeriod: the end of the last query, and the last progress or start of background
	// work.
	asked, stepped time.Time
}

// ErrClosed is returned by a closed service.
var ErrClosed = errors.New("the embedding service is closed")

// New starts a service. It loads the model on first use.
func New(o Options) *Service {
	s := &Service{o: o, ended: make(chan struct{})}
	s.queue.wake = make(chan struct{}, 1)
	go s.work()
	return s
}

// Close waits for the running step, rejects waiting jobs and frees the model.
func (s *Service) Close() error {
	s.queue.close()
	<-s.ended
	return s.unload()
}

// State returns the state of the service.
func (s *Service) State() State {
	s.mu.Lock()
	defer s.mu.Unlock()
	st := s.state
	st.Waiting = s.queue.waiting()
	return st
}

// Embed returns the vectors of texts and the embedder that made them. progress, which may be nil,
// receives the number of finished texts and must return quickly. When ctx is done, the remaining
// texts are dropped.
func (s *Service) Embed(ctx context.Context, p Priority, texts []string, progress func(done, total int)) (Info, [][]float32, error) {
	if err := ctx.Err(); err != nil {
		return Info{}, nil, err
	}
	if p == Query {
		s.tellQuery()
	}
	j := &job{ctx: ctx, priority: p, texts: texts, progress: progress, done: make(chan struct{})}
	if !s.queue.put(j) {
		return Info{}, nil, ErrClosed
	}
	select {
	case <-j.done:
		return j.info, j.vectors, j.err
	case <-ctx.Done():
		return Info{}, nil, ctx.Err() // the worker notices and drops it
	}
}

// OnQuery registers f, which is called at each query and must return quickly, until remove is
// called.
func (s *Service) OnQuery(f func()) (remove func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.onQuery == nil {
		s.onQuery = map[int]func(){}
	}
	s.ids++
	id := s.ids
	s.onQuery[id] = f
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.onQuery, id)
	}
}

func (s *Service) tellQuery() {
	s.mu.Lock()
	all := slices.Collect(maps.Values(s.onQuery))
	s.mu.Unlock()
	for _, f := range all {
		f()
	}
}

// Pause lets background work wait as after a query, for one that another service of this machine
// answers. It preempts a running step.
func (s *Service) Pause() { s.queue.pause(s.o.Clock.Now()) }

// work is the only goroutine that uses the embedder.
func (s *Service) work() {
	defer close(s.ended)
	for {
		if j := s.queue.next(); j != nil {
			if wait := s.quietLeft(j); wait > 0 {
				s.pause(j, wait)
				continue
			}
			on := s.advance(j)
			switch now := s.o.Clock.Now(); {
			case j.priority == Query:
				s.asked = now
			case on:
				s.stepped = now
			}
			continue
		}
		s.stepped = time.Time{}
		if !s.waitForWork() {
			return
		}
	}
}

// quietLeft returns how long a job must still pause.
func (s *Service) quietLeft(j *job) time.Duration {
	if asked := s.queue.lastPause(); asked.After(s.asked) {
		s.asked = asked
	}
	if s.o.QuietPeriod == 0 || j.priority != Background || s.asked.IsZero() || j.ctx.Err() != nil || s.isClosed() {
		return 0
	}
	now := s.o.Clock.Now()
	if s.stepped.IsZero() {
		s.stepped = now
	}
	end := s.asked.Add(s.o.QuietPeriod)
	if latest := s.stepped.Add(maxQuietPeriods * s.o.QuietPeriod); latest.Before(end) {
		end = latest
	}
	return end.Sub(now)
}

// pause waits for d, a new job, the end of this job, or Close.
func (s *Service) pause(j *job, d time.Duration) {
	fires, stop := s.o.Clock.After(d)
	defer stop()
	select {
	case <-fires:
	case <-s.queue.wake:
	case <-j.ctx.Done():
	}
}

// waitForWork waits for a job and frees the idle model meanwhile. It returns false after Close.
func (s *Service) waitForWork() bool {
	if s.loaded == nil {
		_, open := <-s.queue.wake
		return open
	}
	fires, stop := s.o.Clock.After(s.o.Idle)
	defer stop()
	select {
	case _, open := <-s.queue.wake:
		return open
	case <-fires:
		if err := s.unload(); err != nil {
			s.note(func(st *State) { st.Fallback = err.Error() })
		}
		return true
	}
}

// advance runs one step of a job. It returns false if a query preempted the step.
func (s *Service) advance(j *job) bool {
	err := j.ctx.Err()
	if err == nil && s.isClosed() {
		err = ErrClosed
	}
	if err == nil {
		err = s.step(j)
	}
	if errors.Is(err, errStopped) {
		return false
	}
	if err == nil && len(j.vectors) < len(j.texts) {
		return true
	}
	if err != nil {
		j.vectors, j.err = nil, err
	}
	s.queue.drop(j)
	close(j.done)
	return true
}

// errStopped means that a query preempted a step.
var errStopped = errors.New("stopped for a query")

// embed calls the embedder. Background work that has recently made progress is preemptible.
func (s *Service) embed(j *job, texts []string) ([][]float32, error) {
	if j.priority == Query {
		return s.loaded.Embed(j.ctx, texts)
	}
	now := s.o.Clock.Now()
	if s.stepped.IsZero() {
		s.stepped = now
	}
	e, can := s.loaded.(Preemptible)
	switch {
	case !can:
		return s.loaded.Embed(j.ctx, texts)
	case now.Sub(s.stepped) >= maxQuietPeriods*s.o.QuietPeriod:
		return e.EmbedBackground(j.ctx, texts)
	}
	ctx, end := s.queue.interruptible(j.ctx)
	defer end()
	v, err := e.EmbedBackground(ctx, texts)
	if errors.Is(err, context.Canceled) && ctx.Err() != nil && j.ctx.Err() == nil {
		return nil, errStopped
	}
	return v, err
}

func (s *Service) isClosed() bool {
	s.queue.mu.Lock()
	defer s.queue.mu.Unlock()
	return s.queue.closed
}

// step embeds the next texts of a job with the first choice that works.
func (s *Service) step(j *job) error {
	for {
		if err := s.load(j.ctx); err != nil {
			return err
		}
		if info := s.loaded.Info(); info != j.info {
			j.info, j.vectors = info, nil // all vectors of a job come from one model
		}
		at := len(j.vectors)
		texts := j.texts[at : at+j.step()]
		v, err := s.embed(j, texts)
		if errors.Is(err, errStopped) {
			return err
		}
		if err == nil && len(v) != len(texts) {
			err = fmt.Errorf("%s gave %d vectors for %d texts", j.info.Backend, len(v), len(texts))
		}
		if err == nil {
			j.vectors = append(j.vectors, v...)
			if j.progress != nil {
				j.progress(len(j.vectors), len(j.texts))
			}
			return nil
		}
		if j.ctx.Err() != nil {
			return j.ctx.Err()
		}
		if s.choice+1 >= len(s.o.Open) {
			return err
		}
		s.fallBack(s.choice, err)
		if err := s.unload(); err != nil {
			return err
		}
	}
}

// load ensures that an embedder is loaded: the present one, or the first choice that loads.
func (s *Service) load(ctx context.Context) error {
	now := s.o.Clock.Now()
	if s.failed > 0 && !now.Before(s.until) {
		s.failed = 0 // time to retry the preferred one
		if err := s.unload(); err != nil {
			return err
		}
	}
	if s.loaded != nil {
		return nil
	}
	var all error
	for i := s.failed; i < len(s.o.Open); i++ {
		e, err := s.o.Open[i](ctx)
		if err == nil {
			s.loaded, s.choice = e, i
			s.note(func(st *State) {
				st.Loaded, st.Info = true, e.Info()
				if i == 0 {
					st.Fallback = ""
				}
			})
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		all = errors.Join(all, err)
		s.fallBack(i, err)
	}
	s.failed = 0 // nothing works: the next request tries all again
	if all == nil {
		return ErrNone
	}
	return all
}

// fallBack records the failure of a choice.
func (s *Service) fallBack(choice int, why error) {
	s.failed, s.until = choice+1, s.o.Clock.Now().Add(s.o.Retry)
	s.note(func(st *State) { st.Fallback = why.Error() })
}

func (s *Service) unload() error {
	e := s.loaded
	if e == nil {
		return nil
	}
	s.loaded = nil
	s.note(func(st *State) { st.Loaded = false })
	if err := e.Close(); err != nil {
		return fmt.Errorf("free the model: %w", err)
	}
	return nil
}

func (s *Service) note(change func(*State)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(&s.state)
}

// System returns the system clock.
func System() Clock { return system{} }

type system struct{}

// Now is the time.
func (system) Now() time.Time { return time.Now() }

// After is a timer.
func (system) After(d time.Duration) (<-chan time.Time, func()) {
	t := time.NewTimer(d)
	return t.C, func() { t.Stop() }
}
