package feature

import (
	"testing"

	"manicule/lsp/page/pagetest"
	"manicule/memory/file"
)

// TestCitations: a citation is linked by an id, by a part of one, and by the beginning of the memory's text, and not if that
// may be another memory's.
func TestCitations(t *testing.T) {
	p := pagetest.Open(t, "a.md", "text\n",
		pagetest.Memory{Type: file.Gotcha, What: "Token refresh fails silently when Redis is down", In: "*.md"},
		pagetest.Memory{Type: file.Gotcha, What: "Sessions are kept in Redis", In: "*.md"},
		pagetest.Memory{Type: file.Gotcha, What: "Sessions are kept in Redis for an hour", In: "*.md"})
	id := ""
	for _, h := range p.View.All() {
		if h.Memory.What == "Token refresh fails silently when Redis is down" {
			id = h.Memory.UUID
		}
	}
	for text, links := range map[string]int{
		"[^ Memory: " + id + "]":                                    1,
		"[^ Memory: " + id[len(id)-8:] + "]":                        1,
		"[^ Memory: token refresh  fails silently]":                 1,
		"[^ Memory: “Token refresh fails…”]":                        1,
		"[^ Memory: Sessions are kept in Redis for]":                1,
		"[^ Memory: Sessions are kept]":                             0, // by two
		"[^ Memory: Token]":                                         0, // too short to be sure
		"[^ Memory: Tokens are never refreshed]":                    0,
		"[^ Memory: token refresh\nfails silently]":                 0,
		"[^ Memory: " + id[len(id)-8:] + "] [^ Memory: " + id + "]": 2,
	} {
		p.Doc = pagetest.Open(t, "a.md", text).Doc
		if got := Citations(p); len(got) != links {
			t.Errorf("%q: %d links, want %d", text, len(got), links)
		}
	}
}
