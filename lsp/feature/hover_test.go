package feature

import (
	"strings"
	"testing"
	"time"

	"go.lsp.dev/protocol"

	"manicule/lsp/page/pagetest"
	"manicule/lsp/settings"
	"manicule/memory"
	"manicule/memory/file"
)

const source = "package a\n\nimport \"fmt\"\n\nfunc Check() { fmt.Println() }\n\nfunc Other() {}\n"

func hoverText(h *protocol.Hover) string {
	if h == nil {
		return ""
	}
	return h.Contents.(*protocol.MarkupContent).Value
}

// TestHover covers what each line of a document shows.
func TestHover(t *testing.T) {
	p := pagetest.Open(t, "a.go", source,
		pagetest.Memory{Type: file.Gotcha, What: "checks twice", At: "a.go#Check"},
		pagetest.Memory{Type: file.Decision, What: "no generics", In: "*.go"})
	o := HoverOptions{Settings: settings.Default(), Now: time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)}
	for line, want := range map[uint32][]string{
		0: {"no generics", "checks twice"}, // the file's, with those of its code
		2: {"no generics", "checks twice"}, // an import
		4: {"1 memory for Check", "gotcha: checks twice", "1 hour ago"},
		6: nil,
	} {
		got := hoverText(Hover(t.Context(), p, protocol.Position{Line: line, Character: 6}, o))
		if len(want) == 0 && got != "" {
			t.Errorf("line %d: got %s, want nothing", line, got)
		}
		for _, w := range want {
			if !strings.Contains(got, w) {
				t.Errorf("line %d: got %s, want %s", line, got, w)
			}
		}
	}
}

// TestHoverLinks: only Markdown for a client that trusts command links has them.
func TestHoverLinks(t *testing.T) {
	p := pagetest.Open(t, "a.go", source, pagetest.Memory{Type: file.Gotcha, What: "checks *twice*", At: "a.go#Check"})
	s := settings.Default()
	o := HoverOptions{Settings: s, Markdown: true, Links: Links{Memory: func(h memory.Hit) []Link {
		return []Link{{Label: "pin", Command: "do.pin", Args: []any{h.Memory.UUID}}}
	}}}
	at := protocol.Position{Line: 4, Character: 6}
	if got := hoverText(Hover(t.Context(), p, at, o)); strings.Contains(got, "do.pin") || !strings.Contains(got, `checks \*twice\*`) {
		t.Errorf("untrusted: %s", got)
	}
	s.CommandLinks = true
	if got := hoverText(Hover(t.Context(), p, at, o)); !strings.Contains(got, "[pin](command:do.pin?") {
		t.Errorf("trusted: %s", got)
	}
}
