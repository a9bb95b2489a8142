package observe

import (
	"regexp"
	"strings"

	"manicule/hooks/event"
	"manicule/hooks/observe/asking"
	"manicule/hooks/observe/cmdline"
	"manicule/hooks/observe/wording"
	"manicule/memory/gate/injection"
)

// maxLastAct bounds the runes of what an agent did or said last.
const maxLastAct = 110

// inTheMiddle returns the last request, if the session ended while the agent worked on it. A question is asked again by who
// still wants to know, and a commit that was about to be made is in the state of the repository.
func inTheMiddle(ses *folded) (w Wait, ok bool) {
	if len(ses.turns) == 0 || !cutShort(ses) && !turnIsOpen(ses) || asking.OnlyAsks(ses.turns[len(ses.turns)-1].text) {
		return w, false
	}
	task := underWay(ses)
	if task == "" || asking.SaysLittle(task) || !wording.UsableItem(task) || delivering().MatchString(lastAct(ses)) && !delivering().MatchString(task) {
		return w, false
	}
	w = Wait{Text: "Was in the middle of: " + task, About: task, At: ses.editedLast()}
	if last := lastAct(ses); last != "" && !onlyLooks().MatchString(last) {
		w.Text += " (last: " + last + ")"
	}
	return w, true
}

// turnIsOpen reports whether the agent never told the end of its last turn, and its last words say what it is doing. That alone says
// nothing: not every end is told.
func turnIsOpen(ses *folded) bool {
	n := len(ses.said)
	if n == 0 || ses.said[n-1].agent != "" || ses.said[n-1].n < ses.turns[len(ses.turns)-1].n || ses.rested >= ses.said[n-1].n {
		return false
	}
	lines := wording.Prose(ses.said[n-1].text)
	return len(lines) > 0 && isDoing().MatchString(lines[len(lines)-1]) && !strings.HasSuffix(lines[len(lines)-1], "?")
}

// isDoing matches what an agent says of an act that it is at. It is compiled once a session, which costs the hook nothing before main.
func isDoing() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(?:i'm|i am)\s+(?:(?:also|now|still)\s+)*\w+ing\b|\bi'll\b`)
}

// delivering matches words about a commit or a push.
func delivering() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(?:commit|push)(?:t?ing)?\b`)
}

// underWay returns the latest request that says what is to be done.
func underWay(ses *folded) string {
	for i := len(ses.turns) - 1; i >= 0; i-- {
		text := ses.turns[i].text
		if asking.WantsNothing(text) {
			continue
		}
		if task := wording.OneLine(asking.Task(text), maxWait); task != "" {
			return task
		}
	}
	return ""
}

// lastAct returns what the agent said at the end that it was about to do, else its last call.
func lastAct(ses *folded) string {
	last, ok := ses.lastStep()
	for i := len(ses.said) - 1; i >= 0; i-- {
		s := ses.said[i]
		if s.agent != "" || wording.OfProgram(s.text) {
			continue
		}
		if lines := wording.Prose(s.text); len(lines) > 0 && (!ok || s.n >= last.n || wording.Announces(s.text)) && !wording.Injected(s.text) && injection.Find(s.text) == "" {
			parts := wording.Clauses(lines[len(lines)-1])
			if len(parts) > 0 {
				return wording.OneLine(strings.TrimRight(parts[len(parts)-1], " .:"), maxLastAct)
			}
		}
		break
	}
	switch {
	case !ok:
	case (last.class == event.Edit || last.class == event.Create) && len(last.paths) > 0:
		return "changed " + last.paths[0]
	case last.class == event.Shell && last.key != "":
		return "`" + strings.ReplaceAll(wording.OneLine(cmdline.CommandOf(last.simple, last.key), maxLastAct), "`", "'") + "`"
	}
	return ""
}
