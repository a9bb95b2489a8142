package rpc

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/textproto"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"manicule/indexer/must"
)

// recorder is a server with one slow, one panicking and one failing method.
type recorder struct {
	protocol.UnimplementedServer
	mu       sync.Mutex
	versions []int32
	started  chan struct{}
	unblock  chan struct{}
}

func (r *recorder) DidChange(_ context.Context, p *protocol.DidChangeTextDocumentParams) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.versions = append(r.versions, p.TextDocument.Version)
	return fmt.Errorf("version %d: an error of a notification", p.TextDocument.Version)
}

func (r *recorder) Hover(ctx context.Context, p *protocol.HoverParams) (*protocol.Hover, error) {
	Release(ctx)
	switch p.Position.Line {
	case 1:
		panic("boom")
	case 2:
		r.started <- struct{}{}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-r.unblock:
		}
	case 3:
		r.started <- struct{}{}
		<-ctx.Done()
		return nil, nil
	}
	return &protocol.Hover{Contents: protocol.String("ok")}, nil
}

func (r *recorder) Shutdown(context.Context) error { return nil }

// peer speaks raw frames to a connection.
type peer struct {
	t    *testing.T
	conn net.Conn
	in   *bufio.Reader
	srv  *recorder
	done <-chan struct{}
}

func dial(t *testing.T) *peer {
	t.Helper()
	a, b := net.Pipe()
	srv := &recorder{started: make(chan struct{}), unblock: make(chan struct{})}
	log := slog.New(slog.DiscardHandler)
	conn, _ := Connect(NewStream(a, log))
	conn.Go(context.Background(), Handler(Options{Server: srv, Log: log, Gate: gate}))
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
		<-conn.Done()
	})
	return &peer{t: t, conn: b, in: bufio.NewReader(b), srv: srv, done: conn.Done()}
}

func gate(method string, _ bool) error {
	switch method {
	case protocol.MethodTextDocumentHover, protocol.MethodTextDocumentDidChange, protocol.MethodShutdown:
		return nil
	}
	return NotFound(method)
}

func (p *peer) raw(s string) {
	p.t.Helper()
	if _, err := io.WriteString(p.conn, s); err != nil {
		p.t.Fatal(err)
	}
}

func (p *peer) send(body string) {
	p.t.Helper()
	p.raw(fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body))
}

func (p *peer) hover(id any, line int) {
	p.t.Helper()
	p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%v,"method":"textDocument/hover","params":{"textDocument":{"uri":"file:///a.go"},"position":{"line":%d,"character":0}}}`, id, line))
}

func (p *peer) recv() string {
	p.t.Helper()
	if err := p.conn.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
		p.t.Fatal(err)
	}
	h, err := textproto.NewReader(p.in).ReadMIMEHeader()
	if err != nil {
		p.t.Fatal(err)
	}
	n, err := strconv.Atoi(h.Get("Content-Length"))
	if err != nil {
		p.t.Fatal(err)
	}
	b := make([]byte, n)
	if _, err := io.ReadFull(p.in, b); err != nil {
		p.t.Fatal(err)
	}
	return string(b)
}

func (p *peer) want(parts ...string) {
	p.t.Helper()
	got := p.recv()
	for _, part := range parts {
		if !strings.Contains(got, part) {
			p.t.Errorf("answer %s lacks %s", got, part)
		}
	}
}

func TestNotificationsKeepWireOrder(t *testing.T) {
	p := dial(t)
	const n = 5000
	for i := 1; i <= n; i++ {
		p.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":"file:///a.go","version":%d},"contentChanges":[{"text":"x"}]}}`, i))
	}
	p.hover(1, 0)
	p.want(`"id":1`, `"ok"`)
	p.srv.mu.Lock()
	defer p.srv.mu.Unlock()
	if len(p.srv.versions) != n {
		t.Fatalf("%d changes arrived", len(p.srv.versions))
	}
	for i, v := range p.srv.versions {
		if int(v) != i+1 {
			t.Fatalf("change %d came at place %d", v, i+1)
		}
	}
}

func TestRequestsOverlap(t *testing.T) {
	p := dial(t)
	p.hover(1, 2)
	<-p.srv.started
	p.hover(2, 0)
	p.want(`"id":2`, `"ok"`)
	close(p.srv.unblock)
	p.want(`"id":1`, `"ok"`)
}

