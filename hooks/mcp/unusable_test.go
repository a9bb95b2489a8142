package mcp

import (
	"path/filepath"
	"strings"
	"testing"

	"manicule/indexer/must"
)

// TestUnusable: once a connection an answer says that a memory file can't be used, whether it holds memories or none.
func TestUnusable(t *testing.T) {
	b := newSandbox(t)
	const cut = `{"uuid": "0198f0c2-7a41-7c3e-9d7a-3f1f5d0b9a12", "type": "gotcha", "what": "Exports run`
	write(t, filepath.Join(b.w.Place().MemoriesDir(), "area_context", "0198f0c2-7a41-7c3e-9d7a-3f1f5d0b9a12.json"), cut)
	_, err := b.w.Sync(t.Context())
	must.OK(t, err)
	var said []bool
	for _, call := range []struct {
		tool string
		args map[string]any
	}{
		{"recall", map[string]any{"paths": []string{"src/export/a.go"}}},
		{"search", map[string]any{"query": "exports"}},
		{"context", map[string]any{"task": "export"}},
		{"recall", map[string]any{"paths": []string{"src/export/a.go"}}},
	} {
		r, fault := b.call(call.tool, call.args)
		if fault != "" {
			t.Fatalf("%s: %s", call.tool, fault)
		}
		said = append(said, strings.Contains(textOf(r), "1 memory file can't be used"))
	}
	if !said[0] || said[1] || said[2] || said[3] {
		t.Errorf("it was said %v", said)
	}
}
