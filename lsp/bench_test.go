package lsp_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.lsp.dev/protocol"

	"manicule/indexer/must"
	"manicule/lsp"
	"manicule/lsp/lsptest"
)

// The corpus of the benchmarks: 10,000 memories over 500 files of 40 functions.
// Of each file's 20, three in four are anchored to a function of their own, the others
// have its folder as scope.
const (
	benchMemories  = 10_000
	benchFiles     = 500
	benchFunctions = 40
	benchOpen      = 20
)

// benchLine is the line of a function. Functions whose number is a multiple of four, or
// above 19, have no memories.
func benchLine(function int) uint32 { return uint32(5 + 9*function) }

func benchFile(i int) string { return fmt.Sprintf("pkg%02d/sub%d/file%03d.go", i%25, i%5, i) }

// corpus is the workspace that the benchmarks share; making it takes longer
// than measuring.
var corpus struct {
	once    sync.Once
	base    string
	sandbox *sandbox
}

// TestMain removes the corpus.
func TestMain(m *testing.M) {
	code := m.Run()
	if corpus.base != "" {
		if err := os.RemoveAll(corpus.base); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}
	os.Exit(code)
}

func benchSandbox(b *testing.B) *sandbox {
	b.Helper()
	corpus.once.Do(func() {
		base, err := os.MkdirTemp("", "manicule-bench")
		must.OK(b, err)
		corpus.base, corpus.sandbox = base, newSandboxIn(b, base, benchFilesAndMemories())
		corpus.sandbox.now = time.Now // the store compares it with the files' times
	})
	return corpus.sandbox
}

func benchFilesAndMemories() map[string]string {
	files := make(map[string]string)
	for i := range benchFiles {
		var src strings.Builder
		src.WriteString("package a\n\nimport \"fmt\"\n\n")
		for f := range benchFunctions {
			fmt.Fprintf(&src, "// Func%d does something.\nfunc Func%d(a, b int) int {\n\tfmt.Println(a, b, %d)\n\tif a > b {\n\t\treturn a\n\t}\n\treturn b\n}\n\n", f, f, i)
		}
		files[benchFile(i)] = src.String()
	}
	for i := range benchMemories {
		uuid := fmt.Sprintf("0198f0c2-7a41-7c3e-9d7a-%012d", i)
		file := benchFile(i % benchFiles)
		about := fmt.Sprintf(`"anchors": [{"kind": "symbol", "path": %q, "symbol": "Func%d"}]`, file, i/benchFiles)
		if i/benchFiles%4 == 0 {
			about = fmt.Sprintf(`"scope": ["%s/**"]`, file[:strings.LastIndex(file, "/")])
		}
		files[where+uuid+".json"] = fmt.Sprintf(`{"uuid": %q, "type": "gotcha", "what": "number %d says something that is worth a line of text", "why": "because of what happened", %s, "trust": {"origin": "user_taught"}, "created_at": "2026-05-04T11:00:00.000Z"}`, uuid, i, about)
	}
	return files
}

// duplex is one end of two operating-system pipes, as a process sees its
// standard input and output.
type duplex struct {
	io.ReadCloser
	w io.WriteCloser
}

func (d duplex) Write(b []byte) (int, error) { return d.w.Write(b) }
func (d duplex) Close() error                { return errors.Join(d.w.Close(), d.ReadCloser.Close()) }

func (s *sandbox) overPipes(b *testing.B) *lsptest.Editor {
	b.Helper()
	toServer, fromClient, err := os.Pipe()
	must.OK(b, err)
	toClient, fromServer, err := os.Pipe()
	must.OK(b, err)
	opts := s.options(b)
	return lsptest.StartOver(b, s.root, duplex{toServer, fromServer}, duplex{toClient, fromClient}, func(ctx context.Context, conn io.ReadWriteCloser) error {
		return lsp.Serve(ctx, conn, opts)
	})
}

// warm starts a server on the corpus with some documents open.
func warm(b *testing.B) *lsptest.Editor {
	b.Helper()
	s := benchSandbox(b)
	e := s.overPipes(b)
	e.Initialize(lsptest.Full())
	for i := range benchOpen {
		e.Open(benchFile(i))
	}
	first := e.URI(benchFile(benchOpen - 1))
	e.Await(lsptest.When("all is open", func(s lsptest.State) bool { _, ok := s.Diagnostics[first]; return ok }))
	b.ResetTimer()
	return e
}

