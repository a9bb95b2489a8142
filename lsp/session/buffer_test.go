package session

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"go.lsp.dev/protocol"

	"manicule/indexer/extract"
	"manicule/indexer/must"
	"manicule/lsp/convert"
)

// TestFacts: the facts of an edited document are those of its text, in each encoding,
// with any line ends, also for older versions.
func TestFacts(t *testing.T) {
	text := "package a\n\n// Größe 😀\nfunc f() { g(\"漢字\") }\n\nfunc g(s string) { f() }\n" + strings.Repeat("\nvar _ = f // é\n", 200)
	for _, enc := range []convert.Encoding{convert.UTF8, convert.UTF16, convert.UTF32} {
		for _, eol := range []string{"\n", "\r\n"} {
			s := New()
			s.SetEncoding(enc)
			s.Open(protocol.TextDocumentItem{URI: docURI, Version: 1, Text: strings.ReplaceAll(text, "\n", eol)})
			random := rand.New(rand.NewPCG(uint64(enc), uint64(len(eol))))
			var older []*Document
			for version := range 12 {
				var changes []protocol.TextDocumentContentChangeEvent
				for range 1 + random.IntN(3) {
					l, c := random.Uint32N(400), random.Uint32N(16)
					insert := []string{"", "x", "é😀", eol, "func h() {}" + eol}[random.IntN(5)]
					changes = append(changes, partial(l, c, l+random.Uint32N(2), c+random.Uint32N(3), insert))
				}
				d := change(t, s, int32(version+2), changes...)
				older = append(older, d)
				if version%2 == 0 { // some versions are never asked about
					sameAsWhole(t, d)
				}
			}
			for _, d := range slices.Backward(older) {
				sameAsWhole(t, d)
			}
			s.Close(docURI)
			sameAsWhole(t, older[len(older)-1])
		}
	}
}

func sameAsWhole(t *testing.T, d *Document) {
	t.Helper()
	got, err := d.Facts(t.Context())
	must.OK(t, err)
	want, err := extract.ParseFacts(t.Context(), d.Lang, bytes.Clone(d.Text()))
	must.OK(t, err)
	if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(extract.File{})); diff != "" {
		t.Fatalf("version %d (-whole +followed):\n%s", d.Version, diff)
	}
}

// TestReleaseIdleDocuments: after ReleaseIdle a session keeps no tree, and parsing
// again gives the same result.
func TestReleaseIdleDocuments(t *testing.T) {
	s := opened(t, "package a\n\nfunc A() {}\n")
	doc := change(t, s, 2, partial(2, 5, 2, 6, "B"))
	if _, _, err := doc.Base().Read(t.Context()); err != nil {
		t.Fatal(err)
	}
	before, tree, err := doc.Read(t.Context())
	if err != nil || before == nil || tree == nil {
		t.Fatalf("%v, %v, %v", before, tree, err)
	}
	s.ReleaseIdle()
	for _, d := range []*Document{doc, doc.Base()} {
		if d.tree.syntax != nil || d.tree.file != nil {
			t.Error("the tree is still there")
		}
	}
	after, _, err := doc.Read(t.Context())
	if err != nil || !cmp.Equal(before.Symbols, after.Symbols, cmpopts.EquateEmpty()) {
		t.Errorf("%v, %v", after, err)
	}
}
