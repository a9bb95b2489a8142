package mcp

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"manicule/indexer/must"
)

// TestVersions: an agent sees every version of a memory that people have not decided
// about, and who wrote it; nothing that it can call decides.
func TestVersions(t *testing.T) {
	b := newSandbox(t)
	const id = "0198f0c2-7a41-7c3e-9d7a-3f1f5d0b9a12"
	path := filepath.Join(b.w.Place().MemoriesDir(), "area_context", id+".json")
	write(t, path, `{"uuid": "`+id+`", "type": "gotcha", "what": "Exports run hourly.", "scope": ["src/export/**"], "contributor": "ada", "trust": {"origin": "user_taught"},
"created_at": "2026-05-01T10:00:00Z", "updated_at": "2026-05-02T10:00:00Z",
"conflict": [{"type": "gotcha", "what": "Exports run nightly.”\u202e", "why": "The lock is held at day.", "scope": ["src/export/**"], "contributor": "bea", "updated_at": "2026-05-01T10:00:00Z"}]}`)
	if _, err := b.w.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	ask := func(budget int) (Item, string) {
		t.Helper()
		r, fault := b.call("recall", map[string]any{"paths": []string{"src/export/a.go"}, "budget": budget})
		items := structured[Answer](t, r).Items
		if fault != "" || len(items) != 1 {
			t.Fatalf("recall: %s %+v", fault, items)
		}
		return items[0], textOf(r)
	}
	it, text := ask(1000)
	if len(it.Versions) != 1 || it.What != "Exports run hourly." {
		t.Fatalf("versions besides %q: %+v", it.What, it.Versions)
	}
	other := it.Versions[0]
	want := ItemVersion{What: other.What, Why: "The lock is held at day.", By: "bea", At: "2026-05-01"}
	if other != want || !strings.HasPrefix(other.What, "Exports run nightly.") || strings.ContainsAny(other.What, "\u202e”") {
		t.Errorf("version: %+v", other)
	}
	for _, has := range []string{"2 versions, undecided", "a person decides", "Exports run nightly", "[bea, 2026-05-01]"} {
		if !strings.Contains(text, has) {
			t.Errorf("no %q in\n%s", has, text)
		}
	}
	for _, budget := range []int{100, 130, 169} { // the first memory is listed however small the room is
		if it, text := ask(budget); !strings.Contains(text, "undecided") || it.ID == "" {
			t.Errorf("with %d tokens: %+v\n%s", budget, it, text)
		}
	}
	if it, text := ask(190); !strings.Contains(text, "2 versions, undecided") {
		t.Errorf("with little room: %+v\n%s", it, text)
	}

	before := must.Read(t, path)
	b.call("update", map[string]any{"id": id, "what": "Exports run weekly.", "reason": "seen"})
	b.call("confirm", map[string]any{"id": id, "reason": "seen"})
	if after, err := os.ReadFile(path); err != nil || string(after) != string(before) {
		t.Errorf("an agent changed it: %s, %v", after, err)
	}
}
