// Package lsptest is a fake editor for tests of the language server. It speaks the
// protocol over an in-memory pipe, records what the server sends, holds it against
// the protocol, and waits for conditions instead of sleeping. Of the server's packages it may know only the
// wire's.
package lsptest

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"manicule/lsp/rpc"
)

// patience is how long a test waits for anything. Only a failing test waits that long.
const patience = 30 * time.Second

// Editor is a client with an editor's state. Its methods fail the test on protocol
// errors.
type Editor struct {
	connection
	root     string
	pipe     io.Closer
	served   chan error
	versions map[uri.URI]int32
}

// Start runs serve on one end of a pipe and returns an editor at the other,
// whose workspace is root.
func Start(t testing.TB, root string, serve func(ctx context.Context, conn io.ReadWriteCloser) error) *Editor {
	t.Helper()
	server, client := net.Pipe()
	return StartOver(t, root, server, client, serve)
}

// StartOver is Start on the two ends of another connection.
func StartOver(t testing.TB, root string, server, client io.ReadWriteCloser, serve func(ctx context.Context, conn io.ReadWriteCloser) error) *Editor {
	t.Helper()
	e := &Editor{root: root, pipe: client, served: make(chan error, 1), versions: make(map[uri.URI]int32)}
	e.t, e.changed, e.state = t, make(chan struct{}), newState()
	var err error
	if e.rules, err = newConformance(); err != nil {
		t.Fatal(err)
	}
	go func() { e.served <- serve(context.Background(), server) }()
	e.conn, _ = rpc.Connect(rpc.NewStream(client, slog.New(slog.DiscardHandler)))
	e.conn.Go(context.Background(), e.handle)
	t.Cleanup(e.close)
	return e
}

func (e *Editor) close() {
	if err := e.pipe.Close(); err != nil && !errors.Is(err, os.ErrClosed) { // the server may have ended first
		e.t.Errorf("close the pipe: %v", err)
	}
	<-e.conn.Done()
	_ = e.Served() // the test judges the result
}

// Served waits for the server's end and returns what it ended with.
func (e *Editor) Served() error {
	select {
	case err := <-e.served:
		e.served <- err
		return err
	case <-time.After(patience):
		e.t.Error("the server does not end")
		return nil
	}
}

// URI is the URI of a file of the workspace.
func (e *Editor) URI(rel string) uri.URI {
	return uri.File(filepath.Join(e.root, filepath.FromSlash(rel)))
}

// Do sends a request that must succeed and reads its result.
func Do[T any](e *Editor, method string, params any) T {
	e.t.Helper()
	raw, err := e.Call(method, params)
	if err != nil {
		e.t.Fatalf("%s: %v", method, err)
	}
	var v T
	if err := protocol.Unmarshal(raw, &v); err != nil {
		e.t.Fatalf("%s answered %s: %v", method, raw, err)
	}
	return v
}

// Open opens a file of the workspace as it is on disk.
func (e *Editor) Open(rel string) {
	e.t.Helper()
	text, err := os.ReadFile(filepath.Join(e.root, filepath.FromSlash(rel)))
	if err != nil {
		e.t.Fatal(err)
	}
	e.OpenText(e.URI(rel), string(text))
}

// OpenText opens a document with a text.
func (e *Editor) OpenText(u uri.URI, text string) {
	e.t.Helper()
	e.versions[u] = 1
	e.Notify(protocol.MethodTextDocumentDidOpen, &protocol.DidOpenTextDocumentParams{
		TextDocument: protocol.TextDocumentItem{URI: u, LanguageID: "plaintext", Version: 1, Text: text},
	})
}

// Edit replaces a range of an open document.
func (e *Editor) Edit(rel string, r protocol.Range, text string) {
	e.t.Helper()
	e.change(e.URI(rel), &protocol.TextDocumentContentChangePartial{Range: r, Text: text})
}

// Replace replaces the whole text of an open document.
func (e *Editor) Replace(rel, text string) {
	e.t.Helper()
	e.change(e.URI(rel), &protocol.TextDocumentContentChangeWholeDocument{Text: text})
}

// EditAll replaces ranges one after another in one message, as an editor with several
// cursors does.
func (e *Editor) EditAll(rel string, text string, ranges ...protocol.Range) {
	e.t.Helper()
	changes := make([]protocol.TextDocumentContentChangeEvent, len(ranges))
	for i, r := range ranges {
		changes[i] = &protocol.TextDocumentContentChangePartial{Range: r, Text: text}
	}
	e.change(e.URI(rel), changes...)
}

func (e *Editor) change(u uri.URI, changes ...protocol.TextDocumentContentChangeEvent) {
	e.t.Helper()
	e.versions[u]++
	p := &protocol.DidChangeTextDocumentParams{ContentChanges: changes}
	p.TextDocument.URI, p.TextDocument.Version = u, e.versions[u]
	e.Notify(protocol.MethodTextDocumentDidChange, p)
}

// Save writes text, unless it is empty, and reports that an open document was saved.
func (e *Editor) Save(rel, text string) {
	e.t.Helper()
	if text != "" {
		e.Write(rel, text)
	}
	e.Notify(protocol.MethodTextDocumentDidSave, &protocol.DidSaveTextDocumentParams{TextDocument: e.id(rel)})
}

// CloseDocument closes an open document.
func (e *Editor) CloseDocument(rel string) {
	e.t.Helper()
	e.Notify(protocol.MethodTextDocumentDidClose, &protocol.DidCloseTextDocumentParams{TextDocument: e.id(rel)})
}

func (e *Editor) id(rel string) protocol.TextDocumentIdentifier {
	return protocol.TextDocumentIdentifier{URI: e.URI(rel)}
}

// Write writes a file of the workspace without telling the server.
func (e *Editor) Write(rel, text string) {
	e.t.Helper()
	path := filepath.Join(e.root, filepath.FromSlash(rel))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		e.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		e.t.Fatal(err)
	}
}

// At returns the position parameters of a request.
func (e *Editor) At(rel string, line, character uint32) protocol.TextDocumentPositionParams {
	return protocol.TextDocumentPositionParams{
		TextDocument: e.id(rel), Position: protocol.Position{Line: line, Character: character},
	}
}
