package detect

import (
	"slices"

	"manicule/hooks/observe/cmdline"
	"manicule/hooks/observe/failures"
	"manicule/hooks/observe/signal"
)

// clustered is the prefix of the key of errors of the machine that many calls of one session met, without a way out.
const clustered = "cluster\x00"

// Limits of a cluster of errors.
const (
	minCluster   = 3   // calls that met the error
	clusterValue = 0.6 // confidence in what one session met
	maxNamed     = 3   // commands that are told
)

// Clusters are errors of the machine (a program, a module or a server that is not there, a permission) that at least three calls of the
// session met, and for which no call that then worked was seen. Findings in the code recur as well, while it is written: they tell the
// next session nothing.
func Clusters(failures []failures.Failure) []signal.Signal {
	var out []signal.Signal
	var details []signal.RecurringError // of the signals
	at := map[string]int{}
	for _, x := range failures {
		if x.Tool != "shell" || x.Generic || x.Fix != "" || x.Need != "" || x.How != "left" || x.Key == "" || !cmdline.OfTheMachine(x.Line) || cmdline.Offline(x.Line) {
			continue
		}
		i, ok := at[x.Print]
		if !ok {
			i = len(out)
			at[x.Print] = i
			out = append(out, signal.Signal{Key: clustered + x.Print, Acute: clusterValue})
			details = append(details, signal.RecurringError{Message: x.Line})
		}
		s := &out[i]
		s.N += x.Count
		s.Evidence = append(s.Evidence, x.Seen...)
		s.Tainted = s.Tainted || x.Taint
		d := &details[i]
		if !slices.Contains(d.Commands, x.Key) && len(d.Commands) < maxNamed {
			d.Commands = append(d.Commands, x.Key)
		}
	}
	for i, d := range details {
		out[i].Detail = d
	}
	return slices.DeleteFunc(out, func(s signal.Signal) bool { return s.N < minCluster })
}
