package purge

import (
	"slices"
	"testing"

	"manicule/memory/file"
)

// TestTraces: what a purged memory is recognized by is its id, wherever it is named, and its own
// words, but not what the kept ones say too.
func TestTraces(t *testing.T) {
	gone := &file.Memory{UUID: "0198f0c2-7a41-7c3e-9d7a-00000000000a", What: "The staging port is 4711 and nobody else's", Why: "The worker drains the queues at night"}
	kept := &file.Memory{UUID: "0198f0c2-7a41-7c3e-9d7a-00000000000b", What: "Ours", Why: "The worker drains the queues at night",
		Relations: []file.Relation{{Type: "supersedes", Memory: gone.UUID}}}
	got := traces([]*file.Memory{gone}, []*file.Memory{kept})
	for _, want := range []string{gone.UUID, gone.ShortID()} {
		if !slices.Contains(got, want) {
			t.Errorf("no %s in %q", want, got)
		}
	}
	if slices.Contains(got, kept.Why) || !slices.ContainsFunc(got, func(s string) bool { return len(s) > 20 && s != gone.UUID }) {
		t.Errorf("traces: %q", got)
	}
}
