package lsp

import (
	"context"
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

// gate rejects methods that the present phase does not allow or the server does not
// serve.
func (s *server) gate(method string, call bool) error {
	now := s.phase.Load()
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

// Initialize exchanges capabilities and starts opening the folders.
func (s *server) Initialize(_ context.Context, p *protocol.InitializeParams) (*protocol.InitializeResult, error) {
	s.phase.Store(initializing)
	s.client.Capabilities = client.CapabilitiesFrom(p)
	enc := convert.UTF16
	if g := p.Capabilities.General; g != nil {
		enc = convert.EncodingFrom(g.PositionEncodings)
	}
	s.session.SetEncoding(enc)
	dirs := foldersFrom(p)
	s.initOptions(p.InitializationOptions, dirs)
	s.folders.Add(dirs...)
	if p.ProcessID != nil && *p.ProcessID > 0 {
		pid := int(*p.ProcessID)
		s.spawn(func(ctx context.Context) { s.watchEditor(ctx, pid) })
	}
	return &protocol.InitializeResult{
		Capabilities: s.serverCapabilities(enc),
		ServerInfo:   protocol.ServerInfo{Name: "manicule", Version: protocol.NewOptional(s.opts.Version)},
	}, nil
}

// Initialized makes the dynamic registrations and pulls the configuration.
func (s *server) Initialized(context.Context, *protocol.InitializedParams) error {
	if !s.phase.CompareAndSwap(initializing, running) {
		return nil
	}
	s.spawn(s.register)
	s.spawn(s.pullConfiguration)
	s.spawn(s.showProgress)
	return nil
}

// Shutdown stops serving: only exit may follow.
func (s *server) Shutdown(context.Context) error {
	s.phase.Store(down)
	return nil
}

// Exit ends Serve. It can't close the connection itself, because that waits for this
// handler.
func (s *server) Exit(context.Context) error {
	var err error
	if s.phase.Load() != down {
		err = ErrNoShutdown
	}
	s.end(err)
	return nil
}

func (s *server) end(err error) {
	select {
	case s.exit <- err:
	default: // it is ending already
	}
}

// SetTrace does nothing: the server writes no trace.
func (s *server) SetTrace(context.Context, *protocol.SetTraceParams) error { return nil }

// WorkDoneProgressCancel cancels a command. Opening a folder is not cancelled.
func (s *server) WorkDoneProgressCancel(_ context.Context, p *protocol.WorkDoneProgressCancelParams) error {
	s.client.Cancel(p.Token)
	return nil
}

// watchEditor ends the server when the editor's process is gone: some editors die
// without closing our input.
func (s *server) watchEditor(ctx context.Context, pid int) {
	tick := time.NewTicker(s.opts.PollInterval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if !s.opts.Alive(pid) {
				s.opts.Log.Info("the editor is gone", "pid", pid)
				s.end(nil)
				return
			}
		}
	}
}
