package session

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"testing"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"manicule/indexer/must"
	"manicule/lsp/convert"
)

const docURI = uri.URI("file:///w/a.go")

func partial(l1, c1, l2, c2 uint32, text string) protocol.TextDocumentContentChangeEvent {
	return &protocol.TextDocumentContentChangePartial{
		Range: protocol.Range{Start: protocol.Position{Line: l1, Character: c1}, End: protocol.Position{Line: l2, Character: c2}},
		Text:  text,
	}
}

func whole(text string) protocol.TextDocumentContentChangeEvent {
	return &protocol.TextDocumentContentChangeWholeDocument{Text: text}
}

func opened(t *testing.T, text string) *Session {
	t.Helper()
	s := New()
	s.Open(protocol.TextDocumentItem{URI: docURI, Version: 1, Text: text})
	return s
}

func change(t *testing.T, s *Session, version int32, changes ...protocol.TextDocumentContentChangeEvent) *Document {
	t.Helper()
	id := protocol.VersionedTextDocumentIdentifier{Version: version}
	id.URI = docURI
	must.OK(t, s.Change(id, changes))
	d, ok := s.Snapshot().Get(docURI)
	if !ok {
		t.Fatal("the document is gone")
	}
	return d
}

func TestChange(t *testing.T) {
	tests := []struct {
		name, text string
		changes    []protocol.TextDocumentContentChangeEvent
		want       string
	}{
		{"insert", "ab\ncd\n", []protocol.TextDocumentContentChangeEvent{partial(1, 0, 1, 0, "x")}, "ab\nxcd\n"},
		{"replace over lines", "ab\ncd\n", []protocol.TextDocumentContentChangeEvent{partial(0, 1, 1, 1, "-")}, "a-d\n"},
		{"one after another", "ab", []protocol.TextDocumentContentChangeEvent{partial(0, 2, 0, 2, "c"), partial(0, 3, 0, 3, "d")}, "abcd"},
		{"whole document", "ab", []protocol.TextDocumentContentChangeEvent{whole("xyz")}, "xyz"},
		{"past the end", "ab", []protocol.TextDocumentContentChangeEvent{partial(7, 0, 9, 9, "c")}, "abc"},
		{"ends swapped", "abcd", []protocol.TextDocumentContentChangeEvent{partial(0, 3, 0, 1, "-")}, "a-d"},
		{"astral, utf-16", "😀b", []protocol.TextDocumentContentChangeEvent{partial(0, 2, 0, 3, "c")}, "😀c"},
		{"CRLF", "a\r\nb\r\n", []protocol.TextDocumentContentChangeEvent{partial(0, 1, 1, 0, "")}, "ab\r\n"},
		{"nothing", "ab", nil, "ab"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := opened(t, tt.text)
			before, _ := s.Snapshot().Get(docURI)
			d := change(t, s, 2, tt.changes...)
			if got := string(d.Text()); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			if string(before.Text()) != tt.text || d.Version != 2 {
				t.Error("the version before was changed, or the new one has no number")
			}
		})
	}
}

func TestChangeOfUnopened(t *testing.T) {
	id := protocol.VersionedTextDocumentIdentifier{Version: 2}
	id.URI = docURI
	if err := New().Change(id, nil); !errors.Is(err, errNotOpen) {
		t.Errorf("got %v, want errNotOpen", err)
	}
}

