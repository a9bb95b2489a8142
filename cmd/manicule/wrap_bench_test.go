package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"manicule/lsp/lsptest"
)

// BenchmarkWrap measures what the proxy adds to a request, as the client sees
// it: a server alone and behind the proxy are asked in turn, in one run. The
// fake server answers at once, so that nothing of its own hides the rest.
// The workspace has 1,000 memories, ten of them about the folder of the file and
// one on the function that is hovered.
func BenchmarkWrap(b *testing.B) {
	p := newGoPlace(b)
	p.must(p.run("", "remember", "--type", "gotcha", "Totals overflow above two billion cents", "--at", "price/price.go#Total"))
	p.many(1000)
	initialize := lsptest.EnvInitialize + `={"capabilities":{"textDocumentSync":2,"hoverProvider":true,"codeLensProvider":{},"codeActionProvider":true,"definitionProvider":true}}`
	for _, server := range []string{"fake", "gopls"} {
		b.Run(server, func(b *testing.B) {
			program := "fakeserver"
			env := append(slices.Clone(p.env), initialize)
			if server == "gopls" {
				program = gopls(b)
			}
			start := func(cmd *exec.Cmd) *lsptest.Wire {
				cmd.Env = env
				w := p.wire(cmd)
				w.Answer = p.configuration
				w.Result("initialize", p.client("utf-16"))
				w.Notify("initialized", "{}")
				for _, m := range p.moves()[:2] {
					w.Notify(m.method, m.params)
				}
				if server == "gopls" {
					p.ready(w)
				}
				return w
			}
			alone, wrapped := start(p.server(program)), start(p.command("lsp", "--wrap", program))
			moves := p.moves()
			named := func(name string) move {
				return moves[slices.IndexFunc(moves, func(m move) bool { return m.name == name })]
			}
			hover := named("hover a function with a memory")
			for !strings.Contains(wrapped.Result(hover.method, hover.params), "☞") { // until ours is there
				wrapped.Forget()
			}
			for _, m := range []move{named("definition"), hover, named("hover a use"), named("code lens with a memory"), named("a fix for it")} {
				b.Run(m.method+"/"+m.name, func(b *testing.B) { compareLatency(b, alone, wrapped, m) })
			}
			for _, w := range []*lsptest.Wire{alone, wrapped} {
				w.Call("shutdown", "null")
				w.Send(`{"jsonrpc":"2.0","method":"exit"}`)
				w.Ended()
			}
		})
	}
}

// compareLatency asks both in turn and reports microseconds.
func compareLatency(b *testing.B, alone, wrapped *lsptest.Wire, m move) {
	b.Helper()
	times := map[*lsptest.Wire][]time.Duration{}
	for range b.N {
		for _, w := range []*lsptest.Wire{alone, wrapped} {
			begun := time.Now()
			f := w.Call(m.method, m.params)
			times[w] = append(times[w], f.At.Sub(begun))
			w.Forget()
		}
	}
	at := func(w *lsptest.Wire, share float64) float64 {
		slices.Sort(times[w])
		return float64(times[w][int(share*float64(len(times[w])-1))].Nanoseconds()) / 1000
	}
	for _, share := range []float64{0.5, 0.99} {
		name := fmt.Sprintf("p%.0f", share*100)
		b.ReportMetric(at(alone, share), name+"-alone-µs")
		b.ReportMetric(at(wrapped, share), name+"-wrapped-µs")
		b.ReportMetric(at(wrapped, share)-at(alone, share), name+"-added-µs")
	}
	b.ReportMetric(0, "ns/op") // of both together, and of no use
}

// many writes memories of the workspace as files.
func (p *place) many(n int) {
	p.t.Helper()
	dir := filepath.Join(p.root, ".manicule", "memories", "area_context")
	for i := range n {
		folder := fmt.Sprintf("shop%d", i)
		if i%(n/10) == 0 {
			folder = "price"
		}
		text := fmt.Sprintf(`{"format":1,"uuid":"0198f0c2-7a41-7c3e-9d7a-%012d","type":"gotcha","what":"Prices of shop %d are in cents","scope":["%s/**"],"created_at":"2026-05-04T11:00:00.000Z"}`, i, i, folder)
		p.must(os.WriteFile(filepath.Join(dir, fmt.Sprintf("0198f0c2-7a41-7c3e-9d7a-%012d.json", i)), []byte(text), 0o600))
	}
}
