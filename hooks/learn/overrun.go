package learn

import (
	"context"
	"fmt"
	"math"
	"slices"

	"manicule/hooks/eventlog"
	"manicule/hooks/nudge"
	"manicule/hooks/observe"
	"manicule/memory/store"
)

// What is known of how many calls a request takes (V5-AGT-10).
const (
	// leastRequests is how many requests must be known for what they took to be
	// usual.
	leastRequests = 5
	// pastRequests is how many are looked at, the newest.
	pastRequests = 300
	// mostOver is the cap of what a calibration adds to the median.
	mostOver = 2.0
	// fewCalls is what is never worth a word.
	fewCalls = 20
)

// OverrunOf tells how far a request, of which these are the events, has gone beyond
// what requests usually take below a root; ok is false where it hasn't, or too few
// are known. Requests that edit files are compared with their like. The median is
// scaled by a calibration: how far three of four requests stay from it, at most
// twice as many, in the folder that this one works in where enough are known of it.
func OverrunOf(ctx context.Context, o *store.ObserverReader, root string, events []eventlog.Record) (nudge.LongRequest, bool, error) {
	f := observe.New(root)
	for _, r := range events {
		f.Add(r)
	}
	list := f.Requests()
	if len(list) == 0 || list[len(list)-1].Calls < fewCalls {
		return nudge.LongRequest{}, false, nil
	}
	past, err := o.Requests(ctx, pastRequests)
	if err != nil {
		return nudge.LongRequest{}, false, fmt.Errorf("look up what requests took: %w", err)
	}
	over, limit, ok := baseline(past, list[len(list)-1])
	return over, ok && over.Calls > limit, nil
}

// baseline compares a request with those of earlier sessions; more calls than limit
// are unusual. ok is false where too few are known.
func baseline(past []store.PriorRequest, r observe.Request) (u nudge.LongRequest, limit int, ok bool) {
	var alike, near []int
	for _, p := range past {
		if (p.Folder != "") != (r.Folder != "") {
			continue
		}
		alike = append(alike, p.Calls)
		if p.Folder == r.Folder && p.Folder != "" && p.Folder != "." {
			near = append(near, p.Calls)
		}
	}
	if len(alike) < leastRequests {
		return nudge.LongRequest{}, 0, false
	}
	u = nudge.LongRequest{Calls: r.Calls, Requests: len(alike), Changing: r.Folder != "", Median: quantile(alike, .5)}
	if len(near) >= leastRequests {
		u.Folder, u.InFolder, alike = r.Folder, quantile(near, .5), near
	}
	factor := float64(quantile(alike, .75)) / float64(max(1, u.Median))
	factor = min(max(factor, 1), mostOver)
	return u, max(fewCalls, int(factor*float64(u.Median))), true
}

// quantile is the value that a share of a list stays at or below.
func quantile(list []int, share float64) int {
	list = slices.Sorted(slices.Values(list))
	return list[min(len(list)-1, max(0, int(math.Ceil(share*float64(len(list))))-1))]
}
