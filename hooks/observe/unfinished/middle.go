package unfinished

import (
	"regexp"
	"slices"
	"strings"

	"manicule/hooks/event"
	"manicule/hooks/observe/asking"
	"manicule/hooks/observe/cmdline"
	"manicule/hooks/observe/fold"
	"manicule/hooks/observe/wording"
	"manicule/memory/gate/injection"
)

// onlyLooks matches what an agent says when it is about to look at something, which says nothing of how far it was.
func onlyLooks() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^(?:(?:now|next|then|first|so|okay|ok|also|good|great)[,!:]? +)*(?:let me|let's|i'll|i will|i'm going to|i need to)(?: \w+){0,3}? (?:look|explore|check|read|see|inspect|search|find|examine|understand|review|start by|begin by|get (?:a|an|the)|gather|map)\b`)
}

// maxLastAct bounds the runes of what an agent did or said last.
const maxLastAct = 110

// inTheMiddle returns the last request, if the session ended while the agent worked on it. A question is asked again by who
// still wants to know, and a commit that was about to be made is in the state of the repository.
func inTheMiddle(ses *fold.Session) (w Wait, ok bool) {
	if len(ses.Turns) == 0 || !CutShort(ses) && !turnIsOpen(ses) || asking.OnlyAsks(ses.Turns[len(ses.Turns)-1].Text) || checkedAtLast(ses) {
		return w, false
	}
	task := underWay(ses)
	if task == "" || asking.SaysLittle(task) || !wording.UsableItem(task) || delivering().MatchString(lastAct(ses)) && !delivering().MatchString(task) {
		return w, false
	}
	w = Wait{Text: "Was in the middle of: " + task, About: task, At: ses.EditedLast()}
	if last := lastAct(ses); last != "" && !onlyLooks().MatchString(last) {
		w.Text += " (last: " + last + ")"
	}
	return w, true
}

// checkedAtLast reports whether the last thing that the agent announced was a run of its checks, after it had changed files for the last
// request, and the run passed: only its last words are missing.
func checkedAtLast(ses *fold.Session) bool {
	last, ok := ses.LastStep()
	if !ok || len(ses.Turns) == 0 || !last.Succeeded() || last.Background || !slices.ContainsFunc(last.Keys, cmdline.Checks) || !announcesCheck().MatchString(lastAct(ses)) {
		return false
	}
	asked := ses.Turns[len(ses.Turns)-1].N
	return slices.ContainsFunc(ses.Steps, func(s fold.Step) bool { return s.N > asked && s.Agent == "" && s.Succeeded() && s.Edits() })
}

// announcesCheck matches what an agent says when it is about to check what it did: "Now let me run the tests to verify the fixes".
func announcesCheck() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(?:run|re-?run|running|verify|verifying|check|checking|confirm)\b.{0,60}\b(?:tests?|suite|lint\w*|checks?|build|type-?check\w*|everything|works?|pass\w*|compiles?|fix(?:es)?|changes?)\b`)
}

// turnIsOpen reports whether the agent never told the end of its last turn, and its last words say what it is doing. That alone says
// nothing: not every end is told.
func turnIsOpen(ses *fold.Session) bool {
	n := len(ses.Said)
	if n == 0 || ses.Said[n-1].Agent != "" || ses.Said[n-1].N < ses.Turns[len(ses.Turns)-1].N || ses.Rested >= ses.Said[n-1].N {
		return false
	}
	lines := wording.Prose(ses.Said[n-1].Text)
	return len(lines) > 0 && isDoing().MatchString(lines[len(lines)-1]) && !strings.HasSuffix(lines[len(lines)-1], "?") && !offersHelp().MatchString(lines[len(lines)-1])
}

// isDoing matches what an agent says of an act that it is at. It is compiled once a session, which costs the hook nothing before main.
func isDoing() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(?:i'm|i am)\s+(?:(?:also|now|still)\s+)*\w+ing\b|\bi'll\b`)
}

// offersHelp matches what an agent would do if it was asked.
func offersHelp() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\bif you\b|\blet me know\b|\btell me\b`)
}

// delivering matches words about a commit or a push.
func delivering() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(?:commit|push)(?:t?ing)?\b`)
}

// underWay returns the latest request that says what is to be done.
func underWay(ses *fold.Session) string {
	for i := len(ses.Turns) - 1; i >= 0; i-- {
		text := ses.Turns[i].Text
		if asking.WantsNothing(text) {
			continue
		}
		if task := wording.OneLine(asking.Task(text), MaxWait); task != "" {
			return task
		}
	}
	return ""
}

// lastAct returns what the agent said at the end that it was about to do, else its last call.
func lastAct(ses *fold.Session) string {
	last, ok := ses.LastStep()
	for i := len(ses.Said) - 1; i >= 0; i-- {
		s := ses.Said[i]
		if s.Agent != "" || wording.OfProgram(s.Text) {
			continue
		}
		if lines := wording.Prose(s.Text); len(lines) > 0 && (!ok || s.N >= last.N || wording.Announces(s.Text)) && !wording.Injected(s.Text) && injection.Find(s.Text) == "" {
			parts := wording.Clauses(lines[len(lines)-1])
			if len(parts) > 0 {
				return wording.OneLine(strings.TrimRight(parts[len(parts)-1], " .:"), maxLastAct)
			}
		}
		break
	}
	switch {
	case !ok:
	case (last.Class == event.Edit || last.Class == event.Create) && len(last.Paths) > 0:
		return "changed " + last.Paths[0]
	case last.Class == event.Shell && last.Key != "":
		return "`" + strings.ReplaceAll(wording.OneLine(cmdline.CommandOf(last.Simple, last.Key), maxLastAct), "`", "'") + "`"
	}
	return ""
}

// CutShort reports whether the session ended during a turn of the agent: it did something after its last
// words, or they announce what it was about to do.
func CutShort(ses *fold.Session) bool {
	last := ses.Rested
	for _, s := range ses.Said {
		if s.Agent == "" && s.N >= last {
			last = s.N
			if s.N == ses.Events && wording.Announces(s.Text) {
				return true
			}
		}
	}
	if n := len(ses.Steps); n > 0 {
		switch s := ses.Steps[n-1]; {
		case event.AskOf(s.Tool) == event.AsksPlan, event.AskOf(s.Tool) == event.AsksQuestion && !s.OK:
			return false // the plan that it made is carried out in another session, or not at all; the question waits
		case s.Succeeded() && slices.ContainsFunc(s.Keys, func(k string) bool { return cmdline.Commits(k) || k == "git push" }):
			return false // its work was done
		}
	}
	if checkedAtLast(ses) {
		return false
	}
	return last > 0 && slices.ContainsFunc(ses.Steps, func(s fold.Step) bool { return s.N > last && s.Agent == "" })
}

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
	task := wording.OneLine(asking.Task(last), MaxWait)
	return Wait{Text: "Asked for, and broken off by an error of the agent's service: " + task, About: task, At: ses.EditedLast()}, task != ""
}
