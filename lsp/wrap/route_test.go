package wrap

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"go.lsp.dev/jsonrpc2"

	"manicule/indexer/must"
	"manicule/lsp/lsptest"
	"manicule/lsp/rpc"
)

// TestSameIDs: both servers send requests to the client under the same ids.
func TestSameIDs(t *testing.T) {
	own := newOurs()
	s := start(t, own, everything)
	answers := map[string]string{}
	s.Answer = func(string, string) string { return "-" } // by hand, below
	s.begin()
	own.awaitMethod(t, "initialized")
	own.say(`{"jsonrpc":"2.0","id":1,"method":"from/ours","params":{}}`)
	ourID := s.Await("our request", func(f lsptest.Frame) bool { return f.Method == "from/ours" }).ID
	// The wrapped server happens to use our id, and its own 1 as well.
	s.childSays(`{"jsonrpc":"2.0","id":` + ourID + `,"method":"from/theirs","params":{"a":1}}`)
	s.childSays(`{"jsonrpc":"2.0","id":1,"method":"from/theirs/too"}`)
	theirID := s.Await("their request", func(f lsptest.Frame) bool { return f.Method == "from/theirs" }).ID
	if theirID == ourID {
		t.Fatalf("two open requests have the id %s", ourID)
	}
	if f := s.Await("their other request", func(f lsptest.Frame) bool { return f.Method == "from/theirs/too" }); f.ID != "1" {
		t.Errorf("an id that clashes with none became %s", f.ID)
	}
	s.Send(`{"jsonrpc":"2.0","id":` + ourID + `,"result":"for ours"}`)
	s.Send(`{"jsonrpc":"2.0","id":` + theirID + `,"error":{"code":-1,"message":"for theirs"}}`)
	s.Send(`{"jsonrpc":"2.0","id":1,"result":"for theirs too"}`)
	own.await(t, "its answer", func(f lsptest.Frame) bool { return f.ID == "1" && f.Result == `"for ours"` })
	for _, body := range s.childGot() {
		f := lsptest.ReadFrame([]byte(body))
		answers[f.ID] = f.Result + f.Error
	}
	if answers[ourID] != `{"code":-1,"message":"for theirs"}` || answers["1"] != `"for theirs too"` {
		t.Errorf("the wrapped server got %v", answers)
	}
	// The other way round: the id is theirs first.
	s.childSays(`{"jsonrpc":"2.0","id":"manicule:3","method":"taken"}`)
	s.Await("their request", func(f lsptest.Frame) bool { return f.Method == "taken" && f.ID == `"manicule:3"` })
	own.say(`{"jsonrpc":"2.0","id":2,"method":"from/ours/again"}`)
	if f := s.Await("our request", func(f lsptest.Frame) bool { return f.Method == "from/ours/again" }); f.ID == `"manicule:3"` {
		t.Errorf("two open requests have the id %s", f.ID)
	}
}

func TestCancel(t *testing.T) {
	own := newOurs()
	own.set("textDocument/hover", "-")
	own.set("workspace/executeCommand", "-")
	s := start(t, own, everything)
	s.Answer = func(string, string) string { return "-" }
	s.begin()
	s.childAnswers("textDocument/hover", `"-"`)
	both := s.Start("textDocument/hover", place)
	alone := s.Start("workspace/executeCommand", `{"command":"manicule.show"}`)
	theirs := s.Start("textDocument/definition", place)
	for _, id := range []string{both, alone, theirs, `"unknown"`, "null", "{"} {
		s.Notify("$/cancelRequest", `{"id":`+id+`}`)
	}
	for _, method := range []string{"textDocument/hover", "workspace/executeCommand"} {
		asked := own.awaitMethod(t, method)
		own.await(t, "the cancellation of "+method, func(f lsptest.Frame) bool {
			return f.Method == "$/cancelRequest" && f.Params == `{"id":`+asked.ID+`}`
		})
	}
	var got []string
	for _, body := range s.childGot() {
		if f := lsptest.ReadFrame([]byte(body)); f.Method == "$/cancelRequest" {
			got = append(got, f.Params)
		}
	}
	want := fmt.Sprintf(`[{"id":%s} {"id":%s} {"id":"unknown"} {"id":null}]`, both, theirs)
	if fmt.Sprint(got) != want {
		t.Errorf("the wrapped server got %v, want %s", got, want)
	}
	// Our server gives a request of its own up.
	own.say(`{"jsonrpc":"2.0","id":9,"method":"from/ours"}`)
	id := s.Await("our request", func(f lsptest.Frame) bool { return f.Method == "from/ours" }).ID
	own.say(`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":9}}`)
	s.Await("its cancellation", func(f lsptest.Frame) bool {
		return f.Method == "$/cancelRequest" && f.Params == `{"id":`+id+`}`
	})
}

