package detect

import (
	"slices"
	"strings"

	"manicule/hooks/observe/cmdline"
	"manicule/hooks/observe/fold"
	"manicule/hooks/observe/signal"
)

// orders are pairs of checks whose first one fails more often than not.
func orders(ses *fold.Session) []signal.Signal {
	var first []string
	at := map[string]fold.Step{}
	for _, s := range ses.Steps {
		for _, k := range s.Keys {
			if cmdline.Checks(k) && !slices.Contains(first, k) {
				first = append(first, k)
				at[k] = s
			}
		}
	}
	if len(first) < 2 {
		return nil
	}
	a, b := at[first[0]], at[first[1]]
	if a.OK || a.Kind != fold.CommandFailed || cmdline.Misused(a.Line) || strings.HasSuffix(first[0], first[1]) || strings.HasSuffix(first[1], first[0]) {
		return nil
	}
	return []signal.Signal{{Detail: signal.FailsFirst{First: first[0], Then: first[1]}, Key: first[0] + "\x00" + first[1], N: 1, Evidence: []int{a.N, b.N}, Tainted: a.Tainted}}
}
