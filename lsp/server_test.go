package lsp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"manicule/indexer/must"
	"manicule/lsp"
	"manicule/lsp/lsptest"
)

const (
	uuid1 = "0198f0c2-7a41-7c3e-9d7a-000000000001"
	uuid2 = "0198f0c2-7a41-7c3e-9d7a-000000000002"
	where = ".manicule/memories/area_context/"
)

// gotcha is a memory file tied to a symbol of a.go.
func gotcha(uuid, what, symbol string) string {
	return fmt.Sprintf(`{"uuid": %q, "type": "gotcha", "what": %q, "anchors": [{"kind": "symbol", "path": "a.go", "symbol": %q}], "trust": {"origin": "user_taught"}, "created_at": "2026-05-04T11:00:00.000Z"}`, uuid, what, symbol)
}

// small is a workspace of one file with one memory.
func small() map[string]string {
	return map[string]string{
		"a.go":                  "package a\n\nfunc Validate() {}\n",
		where + uuid1 + ".json": gotcha(uuid1, "first", "Validate"),
	}
}

func hoverText(t *testing.T, e *lsptest.Editor, rel string, line, char uint32) string {
	t.Helper()
	raw, err := e.Call(protocol.MethodTextDocumentHover, &protocol.HoverParams{TextDocumentPositionParams: e.At(rel, line, char)})
	must.OK(t, err)
	return string(raw)
}

func wantCode(t *testing.T, err error, code jsonrpc2.Code) {
	t.Helper()
	var wire *jsonrpc2.Error
	if !errors.As(err, &wire) || wire.Code != code {
		t.Errorf("got %v, want an error of code %d", err, code)
	}
}

func TestWithoutInitialize(t *testing.T) {
	s := newSandbox(t, small())
	e := s.edit(t, s.options(t))
	e.Open("a.go") // a notification is dropped
	_, err := e.Call(protocol.MethodTextDocumentHover, &protocol.HoverParams{TextDocumentPositionParams: e.At("a.go", 2, 5)})
	wantCode(t, err, -32002)
	_, err = e.Call("server/discover", nil)
	wantCode(t, err, jsonrpc2.MethodNotFound)
	e.Initialize(lsptest.Full())
	e.Open("a.go")
	if got := hoverText(t, e, "a.go", 2, 5); !strings.Contains(got, "first") {
		t.Errorf("hover: %s", got)
	}
	_, err = e.Call(protocol.MethodInitialize, &protocol.InitializeParams{})
	wantCode(t, err, jsonrpc2.InvalidRequest)
	_, err = e.Call(protocol.MethodTextDocumentDefinition, &protocol.DefinitionParams{TextDocumentPositionParams: e.At("a.go", 2, 5)})
	wantCode(t, err, jsonrpc2.MethodNotFound)
}

func TestShutdownAndExit(t *testing.T) {
	t.Run("in order", func(t *testing.T) {
		s := newSandbox(t, small())
		e := s.edit(t, s.options(t))
		e.Initialize(lsptest.Full())
		if _, err := e.Call(protocol.MethodShutdown, nil); err != nil {
			t.Fatal(err)
		}
		_, err := e.Call(protocol.MethodWorkspaceSymbol, &protocol.WorkspaceSymbolParams{})
		wantCode(t, err, jsonrpc2.InvalidRequest)
		_, err = e.Call(protocol.MethodTextDocumentDefinition, &protocol.DefinitionParams{})
		wantCode(t, err, jsonrpc2.InvalidRequest)
		e.Notify(protocol.MethodExit, nil)
		if err := e.Served(); err != nil {
			t.Errorf("Serve returned %v", err)
		}
	})
	t.Run("exit alone", func(t *testing.T) {
		s := newSandbox(t, nil)
		e := s.edit(t, s.options(t))
		e.Initialize(lsptest.Full())
		e.Notify(protocol.MethodExit, nil)
		if err := e.Served(); !errors.Is(err, lsp.ErrNoShutdown) {
			t.Errorf("Serve returned %v", err)
		}
	})
	t.Run("exit before anything", func(t *testing.T) {
		s := newSandbox(t, nil)
		e := s.edit(t, s.options(t))
		e.Notify(protocol.MethodExit, nil)
		if err := e.Served(); !errors.Is(err, lsp.ErrNoShutdown) {
			t.Errorf("Serve returned %v", err)
		}
	})
}

func TestEndOfInput(t *testing.T) {
	in, w := io.Pipe()
	s := newSandbox(t, nil)
	ended := make(chan error)
	go func() { ended <- lsp.Serve(context.Background(), pipeEnd{in}, s.options(t)) }()
	must.OK(t, w.Close())
	if err := <-ended; err != nil {
		t.Errorf("Serve returned %v", err)
	}
}

