package observe

import (
	"slices"

	"manicule/hooks/observe/asking"
	"manicule/hooks/observe/wording"
)

// endsWithError returns the number of the agent's last statement if it is such a message and nothing of a later turn follows it, else 0.
func endsWithError(ses *folded) int {
	for _, s := range slices.Backward(ses.said) {
		switch {
		case s.agent != "":
		case wording.OfProgram(s.text) && ses.rested <= s.n:
			return s.n
		default:
			return 0
		}
	}
	return 0
}

// brokenByError reports whether such a message ended the session's last turn after the agent had begun to work on it.
func brokenByError(ses *folded) bool {
	n := endsWithError(ses)
	if n == 0 || len(ses.turns) == 0 {
		return false
	}
	last := ses.turns[len(ses.turns)-1].n
	return n > last && slices.ContainsFunc(ses.steps, func(s step) bool { return s.n > last && s.agent == "" })
}

// requestBrokenOff returns the last request, if such a message ended the work on it.
func requestBrokenOff(ses *folded) (w Wait, ok bool) {
	if !brokenByError(ses) {
		return w, false
	}
	last := ses.turns[len(ses.turns)-1].text
	if asking.WantsNothing(last) || asking.IsQuestion(last) {
		return w, false
	}
	task := wording.OneLine(asking.Task(last), maxWait)
	return Wait{Text: "Asked for, and broken off by an error of the agent's service: " + task, About: task, At: ses.editedLast()}, task != ""
}
