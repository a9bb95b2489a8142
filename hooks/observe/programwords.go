package observe

import (
	"slices"

	"manicule/hooks/observe/asking"
	"manicule/hooks/observe/fold"
	"manicule/hooks/observe/wording"
)

// endsWithError returns the number of the agent's last statement if it is such a message and nothing of a later turn follows it, else 0.
func endsWithError(ses *fold.Session) int {
	for _, s := range slices.Backward(ses.Said) {
		switch {
		case s.Agent != "":
		case wording.OfProgram(s.Text) && ses.Rested <= s.N:
			return s.N
		default:
			return 0
		}
	}
	return 0
}

// brokenByError reports whether such a message ended the session's last turn after the agent had begun to work on it.
func brokenByError(ses *fold.Session) bool {
	n := endsWithError(ses)
	if n == 0 || len(ses.Turns) == 0 {
		return false
	}
	last := ses.Turns[len(ses.Turns)-1].N
	return n > last && slices.ContainsFunc(ses.Steps, func(s fold.Step) bool { return s.N > last && s.Agent == "" })
}

// requestBrokenOff returns the last request, if such a message ended the work on it.
func requestBrokenOff(ses *fold.Session) (w Wait, ok bool) {
	if !brokenByError(ses) {
		return w, false
	}
	last := ses.Turns[len(ses.Turns)-1].Text
	if asking.WantsNothing(last) || asking.IsQuestion(last) {
		return w, false
	}
	task := wording.OneLine(asking.Task(last), maxWait)
	return Wait{Text: "Asked for, and broken off by an error of the agent's service: " + task, About: task, At: ses.EditedLast()}, task != ""
}
