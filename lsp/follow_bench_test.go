package lsp_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"go.lsp.dev/protocol"

	"manicule/lsp/lsptest"
	"manicule/memory/file"
)

// fifty opens a file with 50 anchored functions in a repository.
func fifty(b *testing.B) (*lsptest.Editor, *string) {
	b.Helper()
	var src strings.Builder
	src.WriteString("package a\n\nimport \"fmt\"\n\n")
	for f := range 50 {
		fmt.Fprintf(&src, "// Func%d does something.\nfunc Func%d(a, b int) int {\n\tfmt.Println(a, b, %d)\n\tif a > b {\n\t\treturn a * %d\n\t}\n\treturn b\n}\n\n", f, f, f, f)
	}
	text := src.String()
	x := newTracking(b, map[string]string{"a.go": text})
	for f := range 50 {
		x.remember(b, fmt.Sprintf("a.go#Func%d", f), file.Decision, fmt.Sprintf("number %d says something that is worth a line", f))
	}
	opts := x.options(b)
	opts.DebounceDelay, opts.RefreshAfter = 0, 0 // as in the product
	e := x.edit(b, opts)
	c := lsptest.Full()
	c.Pull = true // what is measured is asked for
	e.Initialize(c)
	x.refresh(b, e)
	e.Open("a.go")
	lenses(b, e)
	b.ResetTimer()
	return e, &text
}

func lenses(b *testing.B, e *lsptest.Editor) {
	b.Helper()
	call(b, e, protocol.MethodTextDocumentCodeLens, &protocol.CodeLensParams{TextDocument: protocol.TextDocumentIdentifier{URI: e.URI("a.go")}})
}

// BenchmarkKeystroke types a character before 50 anchors and asks for all their
// places: from the edit to the answer, with the wire.
func BenchmarkKeystroke(b *testing.B) {
	e, _ := fifty(b)
	var took []time.Duration
	at := protocol.Range{Start: protocol.Position{Line: 3}, End: protocol.Position{Line: 3}}
	for b.Loop() {
		start := time.Now()
		e.Edit("a.go", at, "x")
		lenses(b, e)
		took = append(took, time.Since(start))
	}
	report(b, took)
}

// BenchmarkScattered types at two places in turn, so that edits don't merge.
func BenchmarkScattered(b *testing.B) {
	e, _ := fifty(b)
	var took []time.Duration
	for b.Loop() {
		start := time.Now()
		line := uint32(1 + 2*(len(took)%2))
		e.Edit("a.go", protocol.Range{Start: protocol.Position{Line: line}, End: protocol.Position{Line: line}}, "x")
		lenses(b, e)
		took = append(took, time.Since(start))
	}
	report(b, took)
}

// BenchmarkSave saves a file with 50 anchors after a change of one function, and
// requests all places, which resolves the anchors again.
func BenchmarkSave(b *testing.B) {
	e, text := fifty(b)
	var took []time.Duration
	n := 0
	for b.Loop() {
		n++
		line := protocol.Range{Start: protocol.Position{Line: 6}, End: protocol.Position{Line: 7}}
		now := fmt.Sprintf("\tfmt.Println(a, b, %d)\n", 1000+n)
		e.Edit("a.go", line, now)
		lines := strings.SplitAfter(*text, "\n")
		lines[6] = now
		*text = strings.Join(lines, "")
		lenses(b, e)
		e.Write("a.go", *text)
		start := time.Now()
		e.Save("a.go", "")
		lenses(b, e)
		took = append(took, time.Since(start))
	}
	report(b, took)
}
