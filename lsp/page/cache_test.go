package page

import (
	"context"
	"testing"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"manicule/lsp/session"
)

// TestClosedIsNotCached: a computation for a document that was closed meanwhile caches
// nothing.
func TestClosedIsNotCached(t *testing.T) {
	docs := session.New()
	c := New(Options{IsOpen: func(u uri.URI) bool { _, ok := docs.Snapshot().Get(u); return ok }})
	u := uri.File("/tmp/a.go")
	docs.Open(protocol.TextDocumentItem{URI: u, Version: 1, Text: "package a\n"})
	doc, _ := docs.Snapshot().Get(u)
	if c.BeforeSave(doc); c.entry(u).takeSaved() != doc {
		t.Error("what is known of an open document is not kept")
	}
	docs.Close(u)
	c.Forget(u)
	c.BeforeSave(doc)
	if n := len(c.byURI); n != 0 {
		t.Errorf("the marks of %d closed documents are kept", n)
	}
}

// TestCancelledIsNotOpened: for a request that was cancelled before its turn nothing is looked for or parsed.
func TestCancelledIsNotOpened(t *testing.T) {
	docs := session.New()
	c := New(Options{IsOpen: func(uri.URI) bool { return true }}) // without folders: to ask for one would panic
	u := uri.File("/tmp/a.go")
	docs.Open(protocol.TextDocumentItem{URI: u, Version: 1, Text: "package a\n"})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if p, ok := c.Open(ctx, docs.Snapshot(), u); ok {
		t.Errorf("it is %v", p)
	}
}
