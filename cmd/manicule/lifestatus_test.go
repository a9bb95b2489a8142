package main

import (
	"maps"
	"slices"
	"testing"

	"manicule/memory"
	"manicule/memory/file"
)

// TestContradictions: both sides count, as long as both are there.
func TestContradictions(t *testing.T) {
	hit := func(uuid, kind, other string) memory.Hit {
		m := &file.Memory{UUID: uuid}
		if kind != "" {
			m.Relations = []file.Relation{{Type: kind, Memory: other}}
		}
		return memory.Hit{Memory: m}
	}
	got := contradictions([]memory.Hit{hit("a", "conflicts_with", "b"), hit("b", "", ""), hit("c", "related_to", "a"), hit("d", "conflicts_with", "forgotten")})
	if list := slices.Sorted(maps.Keys(got)); !slices.Equal(list, []string{"a", "b"}) {
		t.Errorf("contradicted: %v", list)
	}
}
