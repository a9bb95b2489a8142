package gate

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"manicule/indexer/must"
	"manicule/memory/scope"
	"manicule/memory/secret/full"
)

// TestNewMembersPassOlderPrograms: a program that does not know a member of the memory file yet judges its name and value as text.
// A name that reads like that of a credential would have it quarantine every memory that has the member.
func TestNewMembersPassOlderPrograms(t *testing.T) {
	var schema any
	must.OK(t, json.Unmarshal(must.Read(t, "../../docs/memory.schema.json"), &schema))
	names := map[string]bool{}
	collect(schema, names)
	if len(names) < 60 {
		t.Fatalf("only %d members in the schema", len(names))
	}
	g := New(scope.Options{}, full.Rules{})
	judged := func(name, value string) int {
		m := sample("where it is kept")
		m.Extra = jsontext.Value(fmt.Sprintf(`{%q:%q}`, name, value))
		found, err := g.Judge(m)
		must.OK(t, err)
		return len(found)
	}
	values := []string{
		"0198f0c2-7a41-7c3e-9d7a-3f1f5d0b9a11", "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
		"0feb42d990fcce42784a74606d1f3a2c274cf4c8", "Zb7nyLZ9tMzlHidA4YKt9N+Wadj7CgVs1HKx8OgJLsGDonOw8e9WXRQaKz7VLJuayU828TBz0pWcV84KW9ipjg", "2026-05-02T10:00:00Z",
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if slices.Contains([]string{"key", "session", "sessions", "signature"}, name) {
			continue // every program knows them
		}
		for _, value := range values {
			if n := judged(name, value); n > 0 {
				t.Errorf("a program that does not know %q quarantines a memory with %q there: give the member another name", name, value)
			}
		}
	}
	if judged("api_token", values[2]) == 0 {
		t.Error("a name of a credential passes: the test tells nothing")
	}
}

// collect adds the names of all properties of a schema.
func collect(node any, names map[string]bool) {
	switch node := node.(type) {
	case map[string]any:
		if props, ok := node["properties"].(map[string]any); ok {
			for name := range props {
				names[strings.TrimSpace(name)] = true
			}
		}
		for _, child := range node {
			collect(child, names)
		}
	case []any:
		for _, child := range node {
			collect(child, names)
		}
	}
}
