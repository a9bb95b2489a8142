package lsp

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"manicule/indexer/must"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// TestReleaseWhenIdle: the server frees memory three times after each message, such as
// typing, and then sleeps.
func TestReleaseWhenIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		var given atomic.Int32
		s := newServer(ctx, Options{Idle: func() { given.Add(1) }}.withDefaults(), nil, nil)
		u := uri.File("/tmp/a.go")
		after := func(what string, wait time.Duration, want int32) {
			t.Helper()
			time.Sleep(wait)
			synctest.Wait()
			if n := given.Load(); n != want {
				t.Errorf("%s: memory was given back %d times, want %d", what, n, want)
			}
		}
		after("at the start", 24*time.Hour, 3)
		s.session.Open(protocol.TextDocumentItem{URI: u, Version: 1, Text: "package a\n"})
		for range 100 {
			must.OK(t, s.DidChange(ctx, &protocol.DidChangeTextDocumentParams{TextDocument: protocol.VersionedTextDocumentIdentifier{TextDocumentIdentifier: protocol.TextDocumentIdentifier{URI: u}, Version: 2}}))
			after("while a person types", time.Second, 3)
		}
		after("in the next pause", 2*time.Second, 4)
		after("in the night", 24*time.Hour, 6)
		cancel()
		s.stop()
	})
}
