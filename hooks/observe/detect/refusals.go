package detect

import (
	"manicule/hooks/event"
	"manicule/hooks/observe/cmdline"
	"manicule/hooks/observe/fold"
	"manicule/hooks/observe/signal"
)

// refusals are commands that a person does not let the agent run.
func refusals(ses *fold.Session) []signal.Signal {
	var out []signal.Signal
	for _, s := range ses.Steps {
		if s.Kind != fold.Rejected || s.Class != event.Shell || len(s.Keys) == 0 {
			continue
		}
		key := s.Keys[len(s.Keys)-1]
		if cmdline.Trivial(key) || key == "find" || key == "rm" {
			continue
		}
		out = append(out, signal.Signal{Detail: signal.RefusedCommand{Command: key}, Key: "refused\x00" + key, N: 1, Evidence: []int{s.N, s.Ended}, Tainted: s.Tainted})
	}
	return out
}
