package learn

import (
	"context"
	"fmt"
	"math"
	"slices"

	"manicule/hooks/eventlog"
	"manicule/hooks/nudge"
	"manicule/hooks/observe"
	"manicule/hooks/observe/fold"
	"manicule/memory/store"
)

// Constants of the usual number of calls.
const (
	// leastRequests is the number of known requests from which a number of calls is usual.
	leastRequests = 5
	// pastRequests is the number of newest requests that are compared.
	pastRequests = 300
	// mostOver is the maximum calibration factor of the median.
	mostOver = 2.0
	// fewCalls is the number of calls that is never worth a message.
	fewCalls = 20
)

// OverrunOf compares a request, given its events, with the usual number of calls below a
// root. ok is false if it has not exceeded that number, or too few requests are known.
// Requests that edit files are compared with each other. The median is scaled by a
// calibration, the distance of three in four requests from it, at most twice. It is taken
// from the folder of this request if enough requests are known there.
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

// baseline compares a request with earlier ones. More calls than limit are unusual. ok is
// false if too few requests are known.
func baseline(past []store.PriorRequest, r fold.Request) (u nudge.LongRequest, limit int, ok bool) {
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

// quantile returns the value that a share of a list does not exceed.
func quantile(list []int, share float64) int {
	list = slices.Sorted(slices.Values(list))
	return list[min(len(list)-1, max(0, int(math.Ceil(share*float64(len(list))))-1))]
}