// pipeEnd is a connection that can only be read.
type pipeEnd struct{ *io.PipeReader }

func (pipeEnd) Write(b []byte) (int, error) { return len(b), nil }

func TestEditorDies(t *testing.T) {
	s := newSandbox(t, nil)
	var alive atomic.Bool
	alive.Store(true)
	asked := make(chan int, 100)
	opts := s.options(t)
	opts.PollInterval = time.Millisecond
	opts.Alive = func(pid int) bool {
		select {
		case asked <- pid:
		default:
		}
		return alive.Load()
	}
	e := s.edit(t, opts)
	c := lsptest.Full()
	c.ProcessID = 4711
	e.Initialize(c)
	if pid := <-asked; pid != 4711 {
		t.Errorf("asked for process %d", pid)
	}
	alive.Store(false)
	if err := e.Served(); err != nil {
		t.Errorf("Serve returned %v", err)
	}
}

func TestContextEndsServer(t *testing.T) {
	s := newSandbox(t, small())
	ctx, cancel := context.WithCancel(context.Background())
	opts := s.options(t)
	e := lsptest.Start(t, s.root, func(_ context.Context, conn io.ReadWriteCloser) error { return lsp.Serve(ctx, conn, opts) })
	e.Initialize(lsptest.Full())
	cancel()
	if err := e.Served(); err != nil {
		t.Errorf("Serve returned %v", err)
	}
}

// TestChangesInOrder types 5,000 characters and holds the server's text
// against the editor's by where a lens comes to be.
func TestChangesInOrder(t *testing.T) {
	s := newSandbox(t, small())
	e := s.edit(t, s.options(t))
	e.Initialize(lsptest.Full())
	e.Open("a.go")
	const n = 5000
	for i := range n {
		at := protocol.Position{Line: 1}
		if i%2 == 0 { // two lines, then one of them away again
			e.Edit("a.go", protocol.Range{Start: at, End: at}, "\n\n")
		} else {
			e.Edit("a.go", protocol.Range{Start: at, End: protocol.Position{Line: 2}}, "")
		}
	}
	want := fmt.Sprintf("%d:0-%d:18 ☞ 1 memory here", 2+n/2, 2+n/2)
	if got := lensText(t, e, "a.go"); !strings.Contains(got, want) {
		t.Errorf("got %s, want %s", got, want)
	}
}

// slow opens memories only when it is let.
type slow struct {
	*sandbox
	let chan struct{}
}

func (s slow) open(ctx context.Context, dir string) (lsp.Memories, error) {
	select {
	case <-s.let:
		return s.sandbox.open(ctx, dir)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func TestCancelledRequest(t *testing.T) {
	s := slow{newSandbox(t, small()), make(chan struct{})}
	opts := s.options(t)
	opts.Open = s.open
	e := s.edit(t, opts)
	e.Initialize(lsptest.Full())
	e.Open("a.go")
	ctx, cancel := context.WithCancel(context.Background())
	answered := make(chan json.RawMessage, 1)
	failed := make(chan error, 1)
	go func() {
		raw, err := e.CallContext(ctx, protocol.MethodTextDocumentHover, &protocol.HoverParams{TextDocumentPositionParams: e.At("a.go", 2, 5)})
		answered <- raw
		failed <- err
	}()
	// A request that comes later is answered, so that the hover is being handled.
	_, err := e.Call(protocol.MethodWorkspaceExecuteCommand, &protocol.ExecuteCommandParams{Command: "manicule.openMemory"})
	wantCode(t, err, jsonrpc2.InvalidParams)
	cancel()
	if raw, err := <-answered, <-failed; err == nil {
		t.Errorf("answered %s", raw)
	}
	close(s.let)
	if got := hoverText(t, e, "a.go", 2, 5); !strings.Contains(got, "first") {
		t.Errorf("hover: %s", got)
	}
}

func TestProgressAndLateFolders(t *testing.T) {
	s := slow{newSandbox(t, small()), make(chan struct{})}
	opts := s.options(t)
	opts.Open = s.open
	opts.ProgressAfter = time.Millisecond
	e := s.edit(t, opts)
	e.Initialize(lsptest.Full())
	e.Open("a.go")
	e.Await(lsptest.When("progress began", func(s lsptest.State) bool {
		return s.Seen[protocol.MethodWindowWorkDoneProgressCreate] == 1 && s.Seen[protocol.MethodProgress] == 1
	}))
	close(s.let)
	u := e.URI("a.go")
	e.Await(lsptest.When("progress ended, diagnostics came", func(s lsptest.State) bool {
		return s.Seen[protocol.MethodProgress] == 2 && len(s.Diagnostics[u].Diagnostics) == 1
	}))
}
