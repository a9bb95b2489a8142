package hooks

import (
	"path/filepath"

	"manicule/hooks/event"
	"manicule/hooks/eventlog"
	"manicule/memory/ledger"
)

// experiment compares sessions with and without memories.
type experiment struct{ *answering }

// withheld reports whether the session's arm keeps the answer back, to compare sessions with and
// without memories. What a person or the agent asks for is always answered.
func (e experiment) withheld() bool {
	arm := e.arm()
	switch {
	case arm == ledger.Full, e.ev.Kind == event.PreCompact, e.ev.Kind == event.Prompt && (isRemember(e.ev.Prompt) || isForgetting(e.ev.Prompt)):
		return false
	case arm == ledger.Passive:
		return e.ev.Kind != event.SessionStart
	}
	return true
}

// arm returns the arm of the session. It is decided when the session starts. Most sessions are in
// the full arm by their hash, so only the others look for the decision in a file.
func (e experiment) arm() ledger.Arm {
	if !e.opt.Arms || e.stateDir == "" || e.ev.Session == "" {
		return ledger.Full
	}
	arm := ledger.ArmOf(filepath.Base(e.stateDir), e.ev.Session)
	if e.ev.Kind == event.SessionStart && (e.ev.Source == event.Startup || e.ev.Source == event.Clear) {
		return e.decideArm(arm)
	}
	if arm == ledger.Full || !eventlog.InArm(e.stateDir, e.ev.Session) {
		return ledger.Full
	}
	return arm
}

// decideArm assigns a session that starts, and notes it in the session's log.
func (e experiment) decideArm(arm ledger.Arm) ledger.Arm {
	others, err := eventlog.CountOthers(e.stateDir, e.ev.Session, ledger.ArmsFrom)
	if err == nil && others < ledger.ArmsFrom {
		return ledger.Full
	}
	if err == nil && arm != ledger.Full {
		err = eventlog.NoteArm(e.stateDir, e.ev.Session)
	}
	if err != nil {
		e.note("the session could not be assigned to an arm", err)
		return ledger.Full
	}
	e.ev.Fact(armFact, string(arm))
	return arm
}

// armFact is the fact of a session's first record that names its arm.
const armFact = "arm"
