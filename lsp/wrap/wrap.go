// Package wrap is a proxy between an editor and another language server. It merges
// our server's answers into the other's, for editors that run one server for each
// kind of file.
//
// The wrapped server is a child process. A message to which nothing is added passes
// undecoded, in its order, with the same bytes. Our own server runs in this process on
// its own connection. It receives what the client sends and is asked concurrently
// with the wrapped server, which never waits for it longer than [budget].
//
// route.go decides which server gets a message, pending.go tracks the requests that
// both answer, features.go lists them, and the other files merge two answers into
// one. The package must not know memories.
package wrap

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"go.lsp.dev/jsonrpc2"

	"manicule/lsp/rpc"
)

// Options of a proxy. Command and Own are needed.
type Options struct {
	// Command is the wrapped server's program and its arguments.
	Command []string
	// Own serves a client on a connection: our own server. It returns nil when the
	// client's process has ended.
	Own func(ctx context.Context, conn io.ReadWriteCloser) error
	// Stderr receives the wrapped server's standard error.
	Stderr io.Writer
	// Log receives errors. It must not write to standard output.
	Log *slog.Logger
	// Budget is how long an answer of the wrapped server waits for ours.
	Budget time.Duration
	// Grace is how long the wrapped server has to end by itself after the client has
	// gone or sent exit.
	Grace time.Duration
}

// startBudget is how long the answer to initialize waits for ours. It is longer than
// Budget because a client never asks for what was not offered then.
const startBudget = time.Second

// defaultGrace is the default of Options.Grace.
const defaultGrace = 3 * time.Second

// drainTimeout is how long to read the output of a server that has ended. Only a
// process that it left behind can still hold the output open.
const drainTimeout = 250 * time.Millisecond

func (o Options) withDefaults() Options {
	if o.Stderr == nil {
		o.Stderr = io.Discard
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Budget == 0 {
		o.Budget = budget
	}
	if o.Grace == 0 {
		o.Grace = defaultGrace
	}
	return o
}

// ExitError reports how the wrapped server ended.
type ExitError struct {
	Command string
	// Code is its exit code, or 128 plus the number of the signal that ended it.
	Code int
	// Asked says that the client had sent exit.
	Asked bool
}

// Error names the command and its exit code.
func (e *ExitError) Error() string {
	if e.Asked {
		return fmt.Sprintf("%s ended with exit code %d", e.Command, e.Code)
	}
	return fmt.Sprintf("%s ended by itself with exit code %d", e.Command, e.Code)
}

// ErrNotStarted is wrapped by the error for a server that can't be started.
var ErrNotStarted = errors.New("can't start the wrapped language server")

// Serve runs the wrapped server behind a proxy for the client on conn, until either
// ends or ctx does. It returns an [ExitError] if the wrapped server ended without being
// told to or with a code other than 0, and an error that wraps [ErrNotStarted] if it
// can't be started. It closes conn.
func Serve(ctx context.Context, conn io.ReadWriteCloser, opts Options) error {
	opts = opts.withDefaults()
	c, err := startChild(opts)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	p := newProxy(ctx, conn, c, opts)
	clientGone := p.read("client", rpc.NewReader(conn), p.fromClient)
	childGone := p.read(c.name, rpc.NewReader(c.stdout), p.fromChild)
	ownGone := p.read("own server", p.own.in, p.fromOwn)

	asked := false
	select {
	case <-c.exited:
		asked = p.exiting.Load()
	case <-clientGone:
		asked = true
	case <-p.exitAsked:
		asked = true
	case <-ctx.Done():
		asked = true
	case <-p.watchEditor(ownGone):
		opts.Log.Info("the editor is gone")
		asked = true
	}
	p.child.Close()     // flushes what the client sent last
	_ = c.stdin.Close() // it fails if the child has ended
	code := c.end(opts.Grace)
	select {
	case <-childGone:
	case <-time.After(drainTimeout):
	}
	p.respondPending()
	p.diagnostics.stop()
	p.own.close()
	p.client.Close()
	cancel()
	<-ownGone
	<-p.own.done
	if err := conn.Close(); err != nil {
		opts.Log.Debug("close connection", "err", err)
	}
	if !asked || p.exiting.Load() && code != 0 {
		return &ExitError{Command: c.name, Code: code, Asked: asked}
	}
	return nil
}

// read handles the messages of one side in a goroutine, and closes its channel at the
// end.
func (p *proxy) read(side string, from *rpc.Reader, handle func(body []byte, v *jsonrpc2.MessageView)) <-chan struct{} {
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			body, err := from.Next()
			if large, ok := errors.AsType[*rpc.TooLargeError](err); ok {
				p.opts.Log.Warn("skipped a message", "from", side, "err", large)
				continue
			}
			if err != nil {
				if !errors.Is(err, io.EOF) {
					p.opts.Log.Debug("read", "from", side, "err", err)
				}
				return
			}
			v, err := jsonrpc2.ScanMessageView(body)
			if err != nil { // a batch or invalid JSON: the receiver reports it
				v = jsonrpc2.MessageView{}
			}
			handle(body, &v)
		}
	}()
	return done
}

// watchEditor returns a channel that is closed when the editor's process has died
// without closing our input. Our own server watches the process and ends then.
func (p *proxy) watchEditor(ownGone <-chan struct{}) <-chan struct{} {
	gone := make(chan struct{})
	go func() {
		<-ownGone
		<-p.own.done
		switch first := p.own.end(); {
		case !first || p.exiting.Load():
		case p.own.err == nil:
			close(gone)
		default:
			p.opts.Log.Warn("our own server has ended; only the wrapped server answers from now on", "err", p.own.err)
		}
	}()
	return gone
}
