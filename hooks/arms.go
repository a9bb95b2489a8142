package hooks

import (
	"path/filepath"

	"manicule/hooks/event"
	"manicule/hooks/eventlog"
	"manicule/memory/ledger"
)

// withheld reports whether the session's arm keeps the answer back, to compare sessions with and
// without memories. What a person or the agent asks for is always answered.
func (j *job) withheld() bool {
	arm := j.arm()
	switch {
	case arm == ledger.Full, j.ev.Kind == event.PreCompact, j.ev.Kind == event.Prompt && (isRemember(j.ev.Prompt) || isForgetting(j.ev.Prompt)):
		return false
	case arm == ledger.Passive:
		return j.ev.Kind != event.SessionStart
	}
	return true
}

// arm returns the arm of the session. It is decided when the session starts. Most sessions are in
// the full arm by their hash, so only the others look for the decision in a file.
func (j *job) arm() ledger.Arm {
	if !j.opt.Arms || j.stateDir == "" || j.ev.Session == "" {
		return ledger.Full
	}
	arm := ledger.ArmOf(filepath.Base(j.stateDir), j.ev.Session)
	if j.ev.Kind == event.SessionStart && (j.ev.Source == event.Startup || j.ev.Source == event.Clear) {
		return j.decideArm(arm)
	}
	if arm == ledger.Full || !eventlog.InArm(j.stateDir, j.ev.Session) {
		return ledger.Full
	}
	return arm
}

// decideArm assigns a session that starts, and notes it in the session's log.
func (j *job) decideArm(arm ledger.Arm) ledger.Arm {
	others, err := eventlog.CountOthers(j.stateDir, j.ev.Session, ledger.ArmsFrom)
	if err == nil && others < ledger.ArmsFrom {
		return ledger.Full
	}
	if err == nil && arm != ledger.Full {
		err = eventlog.NoteArm(j.stateDir, j.ev.Session)
	}
	if err != nil {
		j.note("the session could not be assigned to an arm", err)
		return ledger.Full
	}
	j.ev.Fact(armFact, string(arm))
	return arm
}

// armFact is the fact of a session's first record that names its arm.
const armFact = "arm"
