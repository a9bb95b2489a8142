package hooks

import (
	"path/filepath"
	"slices"

	"manicule/hooks/eventlog"
	"manicule/memory"
	"manicule/memory/ledger"
)

// holdOut returns the hits that are told, of those that are about to be quoted, and notes the others: so sessions that
// were told a memory can be compared with those that were not. What is held out is claimed, so that this conversation is
// not told later, and it is not counted either.
func (j *job) holdOut(dedupe *eventlog.Dedupe, hits []memory.Hit) (told []memory.Hit) {
	for _, h := range hits {
		if !j.holdsOut(h) {
			told = append(told, h)
			continue
		}
		id := h.Memory.UUID
		if dedupe != nil {
			won, err := dedupe.HoldOut(j.opt.Now(), []string{eventlog.QuotedKey(id), id})
			if err != nil {
				j.note("what is held out could not be recorded", err)
			}
			if !slices.Contains(won, eventlog.QuotedKey(id)) {
				continue // another hook told it or held it out meanwhile
			}
		}
		j.heldOut = append(j.heldOut, id)
	}
	return told
}

// holdsOut reports whether a memory is held out in this session. Never held out is what a person wants there in every session
// (pinned, or told for the whole project in the brief), and what has a rule: to break that may do damage. Nearly all
// memories are told by their hash, so only at the others the session's log is read.
func (j *job) holdsOut(h memory.Hit) bool {
	m := h.Memory
	if !j.opt.HoldOut || j.stateDir == "" || j.ev.Session == "" || !ledger.HoldsOut(filepath.Base(j.stateDir), j.ev.Session, m.UUID) {
		return false
	}
	if forbids, requires := m.Checks(); m.Pinned || forbids+requires != "" || len(m.Scope)+len(m.Anchors) == 0 && j.leads(h) {
		return false
	}
	return j.inFullArm()
}

// inFullArm reports whether the session was assigned to the full arm when it started.
func (j *job) inFullArm() bool {
	arm, ok := j.ev.Facts[armFact]
	if !ok {
		if first, _, readable := eventlog.FirstAndLast(j.stateDir, eventlog.SafeName(j.ev.Session)); readable {
			arm = first.Facts[armFact]
		}
	}
	return arm == string(ledger.Full)
}
