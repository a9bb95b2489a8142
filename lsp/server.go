package lsp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"

	"go.lsp.dev/protocol"

	"manicule/lsp/action"
	"manicule/lsp/client"
	"manicule/lsp/folder"
	"manicule/lsp/page"
	"manicule/lsp/panel"
	"manicule/lsp/rpc"
	"manicule/lsp/session"
)

// ErrNoShutdown is returned by Serve when the client sent exit without shutdown. The
// protocol demands exit code 1 then.
var ErrNoShutdown = errors.New("the client exited without a shutdown request")

// server serves one client: it answers requests, and its own methods handle
// notifications. Its fields are set before the first message is handled and never change.
type server struct {
	requests
	*background
	opts     Options
	log      *slog.Logger // the client's
	life     *lifecycle
	diags    *publisher
	impacts  *impactScheduler
	changes  *changeNotifier
	refresh  *refresher
	progress *progress
	files    fileEvents
}

// Serve serves the client on conn until it exits, conn ends, its process is gone or ctx
// ends. It closes conn.
func Serve(ctx context.Context, conn io.ReadWriteCloser, opts Options) error {
	opts = opts.withDefaults()
	if opts.Open == nil {
		return errors.New("serve: Options.Open is missing")
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	input := &endNotifier{ReadWriteCloser: rpc.Interruptible(conn)}
	wire, editor := rpc.Connect(rpc.NewStream(input, opts.Log))
	s := newServer(ctx, opts, editor, wire.Notify)
	input.ended = func() { s.life.end(nil) }
	wire.Go(ctx, rpc.Handler(rpc.Options{Server: s, Log: s.log, Gate: s.life.gate}))
	var err error
	select {
	case err = <-s.life.exit:
	case <-ctx.Done():
	}
	cancel() // ends handlers and calls to the client
	if cerr := wire.Close(); cerr != nil {
		opts.Log.Debug("close connection", "err", cerr)
	}
	s.stop()
	if err != nil {
		return fmt.Errorf("serve: %w", err)
	}
	return nil
}

// endNotifier calls ended at the end of the input. The connection itself would first
// wait for handlers, which only end when they are cancelled.
type endNotifier struct {
	io.ReadWriteCloser
	ended func()
}

// Read reads from the connection.
func (e *endNotifier) Read(b []byte) (int, error) {
	n, err := e.ReadWriteCloser.Read(b)
	if err != nil {
		e.ended()
	}
	return n, err
}

func newServer(ctx context.Context, opts Options, conn protocol.Client, notify func(context.Context, string, any) error) *server {
	s := &server{
		requests:   requests{client: client.New(conn, notify, opts.Log), session: session.New(), now: opts.Now},
		background: &background{ctx: ctx, log: opts.Log}, opts: opts, life: newLifecycle(),
	}
	s.log = s.client.Logger(s.life.messages)
	s.idle = newIdleTimer(s.session, opts.Idle)
	s.changes = &changeNotifier{client: s.client, running: s.life.running, after: opts.NotifyAfter}
	s.diags = newPublisher(&s.requests, opts.DebounceDelay, opts.Log)
	s.refresh = newRefresher(s.client, opts.Log, s.life.running, s.changes.soon, s.diags.allDue)
	s.config = newConfiguration(s.client, s.log, opts, s.refresh.soon)
	s.impacts = newImpactScheduler(opts.DebounceDelay, s.updateImpacts)
	s.progress = &progress{client: s.client, log: s.log, now: opts.Now, after: opts.ProgressAfter}
	s.folders = folder.NewSet(s.folderOptions())
	s.pages = page.New(s.pageOptions())
	s.files = fileEvents{folders: s.folders, pages: s.pages, spawn: s.spawn}
	s.actions = &action.Env{
		Folders: s.folders, Pages: s.pages, Client: s.client, Spawn: s.spawn, Log: s.log, Now: opts.Now, Version: opts.Version, Hint: opts.Hint,
		Changed: s.refresh.soon, ListsChanged: s.changes.soon, Done: s.changes.now,
	}
	s.panel = &panel.Panel{Folders: s.folders, Pages: s.pages, Version: opts.Version, Hint: opts.Hint}
	s.spawn(s.client.Run)
	s.spawn(s.diags.run)
	s.spawn(s.impacts.run)
	s.spawn(s.refresh.run)
	return s
}

// stop waits for all background work and closes the memories.
func (s *server) stop() {
	s.idle.stop()
	s.changes.stop()
	s.folders.Stop()
	s.wait()
	s.folders.Close()
}
