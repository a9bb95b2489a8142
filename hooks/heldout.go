package hooks

import (
	"path/filepath"

	"manicule/hooks/eventlog"
	"manicule/memory"
	"manicule/memory/ledger"
)

// holdOut returns the hits that are told, of those that are about to be quoted, and notes the others: so sessions that
// were told a memory can be compared with those that were not. What is held out is claimed, so that this conversation is
// not told later, and it is not counted either.
func (e experiment) holdOut(hits []memory.Hit) (told []memory.Hit) {
	for _, h := range hits {
		if !e.holdsOut(h) {
			told = append(told, h)
			continue
		}
		id := h.Memory.UUID
		if e.claims.holdOut(id) { // else another hook told it or held it out meanwhile
			e.heldOut = append(e.heldOut, id)
		}
	}
	return told
}

// holdsOut reports whether a memory is held out in this session. Never held out is what a person wants there in every session
// (pinned, or told for the whole project in the brief), and what has a rule: to break that may do damage. Nearly all
// memories are told by their hash, so only at the others the session's log is read.
func (e experiment) holdsOut(h memory.Hit) bool {
	m := h.Memory
	if !e.opt.HoldOut || e.stateDir == "" || e.ev.Session == "" || !ledger.HoldsOut(filepath.Base(e.stateDir), e.ev.Session, m.UUID) {
		return false
	}
	if forbids, requires := m.Checks(); m.Pinned || forbids+requires != "" || len(m.Scope)+len(m.Anchors) == 0 && e.level().leads(h) {
		return false
	}
	return e.inFullArm()
}

// inFullArm reports whether the session was assigned to the full arm when it started.
func (e experiment) inFullArm() bool {
	arm, ok := e.ev.Facts[armFact]
	if !ok {
		if first, _, readable := eventlog.FirstAndLast(e.stateDir, eventlog.SafeName(e.ev.Session)); readable {
			arm = first.Facts[armFact]
		}
	}
	return arm == string(ledger.Full)
}
