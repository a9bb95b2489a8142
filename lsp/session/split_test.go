package session

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"go.lsp.dev/protocol"
)

// TestWholeDocument: what a client that sends the whole document left alone keeps its place, between changes above and
// below it, and a renamed declaration is moved by its edit alone.
func TestWholeDocument(t *testing.T) {
	const text = "package a\n\n// f is first.\nfunc f() {\n\tuse(1)\n}\n\nfunc g() {\n\tuse(2)\n}\n\nfunc h() {\n\tuse(3)\n}\n"
	g := "func g() {\n\tuse(2)\n}\n"
	start := strings.Index(text, g)
	for _, tt := range []struct{ name, now, want string }{
		{"changes above and below", strings.NewReplacer("f is first", "f comes first", "use(1)", "use(1, 1)\n\tuse(4)", "use(3)", "use(3, 3)").Replace(text), g},
		{"renamed and edited", strings.NewReplacer("func g", "func gg", "use(1)", "use(11)", "use(2)", "use(22)", "use(3)", "use(33)").Replace(text), "func gg() {\n\tuse(22)\n}\n"},
		{"removed", strings.Replace(strings.Replace(text, g, "", 1), "use(3)", "use(33)", 1), ""},
		{"others in its place", "package a\n\nvar x = 1\n\nvar y = []int{\n\t1,\n\t2,\n}\n", ""},
	} {
		for _, whole := range []protocol.TextDocumentContentChangeEvent{whole(tt.now), partial(0, 0, 1000, 0, tt.now)} {
			s := opened(t, text)
			d := change(t, s, 2, whole)
			if string(d.Text()) != tt.now {
				t.Fatalf("%s: the text is %q", tt.name, d.Text())
			}
			a, b, ok := d.Moved(start, start+len(g))
			if got := string(d.Text()[a:b]); ok != (tt.want != "") || ok && got != tt.want {
				t.Errorf("%s: %v, %q; want %q", tt.name, ok, got, tt.want)
			}
			sameAsWhole(t, d)
		}
	}
}

// TestSplitEdit: the edits, one after the other, make the new text of the old one.
func TestSplitEdit(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 7))
	line := func() string { return []string{"", "a", "b", "}", "call(x)", "return nil", "é"}[r.IntN(7)] }
	split := 0
	for range 3000 {
		lines := make([]string, r.IntN(12))
		for i := range lines {
			lines[i] = line()
		}
		now := slices.Clone(lines)
		for range r.IntN(4) {
			at := r.IntN(len(now) + 1)
			now = slices.Replace(now, at, min(len(now), at+r.IntN(3)), make([]string, r.IntN(3))...)
			for i := at; i < min(len(now), at+2); i++ {
				now[i] = line() + line()
			}
		}
		old, want := []byte(strings.Join(lines, "\n")), strings.Join(now, "\n")
		e := trimEdit(old, 0, len(old), want)
		edits := splitEdit(old, e, want[e.Start:e.Start+e.NewLen])
		split += len(edits) - 1
		// Each edit but the last one applied is followed by text that is the new one already.
		got := string(old)
		for _, e := range edits {
			tail := len(got) - e.OldEnd
			at := len(want) - tail - e.NewLen
			if at < 0 || tail > len(want) {
				t.Fatalf("%q to %q by %v", old, want, edits)
			}
			got = got[:e.Start] + want[at:at+e.NewLen] + got[e.OldEnd:]
		}
		if got != want {
			t.Fatalf("%q becomes %q, want %q, by %v", old, got, want, edits)
		}
	}
	if split < 300 {
		t.Errorf("only %d edits more", split)
	}
}
