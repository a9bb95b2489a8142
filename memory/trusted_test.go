package memory_test

import (
	"testing"

	"manicule/memory"
	"manicule/memory/file"
)

// TestNeedsLook: what is sure and repeats nobody's text may be accepted together with others.
func TestNeedsLook(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(*file.Memory)
		want   bool
	}{
		"sure":          {func(*file.Memory) {}, false},
		"tainted":       {func(m *file.Memory) { m.Trust.Tainted = true }, true},
		"not sure":      {func(m *file.Memory) { m.Confidence = .5 }, true},
		"contradicts":   {func(m *file.Memory) { m.Relations = []file.Relation{{Type: "conflicts_with", Memory: "x"}} }, true},
		"is related":    {func(m *file.Memory) { m.Relations = []file.Relation{{Type: "related_to", Memory: "x"}} }, false},
		"forgets one":   {func(m *file.Memory) { m.Details = []byte(`{"proposes": {"act": "forget", "memory": "x"}}`) }, true},
		"other details": {func(m *file.Memory) { m.Details = []byte(`{"steps": []}`) }, false},
	} {
		m := &file.Memory{What: "a", Confidence: .8}
		tt.change(m)
		if got := (memory.Candidate{Memory: m}).NeedsLook(); got != tt.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
