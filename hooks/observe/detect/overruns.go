package detect

import (
	"manicule/hooks/observe/fold"
	"manicule/hooks/observe/signal"
)

// ManySteps is more calls than a request usually takes, near the 90th percentile of the
// development set.
const ManySteps = 60

// overruns are requests with many steps, by the folder of the work.
func overruns(ses *fold.Session) []signal.Signal {
	var out []signal.Signal
	for _, r := range ses.Requests() {
		if r.Calls < ManySteps || r.Folder == "" || r.Folder == "." {
			continue
		}
		out = append(out, signal.Signal{Detail: signal.LongRequest{Folder: r.Folder, Calls: r.Calls}, Key: r.Folder, Paths: []string{r.Folder + "/"}, N: 1, Evidence: []int{r.N}, Tainted: ses.Tainted})
	}
	return out
}
