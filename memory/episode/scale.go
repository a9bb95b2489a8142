package episode

import (
	"cmp"
	"slices"
	"strings"

	"manicule/indexer/sorting"
)

// Scale is what the items of a list took in earlier sessions: it turns an estimate in items into calls and minutes.
type Scale struct {
	Work     Kind    // the kind of work of the sessions, "" for all kinds
	Sessions int     // that made a list
	Calls    [3]int  // for an item, in tenths: of one session in four, of the median, of three in four
	Minutes  float64 // for an item, the median
}

// ScaleOf measures the sessions whose kind of work is that of a task, or all of them if too few are of its kind. ok is false
// if too few made a list.
func ScaleOf(task string, list []Episode) (s Scale, ok bool) {
	var all, alike []Episode
	kind := KindOf(task)
	for _, e := range list {
		if e.Planned < minPlanned || e.Fallback || e.Calls() == 0 {
			continue
		}
		all = append(all, e)
		if kind != "" && KindOf(e.Task) == kind {
			alike = append(alike, e)
		}
	}
	if len(alike) >= minCalibrated {
		all, s.Work = alike, kind
	}
	if s.Sessions = len(all); s.Sessions < minCalibrated {
		return Scale{}, false
	}
	var calls []int
	var minutes []float64
	for _, e := range all {
		calls = append(calls, 10*e.Calls()/e.Planned)
		minutes = append(minutes, float64(e.Active)/60_000/float64(e.Planned))
	}
	slices.Sort(calls)
	n := len(calls) - 1
	s.Calls = [3]int{calls[n/4], calls[n/2], calls[n*3/4]}
	s.Minutes = median(minutes)
	return s, true
}

// Of scales an estimate of some items: the calls of one session in four, the median and three in four, and the minutes.
func (s Scale) Of(items int) (calls [3]int, minutes int) {
	for i, c := range s.Calls {
		calls[i] = (c*items + 5) / 10
	}
	return calls, int(s.Minutes*float64(items) + .5)
}

// Share is a file with the share of the sessions that changed it.
type Share struct {
	File     string
	Sessions int
	Of       int
}

// Always reports whether nearly all of the sessions changed the file.
func (s Share) Always() bool { return float64(s.Sessions) > always*float64(s.Of) }

// minAlong is from how many sessions files are expected with others.
const minAlong = 3

// Along returns the files that more than half of the sessions changed that are like a task or changed one of some files or
// folders, most sessions first. Sessions that read text of strangers are left out.
func Along(task string, paths []string, list []Episode) []Share {
	alike := map[string]bool{}
	for _, e := range Like(task, list, len(list)) {
		alike[e.Session] = true
	}
	n, of := map[string]int{}, 0
	for _, e := range list {
		if e.Tainted || e.Fallback || len(e.Edited) == 0 {
			continue
		}
		if !alike[e.Session] && !slices.ContainsFunc(e.Edited, func(f string) bool { return within(f, paths) }) {
			continue
		}
		of++
		for _, f := range e.Edited {
			n[f]++
		}
	}
	if of < minAlong {
		return nil
	}
	var out []Share
	for f, k := range n {
		if float64(k) > often*float64(of) && !slices.Contains(paths, f) {
			out = append(out, Share{f, k, of})
		}
	}
	sorting.Func(out, compareShares)
	return out
}

func compareShares(a, b Share) int {
	return cmp.Or(cmp.Compare(b.Sessions, a.Sessions), cmp.Compare(a.File, b.File))
}

// within reports whether a file is one of some paths, or lies below one.
func within(f string, paths []string) bool {
	return slices.ContainsFunc(paths, func(p string) bool { return f == p || strings.HasPrefix(f, p+"/") })
}
