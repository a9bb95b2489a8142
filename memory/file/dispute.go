package file

import (
	"cmp"
	"slices"
)

// Nameless stands for a person whom git does not know.
const Nameless = "somebody"

// Disputed reports whether somebody disputes a memory.
func (t Trust) Disputed() bool { return t.DisputedBy != "" || t.DisputedAt != nil }

// Views lists the other views of a disputed memory, oldest first. A version of Manicule that knows
// one view at most keeps the others, but does not know that a dispute is over when it says so:
// nobody disputes then.
func (t Trust) Views() []Dispute {
	if !t.Disputed() {
		return nil
	}
	out := slices.Clone(t.Disputes)
	for i := range out {
		out[i].By = cmp.Or(out[i].By, Nameless)
	}
	newest := Dispute{By: cmp.Or(t.DisputedBy, Nameless), Says: t.DisputeNote}
	if t.DisputedAt != nil {
		newest.At = *t.DisputedAt
	}
	if !slices.ContainsFunc(out, func(d Dispute) bool { return d.By == newest.By && d.Says == newest.Says }) {
		out = append(out, newest)
	}
	slices.SortStableFunc(out, func(a, b Dispute) int {
		return cmp.Or(a.At.Compare(b.At.Time), cmp.Compare(a.By, b.By), cmp.Compare(a.Says, b.Says), cmp.Compare(a.Agent, b.Agent))
	})
	return out
}

// SetViews replaces the other views. Without any nobody disputes.
func (t *Trust) SetViews(views []Dispute) {
	t.DisputedBy, t.DisputedAt, t.DisputeNote, t.Disputes = "", nil, "", nil
	if len(views) == 0 {
		return
	}
	newest := views[0]
	for _, v := range views[1:] {
		if !v.At.Before(newest.At.Time) {
			newest = v
		}
	}
	t.DisputedBy, t.DisputeNote = newest.By, newest.Says
	if !newest.At.IsZero() {
		t.DisputedAt = &newest.At
	}
	if len(views) > 1 || newest.Agent != "" || len(newest.Extra) > 0 {
		t.Disputes = slices.Clone(views)
	}
}
