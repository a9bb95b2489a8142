package lsp

import (
	"maps"
	"slices"
	"sync"
	"time"

	"go.lsp.dev/uri"
)

// debouncer collects documents that are due for work, at once or when they have not
// changed for a delay. One goroutine waits on wake and takes them.
type debouncer struct {
	delay time.Duration
	wake  chan struct{}

	mu      sync.Mutex
	due     map[uri.URI]bool        // guarded by mu
	waiting map[uri.URI]*time.Timer // guarded by mu
}

func newDebouncer(delay time.Duration) *debouncer {
	return &debouncer{delay: delay, wake: make(chan struct{}, 1), due: make(map[uri.URI]bool), waiting: make(map[uri.URI]*time.Timer)}
}

// now makes a document due at once.
func (d *debouncer) now(u uri.URI) {
	d.mu.Lock()
	d.cancel(u)
	d.due[u] = true
	d.mu.Unlock()
	d.wakeWorker()
}

// soon makes a document due when it was not called again for the delay.
func (d *debouncer) soon(u uri.URI) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if t, ok := d.waiting[u]; ok {
		t.Reset(d.delay)
		return
	}
	d.waiting[u] = time.AfterFunc(d.delay, func() { d.now(u) })
}

// drop removes a document.
func (d *debouncer) drop(u uri.URI) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.cancel(u)
	delete(d.due, u)
}

// cancel stops a document's timer. mu is held.
func (d *debouncer) cancel(u uri.URI) {
	if t, ok := d.waiting[u]; ok {
		t.Stop()
		delete(d.waiting, u)
	}
}

// wakeWorker wakes the worker.
func (d *debouncer) wakeWorker() {
	select {
	case d.wake <- struct{}{}:
	default:
	}
}

// take returns the documents that are due, in order.
func (d *debouncer) take() []uri.URI {
	d.mu.Lock()
	defer d.mu.Unlock()
	uris := slices.Sorted(maps.Keys(d.due))
	clear(d.due)
	return uris
}

// stop stops all timers.
func (d *debouncer) stop() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, t := range d.waiting {
		t.Stop()
	}
}
