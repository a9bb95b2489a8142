package search_test

import (
	"strings"
	"testing"

	"manicule/memory"
	"manicule/memory/file"
	"manicule/memory/retrieve"
	"manicule/memory/search"
)

// TestRecent: of memories that match alike, the one about a file that was used last comes first, then one of its folder; what
// matches much better stays in front.
func TestRecent(t *testing.T) {
	p := newProject(t, map[string]string{"auth/a.go": "package auth\n", "auth/b.go": "package auth\n", "queue/q.go": "package queue\n", "main.go": "package main\n"})
	ids := map[string]string{}
	for name, at := range map[string]string{"a": "auth/a.go", "b": "auth/b.go", "q": "queue/q.go", "m": "main.go"} {
		ids[name] = p.remember(t, memory.Draft{Type: file.Gotcha, What: "The " + name + " part retries twice unless it is locked", At: []string{at}})
	}
	best := p.remember(t, memory.Draft{Type: file.Gotcha, What: "Parts that retry twice are locked by the queue first", At: []string{"queue/q.go"}})
	s := p.searcher(t, search.Options{})
	order := func(recent ...string) string {
		t.Helper()
		a := ask(t, s, search.Question{Text: "which part retries twice unless locked", Limit: 10, Explicit: true, Recent: recent})
		var out []string
		for _, r := range a.Results {
			for name, id := range ids {
				if r.ID == id {
					out = append(out, name)
				}
			}
			for _, l := range r.By {
				if l.Leg == retrieve.ByRecent && len(recent) == 0 {
					t.Error("near nothing")
				}
			}
		}
		return strings.Join(out, " ")
	}
	if got := order("auth/b.go"); !strings.HasPrefix(got, "b a ") {
		t.Errorf("near b: %s", got)
	}
	if got := order("auth/a.go", "queue/q.go"); !strings.HasPrefix(got, "a ") {
		t.Errorf("near a: %s", got)
	}
	if got := order("main.go"); !strings.HasPrefix(got, "m ") {
		t.Errorf("near m: %s", got)
	}
	if a, b := order(), order("no/such.go"); a != b {
		t.Errorf("near nothing: %s, %s", a, b)
	}
	a := ask(t, s, search.Question{Text: "Parts that retry twice are locked by the queue first", Limit: 10, Explicit: true, Recent: []string{"auth/b.go"}})
	if a.Results[0].ID != best {
		t.Errorf("what is asked for word by word comes after what is near: %+v", a.Results[0])
	}
	p.remember(t, memory.Draft{Type: file.Gotcha, What: "Sessions expire at midnight", At: []string{"auth/b.go"}})
	s = p.searcher(t, search.Options{})
	for _, r := range ask(t, s, search.Question{Text: "which part retries twice unless locked", Limit: 10, Explicit: true, Recent: []string{"auth/b.go"}}).Results {
		if len(r.By) == 1 && r.By[0].Leg == retrieve.ByRecent {
			t.Errorf("%s is found by being near alone", r.ID)
		}
	}
	a = ask(t, s, search.Question{Text: "which part retries twice unless locked", Limit: 10, Recent: []string{"auth/b.go"}, Filter: search.Filter{Modules: []string{"queue"}}})
	for _, r := range a.Results {
		if r.ID == ids["b"] {
			t.Error("what a filter leaves out is found by being near")
		}
	}
}
