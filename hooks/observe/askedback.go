package observe

import (
	"regexp"
	"slices"

	"manicule/hooks/event"
	"manicule/hooks/observe/fold"
)

// askedBack reports whether the agent only asks, after a look at most, what is meant by the last request.
func askedBack(ses *fold.Session) bool {
	n := len(ses.Turns)
	if n == 0 {
		return false
	}
	ran := 0
	for _, s := range ses.Steps {
		if s.N > ses.Turns[n-1].N && s.Class == event.Shell {
			ran++
		}
	}
	for _, s := range slices.Backward(ses.Said) {
		if s.Agent == "" {
			return s.N > ses.Turns[n-1].N && ran <= maxLook && len(s.Text) <= maxAskedBack && asksBack().MatchString(s.Text)
		}
	}
	return false
}

// What an agent that asks back has done and said at most: more is work, or an answer.
const (
	maxLook      = 3   // commands
	maxAskedBack = 800 // bytes
)

// asksBack matches what an agent asks that was told too little. It is compiled when it is needed, which is rare.
func asksBack() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(?:could|can) you (?:please )?(?:clarify|specify|tell me|provide)\b|\bplease (?:clarify|specify|tell me|provide)\b|\bwhat are you (?:looking|trying) (?:for|to)\b`)
}
