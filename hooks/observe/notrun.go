package observe

import (
	"slices"
	"strings"

	"manicule/hooks/event"
	"manicule/hooks/observe/cmdline"
	"manicule/hooks/observe/wording"
	"manicule/memory/gate/injection"
)

// notRun returns the last check that could not run as its program is not on the machine, if no check passed after it: the session's
// changes are not checked. One that committed after it has decided about it.
func notRun(ses *folded) (b Broken, ok bool) {
	if ses.editedLast() == "" {
		return b, false
	}
	for _, s := range slices.Backward(ses.steps) {
		if s.class != event.Shell || !s.done || s.agent != "" {
			continue
		}
		if s.ok && slices.ContainsFunc(s.keys, func(k string) bool { return cmdline.Checks(k) || cmdline.Delivers(k) || k == "gh pr merge" }) {
			return b, false
		}
		line := missingLine(s)
		if s.ok || line == "" || !cmdline.Checks(s.key) || wording.Injected(line) || injection.Find(line) != "" {
			continue
		}
		return Broken{ID: checkID(s, s.key), Command: wording.OneLine(cmdline.CommandOf(s.simple, s.key), maxOpenItem), Line: wording.OneLine(line, maxOpenItem), At: ses.editedLast()}, true
	}
	return b, false
}

// missingLine returns the line of a call's error by which the shell did not find a program, "" for none.
func missingLine(s step) string {
	for line := range strings.Lines(s.line + "\n" + s.text) {
		if cmdline.MissingProgram(line) != "" {
			return strings.TrimSpace(line)
		}
	}
	return ""
}
