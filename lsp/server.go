package lsp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

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

// idleDelays returns the idle times after which the server frees memory: soon for the
// garbage of responses, later for caches.
func idleDelays() []time.Duration {
	return []time.Duration{1500 * time.Millisecond, 8 * time.Second, 50 * time.Second}
}

// server serves one client. Fields without a remark are set before the first message is
// handled and never change.
type server struct {
	protocol.UnimplementedServer
	opts    Options
	log     *slog.Logger
	ctx     context.Context // ends with the connection
	client  *client.Client
	session *session.Session
	folders *folder.Set
	diags   *publisher
	sent    sentDiagnostics
	pages   *page.Cache
	changes *changeNotifier
	actions *action.Env
	panel   *panel.Panel

	impacts *impactScheduler

	phase        atomic.Int32             // a phase
	baseSettings *Settings                // set by Initialize: the client's configuration overlays it
	settings     atomic.Pointer[Settings] // never nil
	opened       atomic.Uint64            // documents opened so far
	exit         chan error               // receives the reason to end, once

	idle       *time.Timer    // runs releaseMemory; nil without Options.Idle
	releases   atomic.Int32   // how often memory was freed since the last message
	refreshDue chan struct{}  // has a value while a refresh of the client is due
	work       sync.WaitGroup // goroutines started by spawn
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
	input.ended = func() { s.end(nil) }
	wire.Go(ctx, rpc.Handler(rpc.Options{Server: s, Log: s.log, Gate: s.gate}))
	var err error
	select {
	case err = <-s.exit:
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
		opts: opts, ctx: ctx, client: client.New(conn, notify, opts.Log), session: session.New(),
		exit: make(chan error, 1), refreshDue: make(chan struct{}, 1),
	}
	s.log = s.client.Logger(func() bool { // the protocol allows messages from initialize on
		phase := s.phase.Load()
		return phase != created && phase != down
	})
	s.settings.Store(opts.Settings(""))
	if opts.Idle != nil {
		s.idle = time.AfterFunc(time.Hour, s.releaseMemory)
		s.resetIdle()
	}
	s.diags = newPublisher(s)
	s.impacts = newImpactScheduler(opts.DebounceDelay, s.updateImpacts)
	s.changes = newChangeNotifier(s)
	s.folders = folder.NewSet(s.folderOptions())
	s.pages = page.New(s.pageOptions())
	s.actions = &action.Env{
		Folders: s.folders, Pages: s.pages, Client: s.client, Spawn: s.spawn, Log: s.log, Now: opts.Now, Version: opts.Version, Hint: opts.Hint,
		Changed: s.markStale, ListsChanged: s.changes.soon,
	}
	s.panel = &panel.Panel{Folders: s.folders, Pages: s.pages, Version: opts.Version, Hint: opts.Hint}
	s.spawn(s.client.Run)
	s.spawn(s.diags.run)
	s.spawn(s.impacts.run)
	s.spawn(s.refresh)
	return s
}

// stop waits for all background work and closes the memories.
func (s *server) stop() {
	if s.idle != nil {
		s.idle.Stop()
	}
	s.changes.stop()
	s.folders.Stop()
	s.work.Wait()
	s.folders.Close()
}

// resetIdle restarts the idle timer.
func (s *server) resetIdle() {
	if s.idle != nil {
		s.releases.Store(0)
		s.idle.Reset(idleDelays()[0])
	}
}

// releaseMemory frees memory, and starts the next, longer idle delay.
func (s *server) releaseMemory() {
	n := int(s.releases.Add(1))
	if n == len(idleDelays()) {
		s.session.ReleaseIdle()
	}
	s.opts.Idle()
	if n < len(idleDelays()) {
		s.idle.Reset(idleDelays()[n])
	}
}

// spawn runs f in a goroutine outside of the message loop. f must end with its context.
// A call to the client that waits for a response must run in one: a notification's
// handler would wait for a message that is not read.
func (s *server) spawn(f func(ctx context.Context)) {
	s.work.Go(func() {
		defer func() {
			if p := recover(); p != nil {
				s.opts.Log.Error("panic in the background", "panic", p)
			}
		}()
		f(s.ctx)
	})
}
