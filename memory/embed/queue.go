package embed

import (
	"context"
	"sync"
)

// Priority orders what waits for the model.
type Priority int

// The priorities. A query is served before background work that waits, and
// between two steps of background work that runs. Where a step can be stopped it
// is, and done again later, unless queries have held it up for long.
const (
	Background Priority = iota
	Query
	priorities
)

// stepBytes bounds a step of background work in bytes of text, about 250
// tokens or one piece of code: what a query waits for that can't stop a step,
// some 50 ms on a core of its own, and what is done again after one that could.
const stepBytes = 1000

// job is a request in the queue.
type job struct {
	ctx      context.Context
	priority Priority
	texts    []string
	progress func(done, total int)

	vectors [][]float32
	info    Info
	err     error
	done    chan struct{}
}

// step is how many of the texts come next: one at least.
func (j *job) step() int {
	rest := j.texts[len(j.vectors):]
	if j.priority == Query {
		return len(rest)
	}
	n, size := 0, 0
	for n < len(rest) {
		size += len(rest[n])
		if n > 0 && size > stepBytes {
			break
		}
		n++
	}
	return n
}

// queue holds jobs by priority, first come first served within one.
type queue struct {
	mu     sync.Mutex
	jobs   [priorities][]*job
	wake   chan struct{} // has a token when a job came
	closed bool
	stop   context.CancelFunc // stops the step that runs; nil when none may be
}

// put adds a job; it is false when the queue is closed.
func (q *queue) put(j *job) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return false
	}
	q.jobs[j.priority] = append(q.jobs[j.priority], j)
	if j.priority == Query && q.stop != nil {
		q.stop()
	}
	select {
	case q.wake <- struct{}{}:
	default: // it will look anyway
	}
	return true
}

// next is the most urgent job, which stays in the queue; nil when there is none.
func (q *queue) next() *job {
	q.mu.Lock()
	defer q.mu.Unlock()
	for p := priorities - 1; p >= 0; p-- {
		if len(q.jobs[p]) > 0 {
			return q.jobs[p][0]
		}
	}
	return nil
}

// interruptible is a context for a step of background work that ends when a
// query comes, and what to call after the step.
func (q *queue) interruptible(ctx context.Context) (context.Context, func()) {
	ctx, stop := context.WithCancel(ctx)
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.stop = stop; len(q.jobs[Query]) > 0 { // it came just now
		stop()
	}
	return ctx, func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		q.stop = nil
		stop()
	}
}

// drop takes a finished job out. It is the first of its priority.
func (q *queue) drop(j *job) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.jobs[j.priority] = q.jobs[j.priority][1:]
}

// waiting counts the jobs.
func (q *queue) waiting() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := 0
	for _, list := range q.jobs {
		n += len(list)
	}
	return n
}

// close refuses what comes after and wakes the worker.
func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.closed {
		q.closed = true
		close(q.wake)
	}
}