func TestCancel(t *testing.T) {
	tests := []struct{ name, id, cancel string }{
		{"number", "7", "7"},
		{"string", `"abc"`, `"abc"`},
		{"large number", "999999999999", "999999999999"},
		{"number with a fraction", "8", "8.0"},
		{"number with an exponent", "900", "9e2"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := dial(t)
			p.hover(tt.id, 2)
			<-p.srv.started
			for _, junk := range []string{"null", "{}", "12345", `"nobody"`, "1.5", "1e99"} {
				p.send(`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":` + junk + `}}`)
			}
			p.send(`{"jsonrpc":"2.0","method":"$/cancelRequest"}`)
			p.send(`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":` + tt.cancel + `}}`)
			p.want(`"id":`+tt.id, "-32800")
		})
	}
}

// TestCancelledResult: what a handler has found until it was cancelled is no answer.
func TestCancelledResult(t *testing.T) {
	p := dial(t)
	p.hover("7", 3)
	<-p.srv.started
	p.send(`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":7}}`)
	p.want(`"id":7`, "-32800")
}

func TestBadInputIsSurvived(t *testing.T) {
	const body = "Content-Length: %d\r\n\r\n%s"
	frame := func(s string) string { return fmt.Sprintf(body, len(s), s) }
	tests := []struct {
		name, input string
		answer      []string // of the answer, nil when there must be none
	}{
		{"not JSON", frame(`{"jsonrpc":"2.0","id":5,"method":"x","params":{`), []string{`"id":null`, "-32700"}},
		{"a batch", frame(`[{"jsonrpc":"2.0","id":5,"method":"x"}]`), []string{"-32600"}},
		{"an empty object", frame(`{}`), []string{`"id":null`, "error"}},
		{"a lone string", frame(`"hello"`), []string{"-32700"}},
		{"unknown notification", frame(`{"jsonrpc":"2.0","method":"$/custom","params":{}}`), nil},
		{"unknown request", frame(`{"jsonrpc":"2.0","id":5,"method":"foo/bar","params":{}}`), []string{`"id":5`, "-32601"}},
		{"unknown request without params", frame(`{"jsonrpc":"2.0","id":5,"method":"server/discover"}`), []string{`"id":5`, "-32601"}},
		{"request without its params", frame(`{"jsonrpc":"2.0","id":5,"method":"textDocument/hover"}`), []string{`"id":5`, "-32602"}},
		{"params of another type", frame(`{"jsonrpc":"2.0","id":5,"method":"textDocument/hover","params":[1]}`), []string{`"id":5`, "-32602"}},
		{"notification without its params", frame(`{"jsonrpc":"2.0","method":"textDocument/didChange"}`), nil},
		{"notification with bad params", frame(`{"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":"file:///a","version":"x"},"contentChanges":[]}}`), nil},
		{"null params", frame(`{"jsonrpc":"2.0","id":5,"method":"shutdown","params":null}`), []string{`"id":5`, `"result":null`}},
		{"cancel as a request", frame(`{"jsonrpc":"2.0","id":5,"method":"$/cancelRequest","params":{"id":1}}`), []string{"-32601"}},
		{"answer to nothing", frame(`{"jsonrpc":"2.0","id":77,"result":null}`), nil},
		{"header without a length", "Foo: bar\r\n\r\n", nil},
		{"length that is no number", "Content-Length: many\r\n\r\n", nil},
		{"length zero", "Content-Length: 0\r\n\r\n", nil},
		{"junk between messages", "junk\r\n\r\n!!", nil},
		{"lower case and another field", "content-type: x\ncontent-length: 2\n\n{}", []string{"error"}},
		{"a line without end", strings.Repeat("x", 40<<10) + "\n\n", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := dial(t)
			written := make(chan error, 1) // the server may answer before it has read all
			go func() {
				_, err := io.WriteString(p.conn, tt.input)
				written <- err
			}()
			if tt.answer != nil {
				p.want(tt.answer...)
			}
			must.OK(t, <-written)
			p.hover(9, 0)
			p.want(`"id":9`, `"ok"`)
		})
	}
}

