// Package outcome judges how a session ended. The strongest evidence comes first: what the person said last, then what
// checks said, then what was committed.
package outcome

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"manicule/hooks/event"
	"manicule/hooks/observe/asking"
	"manicule/hooks/observe/fold"
	"manicule/hooks/observe/unfinished"
	"manicule/hooks/observe/wording"
	"manicule/memory/episode"
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

// ListPaths names some paths and counts the others.
func ListPaths(paths []string) string {
	const limit = 3
	shown := strings.Join(paths[:min(len(paths), limit)], ", ")
	if more := len(paths) - limit; more > 0 {
		shown += fmt.Sprintf(" and %d more", more)
	}
	return shown
}

// either is one of two values.
func either[T any](is bool, a, b T) T {
	if is {
		return a
	}
	return b
}

// verdict is how a session ended, by one piece of evidence.
type verdict struct {
	outcome    episode.Outcome
	confidence float64
	evidence   []string
	inVain     bool
	untold     bool // the log tells nothing
}

func says(o episode.Outcome, confidence float64, evidence ...string) *verdict {
	return &verdict{outcome: o, confidence: confidence, evidence: evidence}
}

// vain adds that the changes did not do what was asked.
func (v *verdict) vain(inVain bool) *verdict {
	v.inVain = inVain
	return v
}

// Judge judges how the session ended. The strongest evidence comes first: what the person said
// last, then what checks said, then what was committed.
func Judge(ses *fold.Session, e *episode.Episode) {
	x := EndsOf(ses)
	x.failing, x.passing, x.unknown = x.Sorted()
	x.task = e.Task
	var v *verdict
	for _, judge := range [...]func(*fold.Session, Ends) *verdict{byPerson, byLastAct, byFailing, byRest, byChanges} {
		if v = judge(ses, x); v != nil {
			break
		}
	}
	e.Outcome, e.Evidence, e.InVain = v.outcome, v.evidence, v.inVain
	switch {
	case v.untold:
		e.Fallback, e.Confidence = true, episode.FallbackConfidence
	case !e.Fallback:
		e.Confidence = v.confidence
	}
}

// byPerson judges by what the person did or said last; nil if that says nothing.
func byPerson(ses *fold.Session, x Ends) *verdict {
	switch {
	case len(ses.Steps) == 0 && len(ses.Said) == 0:
		v := says(episode.Partial, 0, "nothing was done that the log knows")
		v.untold = true
		return v
	case len(ses.Steps) > 0 && ses.Steps[len(ses.Steps)-1].Tool == "ExitPlanMode":
		// Refused, it may be carried out in a new session, which agents offer.
		return says(either(ses.Steps[len(ses.Steps)-1].OK && x.Edits == 0, episode.Success, episode.Partial), .6, "it ended with a plan")
	case ses.Stopped && !wentOn(ses) && !wasDone(ses):
		some := doneBefore(ses) || answeredBefore(ses) || x.committed || len(x.passing) > 0 && len(x.failing) == 0 && x.Edits > 0
		return says(either(some, episode.Partial, episode.Failure), .7, "the person interrupted it and asked for nothing more")
	case x.replied && asking.Complains(x.reply) && !ses.AnsweredLast():
		return says(episode.Failure, .8, "the person's last words: "+wording.OneLine(x.reply, 80)).vain(x.Edits > 0)
	case givenUp(ses):
		some := len(ses.Turns) > 2 && doneBefore(ses) || x.committed
		return says(either(some, episode.Partial, episode.Failure), .7, "the person gave it up: "+wording.OneLine(ses.Turns[len(ses.Turns)-1].Text, 80)).vain(!some && x.Edits > 0)
	case x.Edits == 0 && notAllowed(ses):
		return says(episode.Failure, .7, "what it wanted to do was not allowed, and nothing was changed")
	case x.Undone && x.Edits > 0 && !x.committed:
		return says(episode.Failure, .75, "its changes were undone").vain(true)
	case x.replied && asking.Praise(x.reply) && !asking.AsksFurther(x.reply):
		return says(episode.Success, .9, "the person's last words: "+wording.OneLine(x.reply, 80))
	}
	return nil
}

