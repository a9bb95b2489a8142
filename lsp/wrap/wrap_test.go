package wrap

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"manicule/indexer/must"
	"manicule/lsp/lsptest"
	"manicule/lsp/rpc"
)

// envFake makes the test binary a language server.
const envFake = "MANICULE_TEST_FAKE"

func TestMain(m *testing.M) {
	if os.Getenv(envFake) != "" {
		os.Exit(lsptest.FakeServer(os.Stdin, os.Stdout))
	}
	os.Exit(m.Run())
}

// ours is our server, as tests want it.
type ours struct {
	capabilities string
	answers      map[string]string // by method; "-" is none
	fail         error             // what it ends with when asked for test/fail
	deafTo       string            // reads nothing after this method, "-" for nothing at all

	mu      sync.Mutex
	changed chan struct{}   // guarded by mu
	got     []lsptest.Frame // guarded by mu
	out     *rpc.Writer     // guarded by mu
}

func newOurs() *ours {
	return &ours{
		capabilities: `{"positionEncoding":"utf-16","hoverProvider":true,"codeLensProvider":{"resolveProvider":true},"codeActionProvider":{"codeActionKinds":["quickfix.manicule"]},"executeCommandProvider":{"commands":["manicule.show"]}}`,
		answers:      map[string]string{}, changed: make(chan struct{}),
	}
}

func (o *ours) serve(ctx context.Context, conn io.ReadWriteCloser) error {
	if o.deafTo == "-" {
		<-ctx.Done()
		return nil
	}
	out := rpc.NewWriter(conn)
	defer out.Close()
	in := rpc.NewReader(conn)
	for {
		body, err := in.Next()
		if err != nil {
			return nil
		}
		f := lsptest.ReadFrame(body)
		o.mu.Lock()
		o.out = out
		o.got = append(o.got, f)
		close(o.changed)
		o.changed = make(chan struct{})
		answer, set := o.answers[f.Method]
		o.mu.Unlock()
		if f.Method == "manicule/end" {
			return o.fail
		}
		if f.Method == o.deafTo {
			<-ctx.Done()
			return nil
		}
		switch {
		case f.Method == "initialize" && !set:
			answer = `{"capabilities":` + o.capabilities + `}`
		case !set:
			answer = "null"
		}
		if f.ID != "" && f.Method != "" && answer != "-" {
			o.say(`{"jsonrpc":"2.0","id":` + f.ID + `,"result":` + answer + `}`)
		}
	}
}

func (o *ours) say(body string) {
	o.mu.Lock()
	out := o.out
	o.mu.Unlock()
	_, _ = out.Add(func(b []byte) []byte { return append(b, body...) }) // a session that has ended needs none
}

func (o *ours) set(method, answer string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.answers[method] = answer
}

// await waits until our server has got a message.
func (o *ours) await(t *testing.T, what string, will func(lsptest.Frame) bool) lsptest.Frame {
	t.Helper()
	limit := time.After(time.Minute)
	for {
		o.mu.Lock()
		got, changed := o.got, o.changed
		o.mu.Unlock()
		for _, f := range got {
			if will(f) {
				return f
			}
		}
		select {
		case <-changed:
		case <-limit:
			t.Fatalf("our server did not get %s", what)
		}
	}
}

func (o *ours) awaitMethod(t *testing.T, method string) lsptest.Frame {
	t.Helper()
	return o.await(t, method, func(f lsptest.Frame) bool { return f.Method == method })
}

// session is a client, the proxy, a fake server behind it and ours.
type session struct {
	*lsptest.Wire
	t    *testing.T
	own  *ours
	done chan error
	log  *lockedBuilder
}

// lockedBuilder is a log that is read while it is written.
type lockedBuilder struct {
	mu sync.Mutex
	b  strings.Builder
}

func (l *lockedBuilder) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(b)
}

