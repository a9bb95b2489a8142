package observe

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// ofProgram reports whether a message in the agent's name is one of the program that runs it: no model answered, as the
// service failed, nobody is signed in, or a quota is used up. What was asked for is then still to be done, and such words name no step of it.
func ofProgram(text string) bool { return programWords().MatchString(strings.TrimSpace(text)) }

// programWords matches messages that consist of nothing else, as Claude Code words them.
var programWords = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:Failed to authenticate\. |Please run /login · )?API Error\b` +
		`|^[^\n]{0,80} · Please run /login$` +
		`|^You(?:'ve hit your [^\n]{0,30}limit|'re out of extra usage) · resets [^\n]{0,40}$` +
		`|^Claude (?:AI )?usage limit reached\b` +
		`|^(?:Request timed out\.?|Prompt is too long|Credit balance is too low)$` +
		`|^Your organization does not have access to Claude\.`)
})

// endsWithError returns the number of the agent's last statement if it is such a message and nothing of a later turn follows it, else 0.
func endsWithError(ses *folded) int {
	for _, s := range slices.Backward(ses.said) {
		switch {
		case s.agent != "":
		case ofProgram(s.text) && ses.rested <= s.n:
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
	if wantsNothing(last) || isQuestion(last) {
		return w, false
	}
	task := oneLine(taskOf(last), maxWait)
	return Wait{Text: "Asked for, and broken off by an error of the agent's service: " + task, About: task, At: ses.editedLast()}, task != ""
}
