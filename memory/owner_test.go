package memory

import (
	"testing"

	"manicule/memory/file"
	"manicule/memory/store"
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
			"files": func() (Recall, error) { return w.Recaller().Recall(t.Context(), Query{Agent: agent}) },
			"view": func() (Recall, error) {
				return w.Recaller().FromView().For(agent, "").Recall(t.Context(), Query{Limit: -1})
			},
		} {
			r, err := recall()
			if err != nil || len(r.Hits) != want || r.Total != want {
				t.Errorf("%s as %q: %d of %d memories, want %d (%v)", name, agent, len(r.Hits), r.Total, want, err)
			}
		}
	}
	if _, err := w.Remember(t.Context(), Draft{What: "The staging database is down for the afternoon", During: "s-1"}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		agent, session string
		want           int
	}{{"", "", 3}, {"codex", "s-1", 3}, {"codex", "s-2", 2}, {"codex", "", 2}, {"cursor", "s-1", 2}} {
		r, err := w.Recaller().Recall(t.Context(), Query{Agent: c.agent, Session: c.session})
		if err != nil || len(r.Hits) != c.want {
			t.Errorf("%q in session %q is told of %d, want %d (%v)", c.agent, c.session, len(r.Hits), c.want, err)
		}
		v, err := w.Recaller().FromView().For(c.agent, c.session).Recall(t.Context(), Query{Limit: -1})
		if err != nil || len(v.Hits) != c.want {
			t.Errorf("%q in session %q is told of %d from the view, want %d (%v)", c.agent, c.session, len(v.Hits), c.want, err)
		}
		rows, total, err := w.Recaller().Latest(t.Context(), store.Selection{Agent: c.agent, Session: c.session}, 10)
		if err != nil || len(rows) != c.want || total != c.want {
			t.Errorf("%q in session %q lists %d of %d, want %d (%v)", c.agent, c.session, len(rows), total, c.want, err)
		}
	}
	if m := (&file.Memory{Owner: &file.Owner{Kind: "mission", ID: "x"}}); m.HiddenFrom("codex", "") || m.OwnedBy() != "" {
		t.Error("a mission is no agent")
	}
}
