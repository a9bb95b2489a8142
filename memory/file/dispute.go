package file

import (
	"cmp"
	"slices"

	"manicule/indexer/sorting"
)

// Nameless stands for a person whom git does not know.
const Nameless = "somebody"

// Disputed reports whether somebody disputes a memory.
func (t Trust) Disputed() bool { return t.DisputedBy != "" || t.DisputedAt != nil }

// DisputeKind is the change kind of a version that adds a view to the disputes or takes one back, and changes nothing that the memory says.
const DisputeKind = "dispute"

// VersionAt is when this version was made. A dispute leaves the time of the last change as it was, because it
// writes nothing anew.
func (m *Memory) VersionAt() Time {
	at := m.UpdatedAt
	if m.Lineage.ChangeKind == DisputeKind {
		for _, d := range m.Trust.Views() {
			if d.At.After(at.Time) {
				at = d.At
			}
		}
	}
	return at
}

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
	sorting.StableFunc(out, func(a, b Dispute) int {
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
	if len(views) > 1 || newest.Agent != "" || newest.Taints || newest.VerifiedBy != "" || len(newest.Extra) > 0 {
		t.Disputes = slices.Clone(views)
	}
}

// Dispute adds a view. It ends the confirmation of the memory, and taints it if the view may come
// from untrusted text.
func (t *Trust) Dispute(v Dispute, tainted bool) {
	views := t.Views()
	// A memory that was tainted before anybody disputed it stays so without the view.
	v.Taints = tainted && (!t.Tainted || slices.ContainsFunc(views, taints))
	if t.VerifiedBy != "" {
		v.VerifiedBy, v.VerifiedAt = t.VerifiedBy, t.VerifiedAt
	}
	t.VerifiedBy, t.VerifiedAt = "", nil
	t.Tainted = t.Tainted || tainted
	t.SetViews(append(views, v))
}

// Withdraw removes views, and what only they did to the memory's trust. It returns how many there
// were. The confirmation that they ended holds again once nobody disputes.
func (t *Trust) Withdraw(mine func(Dispute) bool) int {
	all := t.Views()
	var gone, rest []Dispute
	for _, v := range all {
		if mine(v) {
			gone = append(gone, v)
		} else {
			rest = append(rest, v)
		}
	}
	if len(gone) == 0 {
		return 0
	}
	if slices.ContainsFunc(gone, taints) && !slices.ContainsFunc(rest, taints) {
		t.Tainted = false
	}
	for _, v := range gone {
		switch {
		case v.VerifiedBy == "":
		case len(rest) > 0:
			rest[0].VerifiedBy, rest[0].VerifiedAt = v.VerifiedBy, v.VerifiedAt
		case t.VerifiedBy == "":
			t.VerifiedBy, t.VerifiedAt = v.VerifiedBy, v.VerifiedAt
		}
	}
	t.SetViews(rest)
	return len(gone)
}

func taints(v Dispute) bool { return v.Taints }
