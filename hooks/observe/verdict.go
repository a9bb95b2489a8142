package observe

import (
	"fmt"

	"manicule/memory/episode"
)

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

// outcome judges how the session ended. The strongest evidence comes first: what the person said
// last, then what checks said, then what was committed.
func (f *folded) outcome(e *episode.Episode) {
	x := f.ends()
	x.failing, x.passing, x.unknown = x.sorted()
	x.task = e.Task
	var v *verdict
	for _, judge := range []func(ends) *verdict{f.byPerson, f.byLastAct, f.byFailing, f.byRest, byChanges} {
		if v = judge(x); v != nil {
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
func (f *folded) byPerson(x ends) *verdict {
	switch {
	case len(f.steps) == 0 && len(f.said) == 0:
		v := says(episode.Partial, 0, "nothing was done that the log knows")
		v.untold = true
		return v
	case len(f.steps) > 0 && f.steps[len(f.steps)-1].tool == "ExitPlanMode":
		// Refused, it may be carried out in a new session, which agents offer.
		return says(either(f.steps[len(f.steps)-1].ok && x.edits == 0, episode.Success, episode.Partial), .6, "it ended with a plan")
	case f.stopped && !f.wentOn() && !f.wasDone():
		some := f.doneBefore() || f.answeredBefore() || x.committed || len(x.passing) > 0 && len(x.failing) == 0 && x.edits > 0
		return says(either(some, episode.Partial, episode.Failure), .7, "the person interrupted it and asked for nothing more")
	case x.replied && complaint(x.reply) && !f.answeredLast():
		return says(episode.Failure, .8, "the person's last words: "+oneLine(x.reply, 80)).vain(x.edits > 0)
	case f.givenUp():
		some := len(f.turns) > 2 && f.doneBefore() || x.committed
		return says(either(some, episode.Partial, episode.Failure), .7, "the person gave it up: "+oneLine(f.turns[len(f.turns)-1].text, 80)).vain(!some && x.edits > 0)
	case x.edits == 0 && f.notAllowed():
		return says(episode.Failure, .7, "what it wanted to do was not allowed, and nothing was changed")
	case x.undone && x.edits > 0 && !x.committed:
		return says(episode.Failure, .75, "its changes were undone").vain(true)
	case x.replied && praise(x.reply) && !asksFurther(x.reply):
		return says(episode.Success, .9, "the person's last words: "+oneLine(x.reply, 80))
	}
	return nil
}

// byLastAct judges by how the agent's work ended; nil if it came to its end.
func (f *folded) byLastAct(x ends) *verdict {
	switch {
	case f.unanswered():
		return says(episode.Partial, .65, "the last request was not answered")
	case f.brokeOff():
		return says(episode.Partial, .7, "the agent's service failed at its end")
	case f.askedInVain() != "":
		return says(episode.Failure, .7, "what was asked for failed: "+f.askedInVain())
	case x.edits == 0 && !x.committed && f.refused():
		return says(either(f.answeredBefore(), episode.Partial, episode.Failure), .7, "the agent could not do what was asked for")
	case x.edits == 0 && !x.committed && f.askedBack():
		return says(episode.Partial, .6, "the agent asked what was meant")
	case f.cutShort():
		return says(episode.Partial, .65, "it ended in the middle of its work")
	}
	return nil
}

// byFailing judges by the checks that fail; nil if none does.
func (f *folded) byFailing(x ends) *verdict {
	names := listPaths(x.failing)
	switch {
	case len(x.failing) == 0:
		return nil
	case x.edits > 0 && f.blamesOthers():
		return says(episode.Success, .6, "it says that this failed before: "+names)
	case x.edits == 0 && !x.committed:
		return says(either(f.reported() && !asksForChange(x.task), episode.Success, episode.Partial), .6, "nothing was changed, and this fails: "+names)
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
func (f *folded) byRest(x ends) *verdict {
	left := f.unfinished()
	switch {
	case f.deniedAtLast():
		return says(episode.Partial, .6, "the last request says that it does not work, and nothing was changed after it").vain(x.replied && x.edits > 0 && complaint(x.reply))
	case len(left.Open) > 0 && !(len(left.Open) == 1 && len(x.passing) > 0 && f.saysDone()):
		return says(episode.Partial, .75, itemsOpen(len(left.Open)))
	case x.unpushed && !x.published:
		return says(episode.Partial, .65, "git push failed")
	case left.Said != "" && !proposes().MatchString(left.Said):
		return says(episode.Partial, .65, "its last message: "+oneLine(left.Said, 100))
	case f.neverRested() && !x.committed && !x.published && len(x.passing)+len(x.unknown) == 0:
		return says(episode.Partial, .55, "the agent never ended its turn")
	}
	return nil
}

// byChanges judges by what was changed, checked and committed.
func byChanges(x ends) *verdict {
	switch {
	case x.edits == 0:
		return says(episode.Success, .6, either(x.committed || x.published, "what was there was committed", "the question was answered"))
	case x.committed && len(x.passing) > 0:
		return says(episode.Success, .9, "checks pass: "+listPaths(x.passing), "committed")
	case x.committed || x.published:
		return says(episode.Success, .8, "committed")
	case len(x.passing) > 0:
		return says(episode.Success, .8, "checks pass: "+listPaths(x.passing))
	case len(x.unknown) > 0:
		return says(episode.Partial, .55, "failed and was not run again: "+listPaths(x.unknown))
	}
	return says(episode.Success, .55, "nothing speaks against it, nothing checked it")
}