// TestOptional: what depends on a client is ignored, and anything else that fails is logged.
func TestOptional(t *testing.T) {
	failed := errors.New("disk full")
	for _, tt := range []struct {
		method string
		err    error
		want   bool
	}{
		{"$/logTrace", NotFound("$/logTrace"), true},
		{"$/setTrace", failed, false},
		{"foo/bar", NotFound("foo/bar"), false},
	} {
		if got := optional(tt.method, tt.err); got != tt.want {
			t.Errorf("%s: %v is %v", tt.method, tt.err, got)
		}
	}
}

func TestPanicBecomesInternalError(t *testing.T) {
	p := dial(t)
	p.hover(1, 1)
	p.want(`"id":1`, "-32603", "boom")
	p.hover(2, 0)
	p.want(`"id":2`, `"ok"`)
}

func TestErrorFrom(t *testing.T) {
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	tests := []struct {
		name string
		ctx  context.Context
		err  error
		code jsonrpc2.Code
	}{
		{"plain", context.Background(), io.ErrUnexpectedEOF, jsonrpc2.InternalError},
		{"cancelled", cancelled, io.ErrUnexpectedEOF, protocol.CodeRequestCancelled},
		{"context error", context.Background(), fmt.Errorf("x: %w", context.Canceled), protocol.CodeRequestCancelled},
		{"params", context.Background(), fmt.Errorf("x: %w", jsonrpc2.ErrParse), jsonrpc2.InvalidParams},
		{"own code", context.Background(), fmt.Errorf("x: %w", InvalidParams("no")), jsonrpc2.InvalidParams},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := errorFrom(tt.ctx, tt.err).(*jsonrpc2.Error)
			if !ok || got.Code != tt.code {
				t.Errorf("got %v, want code %d", got, tt.code)
			}
		})
	}
}

// stuck is a connection like a terminal's: nothing comes, and Close does not end
// a read.
type stuck struct{ *io.PipeReader }

func (stuck) Write(b []byte) (int, error) { return len(b), nil }
func (stuck) Close() error                { return nil }

func TestInterruptible(t *testing.T) {
	in, w := io.Pipe()
	conn := Interruptible(stuck{in})
	ended := make(chan error)
	go func() {
		_, err := conn.Read(make([]byte, 1))
		ended <- err
	}()
	must.OK(t, conn.Close())
	if err := <-ended; err == nil {
		t.Error("the read ended without an error")
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
}

// stuckFile is a connection over a file, whose Close does not end a read.
type stuckFile struct {
	stuck
	file *os.File
}

func (s stuckFile) Input() io.Reader           { return s.file }
func (s stuckFile) Read(b []byte) (int, error) { return s.file.Read(b) }

// TestInterruptibleFile: a read of a file brings what comes, its end, and ends when the
// connection is closed. On Linux no goroutine stands between.
func TestInterruptibleFile(t *testing.T) {
	for name, end := range map[string]func(conn io.Closer, w io.Closer) error{
		"closed": func(conn, _ io.Closer) error { return conn.Close() },
		"over":   func(_, w io.Closer) error { return w.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			r, w, err := os.Pipe()
			must.OK(t, err)
			defer func() { _, _ = w.Close(), r.Close() }()
			before := runtime.NumGoroutine()
			conn := Interruptible(stuckFile{file: r})
			if n := runtime.NumGoroutine() - before; n > 0 && runtime.GOOS == "linux" {
				t.Errorf("%d goroutines between the file and its reader", n)
			}
			if _, err := io.WriteString(w, "ab"); err != nil {
				t.Fatal(err)
			}
			b := make([]byte, 8)
			if n, err := conn.Read(b); err != nil || string(b[:n]) != "ab" {
				t.Fatalf("read %q, %v", b[:n], err)
			}
			ended := make(chan error)
			go func() {
				_, err := conn.Read(make([]byte, 1))
				ended <- err
			}()
			must.OK(t, end(conn, w))
			if err := <-ended; err == nil || (name == "over") != errors.Is(err, io.EOF) {
				t.Errorf("the read ended with %v", err)
			}
			if err := errors.Join(conn.Close(), conn.Close()); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestEndOfFileEndsConnection(t *testing.T) {
	p := dial(t)
	must.OK(t, p.conn.Close())
	<-p.done
}
