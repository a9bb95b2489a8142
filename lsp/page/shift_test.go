package page

import (
	"strings"
	"testing"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"manicule/indexer/anchor"
	"manicule/indexer/must"
	"manicule/lsp/session"
)

// TestShiftAll: marks go where edits moved their code. A resolver needs no folder for that.
func TestShiftAll(t *testing.T) {
	const text = "package a\n\nfunc One() int {\n\treturn 1\n}\n\nfunc Two() int {\n\treturn 2\n}\n"
	one := text[strings.Index(text, "func One"):strings.Index(text, "\n\nfunc Two")]
	two := text[strings.Index(text, "func Two"):]
	for _, c := range []struct {
		name    string
		edits   [][2]string // what is replaced, and by what
		deleted bool
		body    string // of the mark on One, "" if it is nowhere
	}{
		{"lines above", [][2]string{{"package a\n", "package a\n\nvar x = 1\n"}}, false, one},
		{"another body", [][2]string{{"return 1", "return 11"}}, false, strings.Replace(one, "return 1", "return 11", 1)},
		{"deleted", [][2]string{{one, ""}}, true, ""},
		{"cut and pasted", [][2]string{{one, ""}, {two, two + "\n" + one + "\n"}}, false, one},
		{"renamed", [][2]string{{"One", "Uno"}}, false, strings.Replace(one, "One", "Uno", 1)},
	} {
		t.Run(c.name, func(t *testing.T) {
			docs, u := session.New(), uri.File("/tmp/a.go")
			docs.Open(protocol.TextDocumentItem{URI: u, Version: 1, LanguageID: "go", Text: text})
			base, _ := docs.Snapshot().Get(u)
			a := anchor.Anchor{Kind: anchor.KindSymbol, Path: "a.go", Symbol: "One"}
			before := ResolveAnchor(t.Context(), base, a)
			if !before.Found || text[before.Body.Start:before.Body.End] != one {
				t.Fatalf("the mark is at %v", before.Body)
			}
			id := protocol.VersionedTextDocumentIdentifier{TextDocumentIdentifier: protocol.TextDocumentIdentifier{URI: u}, Version: 2}
			for _, edit := range c.edits {
				must.OK(t, docs.Change(id, []protocol.TextDocumentContentChangeEvent{replace(t, docs, u, edit[0], edit[1])}))
				id.Version++
			}
			doc, _ := docs.Snapshot().Get(u)
			now := resolver{rel: "a.go"}.shiftAll(t.Context(), []Mark{before}, doc)[0]
			if now.Deleted != c.deleted {
				t.Errorf("deleted is %t, want %t", now.Deleted, c.deleted)
			}
			if c.body != "" && (!now.Found || string(doc.Text()[now.Body.Start:now.Body.End]) != c.body) {
				t.Errorf("the mark is at %v, found %t, want %q", now.Body, now.Found, c.body)
			}
		})
	}
}

// replace is the edit that replaces the only place of a text in a document.
func replace(t *testing.T, docs *session.Session, u uri.URI, from, to string) protocol.TextDocumentContentChangeEvent {
	t.Helper()
	snap := docs.Snapshot()
	doc, _ := snap.Get(u)
	at := strings.Index(string(doc.Text()), from)
	if at < 0 {
		t.Fatalf("the document has no %q", from)
	}
	return &protocol.TextDocumentContentChangePartial{Range: doc.Lines.Range(at, at+len(from), snap.Encoding), Text: to}
}
