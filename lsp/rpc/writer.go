package rpc

import (
	"errors"
	"io"
	"strconv"
	"sync"
	"time"
)

// maxQueue is how many bytes may be queued before writers block.
const maxQueue = 64 << 20

// flushTimeout is how long Close waits for the client to read the rest.
const flushTimeout = time.Second

// Writer sends frames in order, without blocking the caller. If the goroutine that
// reads blocked in a write, two sides that write to each other at the same moment would
// wait for each other for ever.
type Writer struct {
	out  io.Writer
	done chan struct{} // closed when writing has ended

	mu     sync.Mutex
	moved  sync.Cond // signals a change of the fields below
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

// errFull is returned by [Writer.TryAdd] when the queue is full.
var errFull = errors.New("the other side does not read")

// Add queues a frame, whose body a function appends, and returns its length. It blocks
// while the queue is full.
func (w *Writer) Add(body func([]byte) []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for len(w.queue) > maxQueue && w.err == nil && !w.closed {
		w.moved.Wait()
	}
	return w.addLocked(body)
}

// TryAdd is Add that returns [errFull] instead of blocking.
func (w *Writer) TryAdd(body func([]byte) []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.queue) > maxQueue {
		return 0, errFull
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

// run writes the queue, several frames at once if the client is slow.
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
		if cap(spare) > maxKeptBuffer {
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

// Close stops accepting frames and waits a little for the rest to be written.
func (w *Writer) Close() {
	w.mu.Lock()
	w.closed = true
	w.moved.Broadcast()
	w.mu.Unlock()
	limit := time.NewTimer(flushTimeout)
	defer limit.Stop()
	select {
	case <-w.done:
	case <-limit.C:
	}
}
