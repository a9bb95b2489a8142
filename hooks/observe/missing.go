package observe

import (
	"slices"

	"manicule/hooks/event"
	"manicule/hooks/observe/cmdline"
)

// found searches the first later call that runs a program which a call did not find: by its folder, below a wrapper, under a newer
// name, after the search path or the environment was set. There may be many calls between, in which the agent looks for it.
func found(fail *Failure, program string, next []step) bool {
	for _, t := range next {
		if t.class != event.Shell || !t.done || !t.ok || !cmdline.Runs(t.command, program) {
			continue
		}
		fail.FixN = t.n
		fail.How, fail.Fix = "changed", t.command
		if cmdline.Plainly(t.command, program) {
			fail.How, fail.Fix = "again", ""
		}
		fail.Taint = fail.Taint || t.tainted
		return true
	}
	return false
}

// leftSo reports whether no later call of a session ran the command that failed, and worked.
func leftSo(s step, next []step) bool {
	return !slices.ContainsFunc(next, func(t step) bool { return t.class == event.Shell && t.done && t.ok && slices.Contains(t.keys, s.key) })
}