func TestOrder(t *testing.T) {
	own := newOurs()
	s := start(t, own, everything)
	s.begin()
	const n = 3000
	for i := range n {
		if i%3 == 0 {
			s.Start("textDocument/hover", fmt.Sprintf(`{"n":%d}`, i))
		} else {
			s.Notify("textDocument/didChange", fmt.Sprintf(`{"n":%d}`, i))
		}
	}
	want := 0
	for _, body := range s.childGot() {
		f := lsptest.ReadFrame([]byte(body))
		if strings.HasPrefix(f.Params, `{"n":`) {
			if f.Params != fmt.Sprintf(`{"n":%d}`, want) {
				t.Fatalf("the wrapped server got %s in place of %d", f.Params, want)
			}
			want++
		}
	}
	if want != n {
		t.Fatalf("%d messages arrived", want)
	}
	own.await(t, "the last", func(f lsptest.Frame) bool { return f.Params == fmt.Sprintf(`{"n":%d}`, n-1) })
	want = 0
	own.mu.Lock()
	defer own.mu.Unlock()
	for _, f := range own.got {
		if strings.HasPrefix(f.Params, `{"n":`) {
			if f.Params != fmt.Sprintf(`{"n":%d}`, want) {
				t.Fatalf("our server got %s in place of %d", f.Params, want)
			}
			want++
		}
	}
}

func TestGiantMessage(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	own := newOurs()
	s := start(t, own, everything)
	s.begin()
	params := `{"textDocument":{"uri":"file:///a.go","languageId":"go","version":1,"text":"` + strings.Repeat(`a\n\u00e9\"{[`, 30<<20/12) + `"}}`
	s.Notify("textDocument/didOpen", params)
	want := sha256.Sum256([]byte(params))
	for _, body := range s.childGot() {
		f := lsptest.ReadFrame([]byte(body))
		if f.Method == "textDocument/didOpen" && sha256.Sum256([]byte(f.Params)) != want {
			t.Error("the wrapped server got something else")
		}
	}
	if f := own.awaitMethod(t, "textDocument/didOpen"); sha256.Sum256([]byte(f.Params)) != want {
		t.Error("our server got something else")
	}
}

// TestOneServerOffers: a request that only one server offers goes to that one.
func TestOneServerOffers(t *testing.T) {
	own := newOurs()
	own.capabilities = `{"positionEncoding":"utf-16","textDocumentSync":{"openClose":true,"change":2,"save":true},"hoverProvider":true,"documentSymbolProvider":true,"workspaceSymbolProvider":true,"workspace":{"workspaceFolders":{"supported":true,"changeNotifications":true},"fileOperations":{"willRename":{"filters":[]},"didRename":{"filters":[]}}}}`
	s := start(t, own, `{"hoverProvider":true}`)
	caps := s.begin()
	for _, want := range []string{"documentSymbolProvider", "workspaceSymbolProvider", "textDocumentSync", "workspace"} {
		if caps[want] == nil {
			t.Errorf("no %s in %v", want, caps)
		}
	}
	own.set("workspace/symbol", `["ours"]`)
	if got := s.Result("workspace/symbol", `{"query":"x"}`); got != `["ours"]` {
		t.Errorf("symbols: %s", got)
	}
	s.Result("workspace/willRenameFiles", `{"files":[]}`)
	s.Result("textDocument/hover", place)
	for _, method := range []string{
		"textDocument/didOpen", "textDocument/didChange", "textDocument/didSave", "textDocument/didClose",
		"workspace/didRenameFiles", "workspace/didChangeWorkspaceFolders",
	} {
		s.Notify(method, `{"textDocument":{"uri":"file:///a"}}`)
		own.awaitMethod(t, method)
	}
	s.Notify("workspace/didChangeWatchedFiles", `{"changes":[{"uri":"file:///w/.manicule/memories/x.json","type":2}]}`)
	s.Notify("workspace/didChangeConfiguration", `{"settings":{"manicule":{"hover":false}}}`)
	own.awaitMethod(t, "workspace/didChangeConfiguration")
	var got []string
	for _, body := range s.childGot() {
		got = append(got, lsptest.ReadFrame([]byte(body)).Method)
	}
	if fmt.Sprint(got) != "[initialize initialized textDocument/hover]" {
		t.Errorf("the wrapped server got %v", got)
	}
	// What it offers at run time is asked of it from then on.
	s.childSays(`{"jsonrpc":"2.0","id":1,"method":"client/registerCapability","params":{"registrations":[{"id":"s","method":"workspace/symbol"}]}}`)
	s.Await("the registration", func(f lsptest.Frame) bool { return f.Method == "client/registerCapability" })
	s.childAnswers("workspace/symbol", `["theirs"]`)
	if got := s.Result("workspace/symbol", `{"query":"x"}`); got != `["theirs","ours"]` {
		t.Errorf("symbols: %s", got)
	}
	s.Notify("workspace/didChangeWatchedFiles", `{"changes":[{"uri":"file:///w/.manicule/x.json","type":2},{"uri":"file:///w/a.go","type":2}]}`)
	s.Notify("workspace/didChangeConfiguration", `{"settings":{"manicule":{},"fake":{}}}`)
	if got := len(s.childGot()); got != len("123")+4 { // and the answer to the registration, and the symbols
		t.Errorf("the wrapped server got %d messages: %q", got, s.childGot())
	}
}