// byLastAct judges by how the agent's work ended; nil if it came to its end.
func byLastAct(ses *fold.Session, x Ends) *verdict {
	switch {
	case unanswered(ses):
		return says(episode.Partial, .65, "the last request was not answered")
	case brokeOff(ses):
		return says(episode.Partial, .7, "the agent's service failed at its end")
	case askedInVain(ses) != "":
		return says(episode.Failure, .7, "what was asked for failed: "+askedInVain(ses))
	case x.Edits == 0 && !x.committed && refuses(ses):
		return says(either(answeredBefore(ses), episode.Partial, episode.Failure), .7, "the agent could not do what was asked for")
	case x.Edits == 0 && !x.committed && askedBack(ses):
		return says(episode.Partial, .6, "the agent asked what was meant")
	case unfinished.CutShort(ses):
		return says(episode.Partial, .65, "it ended in the middle of its work")
	}
	return nil
}

// byFailing judges by the checks that fail; nil if none does.
func byFailing(ses *fold.Session, x Ends) *verdict {
	names := ListPaths(x.failing)
	switch {
	case len(x.failing) == 0:
		return nil
	case x.Edits > 0 && blamesOthers(ses):
		return says(episode.Success, .6, "it says that this failed before: "+names)
	case x.Edits == 0 && !x.committed:
		return says(either(reported(ses) && !asksForChange(x.task), episode.Success, episode.Partial), .6, "nothing was changed, and this fails: "+names)
	case !x.committed:
		return says(episode.Partial, .75, "fails at the end: "+names)
	}
	return says(episode.Partial, .65, "committed while this failed: "+names)
}

// itemsOpen says how many items of the session's list are open.
func itemsOpen(n int) string {
	if n == 1 {
		return "1 item of its list is open"
	}
	return fmt.Sprintf("%d items of its list are open", n)
}

// byRest judges by what the session left to do; nil if it left nothing.
func byRest(ses *fold.Session, x Ends) *verdict {
	left := unfinished.Of(ses)
	switch {
	case deniedAtLast(ses):
		return says(episode.Partial, .6, "the last request says that it does not work, and nothing was changed after it").vain(x.replied && x.Edits > 0 && asking.Complains(x.reply))
	case len(left.Open) > 0 && !(len(left.Open) == 1 && len(x.passing) > 0 && saysDone(ses)):
		return says(episode.Partial, .75, itemsOpen(len(left.Open)))
	case x.unpushed && !x.published:
		return says(episode.Partial, .65, "git push failed")
	case left.Said != "" && !proposes().MatchString(left.Said):
		return says(episode.Partial, .65, "its last message: "+wording.OneLine(left.Said, 100))
	case neverRested(ses) && !x.committed && !x.published && len(x.passing)+len(x.unknown) == 0:
		return says(episode.Partial, .55, "the agent never ended its turn")
	}
	return nil
}

// byChanges judges by what was changed, checked and committed.
func byChanges(_ *fold.Session, x Ends) *verdict {
	switch {
	case x.Edits == 0:
		return says(episode.Success, .6, either(x.committed || x.published, "what was there was committed", "the question was answered"))
	case x.committed && len(x.passing) > 0:
		return says(episode.Success, .9, "checks pass: "+ListPaths(x.passing), "committed")
	case x.committed || x.published:
		return says(episode.Success, .8, "committed")
	case len(x.passing) > 0:
		return says(episode.Success, .8, "checks pass: "+ListPaths(x.passing))
	case len(x.unknown) > 0:
		return says(episode.Partial, .55, "failed and was not run again: "+ListPaths(x.unknown))
	}
	return says(episode.Success, .55, "nothing speaks against it, nothing checked it")
}
