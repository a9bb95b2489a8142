package units_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"manicule/indexer/must"
	"manicule/memory"
	"manicule/memory/episode"
	"manicule/memory/file"
	"manicule/memory/store"
	"manicule/memory/units"
	"manicule/memory/work"
)

// session keeps a session that was about a unit.
func session(t *testing.T, w *memory.Workspace, id string, e episode.Episode) {
	t.Helper()
	e.Session, e.Agent, e.Active = id, "claude-code", (30 * time.Minute).Milliseconds()
	e.Started = w.Now().UnixMilli()
	e.Ended = e.Started + int64(len(id))
	o := store.Observation{Session: id, Log: "s-" + id, Agent: e.Agent, Kind: "build", Started: e.Started, Ended: e.Ended, Episode: e}
	if _, err := w.Observer().Observe(t.Context(), o, nil); err != nil {
		t.Fatal(err)
	}
}

// outcomes are the candidates for what units came to.
func outcomes(t *testing.T, w *memory.Workspace) (out []*file.Memory) {
	t.Helper()
	list, err := w.Drafts().List(t.Context())
	must.OK(t, err)
	for _, m := range list {
		if m.Type == file.WorkUnitOutcome {
			out = append(out, m)
		}
	}
	return out
}

func TestOutcome(t *testing.T) {
	for _, c := range []struct {
		to   work.State
		why  string
		want string // "" for none
		says []string
	}{
		{work.Accepted, "", "ticket ABC-1 (Retry the queue) was accepted after 2 sessions (1 succeeded, 1 failed) with 2 edited files and 1h0m of work.", []string{"`make test` failed (no rule) until `go test ./...`", "all checks pass"}},
		{work.Rejected, "It retries for ever", "ticket ABC-1 (Retry the queue) was rejected after 2 sessions (1 succeeded, 1 failed) with 2 edited files and 1h0m of work.", []string{"Reason: It retries for ever. In its sessions: "}},
		{work.Abandoned, "", "", nil},
		{work.InReview, "", "", nil},
	} {
		t.Run(string(c.to), func(t *testing.T) {
			w := newWorkspace(t)
			begin(t, w, units.New{Name: "ABC-1", Title: "Retry the queue"})
			session(t, w, "a", episode.Episode{Work: "ticket:ABC-1", Task: "Retry", Outcome: episode.Failure, Edited: []string{"a.go"}, Problems: []episode.Problem{{What: "make test", Line: "no rule", Fix: "go test ./..."}}})
			session(t, w, "bb", episode.Episode{Work: "ticket:ABC-1", Task: "Go on", Outcome: episode.Success, Edited: []string{"a.go", "b.go"}, Evidence: []string{"all checks pass"}})
			session(t, w, "other", episode.Episode{Work: "ticket:ABC-2", Task: "Go on", Outcome: episode.Success})
			r, err := units.Of(w).Set(t.Context(), "ABC-1", c.to, c.why, "", false)
			must.OK(t, err)
			list := outcomes(t, w)
			if c.want == "" {
				if len(list) != 0 || len(r.Outcomes) != 0 {
					t.Fatalf("%v, %+v", list, r.Outcomes)
				}
				return
			}
			if len(list) != 1 || len(r.Outcomes) != 1 || r.Outcomes[0].Act != "learned" || r.Outcomes[0].Memory.UUID != list[0].UUID {
				t.Fatalf("%v, %+v", list, r.Outcomes)
			}
			m := list[0]
			if m.What != c.want || !slices.Equal(m.Scope, []string{"a.go", "b.go"}) || !slices.Equal(m.Provenance.Sessions, []string{"a", "bb"}) || !m.Work().In("ticket:ABC-1") || m.Trust.Origin != file.ObserverInferred {
				t.Errorf("%+v, scope %q, of %+v", m.What, m.Scope, m.Provenance)
			}
			for _, part := range c.says {
				if !strings.Contains(m.Why, part) {
					t.Errorf("%q is not in %q", part, m.Why)
				}
			}
			if set(t, w, "ABC-1", c.to, ""); len(outcomes(t, w)) != 1 {
				t.Error("it is proposed again")
			}
		})
	}
}

// TestOutcomeOfOpenSession: the session that completes a unit counts once it is over. What a person changed or judged stays.
func TestOutcomeOfOpenSession(t *testing.T) {
	w := newWorkspace(t)
	ended := func() {
		t.Helper()
		must.OK(t, units.Of(w).Ended(t.Context(), "ticket:ABC-1"))
	}
	begin(t, w, units.New{Name: "ABC-1"})
	ended()
	same(t, "without a session", set(t, w, "ABC-1", units.Complete, "claude-code"))
	session(t, w, "a", episode.Episode{Work: "ticket:ABC-1", Task: "Retry the queue", Outcome: episode.Success, Edited: []string{"a.go"}})
	ended()
	list := outcomes(t, w)
	if len(list) != 1 || !strings.HasPrefix(list[0].What, "ticket ABC-1 (Retry the queue) was accepted after 1 session (") {
		t.Fatalf("after its session: %v", list)
	}
	session(t, w, "bb", episode.Episode{Work: "ticket:ABC-1", Task: "Go on", Outcome: episode.Partial, Tainted: true})
	ended()
	if list = outcomes(t, w); len(list) != 1 || !strings.Contains(list[0].What, "after 2 sessions") || !list[0].Trust.Tainted || len(list[0].Provenance.Sessions) != 2 {
		t.Fatalf("after another one: %v", list)
	}
	if _, err := w.Drafts().Edit(t.Context(), list[0].UUID, func(m *file.Memory) error { m.What = "Retrying the queue took a day"; return nil }); err != nil {
		t.Fatal(err)
	}
	session(t, w, "ccc", episode.Episode{Work: "ticket:ABC-1", Task: "Go on", Outcome: episode.Success})
	ended()
	if list = outcomes(t, w); len(list) != 1 || list[0].What != "Retrying the queue took a day" {
		t.Fatalf("after a person changed it: %v", list)
	}
	must.OK(t, w.Drafts().Reject(t.Context(), list[0].UUID, ""))
	ended()
	if list = outcomes(t, w); len(list) != 0 {
		t.Fatalf("after a person rejected it: %v", list)
	}
	set(t, w, "ABC-1", work.Open, "")
	set(t, w, "ABC-1", work.Rejected, "")
	if list = outcomes(t, w); len(list) != 1 || !strings.Contains(list[0].What, "was rejected after 3 sessions") {
		t.Errorf("after it was decided anew: %v", list)
	}
}

// TestOutcomeOfMission: what a mission came to has the sessions of its parts, and is for the whole project.
func TestOutcomeOfMission(t *testing.T) {
	w := newWorkspace(t)
	begin(t, w, units.New{Name: "mission:payments", Title: "Payments"})
	begin(t, w, units.New{Name: "#7", Under: "mission:payments"})
	session(t, w, "a", episode.Episode{Work: "issue:7", Task: "Retry", Outcome: episode.Success})
	set(t, w, "mission:payments", work.Accepted, "")
	list := outcomes(t, w)
	if len(list) != 1 || list[0].Owner != nil || !strings.HasPrefix(list[0].What, "mission payments (Payments) was accepted after 1 session (1 succeeded, 0 failed)") {
		t.Fatalf("%v", list)
	}
}
