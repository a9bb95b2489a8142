package detect

import (
	"manicule/hooks/event"
	"manicule/hooks/observe/fold"
	"manicule/hooks/observe/signal"
	"manicule/memory/fingerprint"
)

// pageFaults are the faults of the project's own pages that an agent's browser met. A tool that names no page is about the one
// before it. A page that was seen without its fault afterwards was mended, or not ready; what could not be used or waited for is
// kept all the same, as it lies in how the page is used. All of them rest on what a page shows, so they are tainted.
func pageFaults(ses *fold.Session) []signal.Signal {
	var out []signal.Signal
	for _, lane := range ses.ByAgent() {
		page := ""
		last := map[string]fold.Look{} // by page
		var faults []fold.Step
		for _, s := range lane {
			shows := looksAt(s)
			if s.Look.Page != "" {
				page = s.Look.Page
			}
			if s.Look.Page = page; page == "" || page == event.Elsewhere || s.Look.Fault == "" && !shows {
				continue
			}
			last[page] = s.Look
			if s.Look.Fault != "" {
				faults = append(faults, s)
			}
		}
		for _, s := range faults {
			l := s.Look
			if used := l.Fault == event.ElementHidden || l.Fault == event.WaitedInVain; !used && last[l.Page].Fault != l.Fault {
				continue
			}
			out = append(out, signal.Signal{Detail: signal.FaultyPage{Page: l.Page, Fault: l.Fault, Shown: l.Showed}, Key: string(l.Fault) + "\x00" + l.Page + "\x00" + fingerprint.Line(l.Showed), N: 1, Evidence: []int{s.N, s.Ended}, Tainted: true})
		}
	}
	return out
}

// looksAt reports whether a call showed the page, so that its fault would have been seen.
func looksAt(s fold.Step) bool { return s.OK && s.Look.Page != "" && s.Bytes > pageBytes }

// pageBytes is the size of a result from which it shows a page, and not only what was done.
const pageBytes = 400