func TestMoved(t *testing.T) {
	const text = "aaa\nfunc f() {\n}\nzzz\n"
	start, end := 4, 16 // func f() {\n}
	tests := []struct {
		name    string
		changes []protocol.TextDocumentContentChangeEvent
		want    string
		ok      bool
	}{
		{"line above", []protocol.TextDocumentContentChangeEvent{partial(0, 0, 0, 0, "new\n")}, "func f() {\n}", true},
		{"typed at its start", []protocol.TextDocumentContentChangeEvent{partial(1, 0, 1, 0, "// x\n")}, "func f() {\n}", true},
		{"typed inside", []protocol.TextDocumentContentChangeEvent{partial(1, 10, 1, 10, "\n\tx(")}, "func f() {\n\tx(\n}", true},
		{"below", []protocol.TextDocumentContentChangeEvent{partial(3, 0, 3, 0, "new\n")}, "func f() {\n}", true},
		{"whole document, one line more", []protocol.TextDocumentContentChangeEvent{whole("new\n" + text)}, "func f() {\n}", true},
		{"deleted", []protocol.TextDocumentContentChangeEvent{partial(0, 0, 3, 0, "")}, "", false},
		{"its end cut", []protocol.TextDocumentContentChangeEvent{partial(2, 0, 3, 1, "")}, "func f() {\n", true},
		{"its start cut", []protocol.TextDocumentContentChangeEvent{partial(0, 0, 1, 5, "")}, "f() {\n}", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := opened(t, text)
			d := change(t, s, 2, tt.changes...)
			if d.Base().Version != 1 {
				t.Errorf("base is version %d", d.Base().Version)
			}
			a, b, ok := d.Moved(start, end)
			if ok != tt.ok {
				t.Fatalf("ok = %v", ok)
			}
			if ok && string(d.Text()[a:b]) != tt.want {
				t.Errorf("got %q, want %q", d.Text()[a:b], tt.want)
			}
			s.Save(docURI)
			if d, _ := s.Snapshot().Get(docURI); d.Base() != d {
				t.Error("a saved document is not its own base")
			}
		})
	}
}

func TestOriginal(t *testing.T) {
	s := opened(t, "one\ntwo\nthree\n")
	d := change(t, s, 2, partial(0, 0, 0, 0, "new\n"), partial(2, 0, 2, 3, "2"))
	if got := string(d.Text()); got != "new\none\n2\nthree\n" {
		t.Fatalf("text: %q", got)
	}
	for offset, want := range map[int]int{0: 0, 2: 0, 4: 0, 5: 1, 8: 4, 10: 8, 15: 13} {
		if got := d.Original(offset); got != want {
			t.Errorf("Original(%d) = %d, want %d", offset, got, want)
		}
	}
}

func TestTypingIsOneEdit(t *testing.T) {
	s := opened(t, "ab")
	var d *Document
	for i := range 500 {
		d = change(t, s, int32(i+2), partial(0, uint32(1+i), 0, uint32(1+i), "x"))
	}
	if len(d.edits) != 1 {
		t.Errorf("%d edits", len(d.edits))
	}
	if a, b, ok := d.Moved(1, 2); !ok || a != 501 || b != 502 {
		t.Errorf("moved to %d, %d, %v", a, b, ok)
	}
}

// TestEditsAreMerged: merged edits move every range as single ones do.
func TestEditsAreMerged(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 14))
	merged := 0
	for range 3000 {
		size := 12
		var edits, all []Edit
		for range 1 + r.IntN(5) {
			start := r.IntN(size + 1)
			if len(all) > 0 && r.IntN(2) == 0 { // near the last one, as a person types
				start = min(size, max(0, all[len(all)-1].Start+r.IntN(3)))
			}
			e := Edit{Start: start, OldEnd: start + r.IntN(min(3, size-start+1)), NewLen: r.IntN(4)}
			size += e.NewLen - (e.OldEnd - e.Start)
			all, edits = append(all, e), appendEdit(edits, e)
		}
		merged += len(all) - len(edits)
		for start := range 12 {
			for end := start + 1; end <= 12; end++ {
				a, b, ok := moved(all, start, end)
				c, d, ok2 := moved(edits, start, end)
				if ok != ok2 || ok && (a != c || b != d) {
					t.Fatalf("[%d,%d) goes to [%d,%d) %v by %v, and to [%d,%d) %v by %v", start, end, a, b, ok, all, c, d, ok2, edits)
				}
			}
		}
	}
	if merged < 1000 {
		t.Errorf("only %d edits were merged", merged)
	}
}

func TestManyEditsRebase(t *testing.T) {
	s := opened(t, "ab")
	var d *Document
	for i := range maxEdits + 1 {
		at := uint32(i % 2 * (i + 2)) // at the start and at the end by turns
		d = change(t, s, int32(i+2), partial(0, at, 0, at, "x"))
	}
	if d.Base() != d {
		t.Error("the edits were not given up")
	}
}

