package rpc

import (
	"io"
	"strconv"
	"sync"
	"time"
)

// maxQueue is how many bytes may wait for a client that does not read, before
// those who write have to wait too.
const maxQueue = 64 << 20

// flushWithin is how long closing waits for a client to read the rest.
const flushWithin = time.Second

// writer sends frames in the order they come, without making anyone wait for
// the client. Were a write to block the goroutine that reads, two sides that
// write to each other at the same moment would wait for each other for ever:
// neither reads what the other has to get rid of first.
type writer struct {
	out  io.Writer
	done chan struct{} // closed when nothing is written any more

	mu     sync.Mutex
	moved  sync.Cond // the fields below changed
	queue  []byte    // guarded by mu
	err    error     // guarded by mu; of the first write that failed
	closed bool      // guarded by mu
}

func newWriter(out io.Writer) *writer {
	w := &writer{out: out, done: make(chan struct{})}
	w.moved.L = &w.mu
	go w.run()
	return w
}

// add queues a frame, whose body is appended by a function, and returns its
// length.
func (w *writer) add(body func([]byte) []byte) (int, error) {
	const reserve = len("Content-Length: \r\n\r\n") + 20
	w.mu.Lock()
	defer w.mu.Unlock()
	for len(w.queue) > maxQueue && w.err == nil && !w.closed {
		w.moved.Wait()
	}
	switch {
	case w.err != nil:
		return 0, w.err
	case w.closed:
		return 0, io.ErrClosedPipe
	}
	start := len(w.queue)
	var room [reserve]byte
	buf := body(append(w.queue, room[:]...))
	head := "Content-Length: " + strconv.Itoa(len(buf)-start-reserve) + "\r\n\r\n"
	copy(buf[start:], head)
	n := copy(buf[start+len(head):], buf[start+reserve:])
	w.queue = buf[:start+len(head)+n]
	w.moved.Broadcast()
	return len(head) + n, nil
}

// run writes what is queued, several frames at once when the client is slow.
func (w *writer) run() {
	defer close(w.done)
	var spare []byte
	for {
		w.mu.Lock()
		for len(w.queue) == 0 && !w.closed {
			w.moved.Wait()
		}
		batch := w.queue
		w.queue = spare[:0]
		w.moved.Broadcast()
		w.mu.Unlock()
		if len(batch) == 0 {
			return
		}
		if _, err := w.out.Write(batch); err != nil {
			w.fail(err)
			return
		}
		spare = batch
		if cap(spare) > keepBuffer {
			spare = nil
		}
	}
}

func (w *writer) fail(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.err = err
	w.moved.Broadcast()
}

// close lets no more be queued and waits a little for the rest to be written.
func (w *writer) close() {
	w.mu.Lock()
	w.closed = true
	w.moved.Broadcast()
	w.mu.Unlock()
	limit := time.NewTimer(flushWithin)
	defer limit.Stop()
	select {
	case <-w.done:
	case <-limit.C:
	}
}
