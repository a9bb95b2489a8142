package detect

import (
	"manicule/hooks/event"
	"manicule/hooks/observe/cmdline"
	"manicule/hooks/observe/fold"
	"manicule/hooks/observe/signal"
)

// SlowAfter is the duration from which a person would call a command slow, in
// milliseconds.
const SlowAfter = 60_000

// slow are slow commands.
func slow(ses *fold.Session) []signal.Signal {
	var out []signal.Signal
	for _, s := range ses.Steps {
		if s.Class == event.Shell && s.OK && s.Measured && s.Took >= SlowAfter && s.Took < 20*SlowAfter && len(s.Keys) == 1 && cmdline.Checks(s.Keys[0]) {
			out = append(out, signal.Signal{Detail: signal.SlowCommand{Command: s.Keys[0], Median: int(s.Took / 1000)}, Key: s.Keys[0], N: 1, Evidence: []int{s.N, s.Ended}, Tainted: s.Tainted})
		}
	}
	return out
}