// report reports the p50 and p99 of the durations.
func report(b *testing.B, took []time.Duration) {
	slices.Sort(took)
	at := func(q float64) float64 {
		return float64(took[min(int(q*float64(len(took))), len(took)-1)].Microseconds()) / 1000
	}
	b.ReportMetric(at(0.5), "p50-ms")
	b.ReportMetric(at(0.99), "p99-ms")
}

func measure(b *testing.B, one func(r *rand.Rand)) {
	b.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	var took []time.Duration
	for b.Loop() {
		start := time.Now()
		one(r)
		took = append(took, time.Since(start))
	}
	report(b, took)
}

func call(b *testing.B, e *lsptest.Editor, method string, params any) {
	b.Helper()
	raw, err := e.Call(method, params)
	if err != nil || string(raw) == "null" {
		b.Fatalf("%s answered %s %v", method, raw, err)
	}
}

func BenchmarkHover(b *testing.B) {
	e := warm(b)
	measure(b, func(r *rand.Rand) {
		line := benchLine(1 + r.IntN(3) + 4*r.IntN(5))
		if r.IntN(4) == 0 {
			line = 0
		}
		call(b, e, protocol.MethodTextDocumentHover, &protocol.HoverParams{
			TextDocumentPositionParams: e.At(benchFile(r.IntN(benchOpen)), line, 6),
		})
	})
}

// BenchmarkHoverFile asks for the memories of whole files, the longest hovers there are.
func BenchmarkHoverFile(b *testing.B) {
	e := warm(b)
	measure(b, func(r *rand.Rand) {
		call(b, e, protocol.MethodTextDocumentHover, &protocol.HoverParams{
			TextDocumentPositionParams: e.At(benchFile(r.IntN(benchOpen)), 0, 0),
		})
	})
}

func BenchmarkCodeLens(b *testing.B) {
	e := warm(b)
	measure(b, func(r *rand.Rand) {
		call(b, e, protocol.MethodTextDocumentCodeLens, &protocol.CodeLensParams{
			TextDocument: protocol.TextDocumentIdentifier{URI: e.URI(benchFile(r.IntN(benchOpen)))},
		})
	})
}

// BenchmarkCodeLensWhileTyping asks for the lenses after each character.
func BenchmarkCodeLensWhileTyping(b *testing.B) {
	e := warm(b)
	measure(b, func(r *rand.Rand) {
		rel := benchFile(r.IntN(benchOpen))
		at := protocol.Position{Line: 3}
		e.Edit(rel, protocol.Range{Start: at, End: at}, "x")
		call(b, e, protocol.MethodTextDocumentCodeLens, &protocol.CodeLensParams{TextDocument: protocol.TextDocumentIdentifier{URI: e.URI(rel)}})
	})
}

// BenchmarkFirstHover is from initialize to the first hover, on a warm store.
func BenchmarkFirstHover(b *testing.B) {
	s := benchSandbox(b)
	e := s.overPipes(b)
	e.Initialize(lsptest.Full())
	call(b, e, protocol.MethodTextDocumentHover, &protocol.HoverParams{TextDocumentPositionParams: e.At(benchFile(0), benchLine(1), 6)})
	b.ResetTimer()
	var took []time.Duration
	for b.Loop() {
		e := s.overPipes(b)
		start := time.Now()
		e.Initialize(lsptest.Full())
		e.Open(benchFile(0))
		call(b, e, protocol.MethodTextDocumentHover, &protocol.HoverParams{TextDocumentPositionParams: e.At(benchFile(0), benchLine(1), 6)})
		took = append(took, time.Since(start))
		e.Shutdown()
	}
	report(b, took)
}

// BenchmarkIdleMemory reports the heap of a server with all memories loaded.
func BenchmarkIdleMemory(b *testing.B) {
	for b.Loop() {
		e := warm(b)
		debug.FreeOSMemory()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		b.ReportMetric(float64(m.HeapInuse+m.StackInuse)/(1<<20), "heap-MB")
		b.ReportMetric(resident(b), "rss-MB")
		e.Shutdown()
	}
}

// resident is the process's resident memory in MB, the test's own included; 0
// where the system does not say.
func resident(b *testing.B) float64 {
	b.Helper()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			var kb float64
			if _, err := fmt.Sscan(rest, &kb); err == nil {
				return kb / 1024
			}
		}
	}
	return 0
}
