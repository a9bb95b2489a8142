package lsptest

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"sync"
	"testing"
	"time"

	"go.lsp.dev/jsonrpc2"

	"manicule/lsp/rpc"
)

// Wire is a client that works on the bytes of messages, for tests of what passes
// unchanged.
type Wire struct {
	t    testing.TB
	conn io.Closer
	out  *rpc.Writer
	done chan struct{}
	// Answer returns the answer to a request of the server, null if it is nil or
	// returns "". Set it before the first message is sent.
	Answer func(method, params string) string
	// Patience is how long a test waits for anything, if the server is another's. Only
	// a failing test waits that long.
	Patience time.Duration

	mu      sync.Mutex
	changed chan struct{} // guarded by mu; closed and replaced when a message comes
	got     []Frame       // guarded by mu
	next    int           // guarded by mu
}

// Frame is a message of the server.
type Frame struct {
	Body   string
	ID     string // as spelled, "" for a notification
	Method string // "" for an answer
	Params string
	Result string
	Error  string
	At     time.Time
}

// NewWire speaks on conn, which it closes at the end of the test.
func NewWire(t testing.TB, conn io.ReadWriteCloser) *Wire {
	t.Helper()
	w := &Wire{t: t, conn: conn, Patience: patience, out: rpc.NewWriter(conn), done: make(chan struct{}), changed: make(chan struct{})}
	go w.read(rpc.NewReader(conn))
	t.Cleanup(w.Close)
	return w
}

// Close ends the connection.
func (w *Wire) Close() {
	w.out.Close()
	_ = w.conn.Close() // the server may have ended first
	<-w.done
}

func (w *Wire) read(in *rpc.Reader) {
	defer close(w.done)
	for {
		body, err := in.Next()
		if err != nil {
			return
		}
		f := ReadFrame(body)
		w.mu.Lock()
		w.got = append(w.got, f)
		close(w.changed)
		w.changed = make(chan struct{})
		w.mu.Unlock()
		if f.ID == "" || f.Method == "" {
			continue
		}
		answer := ""
		if w.Answer != nil {
			answer = w.Answer(f.Method, f.Params)
		}
		switch {
		case answer == "-": // the test answers
			continue
		case answer == "":
			answer = "null"
		}
		w.Send(`{"jsonrpc":"2.0","id":` + f.ID + `,"result":` + answer + `}`)
	}
}

// ReadFrame reads a message.
func ReadFrame(body []byte) Frame {
	f := Frame{Body: string(body), At: time.Now()}
	v, err := jsonrpc2.ScanMessageView(body)
	if err != nil {
		return f
	}
	method, _ := v.MethodString()
	f.ID, f.Method, f.Params, f.Result, f.Error = string(v.IDRaw), method, string(v.Params), string(v.Result), string(v.ErrorRaw)
	return f
}

// Send sends a message as it is.
func (w *Wire) Send(body string) {
	_, _ = w.out.Add(func(b []byte) []byte { return append(b, body...) }) // a test notices a server that has ended by the missing answer
}

// Notify sends a notification; params are JSON.
func (w *Wire) Notify(method, params string) {
	w.Send(fmt.Sprintf(`{"jsonrpc":"2.0","method":%q,"params":%s}`, method, params))
}

// Start sends a request and returns its id.
func (w *Wire) Start(method, params string) (id string) {
	w.mu.Lock()
	w.next++
	id = fmt.Sprint(w.next)
	w.mu.Unlock()
	w.Send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`, id, method, params))
	return id
}

// Call sends a request and waits for its answer.
func (w *Wire) Call(method, params string) Frame {
	w.t.Helper()
	return w.Answered(w.Start(method, params))
}

// Answered waits for the answer to a request.
func (w *Wire) Answered(id string) Frame {
	w.t.Helper()
	return w.Await("the answer to "+id, func(f Frame) bool { return f.ID == id && f.Method == "" })
}

// Result is Call for a request that must succeed.
func (w *Wire) Result(method, params string) string {
	w.t.Helper()
	f := w.Call(method, params)
	if f.Error != "" {
		w.t.Fatalf("%s %s: %s", method, params, f.Error)
	}
	return f.Result
}

// Await waits for a message and returns the first for which will is true.
func (w *Wire) Await(what string, will func(Frame) bool) Frame {
	w.t.Helper()
	return w.AwaitAfter(0, what, will)
}

// AwaitAfter is Await that passes over the first n messages.
func (w *Wire) AwaitAfter(n int, what string, will func(Frame) bool) Frame {
	w.t.Helper()
	limit := time.NewTimer(w.Patience)
	defer limit.Stop()
	for {
		w.mu.Lock()
		got, changed := w.got, w.changed
		w.mu.Unlock()
		for _, f := range got[min(n, len(got)):] {
			if will(f) {
				return f
			}
		}
		n = len(got)
		select {
		case <-changed:
		case <-w.done:
			w.mu.Lock()
			over := len(w.got) == n
			w.mu.Unlock()
			if over {
				w.t.Fatalf("the server ended before %s", what)
			}
		case <-limit.C:
			w.t.Fatalf("there is no %s", what)
		}
	}
}

// Got returns the messages received so far.
func (w *Wire) Got() []Frame {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.got)
}

// Forget drops the messages received so far.
func (w *Wire) Forget() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.got = nil
}

// Ended waits for the server's end.
func (w *Wire) Ended() {
	w.t.Helper()
	select {
	case <-w.done:
	case <-time.After(w.Patience):
		w.t.Fatal("the server does not end")
	}
}

// JSON writes v for the params of a message.
func JSON(t testing.TB, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
