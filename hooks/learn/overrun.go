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
	// leastRequests is the number of known requests from which a number of calls is unusual: fewer
	// have no tenth.
	leastRequests = 10
	// pastRequests is the number of newest requests that are compared.
	pastRequests = 300
	// usualShare of the requests stay within what is usual. Twice the median, or three in four, was
	// exceeded in half of all sessions: a median is that of short requests ("commit").
	usualShare = .9
	// fewCalls is the number of calls that is never worth a message.
	fewCalls = 20
)

// OverrunOf compares a request, given its events, with the usual number of calls below a
// root. ok is false if it has not exceeded that number, or too few requests are known. A
// request that edits files is compared with those that did, in its own folder if enough are
// known there; one that has edited nothing is compared with all, as it may still do so.
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
		if r.Folder != "" && p.Folder == "" {
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
	u = nudge.LongRequest{Calls: r.Calls, Requests: len(alike), Changing: r.Folder != "", Usual: quantile(alike, usualShare)}
	limit = u.Usual
	if len(near) >= leastRequests {
		u.Folder, u.InFolder = r.Folder, quantile(near, usualShare)
		limit = u.InFolder
	}
	return u, max(fewCalls, limit), true
}

// quantile returns the value that a share of a list does not exceed.
func quantile(list []int, share float64) int {
	list = slices.Sorted(slices.Values(list))
	return list[min(len(list)-1, max(0, int(math.Ceil(share*float64(len(list))))-1))]
}
