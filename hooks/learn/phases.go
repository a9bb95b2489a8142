package learn

import (
	"slices"

	"manicule/hooks/judge"
	"manicule/hooks/observe/fold"
	"manicule/hooks/phase"
	"manicule/memory/ledger"
	"manicule/memory/retrieve"
)

// stepsBefore is the number of steps before a showing from which its phase is told, more than any methodology looks at.
const stepsBefore = 40

// Phases tells in which phase of work agents were shown what is decided. Only that weighs, and the rules of phases take time.
func Phases(m phase.Methodology, s judge.Session, judged []ledger.Judged) {
	type moment struct {
		steps int
		agent string
	}
	known := map[moment]retrieve.Phase{} // several memories are shown at once
	for i := range judged {
		j := &judged[i]
		if j.Verdict != ledger.Followed && j.Verdict != ledger.Overridden && j.Verdict != ledger.Ignored {
			continue
		}
		at := j.At.UnixMilli()
		n := 0 // the calls that began before it; in the order of their start
		for n < len(s.Calls) && s.Calls[n].At <= at {
			n++
		}
		when := moment{n, j.AgentID}
		if _, ok := known[when]; !ok {
			known[when] = m.Phase(stepsUntil(s, j.AgentID, n, at))
		}
		j.Phase = known[when]
	}
}

// stepsUntil lists the last steps of a conversation before a time, oldest first: its calls, of the first n, and what the person asked.
func stepsUntil(s judge.Session, agent string, n int, at int64) []phase.Step {
	var out []phase.Step
	turns := s.Turns
	if agent != "" {
		turns = nil // a subagent is told by another agent
	}
	for len(turns) > 0 && turns[len(turns)-1].At > at {
		turns = turns[:len(turns)-1]
	}
	for n > 0 && len(out) < stepsBefore {
		c := s.Calls[n-1]
		if len(turns) > 0 && turns[len(turns)-1].At > c.At {
			out, turns = append(out, phase.Step{Prompt: turns[len(turns)-1].Text}), turns[:len(turns)-1]
			continue
		}
		if n--; c.Agent == agent {
			out = append(out, stepOf(c, at))
		}
	}
	if len(turns) > 0 && len(out) < stepsBefore {
		out = append(out, phase.Step{Prompt: turns[len(turns)-1].Text})
	}
	slices.Reverse(out)
	return out
}

// stepOf is a call as it was known at a time.
func stepOf(c fold.Call, at int64) phase.Step {
	return phase.Step{Class: c.Class, Command: c.Command, Paths: c.Paths, Failed: c.Done && !c.OK && c.At+c.Took <= at}
}
