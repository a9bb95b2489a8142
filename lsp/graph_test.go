package lsp_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"manicule/indexer/graph"
	"manicule/lsp"
	"manicule/lsp/lsptest"
)

// callers is a workspace in which one function calls another.
func callers() map[string]string {
	return map[string]string{
		"go.mod":  "module example.com/calls\n",
		"a/a.go":  "package a\n\n// Work works.\nfunc Work() {}\n",
		"b/b.go":  "package b\n\nimport \"example.com/calls/a\"\n\nfunc Use() { a.Work() }\n",
		"c/c.txt": "no code\n",
	}
}

func (s *sandbox) withGraph(t testing.TB) lsp.Options {
	o := s.options(t)
	o.Graph = func(root string) (lsp.Code, error) {
		return graph.Open(graph.Options{Root: root, Dir: filepath.Join(filepath.Dir(root), "cache")}), nil
	}
	return o
}

type graphAnswer struct {
	File    string
	Stale   bool
	Callers []graph.Relation
	Symbols []graph.Ref
	graph.Impact
	Possible []graph.Relation `json:"possible"`
}

func ask(t *testing.T, e *lsptest.Editor, method, rel string, params map[string]any) *graphAnswer {
	t.Helper()
	params["textDocument"] = map[string]any{"uri": e.URI(rel)}
	raw, err := e.Call(method, params)
	if err != nil {
		t.Fatal(err)
	}
	var out *graphAnswer
	if err := json.Unmarshal(raw, &out); err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	return out
}

func callerNames(a *graphAnswer) []string {
	out := []string{}
	for _, c := range a.Callers {
		out = append(out, c.File+"#"+c.Symbol)
	}
	return out
}

// TestGraphRequests requests the graph by position and by name, with unsaved text over
// it and after a save.
func TestGraphRequests(t *testing.T) {
	s := newSandbox(t, callers())
	e := s.edit(t, s.withGraph(t))
	e.Initialize(lsptest.Full())
	e.Open("a/a.go")
	byName := ask(t, e, "manicule/graph", "a/a.go", map[string]any{"symbol": "Work"})
	if got := callerNames(byName); !slices.Equal(got, []string{"b/b.go#Use"}) {
		t.Errorf("callers: %q", got)
	}
	if byName.Possible != nil {
		t.Errorf("nobody asked for possible callers: %+v", byName.Possible)
	}
	if more := ask(t, e, "manicule/graph", "a/a.go", map[string]any{"symbol": "Work", "possible": true}); more.Possible == nil || len(more.Possible) != 0 {
		t.Errorf("possible callers: %+v", more.Possible)
	}
	at := ask(t, e, "manicule/graph", "a/a.go", map[string]any{"position": protocol.Position{Line: 3, Character: 6}})
	if got := callerNames(at); !slices.Equal(got, []string{"b/b.go#Use"}) {
		t.Errorf("callers at a position: %q", got)
	}
	im := ask(t, e, "manicule/impact", "a/a.go", map[string]any{"symbol": "Work"})
	if len(im.Affected) != 1 || im.Affected[0].Symbol != "Use" {
		t.Errorf("impact: %+v", im.Affected)
	}
	// Unsaved text is seen at once, and is not on disk.
	e.Open("b/b.go")
	text := "package b\n\nimport \"example.com/calls/a\"\n\nfunc Use() { a.Work() }\n\nfunc More() { a.Work() }\n"
	e.Replace("b/b.go", text)
	if got := callerNames(ask(t, e, "manicule/graph", "a/a.go", map[string]any{"symbol": "Work"})); !slices.Equal(got, []string{"b/b.go#Use", "b/b.go#More"}) {
		t.Errorf("with unsaved text: %q", got)
	}
	e.Save("b/b.go", text)
	e.CloseDocument("b/b.go")
	deadline := time.Now().Add(20 * time.Second)
	for {
		got := callerNames(ask(t, e, "manicule/graph", "a/a.go", map[string]any{"symbol": "Work"}))
		if slices.Equal(got, []string{"b/b.go#Use", "b/b.go#More"}) {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("after saving: %q", got)
		}
	}
	out := ask(t, e, "manicule/outline", "b/b.go", map[string]any{})
	if len(out.Symbols) != 2 {
		t.Errorf("outline: %+v", out.Symbols)
	}
	if _, err := e.Call("manicule/graph", map[string]any{"textDocument": map[string]any{"uri": e.URI("a/a.go")}, "symbol": "Nothing"}); err == nil || !strings.Contains(err.Error(), `no symbol "Nothing"`) {
		t.Errorf("an unknown symbol: %v", err)
	}
	_, err := e.Call("manicule/nothing", nil)
	wantCode(t, err, jsonrpc2.MethodNotFound)
}