func TestReadFromDisk(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.txt")
	must.Write(t, path, "on disk")
	s := New()
	u := convert.URIFrom(path)
	read := func() string {
		d, err := s.Snapshot().Read(context.Background(), u)
		must.OK(t, err)
		return string(d.Text())
	}
	if got := read(); got != "on disk" {
		t.Errorf("got %q", got)
	}
	s.Open(protocol.TextDocumentItem{URI: u, Version: 1, Text: "in the editor"})
	if got := read(); got != "in the editor" {
		t.Errorf("got %q", got)
	}
	s.Close(u)
	if got := read(); got != "on disk" {
		t.Errorf("got %q", got)
	}
	for _, bad := range []uri.URI{"untitled:x", convert.URIFrom(filepath.Dir(path)), convert.URIFrom(path + "x")} {
		if _, err := s.Snapshot().Read(context.Background(), bad); err == nil {
			t.Errorf("%s was read", bad)
		}
	}
}

func TestSnapshotsRace(t *testing.T) {
	s := opened(t, "ab")
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 200 {
				d, ok := s.Snapshot().Get(docURI)
				if !ok || bytes.Count(d.Text(), []byte("x")) != int(d.Version)-1 {
					t.Errorf("version %d is torn", d.Version)
					return
				}
			}
		})
	}
	for i := range 200 {
		change(t, s, int32(i+2), partial(0, 0, 0, 0, "x"))
	}
	wg.Wait()
}

func TestRoots(t *testing.T) {
	var r Roots[string]
	r = r.With("/w", "outer").With("/w/sub", "inner").With("/x", "other")
	tests := []struct{ path, want, rel string }{
		{"/w/a.go", "outer", "a.go"},
		{"/w/sub/a.go", "inner", "a.go"},
		{"/w/subway/a.go", "outer", "subway/a.go"},
		{"/y/a.go", "", ""},
	}
	for _, tt := range tests {
		if got, rel, _ := r.Owner(tt.path); got != tt.want || rel != tt.rel {
			t.Errorf("%s belongs to %q as %q", tt.path, got, rel)
		}
	}
	if got, _, _ := r.Without("/w/sub").Owner("/w/sub/a.go"); got != "outer" {
		t.Errorf("after removal: %q", got)
	}
	if all := r.All(); len(all) != 3 {
		t.Errorf("all: %v", all)
	}
}

// FuzzMoved: the bytes of a moved range are the same unless an edit touched it.
func FuzzMoved(f *testing.F) {
	f.Add("hello world", 3, 5, 1, 2, "xyz")
	f.Fuzz(func(t *testing.T, text string, start, end, from, to int, with string) {
		n := len(text)
		if start < 0 || end <= start || end > n || from < 0 || to < from || to > n {
			t.Skip()
		}
		e := trimEdit([]byte(text), from, to, with)
		next := text[:from] + with + text[to:]
		a, b, ok := moved(appendEdit(nil, e), start, end)
		if !ok {
			return
		}
		if a < 0 || b < a || b > len(next) {
			t.Fatalf("[%d,%d) became [%d,%d) of %d", start, end, a, b, len(next))
		}
		if (e.OldEnd <= start || e.Start >= end) && next[a:b] != text[start:end] {
			t.Fatalf("%q became %q", text[start:end], next[a:b])
		}
	})
}

// TestOtherEscapes: a document is the same one whichever characters of its URI are escaped.
func TestOtherEscapes(t *testing.T) {
	s := New()
	u := uri.URI("file:///w/app/(shop)/+page@2.svelte")
	s.Open(protocol.TextDocumentItem{URI: u, Version: 1, Text: "unsaved"})
	ours := convert.URIFrom("/w/app/(shop)/+page@2.svelte")
	if ours == u {
		t.Fatal("nothing is escaped")
	}
	d, err := s.Snapshot().Read(t.Context(), ours)
	if err != nil || string(d.Text()) != "unsaved" || d.URI != u {
		t.Errorf("%v, %v", d, err)
	}
	if d, ok := s.Snapshot().Get(ours); !ok || d.URI != u {
		t.Errorf("%v, %v", d, ok)
	}
}

// TestUndoneEdit: a text whose edits are undone has the symbols of its base, not those of the version before.
func TestUndoneEdit(t *testing.T) {
	s := opened(t, "package a\n\nfunc A() {}\n")
	for i, edit := range []struct{ end, text, want string }{{"", "B", "AB"}, {"B", "", "A"}} {
		d := change(t, s, int32(i+2), partial(2, 6, 2, uint32(6+len(edit.end)), edit.text))
		f, err := d.Parsed(t.Context())
		if err != nil || len(f.Symbols) != 1 || f.Symbols[0].Path != edit.want {
			t.Errorf("%s has %v, want %s: %v", d.Text(), f.Symbols, edit.want, err)
		}
	}
}
