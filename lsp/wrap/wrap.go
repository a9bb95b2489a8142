// Package wrap is a proxy between an editor and another language server. It merges
// our server's answers into the other's, for editors that run one server for each
// kind of file.
//
// The wrapped server is a child process. A message to which nothing is added passes
// undecoded, in its order, with the same bytes. Our own server runs in this process on
// its own connection. It receives what the client sends and is asked concurrently
// with the wrapped server, which never waits for it longer than [Budget].
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
	// Own serves a client on a connection: our own server. It returns nil when it
	// has seen the end of its client.
	Own func(ctx context.Context, conn io.ReadWriteCloser) error
	// Stderr is where the wrapped server's standard error goes.
	Stderr io.Writer
	// Log gets what goes wrong. It must not write to standard output.
	Log *slog.Logger
	// Budget is how long an answer of the wrapped server waits for ours.
	Budget time.Duration
	// Grace is how long the wrapped server has to end by itself after its client
	// has gone or told it to.
	Grace time.Duration
}

// startBudget is how long the answer to initialize waits for ours. It is longer
// than the others': what the client is not offered then, it will never ask for.
const startBudget = time.Second

// grace is the default of Options.Grace.
const grace = 3 * time.Second

// drain is how long the output of a server that has ended may take to be read.
// Only a process that it left behind can still hold the output open.
const drain = 250 * time.Millisecond

func (o Options) withDefaults() Options {
	if o.Stderr == nil {
		o.Stderr = io.Discard
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Budget == 0 {
		o.Budget = Budget
	}
	if o.Grace == 0 {
		o.Grace = grace
	}
	return o
}

// ExitError says that the wrapped server has ended, and how.
type ExitError struct {
	Command string
	// Code is its exit code, 128 and the signal's number where one ended it.
	Code int
	// Asked says that the client had told it to exit.
	Asked bool
}

// Error says what ended.
func (e *ExitError) Error() string {
	if e.Asked {
		return fmt.Sprintf("%s ended with exit code %d", e.Command, e.Code)
	}
	return fmt.Sprintf("%s ended by itself with exit code %d", e.Command, e.Code)
}

// ErrNotStarted is wrapped when the wrapped server can't be run.
var ErrNotStarted = errors.New("the wrapped language server does not start")

// Serve runs the wrapped server and stands between it and the client on conn,
// until either ends or ctx does. It returns an [ExitError] when the wrapped
// server ended with another code than 0, or was not told to; an error that
// wraps [ErrNotStarted] when there is none. It closes conn.
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
	case <-p.editorGone(ownGone):
		opts.Log.Info("the editor is gone")
		asked = true
	}
	p.child.Close()     // what the client said last is read first
	_ = c.stdin.Close() // a child that has ended does not mind
	code := c.end(opts.Grace)
	select {
	case <-childGone:
	case <-time.After(drain):
	}
	p.flush()
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

// read handles the messages of one side until it ends, and tells when.
func (p *proxy) read(side string, from *rpc.Reader, handle func(body []byte, v *jsonrpc2.MessageView)) <-chan struct{} {
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			body, err := from.Next()
			if large, ok := errors.AsType[*rpc.TooLargeError](err); ok {
				p.opts.Log.Warn("message left out", "from", side, "err", large)
				continue
			}
			if err != nil {
				if !errors.Is(err, io.EOF) {
					p.opts.Log.Debug("read", "from", side, "err", err)
				}
				return
			}
			v, err := jsonrpc2.ScanMessageView(body)
			if err != nil { // a batch, or nonsense: who gets it can say so
				v = jsonrpc2.MessageView{}
			}
			handle(body, &v)
		}
	}()
	return done
}

// editorGone is closed when our own server ended without having been told to:
// it looks whether the editor's process is alive, which may die without closing
// our input.
func (p *proxy) editorGone(ownGone <-chan struct{}) <-chan struct{} {
	gone := make(chan struct{})
	go func() {
		<-ownGone
		<-p.own.done
		switch news := p.own.end(); {
		case !news || p.exiting.Load():
		case p.own.err == nil:
			close(gone)
		default:
			p.opts.Log.Warn("our own server has ended; the wrapped server's answers go on alone", "err", p.own.err)
		}
	}()
	return gone
}
