package observe

import (
	"fmt"

	"manicule/hooks/event"
	"manicule/hooks/observe/wording"
	"manicule/memory/fingerprint"
)

// look is what a browser's tool showed.
type look struct {
	page   string
	fault  event.Fault
	showed string
}

// pageFaults are the faults of the project's own pages that an agent's browser met. A tool that names no page is about the one
// before it. A page that was seen without its fault afterwards was mended, or not ready; what could not be used or waited for is
// kept all the same, as it lies in how the page is used. All of them rest on what a page shows, so they are tainted.
func pageFaults(ses *folded) []Signal {
	var out []Signal
	for _, lane := range ses.stepsByAgent() {
		page := ""
		last := map[string]look{} // by page
		var faults []step
		for _, s := range lane {
			shows := looksAt(s)
			if s.look.page != "" {
				page = s.look.page
			}
			if s.look.page = page; page == "" || page == event.Elsewhere || s.look.fault == "" && !shows {
				continue
			}
			last[page] = s.look
			if s.look.fault != "" {
				faults = append(faults, s)
			}
		}
		for _, s := range faults {
			l := s.look
			if used := l.fault == event.ElementHidden || l.fault == event.WaitedInVain; !used && last[l.page].fault != l.fault {
				continue
			}
			out = append(out, Signal{Detail: FaultyPage{l.page, l.fault, l.showed}, Key: string(l.fault) + "\x00" + l.page + "\x00" + fingerprint.Line(l.showed), N: 1, Evidence: []int{s.n, s.ended}, Tainted: true})
		}
	}
	return out
}

// looksAt reports whether a call showed the page, so that its fault would have been seen.
func looksAt(s step) bool { return s.ok && s.look.page != "" && s.bytes > pageBytes }

// pageBytes is the size of a result from which it shows a page, and not only what was done.
const pageBytes = 400

// says tells what is wrong with the page.
func (d FaultyPage) says() string {
	said := wording.OneLine(d.Shown, 120)
	switch d.Fault {
	case event.PageMissing:
		return fmt.Sprintf("The page `%s` of the app does not come: “%s”.", d.Page, said)
	case event.ElementHidden:
		return fmt.Sprintf("An element of the page `%s` can't be used as one would think: “%s”.", d.Page, said)
	case event.ScriptError:
		return fmt.Sprintf("A script of the page `%s` fails: “%s”.", d.Page, said)
	case event.RequestFailed:
		return fmt.Sprintf("A request of the page `%s` fails: “%s”.", d.Page, said)
	case event.WaitedInVain:
		return fmt.Sprintf("A browser waits in vain on the page `%s`: “%s”.", d.Page, said)
	case event.Alerted:
		return fmt.Sprintf("The page `%s` tells an error: “%s”.", d.Page, said)
	}
	return ""
}
