package lsp_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"go.lsp.dev/protocol"

	"manicule/lsp/lsptest"
	"manicule/memory/file"
)

// withOutputs returns a notebook's file whose cells have printed about a size in bytes: pictures, or short lines.
func withOutputs(text string, size int, pictures bool) string {
	cells := strings.Count(text, `"cell_type": "code",`)
	var output string
	if pictures {
		output = `      "image/png": "` + strings.Repeat("iVBORw0KGgo", size/cells/11) + "\"\n"
	} else {
		line := "      \"a line of what a cell prints\\n\",\n"
		output = "      \"text/plain\": [\n" + strings.Repeat(line, size/cells/len(line)) + "      \"the end\"\n      ]\n"
	}
	return strings.ReplaceAll(text, `"cell_type": "code",`, "\"cell_type\": \"code\",\n   \"outputs\": [\n    {\n     \"data\": {\n"+output+"     }\n    }\n   ],")
}

// BenchmarkNotebookTyping types into a cell of a large notebook and asks for a hover after each character, and for the
// diagnostics that an editor pulls. It reports how long the hover took with what the edit cost.
func BenchmarkNotebookTyping(b *testing.B) {
	for _, size := range []int{1_900_000, 5_000_000} {
		for _, pictures := range []bool{true, false} {
			b.Run(fmt.Sprintf("size=%d/pictures=%v", size, pictures), func(b *testing.B) {
				benchmarkNotebook(b, size, pictures)
			})
		}
	}
}

func benchmarkNotebook(b *testing.B, size int, pictures bool) {
	var cells []string
	for i := range 60 {
		cells = append(cells, fmt.Sprintf("import os\n\ndef f%d(rows):\n    total = sum(rows)\n    return total / %d\n", i, i))
	}
	x := newTracking(b, map[string]string{"a.ipynb": lsptest.NotebookText(cells...)})
	for i := range 20 {
		x.remember(b, fmt.Sprintf("a.ipynb#f%d", i), file.Gotcha, fmt.Sprintf("The %dth sum is of floats", i))
	}
	x.write(b, "a.ipynb", withOutputs(x.read(b, "a.ipynb"), size, pictures))
	opts := x.options(b)
	opts.DebounceDelay = 150 * time.Millisecond
	e := x.edit(b, opts)
	e.Initialize(lsptest.Full())
	execute(b, e, "manicule.status")
	began := time.Now()
	n := e.OpenNotebook("a.ipynb")
	hover := func() {
		if _, err := e.Call(protocol.MethodTextDocumentHover, &protocol.HoverParams{TextDocumentPositionParams: n.At(5, 2, 5)}); err != nil {
			b.Fatal(err)
		}
	}
	hover()
	b.ReportMetric(float64(time.Since(began).Microseconds())/1000, "ms/open")
	var took []time.Duration
	old := "total = sum(rows)"
	for b.Loop() {
		now := old[:5] + "x" + old[5:]
		if len(old) > 60 {
			now = "total = sum(rows)"
		}
		start := time.Now()
		n.Edit(5, old, now)
		hover()
		took = append(took, time.Since(start))
		old = now
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "ms/p99")
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "ms/median")
}
