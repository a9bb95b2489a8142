package observe

import (
	"slices"

	"manicule/hooks/event"
	"manicule/hooks/observe/cmdline"
	"manicule/hooks/observe/fold"
)

// found searches the first later call that runs a program which a call did not find: by its folder, below a wrapper, under a newer
// name, after the search path or the environment was set. There may be many calls between, in which the agent looks for it.
func found(fail *Failure, program string, next []fold.Step) bool {
	for _, t := range next {
		if t.Class != event.Shell || !t.Done || !t.OK || !cmdline.Runs(t.Command, program) {
			continue
		}
		fail.FixN = t.N
		fail.How, fail.Fix = "changed", t.Command
		if cmdline.Plainly(t.Command, program) {
			fail.How, fail.Fix = "again", ""
		}
		fail.Taint = fail.Taint || t.Tainted
		return true
	}
	return false
}

// leftSo reports whether no later call of a session ran the command that failed, and worked.
func leftSo(s fold.Step, next []fold.Step) bool {
	return !slices.ContainsFunc(next, func(t fold.Step) bool {
		return t.Class == event.Shell && t.Done && t.OK && slices.Contains(t.Keys, s.Key)
	})
}
