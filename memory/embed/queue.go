package embed

import (
	"context"
	"sync"
	"time"
)

// Priority orders the requests for the model.
type Priority int

// The priorities. A query precedes waiting background work, and runs between two steps of running
// background work. It preempts a step if the embedder allows that, unless queries have delayed the
// step for long.
const (
	Background Priority = iota
	Query
	priorities
)

// stepBytes limits a step of background work in bytes of text, about 250 tokens. A query waits for
// a step that can't be preempted, some 50 ms on an idle core; a preempted step is repeated.
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

// step returns the number of texts in the next step, at least one.
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

// queue holds jobs by priority, first come first served within a priority.
type queue struct {
	mu     sync.Mutex
	jobs   [priorities][]*job
	wake   chan struct{} // has a token when a job was added
	closed bool
	stop   context.CancelFunc // preempts the running step; nil if that is not allowed
	paused time.Time          // the last query to another service
}

// put adds a job. It returns false if the queue is closed.
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
	default: // the worker will look anyway
	}
	return true
}

// next returns the most urgent job without removing it, or nil.
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

// interruptible returns a context for a step of background work that ends when a query arrives, and
// a function to call after the step.
func (q *queue) interruptible(ctx context.Context) (context.Context, func()) {
	ctx, stop := context.WithCancel(ctx)
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.stop = stop; len(q.jobs[Query]) > 0 { // it has just arrived
		stop()
	}
	return ctx, func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		q.stop = nil
		stop()
	}
}

// pause preempts the running step, and notes a query that another service answers.
func (q *queue) pause(now time.Time) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.paused = now
	if q.stop != nil {
		q.stop()
	}
}

func (q *queue) lastPause() time.Time {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.paused
}

// drop removes a finished job, which is the first of its priority.
func (q *queue) drop(j *job) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.jobs[j.priority] = q.jobs[j.priority][1:]
}

// waiting returns the number of jobs.
func (q *queue) waiting() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := 0
	for _, list := range q.jobs {
		n += len(list)
	}
	return n
}

// close rejects later jobs and wakes the worker.
func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.closed {
		q.closed = true
		close(q.wake)
	}
}
