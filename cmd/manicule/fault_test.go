package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.lsp.dev/protocol"

	"manicule/lsp/lsptest"
)

// newFaulty is a place with a file that brings out a panic at a stage, and a
// memory of it and of another one.
func newFaulty(t *testing.T, stage string) *place {
	p := newPlace(t)
	for name, text := range map[string]string{
		"go.mod":        "module example.com/a\n",
		"src/a.go":      "package a\n\nfunc Flush() {}\n",
		"src/use.go":    "package a\n\nfunc Use() { Flush() }\n",
		"src/faulty.go": "package a\n\n// Faulty is faulty.\nfunc Faulty() { Flush() }\n",
	} {
		p.must(os.WriteFile(filepath.Join(p.root, name), []byte(text), 0o644))
	}
	p.git("init", "-q", "-b", "main")
	p.git("add", "-A")
	p.git("commit", "-q", "-m", "all")
	p.must(p.run("", "init"))
	p.must(p.run("", "remember", "the cache is flushed by hand", "--type", "gotcha", "--at", "src/a.go#Flush"))
	p.must(p.run("", "remember", "it drops what it gets", "--type", "gotcha", "--at", "src/faulty.go#Faulty"))
	// Something to look for, in both files.
	p.must(os.WriteFile(filepath.Join(p.root, "src/a.go"), []byte("package a\n\nfunc More() {}\n\nfunc Flush() {}\n"), 0o644))
	p.must(os.WriteFile(filepath.Join(p.root, "src/faulty.go"), []byte("package a\n\n// Faulty is faulty, and longer.\nfunc Faulty() { Flush(); Flush() }\n"), 0o644))
	p.env = append(p.env, envFault+"="+stage)
	return p
}

// named holds that doctor names the file, and not the other.
func (p *place) named() {
	p.t.Helper()
	out, err := p.output("", "doctor")
	var faults []string
	for line := range strings.Lines(out) {
		if strings.Contains(line, "a fault in Manicule") {
			faults = append(faults, line)
		}
	}
	if err == nil || len(faults) == 0 || !strings.Contains(faults[0], "src/faulty.go: ") || strings.Contains(strings.Join(faults, ""), "src/a.go") {
		p.t.Errorf("doctor: %v\n%s", err, out)
	}
}

// stages are where a file can bring out a fault.
var stages = []string{"extract", "resolve", "anchor"}

// TestFaultInEditor: a language server lives on after a file that brings out a
// panic, also where that is open and edited, and answers for the others.
func TestFaultInEditor(t *testing.T) {
	wholeFormOnly(t)
	for _, stage := range stages {
		t.Run(stage, func(t *testing.T) {
			t.Parallel()
			p := newFaulty(t, stage)
			e := lsptest.Start(t, p.root, p.serve)
			e.Initialize(lsptest.Full())
			e.Open("src/faulty.go")
			e.Open("src/a.go")
			hover := func(rel string, line uint32) string {
				raw, err := e.Call(protocol.MethodTextDocumentHover, e.At(rel, line, 6))
				if err != nil {
					t.Errorf("hover in %s: %v", rel, err)
				}
				return string(raw)
			}
			graph := func() string {
				raw, err := e.Call("manicule/graph", map[string]any{"textDocument": map[string]any{"uri": e.URI("src/a.go")}, "symbol": "Flush"})
				if err != nil {
					t.Errorf("graph: %v", err)
				}
				return string(raw)
			}
			ask := func() {
				t.Helper()
				if got := hover("src/a.go", 4); !strings.Contains(got, "flushed by hand") {
					t.Errorf("hover: %s", got)
				}
				hover("src/faulty.go", 3)
				if got := graph(); !strings.Contains(got, `"Use"`) {
					t.Errorf("graph: %s", got)
				}
				doc := map[string]any{"textDocument": map[string]any{"uri": e.URI("src/faulty.go")}}
				for _, method := range []string{protocol.MethodTextDocumentCodeLens, protocol.MethodTextDocumentDiagnostic} {
					if _, err := e.Call(method, doc); err != nil {
						t.Errorf("%s: %v", method, err)
					}
				}
			}
			ask()
			e.Replace("src/faulty.go", "package a\n\n// It is faulty still.\n\nfunc Faulty() {}\n")
			ask()
			e.Save("src/faulty.go", "package a\n\n// It is faulty still.\n\nfunc Faulty() {}\n")
			e.Write("src/a.go", "package a\n\nfunc Flush() {}\n")
			e.Replace("src/a.go", "package a\n\nfunc More() {}\n\nfunc Flush() {} // by hand\n")
			ask()
			e.Shutdown()
			if err := e.Served(); err != nil {
				t.Errorf("the server ended with %v", err)
			}
			p.named()
		})
	}
}

// TestFaultForAgents is the same for the MCP server.
func TestFaultForAgents(t *testing.T) {
	if testing.Short() {
		t.Skip("in the whole form only")
	}
	for _, stage := range stages {
		t.Run(stage, func(t *testing.T) {
			t.Parallel()
			p := newFaulty(t, stage)
			ctx := t.Context()
			cs, _ := p.agent(ctx)
			within(t, 2*time.Second+slack, "it leads", func() bool { return strings.Contains(p.callTool(ctx, cs, "stats", nil), "Leader: this process") })
			ask := func() {
				t.Helper()
				if got := p.callTool(ctx, cs, "impact", map[string]any{"targets": []string{"src/a.go#Flush"}}); !strings.Contains(got, "src/use.go:3 Use") {
					t.Errorf("impact: %s", got)
				}
				if got := p.callTool(ctx, cs, "recall", map[string]any{"paths": []string{"src/a.go", "src/faulty.go"}}); !strings.Contains(got, "flushed by hand") || !strings.Contains(got, "drops what it gets") {
					t.Errorf("recall: %s", got)
				}
				if got := p.callTool(ctx, cs, "search", map[string]any{"query": "flushed by hand"}); !strings.Contains(got, "flushed by hand") {
					t.Errorf("search: %s", got)
				}
				if got := p.callTool(ctx, cs, "impact", map[string]any{"diff": "HEAD"}); !strings.Contains(got, "src/a.go:3 More") || !strings.Contains(got, "flushed by hand") {
					t.Errorf("impact of the change: %s", got)
				}
			}
			ask()
			p.must(os.WriteFile(filepath.Join(p.root, "src/faulty.go"), []byte("package a\n\n// It is faulty still.\n\nfunc Faulty() {}\n"), 0o644))
			p.must(os.WriteFile(filepath.Join(p.root, "src/new.go"), []byte("package a\n\nfunc New() { Flush() }\n"), 0o644))
			within(t, 40*time.Second+slack, "new code is seen", func() bool {
				return strings.Contains(p.callTool(ctx, cs, "impact", map[string]any{"targets": []string{"src/a.go#Flush"}}), "New")
			})
			ask()
			if err := cs.Close(); err != nil {
				t.Errorf("the server ended with %v", err)
			}
			p.named()
		})
	}
}
