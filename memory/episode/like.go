package episode

import (
	"cmp"
	"slices"

	"manicule/indexer/sorting"
)

// likeness is the least share of a task's words that another one has, to be like it.
const likeness = .5

// Like returns the episodes whose task is like a text, the most alike first, then the latest; at most limit. Those
// that followed untrusted text are left out, since their words may repeat it.
func Like(task string, list []Episode, limit int) []Episode {
	words := Words(task)
	type near struct {
		Episode
		share float64
	}
	var found []near
	for _, e := range list {
		if e.Tainted || e.Fallback || e.Task == "" {
			continue
		}
		other := Words(e.Task)
		of, by := share(words, other), share(other, words)
		if both := of * float64(len(words)); max(of, by) >= likeness && both >= min(2, float64(len(words))) && both > 0 {
			found = append(found, near{e, of + by})
		}
	}
	sorting.StableFunc(found, func(a, b near) int {
		return cmp.Or(cmp.Compare(b.share, a.share), cmp.Compare(b.Ended, a.Ended), cmp.Compare(a.Session, b.Session))
	})
	var out []Episode
	for _, f := range found[:min(limit, len(found))] {
		out = append(out, f.Episode)
	}
	return out
}

// Calls is how many tools a session called.
func (e *Episode) Calls() (n int) {
	for _, t := range e.Tools {
		n += t.Calls
	}
	return n
}

// Span is what a quantity was in sessions: its median, and what one in ten exceeds.
type Span struct{ Median, P90 int64 }

// Usual is how much work the sessions take that change something.
type Usual struct {
	Sessions int
	Active   Span // milliseconds without pauses
	Calls    Span
}

// UsualOf measures the sessions that edited files.
func UsualOf(list []Episode) Usual {
	var active, calls []int64
	for _, e := range list {
		if len(e.Edited) > 0 && e.Active > 0 {
			active, calls = append(active, e.Active), append(calls, int64(e.Calls()))
		}
	}
	return Usual{len(active), spanOf(active), spanOf(calls)}
}

func spanOf(list []int64) Span {
	if len(list) == 0 {
		return Span{}
	}
	slices.Sort(list)
	return Span{list[(len(list)-1)/2], list[(len(list)-1)*9/10]}
}
