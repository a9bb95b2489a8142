package lsp_test

import (
	"encoding/json"
	"strings"
	"testing"

	"manicule/indexer/must"
	"manicule/lsp/lsptest"
)

// TestFadedConfidence: a hover and the lists say how sure an unused memory still is, by the number of `manicule show`.
func TestFadedConfidence(t *testing.T) {
	const uuid = "0198f0c2-7a41-7c3e-9d7a-0000000000e1"
	files := small()
	files[".manicule/memories/area_context/"+uuid+".json"] = `{"uuid": "` + uuid + `", "type": "gotcha", "what": "The check skips blanks", "scope": ["a.go"], "confidence": 0.9,
"contributor": "ada", "trust": {"origin": "user_taught"}, "created_at": "2026-01-01T12:00:00.000Z", "updated_at": "2026-01-01T12:00:00.000Z"}`
	s := newSandbox(t, files)
	e := s.edit(t, s.options(t))
	e.Initialize(lsptest.Full())
	e.Open("a.go")
	if got := hoverText(t, e, "a.go", 0, 0); !strings.Contains(got, "confidence 0.22, stated 0.90") { // 123 days, half-life 60
		t.Errorf("hover: %s", got)
	}
	raw, err := e.Call("manicule/tree", map[string]any{"by": "file"})
	must.OK(t, err)
	if !json.Valid(raw) || !strings.Contains(string(raw), `"confidence":0.217`) {
		t.Errorf("tree: %s", raw)
	}
}
