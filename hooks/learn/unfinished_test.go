package learn

import (
	"testing"
	"time"

	"manicule/hooks/eventlog"
	"manicule/memory/store"
)

// TestLastWork: the newest session of a branch counts, as long as it is not too old.
func TestLastWork(t *testing.T) {
	p := newPlace(t)
	began := p.now
	list := func(branch, open string) eventlog.Record {
		return eventlog.Record{Kind: "post_tool", Facts: map[string]string{"branch": branch}, Calls: []eventlog.Call{{Tool: "update_plan", Class: "other", Query: open}}}
	}
	for _, x := range []struct{ session, branch, open string }{{"a", "main", "Add tests"}, {"b", "other", "Write docs"}, {"c", "main", ""}, {"d", "other", "Fix CI"}} {
		p.log(x.session, list(x.branch, x.open), end())
		must(Pending(t.Context(), p.options(), 0))(t)
		p.now = p.now.Add(time.Hour)
	}
	o := must(store.OpenObserverReader(t.Context(), p.w.Place().StateDir(), p.w.Place().GitPrefix()))(t)
	defer func() { _ = o.Close() }() // it was only read
	for _, tt := range []struct {
		session, branch string
		since           time.Time
		want            string
	}{
		{"new", "other", began, "Fix CI"},
		{"d", "other", began, "Write docs"},
		{"new", "main", began, ""}, // the last one there finished its list
		{"new", "other", p.now, ""},
		{"new", "", began, ""},
	} {
		w, _, _, err := o.LastWork(t.Context(), tt.session, tt.branch, tt.since)
		got := ""
		if len(w.Open) > 0 {
			got = w.Open[0]
		}
		if err != nil || got != tt.want {
			t.Errorf("%+v: %q, %v", tt, got, err)
		}
	}
}
