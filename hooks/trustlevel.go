package hooks

import (
	"manicule/memory"
	"manicule/memory/file"
	"manicule/memory/trust"
)

// trustLevel, from 1 to 4, is how sure a memory must be to be told unasked.
type trustLevel int

// quotable reports whether a memory may be quoted to an agent that has not asked. It must
// be sure enough for the trust level, its code must exist, and if it comes from outside,
// the level must allow that or a person must have reviewed it.
func (l trustLevel) quotable(h memory.Hit) bool {
	m := h.Memory
	switch {
	case h.Unjudged, !l.sure(h):
		return false
	case m.Type == file.WorkUnitOutcome && !m.Pinned && h.Use.Worked <= h.Use.Failed:
		return false // whoever plans asks for it; unasked it is told once following it has helped
	case m.Trust.Tainted && m.Trust.VerifiedBy == "" || h.NeedsReview():
		return trust.ShowsUnreviewed(int(l))
	}
	return true
}

// sure reports whether a memory is sure enough for the trust level, and nobody disputes it.
func (l trustLevel) sure(h memory.Hit) bool {
	return h.Confidence() >= trust.Least(int(l)) && !h.Memory.Trust.Disputed()
}

// leads reports whether a memory about the whole project may be quoted where no file or request asks for it. Who
// pins a memory wants it there, however sure it is. Otherwise a person must have said it for the whole project: of the rules of
// a document, few are about what a session then does.
func (l trustLevel) leads(h memory.Hit) bool {
	m := h.Memory
	if m.Pinned {
		return !m.Trust.Disputed()
	}
	person := m.Trust.Origin == file.UserTaught || m.Trust.VerifiedBy != ""
	return person && (m.Trust.Origin != file.Import || m.Importance == file.High) && l.sure(h)
}
