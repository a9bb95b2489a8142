package memory

import (
	"testing"

	"manicule/memory/file"
)

// TestOwner: what is for one agent alone isn't shown to another; a person sees all.
func TestOwner(t *testing.T) {
	w := fixture(t)
	if _, err := w.Remember(t.Context(), Draft{What: "Retry the flaky upload twice before you report it", For: "codex"}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Remember(t.Context(), Draft{What: "Handlers never return raw errors to the client"}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	for agent, want := range map[string]int{"": 2, "codex": 2, "cursor": 1} {
		for name, recall := range map[string]func() (Recall, error){
			"files": func() (Recall, error) { return w.Recall(t.Context(), Query{Agent: agent}) },
			"view":  func() (Recall, error) { return w.FromView().For(agent).Recall(t.Context(), Query{Limit: -1}) },
		} {
			r, err := recall()
			if err != nil || len(r.Hits) != want || r.Total != want {
				t.Errorf("%s as %q: %d of %d memories, want %d (%v)", name, agent, len(r.Hits), r.Total, want, err)
			}
		}
	}
	if m := (&file.Memory{Owner: &file.Owner{Kind: "mission", ID: "x"}}); m.HiddenFrom("codex") || m.OwnedBy() != "" {
		t.Error("a mission is no agent")
	}
}
