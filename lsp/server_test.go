package lsp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"manicule/lsp"
	"manicule/lsp/convert"
	"manicule/lsp/lsptest"
	"manicule/memory/config"
)

const (
	uuid1 = "0198f0c2-7a41-7c3e-9d7a-000000000001"
	uuid2 = "0198f0c2-7a41-7c3e-9d7a-000000000002"
	where = ".manicule/memories/area_context/"
)

// gotcha is a memory file tied to a symbol of a.go.
func gotcha(uuid, what, symbol string) string {
	return fmt.Sprintf(`{"uuid": %q, "type": "gotcha", "what": %q, "anchors": [{"kind": "symbol", "path": "a.go", "symbol": %q}], "created_at": "2026-05-04T11:00:00.000Z"}`, uuid, what, symbol)
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
	if err != nil {
		t.Fatal(err)
	}
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
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
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
	opts.Poll = time.Millisecond
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

func TestFolderThatCannotBeOpened(t *testing.T) {
	s := newSandbox(t, small())
	opts := s.options(t)
	opts.Log = slog.New(slog.DiscardHandler)
	opts.Hint = func(error) string { return "Ask the owner." }
	opts.Open = func(ctx context.Context, dir string) (lsp.Memories, error) {
		if strings.HasSuffix(dir, "bad") {
			return nil, errors.New("permission denied")
		}
		return s.open(ctx, dir)
	}
	e := s.edit(t, opts)
	c := lsptest.Full()
	c.Folders = []string{"bad", "."}
	e.Initialize(c)
	st := e.Await(lsptest.When("a message", func(s lsptest.State) bool { return len(s.Messages) > 0 }))
	if got := st.Messages[0].Message; !strings.Contains(got, "permission denied") || !strings.Contains(got, "Ask the owner.") {
		t.Errorf("message: %s", got)
	}
	e.Open("a.go")
	if got := hoverText(t, e, "a.go", 2, 5); !strings.Contains(got, "first") {
		t.Errorf("hover: %s", got)
	}
	if n := len(e.State().Messages); n != 1 {
		t.Errorf("%d messages", n)
	}
}

func TestFolders(t *testing.T) {
	s := newSandbox(t, map[string]string{
		"one/a.go":                            "package a\n\nfunc Validate() {}\n",
		"two/a.go":                            "package a\n\nfunc Validate() {}\n",
		"two/nested/a.go":                     "package a\n\nfunc Validate() {}\n",
		"one/" + where + uuid1 + ".json":      gotcha(uuid1, "of one", "Validate"),
		"two/" + where + uuid1 + ".json":      gotcha(uuid1, "of two", "Validate"),
		"two/nested/" + where + "n" + ".json": gotcha(uuid2, "of nested", "Validate"),
	})
	e := s.edit(t, s.options(t))
	c := lsptest.Full()
	c.Folders = []string{"one", "two"}
	e.Initialize(c)
	for rel, want := range map[string]string{"one/a.go": "of one", "two/a.go": "of two", "two/nested/a.go": "of nested"} {
		e.Open(rel)
		if got := hoverText(t, e, rel, 2, 5); !strings.Contains(got, want) {
			t.Errorf("hover in %s: %s", rel, got)
		}
	}
	e.ChangeFolders(nil, []string{"one"})
	if got := hoverText(t, e, "one/a.go", 2, 5); got != "null" {
		t.Errorf("after its folder is gone: %s", got)
	}
	e.ChangeFolders([]string{"one"}, nil)
	if got := hoverText(t, e, "one/a.go", 2, 5); !strings.Contains(got, "of one") {
		t.Errorf("after its folder is back: %s", got)
	}
}

func TestNoFolders(t *testing.T) {
	s := newSandbox(t, small())
	e := s.edit(t, s.options(t))
	c := lsptest.Full()
	c.NoFolders = true
	e.Initialize(c)
	e.Open("a.go") // its folder has memories, so they are found
	if got := hoverText(t, e, "a.go", 2, 5); !strings.Contains(got, "first") {
		t.Errorf("hover: %s", got)
	}
	e.OpenText("untitled:Untitled-1", "package a")
	raw, err := e.Call(protocol.MethodTextDocumentHover, &protocol.HoverParams{TextDocumentPositionParams: protocol.TextDocumentPositionParams{
		TextDocument: protocol.TextDocumentIdentifier{URI: "untitled:Untitled-1"},
	}})
	if err != nil || string(raw) != "null" {
		t.Errorf("untitled: %s %v", raw, err)
	}
}

func TestSymlinkedFolder(t *testing.T) {
	s := newSandbox(t, small())
	link := s.root + "-link"
	if err := symlink(s.root, link); err != nil {
		t.Skip(err)
	}
	s.root = link
	e := s.edit(t, s.options(t))
	e.Initialize(lsptest.Full())
	e.Open("a.go")
	if got := hoverText(t, e, "a.go", 2, 5); !strings.Contains(got, "first") || !strings.Contains(got, "w-link/.manicule") {
		t.Errorf("hover: %s", got)
	}
}

// TestLensStaysWhileTyping breaks the code above and inside a declaration: its
// lens moves by the edits and never goes away.
func TestLensStaysWhileTyping(t *testing.T) {
	s := newSandbox(t, small())
	e := s.edit(t, s.options(t))
	e.Initialize(lsptest.Full())
	e.Open("a.go")
	for i, step := range []struct {
		text       string
		line, char uint32
		want       string
	}{
		{"\n", 1, 0, "3:0-3:18"},
		{"func (", 1, 0, "3:0-3:18"},         // half a declaration above
		{"\n\tif x := {", 3, 17, "3:0-3:17"}, // half a statement inside
		{"// ", 3, 0, "3:0-3:20"},            // commented out: still the same place
		{"}}}}", 4, 0, "3:0-3:20"},
	} {
		at := protocol.Position{Line: step.line, Character: step.char}
		e.Edit("a.go", protocol.Range{Start: at, End: at}, step.text)
		if got := lensText(t, e, "a.go"); !strings.HasPrefix(got, step.want+" ☞ 1 memory here") {
			t.Errorf("step %d: %q, want %s", i, got, step.want)
		}
	}
}

func TestDeletedDeclarationLosesItsLens(t *testing.T) {
	s := newSandbox(t, small())
	e := s.edit(t, s.options(t))
	e.Initialize(lsptest.Full())
	e.Open("a.go")
	e.Edit("a.go", protocol.Range{Start: protocol.Position{Line: 2}, End: protocol.Position{Line: 3}}, "")
	if got := lensText(t, e, "a.go"); !strings.HasPrefix(got, "0:0-0:9 ☞ 1 memory here") {
		t.Errorf("lenses: %q, want the file's", got)
	}
	e.Replace("a.go", "package a\n\n\n\nfunc Validate() {}\n") // undone, elsewhere
	if got := lensText(t, e, "a.go"); !strings.HasPrefix(got, "4:0-4:18 ☞ 1 memory here") {
		t.Errorf("lenses: %q", got)
	}
}

func TestMemoriesChangeOutside(t *testing.T) {
	for _, watch := range []bool{true, false} {
		t.Run(fmt.Sprintf("client watches %v", watch), func(t *testing.T) {
			s := newSandbox(t, small())
			e := s.edit(t, s.options(t))
			c := lsptest.Full()
			c.Watch = watch
			e.Initialize(c)
			e.Open("a.go")
			u := e.URI("a.go")
			st := e.Await(lsptest.When("the first diagnostic", func(s lsptest.State) bool { return len(s.Diagnostics[u].Diagnostics) == 1 }))
			if watch {
				st = e.Await(lsptest.When("a registration", func(s lsptest.State) bool { return len(s.Registered) == 2 }))
			}
			before := st.Seen[protocol.MethodWorkspaceCodeLensRefresh]
			e.Write(where+uuid2+".json", gotcha(uuid2, "second", "Validate"))
			if watch {
				e.Watched(where+uuid2+".json", protocol.FileChangeTypeCreated)
			}
			e.Await(lsptest.When("both", func(s lsptest.State) bool {
				return len(s.Diagnostics[u].Diagnostics) == 2 && s.Seen[protocol.MethodWorkspaceCodeLensRefresh] > before
			}))
			if got := lensText(t, e, "a.go"); !strings.Contains(got, "☞ 2 memories here") {
				t.Errorf("lens: %s", got)
			}
		})
	}
}

func TestBrokenMemoryFileInEditor(t *testing.T) {
	s := newSandbox(t, small())
	e := s.edit(t, s.options(t))
	e.Initialize(lsptest.Full())
	name := where + uuid1 + ".json"
	e.Open(name)
	u := e.URI(name)
	count := func(n int) lsptest.Condition {
		return lsptest.When(fmt.Sprintf("%d diagnostics", n), func(s lsptest.State) bool {
			p, ok := s.Diagnostics[u]
			return ok && len(p.Diagnostics) == n
		})
	}
	e.Await(count(0))
	e.Replace(name, `{"uuid": `) // not saved: the file on disk is fine
	e.Await(count(1))
	e.Save(name, `{"uuid": `)
	e.Await(count(1))
	good := gotcha(uuid1, "mended", "Validate")
	e.Replace(name, good)
	e.Save(name, good)
	e.Await(count(0))
	e.Open("a.go")
	code := e.URI("a.go")
	e.Await(lsptest.When("the mended memory", func(s lsptest.State) bool {
		d := s.Diagnostics[code].Diagnostics
		return len(d) == 1 && d[0].Message == protocol.String("gotcha: mended")
	}))
}

func TestClosedDocumentHasNoDiagnostics(t *testing.T) {
	s := newSandbox(t, small())
	e := s.edit(t, s.options(t))
	e.Initialize(lsptest.Full())
	e.Open("a.go")
	u := e.URI("a.go")
	e.Await(lsptest.When("a diagnostic", func(s lsptest.State) bool { return len(s.Diagnostics[u].Diagnostics) == 1 }))
	e.CloseDocument("a.go")
	e.Await(lsptest.When("none", func(s lsptest.State) bool { return len(s.Diagnostics[u].Diagnostics) == 0 }))
}

func TestConfiguration(t *testing.T) {
	s := newSandbox(t, small())
	opts := s.options(t)
	opts.Log = slog.New(slog.DiscardHandler)
	opts.Nearest = config.Nearest
	e := s.edit(t, opts)
	var mu sync.Mutex
	answer := `{"hovr": true, "max_items": 0, "editor": {"severity": "warning"}, "server": {"path": "x"}}`
	set := func(s string) { mu.Lock(); answer = s; mu.Unlock() }
	e.Answer = func(method string, _ json.RawMessage) (any, bool) {
		mu.Lock()
		defer mu.Unlock()
		return []protocol.LSPAny{protocol.LSPAny(answer)}, method == protocol.MethodWorkspaceConfiguration
	}
	c := lsptest.Full()
	c.Options = `{"commandLinks": true}`
	e.Initialize(c)
	e.Open("a.go")
	u := e.URI("a.go")
	st := e.Await(lsptest.When("a warning and two log lines", func(s lsptest.State) bool {
		return len(s.Diagnostics[u].Diagnostics) == 1 && len(s.Logs) >= 2 &&
			s.Diagnostics[u].Diagnostics[0].Severity == protocol.DiagnosticSeverityWarning
	}))
	var logs strings.Builder
	for _, l := range st.Logs {
		logs.WriteString(l.Message + "\n")
	}
	for _, want := range []string{"manicule.hovr; did you mean manicule.hover?", "manicule.max_items is ignored"} {
		if !strings.Contains(logs.String(), want) {
			t.Errorf("the log lacks %q:\n%s", want, logs.String())
		}
	}
	if strings.Contains(logs.String(), "server") {
		t.Errorf("a setting of the extension is reported:\n%s", logs.String())
	}
	if got := hoverText(t, e, "a.go", 2, 5); !strings.Contains(got, "command:") {
		t.Errorf("the initialization options are lost: %s", got)
	}
	e.Notify(protocol.MethodWorkspaceDidChangeConfiguration, &protocol.DidChangeConfigurationParams{
		Settings: protocol.LSPAny(`{"manicule": {"hover": {"enabled": false}, "codeLens": false, "codeActions": false, "diagnostics": {"enabled": false}}}`),
	})
	e.Await(lsptest.When("no diagnostics", func(s lsptest.State) bool { return len(s.Diagnostics[u].Diagnostics) == 0 }))
	if got := hoverText(t, e, "a.go", 2, 5); got != "null" {
		t.Errorf("hover: %s", got)
	}
	if got := lensText(t, e, "a.go"); got != "" {
		t.Errorf("lens: %s", got)
	}
	set(`{"diagnostics": {"severity": "error"}}`)
	e.Notify(protocol.MethodWorkspaceDidChangeConfiguration, &protocol.DidChangeConfigurationParams{Settings: protocol.LSPAny("null")})
	e.Await(lsptest.When("an error", func(s lsptest.State) bool {
		d := s.Diagnostics[u].Diagnostics
		return len(d) == 1 && d[0].Severity == protocol.DiagnosticSeverityError
	}))
}

func TestHoverIsCapped(t *testing.T) {
	files := small()
	for i := range 30 {
		uuid := fmt.Sprintf("0198f0c2-7a41-7c3e-9d7a-0000000001%02d", i)
		files[where+uuid+".json"] = gotcha(uuid, fmt.Sprintf("number %d", i), "Validate")
	}
	s := newSandbox(t, files)
	e := s.edit(t, s.options(t))
	e.Initialize(lsptest.Full())
	e.Open("a.go")
	got := hoverText(t, e, "a.go", 2, 5)
	if n := strings.Count(got, "**gotcha**"); n != lsp.DefaultSettings().MaxItems {
		t.Errorf("%d memories shown", n)
	}
	if !strings.Contains(got, "… 23 more") {
		t.Errorf("what is left out is not said: %s", got)
	}
}

func TestWindowsAndOddURIs(t *testing.T) {
	s := newSandbox(t, map[string]string{"[id] é/a b.go": "package a\n\nfunc Validate() {}\n"})
	e := s.edit(t, s.options(t))
	e.Initialize(lsptest.Full())
	e.Write(where+uuid1+".json", strings.ReplaceAll(gotcha(uuid1, "odd", "Validate"), "a.go", "[id] é/a b.go"))
	e.Watched(where+uuid1+".json", protocol.FileChangeTypeCreated)
	e.Open("[id] é/a b.go")
	u := convert.URIFrom(s.root + "/[id] é/a b.go")
	e.Await(lsptest.When("a diagnostic", func(s lsptest.State) bool { return len(s.Diagnostics[u].Diagnostics) == 1 }))
}