func (l *lockedBuilder) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// start runs the proxy around a fake server with capabilities.
func start(t *testing.T, own *ours, capabilities string, change ...func(*Options)) *session {
	t.Helper()
	t.Setenv(envFake, "1")
	t.Setenv("GORACE", "atexit_sleep_ms=0 "+os.Getenv("GORACE")) // else each child rests for a second before it ends
	result := capabilities
	if capabilities != "-" {
		result = `{"capabilities":` + capabilities + `,"serverInfo":{"name":"fake"}}`
	}
	t.Setenv(lsptest.EnvInitialize, result)
	self, err := os.Executable()
	must.OK(t, err)
	s := &session{t: t, own: own, done: make(chan error, 1), log: new(lockedBuilder)}
	opts := Options{
		Command: []string{self}, Own: own.serve, Stderr: s.log, Grace: 10 * time.Second, Budget: 5 * time.Second,
		Log: slog.New(slog.NewTextHandler(s.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	}
	for _, f := range change {
		f(&opts)
	}
	server, client := net.Pipe()
	go func() { s.done <- Serve(context.Background(), server, opts) }()
	s.Wire = lsptest.NewWire(t, client)
	t.Cleanup(func() {
		s.Close()
		select {
		case err := <-s.done:
			t.Logf("Serve returned %v", err) // for the test to judge
		case <-time.After(time.Minute):
			t.Error("Serve does not return")
		}
	})
	return s
}

// begin does the handshake and returns the capabilities.
func (s *session) begin() map[string]any {
	s.t.Helper()
	raw := s.Result("initialize", `{"processId":null,"rootUri":null,"capabilities":{"general":{"positionEncodings":["utf-8","utf-16"]},"textDocument":{"publishDiagnostics":{"versionSupport":true},"diagnostic":{}}},"initializationOptions":{"theirs":1,"manicule":{"hover":true}}}`)
	s.Notify("initialized", "{}")
	var res struct{ Capabilities map[string]any }
	if err := json.Unmarshal([]byte(raw), &res); err != nil {
		s.t.Fatal(err)
	}
	return res.Capabilities
}

// childSays has the fake server send a message.
func (s *session) childSays(body string) { s.Notify("fake/say", body) }

func (s *session) childAnswers(method, result string) {
	s.Notify("fake/answer", fmt.Sprintf(`{"method":%q,"result":%s}`, method, result))
}

// childGot returns what the fake server has got.
func (s *session) childGot() []string {
	s.t.Helper()
	var got []string
	if err := json.Unmarshal([]byte(s.Result("fake/got", "null")), &got); err != nil {
		s.t.Fatal(err)
	}
	return got
}

// ended waits for the end of Serve.
func (s *session) ended() error {
	s.t.Helper()
	select {
	case err := <-s.done:
		s.done <- err
		return err
	case <-time.After(time.Minute):
		s.t.Fatal("Serve does not return")
		return nil
	}
}

const everything = `{"positionEncoding":"utf-16","textDocumentSync":2,"hoverProvider":true,"codeLensProvider":{},"codeActionProvider":{"codeActionKinds":["quickfix"],"resolveProvider":true},"executeCommandProvider":{"commands":["fake.run"]},"documentLinkProvider":{},"definitionProvider":true}`

const place = `{"textDocument":{"uri":"file:///a.go"},"position":{"line":1,"character":2}}`

func TestBytesPassUntouched(t *testing.T) {
	s := start(t, newOurs(), everything)
	s.begin()
	odd := []string{
		` { "method" : "x\/y", "jsonrpc":"2.0" ,"params":{"a":1,"a":2,"é":"\u00e9\ud800"} } `,
		`{"id":"s1","jsonrpc":"2.0","method":"textDocument/definition","params":null,"extra":[1.0,1e3]}`,
		`[{"jsonrpc":"2.0","id":77,"method":"a"},{"jsonrpc":"2.0","method":"b"}]`,
		`{"jsonrpc":"2.0","id":1.5,"method":"x"}`,
		`{"jsonrpc":"2.0","id":5,"result":{"of":"nobody"}}`,
		`not JSON at all`, `{"jsonrpc":"2.0","method":"y","params":{`, `{}`, `null`, "{\"jsonrpc\":\"2.0\",\"method\":\"\xff\"}",
	}
	for _, body := range odd {
		s.Send(body)
	}
	got := s.childGot()
	for _, want := range odd {
		if strings.Contains(want, "\xff") {
			want = strings.ReplaceAll(want, "\xff", "\ufffd") // what the fake server's own report makes of it
		}
		found := false
		for _, g := range got {
			found = found || g == want
		}
		if !found {
			t.Errorf("the server did not get %q", want)
		}
	}
	for _, body := range []string{
		`{"params" : {"x": [ 1 , 2 ]}, "method":"window/logMessage","jsonrpc":"2.0"}`,
		`{"jsonrpc":"2.0","id":3,"method":"workspace/configuration","params":{"items":[]}}`,
		`[{"jsonrpc":"2.0","id":900,"result":1},{"jsonrpc":"2.0","id":901,"result":2}]`,
		`{"jsonrpc":"2.0","id":999,"error":{"code":-32601,"message":"\u006eo"}}`,
		`{"jsonrpc":"2.0","method":"textDocument/publishDiagnostics","params":{ "diagnostics":[ ],"uri":"file:///a.go" }}`,
	} {
		s.childSays(body)
		s.Await(body, func(f lsptest.Frame) bool { return f.Body == body })
	}
}

func TestHoverOfBoth(t *testing.T) {
	own := newOurs()
	s := start(t, own, everything)
	s.begin()
	s.childAnswers("textDocument/hover", ` {"contents" : "theirs"} `)
	if got := s.Call("textDocument/hover", place); !strings.HasSuffix(got.Body, `"result":{"contents" : "theirs"}}`) {
		t.Errorf("we had nothing to say, and the answer is %s", got.Body)
	}
	own.set("textDocument/hover", `{"contents":{"kind":"markdown","value":"ours"}}`)
	if got := s.Result("textDocument/hover", place); got != `{"contents":["theirs","ours"]}` {
		t.Errorf("the answer is %s", got)
	}
	s.childAnswers("textDocument/hover", `null`)
	if got := s.Result("textDocument/hover", place); got != `{"contents":{"kind":"markdown","value":"ours"}}` {
		t.Errorf("the answer is %s", got)
	}
}

// TestOwners: each item and command goes back to the server that it came from.
func TestOwners(t *testing.T) {
	own := newOurs()
	s := start(t, own, everything)
	caps := s.begin()
	if lens := caps["codeLensProvider"].(map[string]any); lens["resolveProvider"] != true {
		t.Errorf("code lens: %v", lens)
	}
	s.childAnswers("textDocument/codeLens", `[{"range":1,"command":{"title":"run","command":"fake.run"}}]`)
	own.set("textDocument/codeLens", `[{"range":2,"data":{"uuids":["u"]}},{"range":3}]`)
	lenses := s.Result("textDocument/codeLens", place)
	want := `[{"range":1,"command":{"title":"run","command":"fake.run"}},{"range":2,"data":{"$manicule":{"uuids":["u"]}}},{"range":3,"data":{"$manicule":null}}]`
	if lenses != want {
		t.Fatalf("lenses: %s", lenses)
	}
	own.set("codeLens/resolve", `{"range":2,"data":{"uuids":["u"]},"command":{"title":"ours"}}`)
	if got := s.Result("codeLens/resolve", `{"range":2,"data":{"$manicule":{"uuids":["u"]}}}`); got != `{"range":2,"data":{"$manicule":{"uuids":["u"]}},"command":{"title":"ours"}}` {
		t.Errorf("resolved: %s", got)
	}
	if f := own.awaitMethod(t, "codeLens/resolve"); f.Params != `{"range":2,"data":{"uuids":["u"]}}` {
		t.Errorf("our server was asked for %s", f.Params)
	}
	// The fake server has no second step for lenses, but one for code actions.
	if got := s.Result("codeLens/resolve", `{"range":1}`); got != `{"range":1}` {
		t.Errorf("resolved: %s", got)
	}
	s.childAnswers("codeAction/resolve", `{"title":"theirs","edit":{}}`)
	if got := s.Result("codeAction/resolve", `{"title":"theirs","data":1}`); got != `{"title":"theirs","edit":{}}` {
		t.Errorf("resolved: %s", got)
	}
	for _, action := range []string{`{"title":"x","data":{"$manicule":null}}`, `{"title":"x","command":{"command":"manicule.show"}}`} {
		if got := s.Result("codeAction/resolve", action); got != action { // ours has no second step
			t.Errorf("resolved: %s", got)
		}
	}
	s.childAnswers("workspace/executeCommand", `"theirs"`)
	own.set("workspace/executeCommand", `"ours"`)
	if a, b := s.Result("workspace/executeCommand", `{"command":"fake.run"}`), s.Result("workspace/executeCommand", `{"command":"manicule.show"}`); a != `"theirs"` || b != `"ours"` {
		t.Errorf("commands answered %s and %s", a, b)
	}
	for _, body := range s.childGot() {
		if strings.Contains(body, "manicule.show") || strings.Contains(body, "$manicule") {
			t.Errorf("the wrapped server got %s", body)
		}
	}
}

func TestInitialize(t *testing.T) {
	own := newOurs()
	s := start(t, own, everything)
	caps := s.begin()
	if got := lsptest.JSON(t, caps["executeCommandProvider"]); got != `{"commands":["fake.run","manicule.show"]}` {
		t.Errorf("commands: %s", got)
	}
	if got := s.childGot()[0]; !strings.Contains(got, `"initializationOptions":{"theirs":1}`) {
		t.Errorf("the wrapped server was initialized with %s", got)
	}
	f := own.awaitMethod(t, "initialize")
	for _, want := range []string{`"positionEncodings":["utf-16"]`, `"initializationOptions":{"hover":true}`} {
		if !strings.Contains(f.Params, want) {
			t.Errorf("our server was initialized without %s: %s", want, f.Params)
		}
	}
	if strings.Contains(f.Params, `"diagnostic"`) { // the wrapped server pushes, so do we
		t.Errorf("our server was initialized with %s", f.Params)
	}
}

// TestEncoding: our server stays out if it does not support the wrapped server's
// position encoding.
func TestEncoding(t *testing.T) {
	own := newOurs()
	s := start(t, own, strings.Replace(everything, "utf-16", "utf-7", 1))
	caps := s.begin()
	if caps["codeLensProvider"].(map[string]any)["resolveProvider"] != nil || caps["positionEncoding"] != "utf-7" {
		t.Errorf("capabilities: %v", caps)
	}
	s.childAnswers("textDocument/hover", `{"contents":"theirs"}`)
	if got := s.Result("textDocument/hover", place); got != `{"contents":"theirs"}` {
		t.Errorf("hover: %s", got)
	}
}

func TestSlowOwn(t *testing.T) {
	own := newOurs()
	own.set("textDocument/hover", "-")
	s := start(t, own, everything, func(o *Options) { o.Budget = 20 * time.Millisecond })
	s.begin()
	s.childAnswers("textDocument/hover", `{"contents":"theirs"}`)
	if got := s.Result("textDocument/hover", place); got != `{"contents":"theirs"}` {
		t.Errorf("hover: %s", got)
	}
	own.awaitMethod(t, "$/cancelRequest")
}

// TestOwnServerStopsReading: a server of ours that stops reading is dropped before it
// blocks anything or its queue fills the memory.
func TestOwnServerStopsReading(t *testing.T) {
	for _, to := range []string{"-", "initialized"} {
		if testing.Short() && to != "-" {
			continue
		}
		t.Run("after "+to, func(t *testing.T) {
			own := newOurs()
			own.deafTo = to
			s := start(t, own, everything, func(o *Options) { o.Budget = time.Millisecond })
			s.begin()
			text := strings.Repeat("x", 18<<20)
			for i := range 5 { // more than is kept for it
				if to == "-" && i > 0 {
					break // it was given up at the start
				}
				s.Notify("textDocument/didOpen", `{"textDocument":{"uri":"file:///a.go","languageId":"go","version":1,"text":"`+text+`"}}`)
			}
			s.childAnswers("textDocument/hover", `{"contents":"theirs"}`)
			if got := s.Result("textDocument/hover", place); got != `{"contents":"theirs"}` {
				t.Errorf("hover: %s", got)
			}
			if got := s.log.String(); !strings.Contains(got, "only the wrapped server answers") {
				t.Errorf("nothing was said of it:\n%s", got)
			}
		})
	}
}

func TestOwnEnds(t *testing.T) {
	own := newOurs()
	own.fail = errors.New("broken")
	own.set("textDocument/hover", "-")
	s := start(t, own, everything)
	s.begin()
	s.childAnswers("textDocument/hover", `{"contents":"theirs"}`)
	waiting := s.Start("textDocument/hover", place)
	own.awaitMethod(t, "textDocument/hover")
	s.Notify("manicule/end", "null")
	if got := s.Answered(waiting); got.Result != `{"contents":"theirs"}` {
		t.Errorf("hover: %s", got.Body)
	}
	if got := s.Call("workspace/executeCommand", `{"command":"manicule.show"}`); !strings.Contains(got.Error, "own server") {
		t.Errorf("our command answered %s", got.Body)
	}
	if got := s.Result("textDocument/hover", place); got != `{"contents":"theirs"}` {
		t.Errorf("hover: %s", got)
	}
	s.Result("shutdown", "null")
	s.Send(`{"jsonrpc":"2.0","method":"exit"}`)
	if err := s.ended(); err != nil {
		t.Error(err)
	}
}

// TestEditorGone: our server ends by itself when the editor's process is gone.
func TestEditorGone(t *testing.T) {
	s := start(t, newOurs(), everything)
	s.begin()
	s.Notify("manicule/end", "null")
	if err := s.ended(); err != nil {
		t.Error(err)
	}
}

func TestShutdown(t *testing.T) {
	own := newOurs()
	s := start(t, own, everything)
	s.begin()
	s.Result("shutdown", "null")
	s.Send(`{"jsonrpc":"2.0","method":"exit"}`)
	if err := s.ended(); err != nil {
		t.Error(err)
	}
	var order []string
	for _, f := range own.got {
		order = append(order, f.Method)
	}
	if got := strings.Join(order, " "); got != "initialize initialized shutdown exit" {
		t.Errorf("our server got %s", got)
	}
}

func TestExitWithoutShutdown(t *testing.T) {
	s := start(t, newOurs(), everything)
	s.begin()
	s.Send(`{"jsonrpc":"2.0","method":"exit"}`)
	var ended *ExitError
	if err := s.ended(); !errors.As(err, &ended) || ended.Code != 1 || !ended.Asked {
		t.Errorf("Serve returned %v", err)
	}
}

func TestChildDies(t *testing.T) {
	own := newOurs()
	own.set("textDocument/hover", "-")
	s := start(t, own, everything)
	s.begin()
	s.childAnswers("textDocument/hover", `{"contents":"last words"}`)
	waiting := s.Start("textDocument/hover", place)
	s.Notify("fake/die", `{"code":7}`)
	if got := s.Answered(waiting); got.Result != `{"contents":"last words"}` {
		t.Errorf("hover: %s", got.Body)
	}
	var ended *ExitError
	if err := s.ended(); !errors.As(err, &ended) || ended.Code != 7 || ended.Asked || !strings.Contains(err.Error(), "exit code 7") {
		t.Errorf("Serve returned %v", err)
	}
	s.Ended()
}

// TestNeverInitialized: the client gives up on a server that does not answer
// initialize.
func TestNeverInitialized(t *testing.T) {
	s := start(t, newOurs(), "-")
	s.Start("initialize", `{"capabilities":{}}`)
	s.Notify("textDocument/didOpen", `{"textDocument":{"uri":"file:///a.go","version":1,"text":""}}`)
	if got := s.childGot(); len(got) != 2 {
		t.Errorf("the server got %q", got)
	}
	s.Close()
	if err := s.ended(); err != nil {
		t.Error(err)
	}
}

func TestNotFound(t *testing.T) {
	for _, command := range [][]string{{"/nowhere/gopls"}, {"no-such-language-server"}, {""}, nil} {
		err := Serve(context.Background(), nopConn{}, Options{Command: command, Own: newOurs().serve})
		if !errors.Is(err, ErrNotStarted) {
			t.Errorf("%q: %v", command, err)
		}
	}
}

type nopConn struct{ io.ReadWriter }

func (nopConn) Close() error { return nil }
