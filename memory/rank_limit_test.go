package memory_test

import (
	"strings"
	"testing"

	"manicule/memory"
	"manicule/memory/file"
)

// TestLimit: below the diversity limit a layer with several hits gives up its last for a layer that has
// none; the first always stays.
func TestLimit(t *testing.T) {
	layers := map[string]file.Layer{"a": "area_context", "t": "technical", "g": "guidelines"}
	for _, tt := range []struct {
		hits             string
		limit, diversity int
		want             string
		omitted          int
	}{
		{"a1 a2 a3 t1 g1", 3, 5, "a1 g1 t1", 2},
		{"a1 a2 a3 t1 g1", 2, 5, "a1 t1", 3},
		{"a1 a2 a3 t1 g1", 3, 3, "a1 a2 a3", 2}, // the limit is not below it
		{"a1 a2 a3 t1 g1", 3, 0, "a1 a2 a3", 2}, // never
		{"a1 t1 a2 g1", 1, 5, "a1", 3},
		{"a1 t1", 2, 5, "a1 t1", 0},
		{"a1 t1 a2", 0, 5, "a1 t1 a2", 0}, // no limit
	} {
		var hits []memory.Hit
		for name := range strings.FieldsSeq(tt.hits) {
			hits = append(hits, memory.Hit{Memory: &file.Memory{What: name, Layer: layers[name[:1]]}})
		}
		kept, omitted := memory.Limit(hits, tt.limit, tt.diversity)
		var names []string
		for _, h := range kept {
			names = append(names, h.Memory.What)
		}
		if got := strings.Join(names, " "); got != tt.want || omitted != tt.omitted {
			t.Errorf("%s, %d of diversity %d: %s, %d omitted; want %s, %d", tt.hits, tt.limit, tt.diversity, got, omitted, tt.want, tt.omitted)
		}
	}
}
