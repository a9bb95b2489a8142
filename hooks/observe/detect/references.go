package detect

import (
	"strings"

	"manicule/hooks/event"
	"manicule/hooks/observe/fold"
	"manicule/hooks/observe/signal"
)

// references are pages that are fetched again. They are always tainted.
func references(ses *fold.Session) []signal.Signal {
	var out []signal.Signal
	for _, s := range ses.Steps {
		if s.Class != event.Web || !strings.Contains(s.URL, "://") {
			continue
		}
		u, _, _ := strings.Cut(s.URL, "#")
		u, _, _ = strings.Cut(u, "?")
		out = append(out, signal.Signal{Detail: signal.FetchedPage{URL: u}, Key: u, N: 1, Evidence: []int{s.N}, Tainted: true})
	}
	return out
}