// TestOfferedByMistake: a server that offers a method it does not know does not hide
// our answer.
func TestOfferedByMistake(t *testing.T) {
	const hover = `{"contents":{"kind":"plaintext","value":"ours"}}`
	own := newOurs()
	own.set("textDocument/hover", "-") // when the test says
	s := start(t, own, everything)
	s.begin()
	s.childAnswers("textDocument/hover", `"-"`)
	for _, tt := range []struct {
		code, want string
		waits      bool // for ours
	}{
		{"-32601", hover, true}, // method not found
		{"-32800", `{"code":-32800,"message":"m"}`, false},
	} {
		id := s.Start("textDocument/hover", place)
		s.childGot() // it has been asked
		asked := own.awaitMethod(t, "textDocument/hover")
		s.childSays(`{"jsonrpc":"2.0","id":` + id + `,"error":{"code":` + tt.code + `,"message":"m"}}`)
		if tt.waits {
			s.childSays(`{"jsonrpc":"2.0","method":"window/logMessage","params":{"type":3,"message":"after"}}`)
			s.Await("what the wrapped server said after its error", func(f lsptest.Frame) bool { return f.Method == "window/logMessage" })
			own.say(`{"jsonrpc":"2.0","id":` + asked.ID + `,"result":` + hover + `}`)
		}
		if f := s.Answered(id); f.Result+f.Error != tt.want {
			t.Errorf("%s: %s", tt.code, f.Body)
		}
	}
}

// TestProgress: a token of the client is for the wrapped server, not for ours.
func TestProgress(t *testing.T) {
	own := newOurs()
	s := start(t, own, everything)
	s.begin()
	s.Result("textDocument/hover", `{"position":1,"workDoneToken":"w","partialResultToken":5}`)
	if f := own.awaitMethod(t, "textDocument/hover"); f.Params != `{"position":1}` {
		t.Errorf("our server was asked %s", f.Params)
	}
	own.say(`{"jsonrpc":"2.0","id":1,"method":"window/workDoneProgress/create","params":{"token":"manicule-opening"}}`)
	s.Await("our progress", func(f lsptest.Frame) bool { return f.Method == "window/workDoneProgress/create" })
	own.say(`{"jsonrpc":"2.0","method":"$/progress","params":{"token":"manicule-opening","value":{"kind":"begin"}}}`)
	s.Await("our progress", func(f lsptest.Frame) bool { return f.Method == "$/progress" })
	own.await(t, "the answer", func(f lsptest.Frame) bool { return f.ID == "1" && f.Method == "" && f.Result == "null" })
	s.Notify("window/workDoneProgress/cancel", `{"token":"manicule-opening"}`)
	s.Notify("window/workDoneProgress/cancel", `{"token":"w"}`)
	var got []string
	for _, body := range s.childGot() {
		if f := lsptest.ReadFrame([]byte(body)); strings.Contains(f.Method, "rogress") || f.Method == "textDocument/hover" {
			got = append(got, f.Params)
		}
	}
	if fmt.Sprint(got) != `[{"position":1,"workDoneToken":"w","partialResultToken":5} {"token":"w"}]` {
		t.Errorf("the wrapped server got %v", got)
	}
}

// stuckWriter is a client that does not read until it is released.
type stuckWriter struct{ free chan struct{} }

func (w stuckWriter) Write(p []byte) (int, error) {
	<-w.free
	return len(p), nil
}

// TestCancelFromOwnUnlocked: a client that does not read blocks only the forwarding of
// a cancellation.
func TestCancelFromOwnUnlocked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := stuckWriter{make(chan struct{})}
		p := &proxy{opts: Options{}.withDefaults(), client: rpc.NewWriter(client), routes: map[string]route{"manicule:1": {true, []byte("7")}}}
		for _, size := range []int{1, 65 << 20} { // the first is being written, the second is more than may wait
			if _, err := p.client.Add(func(b []byte) []byte { return append(b, make([]byte, size)...) }); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
		}
		v, err := jsonrpc2.ScanMessageView([]byte(`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":7}}`))
		must.OK(t, err)
		told := make(chan struct{})
		go func() {
			defer close(told)
			p.cancelFromOwn(&v)
		}()
		synctest.Wait()
		select {
		case <-told:
			t.Error("it did not wait for the client")
		default:
		}
		if p.mu.TryLock() {
			p.mu.Unlock()
		} else {
			t.Error("the lock is held while the client does not read")
		}
		close(client.free)
		<-told
		p.client.Close()
	})
}