func TestDocumentSymbols(t *testing.T) {
	s := newSandbox(t, callers())
	o := s.options(t)
	o.Settings = func(string) *lsp.Settings {
		d := lsp.DefaultSettings()
		d.DocumentSymbols = true
		return d
	}
	e := s.edit(t, o)
	if r := e.Initialize(lsptest.Full()); r.Capabilities.DocumentSymbolProvider == nil {
		t.Error("it is not offered")
	}
	e.Open("a/a.go")
	raw, err := e.Call(protocol.MethodTextDocumentDocumentSymbol, map[string]any{"textDocument": map[string]any{"uri": e.URI("a/a.go")}})
	if err != nil || !strings.Contains(string(raw), `"name":"Work"`) {
		t.Errorf("%s %v", raw, err)
	}
	e = s.edit(t, o)
	e.Initialize(lsptest.Client{})
	e.Open("a/a.go")
	flat := lsptest.Do[[]protocol.SymbolInformation](e, protocol.MethodTextDocumentDocumentSymbol, map[string]any{"textDocument": map[string]any{"uri": e.URI("a/a.go")}})
	if len(flat) == 0 || flat[0].Name != "Work" || flat[0].Location.URI != e.URI("a/a.go") || flat[0].Location.Range.Start.Line != 3 {
		t.Errorf("for a client that knows no tree: %+v", flat)
	}
	off := newSandbox(t, callers())
	e = off.edit(t, off.options(t))
	if r := e.Initialize(lsptest.Full()); r.Capabilities.DocumentSymbolProvider != nil {
		t.Error("it is offered where nobody asked for it")
	}
}

// TestFirstIndexing: a message appears while all code is indexed, and not when the
// graph is only updated.
func TestFirstIndexing(t *testing.T) {
	s := newSandbox(t, callers())
	const notice = "indexing this code for the first time"
	start := func() *lsptest.Editor {
		o := s.withGraph(t)
		var ticks atomic.Int64
		o.Now = func() time.Time { return clock().Add(time.Duration(ticks.Add(1)) * time.Second) } // everything takes long
		e := s.edit(t, o)
		e.Initialize(lsptest.Full())
		e.Open("a/a.go")
		ask(t, e, "manicule/graph", "a/a.go", map[string]any{"symbol": "Work"})
		return e
	}
	said := func(s lsptest.State) bool {
		return slices.ContainsFunc(s.Logs, func(p protocol.LogMessageParams) bool { return strings.Contains(p.Message, notice) })
	}
	e := start()
	e.Await(lsptest.When("a notice", said))
	e.Shutdown()
	e.Write("a/a.go", "package a\n\n// Work works well.\nfunc Work() {}\n")
	e = start()
	e.Shutdown()
	if said(e.State()) {
		t.Errorf("it was said again: %v", e.State().Logs)
	}
}

// fullDisk is a code graph that can't be written at first.
type fullDisk struct {
	lsp.Code
	left *atomic.Int32
}

func (f fullDisk) Sync(ctx context.Context, progress func(graph.Progress), first ...string) (graph.Report, error) {
	if f.left.Add(-1) >= 0 {
		return graph.Report{}, errors.New("no space left on device")
	}
	return f.Code.Sync(ctx, progress, first...)
}

// TestGraphThatFails: a request for a graph that can't be made is answered with the reason, and the next one tries again.
func TestGraphThatFails(t *testing.T) {
	s := newSandbox(t, callers())
	o := s.withGraph(t)
	o.Log = slog.New(slog.DiscardHandler)
	open := o.Graph
	var left atomic.Int32
	left.Store(2)
	o.Graph = func(root string) (lsp.Code, error) {
		c, err := open(root)
		return fullDisk{c, &left}, err
	}
	e := s.edit(t, o)
	e.Initialize(lsptest.Full())
	e.Open("a/a.go")
	params := map[string]any{"textDocument": map[string]any{"uri": e.URI("a/a.go")}, "symbol": "Work"}
	for range 4 {
		raw, err := e.Call("manicule/graph", params)
		if err == nil && strings.Contains(string(raw), "b/b.go") {
			return
		}
		if err == nil || !strings.Contains(err.Error(), "no space left") {
			t.Fatalf("%s, %v", raw, err)
		}
	}
	t.Error("nobody tried again")
}
