package search

import (
	"slices"
	"strings"
	"time"

	"manicule/indexer/anchor"
	"manicule/memory"
	"manicule/memory/life"
)

// The states that are neither an anchor's nor a tier.
const (
	stateDisputed    = "disputed"
	stateVerified    = "verified"
	stateUnreviewed  = "unreviewed"
	stateNeedsReview = "needs-review"
	stateConflict    = "conflict"
)

// States are the states by which a [Filter] selects: those of anchors, of trust, and the tiers.
func States() []string {
	return []string{string(anchor.Fresh), string(anchor.Followed), string(anchor.Drifted), string(anchor.Stale), string(anchor.Orphaned),
		stateDisputed, stateVerified, stateUnreviewed, stateNeedsReview, stateConflict, life.Kept.String(), life.Active.String(), life.Fading.String()}
}

// selects reports whether a filter names an author, an owner, a unit of work, a methodology, a state or an age.
func (f Filter) selects() bool {
	return f.Author+f.Owner+f.Agent+f.Work+f.Methodology != "" || f.State != "" || f.Older > 0 || f.Newer > 0
}

// Passes reports whether a memory has the tags, the author, the state and the age of a filter.
func (f Filter) Passes(h memory.Hit, now time.Time) bool {
	m := h.Memory
	idle := now.Sub(life.LastUse(m, h.Use))
	without := func(tag string) bool { return !slices.Contains(m.Tags, tag) }
	return !slices.ContainsFunc(f.Tags, without) && (f.Work == "" || m.Work().In(f.Work)) && (f.Methodology == "" || m.Methodology() == f.Methodology) && strings.Contains(strings.ToLower(m.Contributor), strings.ToLower(f.Author)) &&
		(f.Owner == "" || m.Owner != nil && m.Owner.ID == f.Owner) && !m.HiddenFrom(f.Agent, f.Session) &&
		(f.Older == 0 || idle >= f.Older) && (f.Newer == 0 || idle < f.Newer) && (f.State == "" || inState(h, f.State))
}

func inState(h memory.Hit, state string) bool {
	t := h.Memory.Trust
	switch state {
	case stateDisputed:
		return t.Disputed()
	case stateVerified:
		return t.VerifiedBy != ""
	case stateUnreviewed:
		return t.Unreviewed && t.VerifiedBy == ""
	case stateNeedsReview:
		return h.NeedsReview()
	case stateConflict:
		return len(h.Memory.Conflict) > 0
	}
	return state == string(h.Freshness().State) || state == h.Tier().String()
}
