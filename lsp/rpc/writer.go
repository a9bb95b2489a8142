package rpc

import (
	"errors"
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

// Writer sends frames in the order they come, without making anyone wait for
// the client. Were a write to block the goroutine that reads, two sides that
// write to each other at the same moment would wait for each other for ever:
// neither reads what the other has to get rid of first.
type Writer struct {
	out  io.Writer
	done chan struct{} // closed when nothing is written any more

	mu     sync.Mutex
	moved  sync.Cond // the fields below changed
	queue  []byte    // guarded by mu
	err    error     // guarded by mu; of the first write that failed
	closed bool      // guarded by mu
}

// NewWriter returns a writer of frames on out.
func NewWriter(out io.Writer) *Writer {
	w := &Writer{out: out, done: make(chan struct{})}
	w.moved.L = &w.mu
	go w.run()
	return w
}

// ErrFull is returned by [Writer.TryAdd] when too much waits to be read.
var ErrFull = errors.New("the other side does not read")

// Add queues a frame, whose body is appended by a function, and returns its
// length. It waits while much more than a client should leave unread is queued.
func (w *Writer) Add(body func([]byte) []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for len(w.queue) > maxQueue && w.err == nil && !w.closed {
		w.moved.Wait()
	}
	return w.addLocked(body)
}

// TryAdd is Add that returns [ErrFull] rather than wait.
func (w *Writer) TryAdd(body func([]byte) []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.queue) > maxQueue {
		return 0, ErrFull
	}
	return w.addLocked(body)
}

func (w *Writer) addLocked(body func([]byte) []byte) (int, error) {
	const reserve = len("Content-Length: \r\n\r\n") + 20
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
func (w *Writer) run() {
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

func (w *Writer) fail(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.err = err
	w.moved.Broadcast()
}

// Close lets no more be queued and waits a little for the rest to be written.
func (w *Writer) Close() {
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
