package lsp

import (
	"context"
	"sync/atomic"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"manicule/lsp/client"
	"manicule/lsp/convert"
	"manicule/lsp/rpc"
)

// phase is the phase of the session.
type phase = int32

const (
	created phase = iota
	initializing
	running
	down
)

// codeServerNotInitialized is LSP's code for a request before initialize.
const codeServerNotInitialized jsonrpc2.Code = -32002

// lifecycle is the phase of the session, and the reason of its end.
type lifecycle struct {
	phase atomic.Int32 // a phase
	exit  chan error   // receives the reason to end, once
}

func newLifecycle() *lifecycle { return &lifecycle{exit: make(chan error, 1)} }

// running reports whether the client may be sent requests.
func (l *lifecycle) running() bool { return l.phase.Load() == running }

// gate rejects methods that the present phase does not allow or the server does not
// serve.
func (l *lifecycle) gate(method string, call bool) error {
	now := l.phase.Load()
	switch {
	case method == protocol.MethodExit:
		return nil
	case now == down:
		return jsonrpc2.NewError(jsonrpc2.InvalidRequest, "the server is shut down")
	case !served(method): // also before initialize
		return rpc.NotFound(method)
	case now == created && method != protocol.MethodInitialize:
		return jsonrpc2.NewError(codeServerNotInitialized, "the server is not initialized")
	case now != created && method == protocol.MethodInitialize:
		return jsonrpc2.NewError(jsonrpc2.InvalidRequest, "the server is initialized already")
	}
	return nil
}

// end makes Serve end.
func (l *lifecycle) end(err error) {
	select {
	case l.exit <- err:
	default: // it is ending already
	}
}

// messages reports whether the client may be sent messages: the protocol allows them from initialize on.
func (l *lifecycle) messages() bool {
	now := l.phase.Load()
	return now != created && now != down
}

// Initialize exchanges capabilities and starts opening the folders.
func (s *server) Initialize(_ context.Context, p *protocol.InitializeParams) (*protocol.InitializeResult, error) {
	s.life.phase.Store(initializing)
	s.client.Capabilities = client.CapabilitiesFrom(p)
	enc := convert.UTF16
	if g := p.Capabilities.General; g != nil {
		enc = convert.EncodingFrom(g.PositionEncodings)
	}
	s.session.SetEncoding(enc)
	dirs := foldersFrom(p)
	s.config.initialize(p.InitializationOptions, dirs)
	s.folders.Add(dirs...)
	if p.ProcessID != nil && *p.ProcessID > 0 {
		pid := int(*p.ProcessID)
		s.spawn(func(ctx context.Context) { // some editors die without closing our input
			if waitForEnd(ctx, s.opts.PollInterval, func() bool { return s.opts.Alive(pid) }) {
				s.opts.Log.Info("the editor is gone", "pid", pid)
				s.life.end(nil)
			}
		})
	}
	return &protocol.InitializeResult{
		Capabilities: serverCapabilities(enc, s.client.Capabilities, s.config.current.Load()),
		ServerInfo:   protocol.ServerInfo{Name: "manicule", Version: protocol.NewOptional(s.opts.Version)},
	}, nil
}

// Initialized makes the dynamic registrations and pulls the configuration.
func (s *server) Initialized(context.Context, *protocol.InitializedParams) error {
	if !s.life.phase.CompareAndSwap(initializing, running) {
		return nil
	}
	opened := make(chan struct{})
	s.spawn(func(ctx context.Context) {
		defer close(opened)
		if err := s.folders.Wait(ctx); err == nil { // else the connection has ended
			s.refresh.soon()
		}
	})
	s.spawn(func(ctx context.Context) { register(ctx, s.client, s.log) })
	s.spawn(s.config.pull)
	s.spawn(func(ctx context.Context) { s.progress.opening(ctx, opened) })
	return nil
}

// Shutdown stops serving: only exit may follow.
func (s *server) Shutdown(context.Context) error {
	s.life.phase.Store(down)
	return nil
}

// Exit ends Serve. It can't close the connection itself, because that waits for this
// handler.
func (s *server) Exit(context.Context) error {
	var err error
	if s.life.phase.Load() != down {
		err = ErrNoShutdown
	}
	s.life.end(err)
	return nil
}

// SetTrace does nothing: the server writes no trace.
func (s *server) SetTrace(context.Context, *protocol.SetTraceParams) error { return nil }

// WorkDoneProgressCancel cancels a command. Opening a folder is not cancelled.
func (s *server) WorkDoneProgressCancel(_ context.Context, p *protocol.WorkDoneProgressCancelParams) error {
	s.client.Cancel(p.Token)
	return nil
}

// waitForEnd waits until a process is gone, which it reports, or ctx has ended.
func waitForEnd(ctx context.Context, every time.Duration, alive func() bool) bool {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return false
		case <-tick.C:
			if !alive() {
				return true
			}
		}
	}
}
