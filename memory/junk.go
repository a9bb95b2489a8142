package memory

import (
	"strings"

	"manicule/memory/file"
	"manicule/memory/gate"
	"manicule/memory/store"
)

// isDoubtful reports whether a memory that nobody has looked at may be junk: it waits for a person, where others of its origin
// become active.
func isDoubtful(m *file.Memory) (*gate.Rejection, bool) {
	if gate.ByPerson(m) {
		return nil, false
	}
	outcome, r := gate.Weigh(m)
	return r, outcome == gate.Doubtful
}

// doubtMark stands in the reason of a draft before what its text reads like. The reason is stored, so that lists of drafts are not
// judged again.
const doubtMark = "it may be no memory: "

// withDoubt adds to the reason of a draft that it may be junk, if it may, and takes away what was said of an earlier text.
func withDoubt(reason string, m *file.Memory) string {
	reason, _, _ = strings.Cut(reason, doubtMark)
	reason = strings.TrimSuffix(reason, "; ")
	r, doubtful := isDoubtful(m)
	switch {
	case !doubtful:
		return reason
	case reason == "":
		return doubtMark + r.Reason
	}
	return reason + "; " + doubtMark + r.Reason
}

// doubtOf returns what a draft reads like by its reason, "" if nothing speaks against it.
func doubtOf(reason string) string {
	_, doubt, _ := strings.Cut(reason, doubtMark)
	return doubt
}

// waits is the result of a write that a person has to accept.
func waits(m *file.Memory) Result {
	r := Result{Accepted: true, Memory: m, Draft: true, Reason: "it waits for a person: `manicule review`"}
	if doubt, doubtful := isDoubtful(m); doubtful {
		r.Doubt = string(doubt.Code)
	}
	return r
}

// draftOf is the draft of a memory of an import that may be junk.
func draftOf(m *file.Memory, d Draft) *store.DraftRow {
	m.Trust.NeedsReview = true
	return &store.DraftRow{Memory: m, Status: store.StatusDraft, Reason: withDoubt("it was imported", m), Tool: d.Tool, Session: d.Session, Key: visibleKey(m)}
}

// heldBack is the result for such a draft after it was stored.
func heldBack(m *file.Memory, doubt *gate.Rejection, stored store.StoredDraft) Result {
	switch {
	case stored.Merged && stored.Status == store.StatusRejected:
		return Result{Accepted: true, Deduped: true, Code: "duplicate", Reason: "a person rejected it before", MergedInto: stored.Same}
	case stored.Merged:
		return Result{Accepted: true, Deduped: true, Code: "duplicate", Reason: "it waits for a person already: `manicule review`", MergedInto: stored.Same}
	}
	r := waits(m)
	r.Reason = doubt.Reason + "; " + r.Reason
	return r
}
