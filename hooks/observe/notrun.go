package observe

import (
	"slices"
	"strings"

	"manicule/hooks/event"
	"manicule/hooks/observe/cmdline"
	"manicule/hooks/observe/fold"
	"manicule/hooks/observe/wording"
	"manicule/memory/gate/injection"
)

// notRun returns the last check that could not run as its program is not on the machine, if no check passed after it: the session's
// changes are not checked. One that committed after it has decided about it.
func notRun(ses *fold.Session) (b Broken, ok bool) {
	if ses.EditedLast() == "" {
		return b, false
	}
	for _, s := range slices.Backward(ses.Steps) {
		if s.Class != event.Shell || !s.Done || s.Agent != "" {
			continue
		}
		if s.OK && slices.ContainsFunc(s.Keys, func(k string) bool { return cmdline.Checks(k) || cmdline.Delivers(k) || k == "gh pr merge" }) {
			return b, false
		}
		line := missingLine(s)
		if s.OK || line == "" || !cmdline.Checks(s.Key) || wording.Injected(line) || injection.Find(line) != "" {
			continue
		}
		return Broken{ID: checkID(s, s.Key), Command: wording.OneLine(cmdline.CommandOf(s.Simple, s.Key), fold.MaxOpenItem), Line: wording.OneLine(line, fold.MaxOpenItem), At: ses.EditedLast()}, true
	}
	return b, false
}

// missingLine returns the line of a call's error by which the shell did not find a program, "" for none.
func missingLine(s fold.Step) string {
	for line := range strings.Lines(s.Line + "\n" + s.Text) {
		if cmdline.MissingProgram(line) != "" {
			return strings.TrimSpace(line)
		}
	}
	return ""
}
