package main

import (
	"maps"
	"slices"
	"testing"

	"manicule/memory"
	"manicule/memory/file"
)

// TestContradictions: what contradicts another memory counts, as long as that is there.
func TestContradictions(t *testing.T) {
	related := map[string][]memory.Related{
		"a": {{Type: "related_to", UUID: "c"}, {Type: "conflicts_with", UUID: "b"}}, "b": {{Type: "conflicts_with", UUID: "a", Back: true}},
		"c": {{Type: "related_to", UUID: "a", Back: true}}, "d": {{Type: "conflicts_with", UUID: "forgotten"}},
	}
	var hits []memory.Hit
	for _, uuid := range []string{"a", "b", "c", "d"} {
		hits = append(hits, memory.Hit{Memory: &file.Memory{UUID: uuid}})
	}
	got := contradictions(hits, func(m *file.Memory) []memory.Related { return related[m.UUID] })
	if list := slices.Sorted(maps.Keys(got)); !slices.Equal(list, []string{"a", "b"}) {
		t.Errorf("contradicted: %v", list)
	}
}
