package main

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"sync"
	"sync/atomic"
	"syscall"

	"manicule/memory"
)

// output is standard output. It keeps the first error, so that no command reports success
// when its output did not arrive.
type output struct {
	to io.Writer

	mu  sync.Mutex
	err error // guarded by mu
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err != nil {
		return 0, o.err
	}
	n, err := o.to.Write(p)
	if err == nil && n < len(p) {
		err = io.ErrShortWrite
	}
	o.err = err
	return n, err
}

// fault returns the error that kept the output from arriving. A pipe closed by its reader
// is no error: the reader chose to stop.
func (o *output) fault() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case o.err == nil:
		return nil
	case errors.Is(o.err, syscall.EPIPE):
		return errSilent
	}
	return &memory.UserError{Msg: "the output could not be written: " + o.err.Error(), Err: o.err,
		Hint: "Free some space, or redirect the output; the rest of the command's work is done."}
}

// input is standard input with reads that end at an interrupt.
type input struct {
	ctx     context.Context // context of the run
	from    io.Reader
	stopped atomic.Bool // a person was being asked when the interrupt came

	mu   sync.Mutex // one read at a time
	got  chan []byte
	rest []byte
	end  error
}

// Read reads, or returns at an interrupt. The pending read then ends with the process;
// its bytes are kept for the next Read.
func (i *input) Read(p []byte) (int, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if len(i.rest) == 0 && i.end == nil {
		if i.got == nil {
			i.got = make(chan []byte, 1)
			go func(got chan<- []byte) {
				b := make([]byte, 64<<10)
				n, err := i.from.Read(b)
				i.end = err // the result of a read
				got <- b[:n]
			}(i.got)
		}
		select {
		case i.rest = <-i.got:
			i.got = nil
		case <-i.ctx.Done():
			i.stopped.Store(true)
			return 0, context.Cause(i.ctx)
		}
	}
	if len(i.rest) == 0 {
		return 0, i.end
	}
	n := copy(p, i.rest)
	i.rest = i.rest[n:]
	return n, nil
}

// interrupted is a signal that ends the run.
type interrupted struct{ signal syscall.Signal }

func (e *interrupted) Error() string { return e.signal.String() }

// Is makes it equal to context.Canceled.
func (e *interrupted) Is(target error) bool { return target == context.Canceled }

// withSignals returns a context that SIGINT and SIGTERM cancel. A second signal ends the
// process at once.
func withSignals() (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(context.Background())
	got := make(chan os.Signal, 1)
	signal.Notify(got, os.Interrupt, syscall.SIGTERM)
	go func() {
		select {
		case s := <-got:
			signal.Stop(got)
			number, _ := s.(syscall.Signal) // always one
			cancel(&interrupted{number})
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		signal.Stop(got)
		cancel(nil)
	}
}

// stopCode returns the exit code of a run that a signal ended, as a shell reports it. It
// is false if there was no signal.
func stopCode(ctx context.Context) (int, bool) {
	i, ok := errors.AsType[*interrupted](context.Cause(ctx))
	if !ok {
		return 0, false
	}
	return 128 + int(i.signal), true
}
