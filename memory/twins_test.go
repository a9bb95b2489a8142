package memory

import (
	"fmt"
	"path/filepath"
	"testing"
)

// TestTwins: the same words about the same place are told and may become one; a correction, another place, what nobody
// has reviewed and what has several versions may not.
func TestTwins(t *testing.T) {
	const a, b = "0198f0c2-7a41-7c3e-9d7a-3f1f5d0b9a11", "0198f0c2-7a41-7c3e-9d7a-3f1f5d0b9a22"
	text := func(id, what, rest string) string {
		return fmt.Sprintf(`{"uuid": %q, "type": "gotcha", "layer": "area_context", "what": %q, "created_at": "2026-05-02T10:00:00Z", %s}`, id, what, rest)
	}
	const said = `"trust": {"origin": "user_taught", "tainted": false}`
	for name, x := range map[string]struct {
		what, rest string
		want       bool
	}{
		"the same words":       {"Retry when load < 3 per core", said + `, "tags": ["ops"]`, true},
		"in other punctuation": {"Retry, when load < 3 per core.", said, true},
		"a correction":         {"Retry when load > 3 per core", said, false},
		"another place":        {"Retry when load < 3 per core", said + `, "scope": ["ci/**"]`, false},
		"not reviewed":         {"Retry when load < 3 per core", `"tags": ["ops"]`, false},
		"several versions":     {"Retry when load < 3 per core", said + `, "conflict": [{"type": "gotcha", "what": "Never retry", "updated_at": "2026-05-02T10:00:00Z"}]`, false},
	} {
		t.Run(name, func(t *testing.T) {
			w := fixture(t)
			folder := filepath.Join(w.Root(), ".manicule/memories/area_context")
			write(t, filepath.Join(folder, a+".json"), text(a, "Retry when load < 3 per core", said))
			write(t, filepath.Join(folder, b+".json"), text(b, x.what, x.rest))
			list, err := w.Twins().List(t.Context())
			if err != nil || (len(list) == 1) != x.want {
				t.Fatalf("twins %v, %v", list, err)
			}
			if _, err := w.Sync(t.Context()); err != nil {
				t.Fatal(err)
			}
			one, ok := w.View().Get(a)
			two, also := w.View().Get(b)
			if !ok || !also {
				t.Fatal("a memory is not active")
			}
			next, ok, err := w.Twins().Merge(one.Memory, two.Memory)
			if err != nil || ok != x.want {
				t.Fatalf("merged: %v, %v", ok, err)
			}
			if ok && next.What != one.Memory.What {
				t.Errorf("the text became %q", next.What)
			}
			if ok && len(two.Memory.Tags) > 0 && (len(next.Tags) != 1 || next.Lineage.Version != one.Memory.Lineage.Version+1) {
				t.Errorf("merged into %+v", next)
			}
			if ok && len(two.Memory.Tags) == 0 && next != one.Memory {
				t.Error("a twin that adds nothing makes a version")
			}
		})
	}
}
