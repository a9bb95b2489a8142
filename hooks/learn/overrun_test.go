package learn

import (
	"slices"
	"testing"

	"manicule/hooks/nudge"
	"manicule/hooks/observe/fold"
	"manicule/memory/store"
)

func TestUsual(t *testing.T) {
	past := func(folder string, calls ...int) (out []store.PriorRequest) {
		for _, n := range calls {
			out = append(out, store.PriorRequest{Folder: folder, Calls: n})
		}
		return out
	}
	editing := fold.Request{Folder: "src/auth", Calls: 90}
	for name, tc := range map[string]struct {
		past    []store.PriorRequest
		request fold.Request
		over    nudge.LongRequest
		limit   int
		ok      bool
	}{
		"nothing known":     {request: editing},
		"four are too few":  {past: past("src", 10, 10, 10, 10), request: editing},
		"others don't help": {past: past("", 10, 10, 10, 10, 10, 10), request: editing},
		"five": {past: past("src", 30, 30, 30, 30, 30), request: editing, ok: true, limit: 30,
			over: nudge.LongRequest{Calls: 90, Median: 30, Requests: 5, Changing: true}},
		"three of four stay within more": {past: past("src", 20, 20, 20, 30, 200), request: editing, ok: true, limit: 30,
			over: nudge.LongRequest{Calls: 90, Median: 20, Requests: 5, Changing: true}},
		"never more than twice": {past: past("src", 20, 20, 20, 100, 200), request: editing, ok: true, limit: 40,
			over: nudge.LongRequest{Calls: 90, Median: 20, Requests: 5, Changing: true}},
		"few calls are never many": {past: past("src", 2, 2, 2, 2, 2), request: editing, ok: true, limit: 20,
			over: nudge.LongRequest{Calls: 90, Median: 2, Requests: 5, Changing: true}},
		"the folder's own": {past: slices.Concat(past("src", 30, 30, 30, 30, 30, 30), past("src/auth", 50, 50, 50, 50, 50)), request: editing, ok: true, limit: 50,
			over: nudge.LongRequest{Calls: 90, Median: 30, Requests: 11, Changing: true, Folder: "src/auth", InFolder: 50}},
		"reading": {past: slices.Concat(past("", 15, 15, 15, 28, 28), past("src", 100, 100, 100, 100, 100)), request: fold.Request{Calls: 40}, ok: true, limit: 28,
			over: nudge.LongRequest{Calls: 40, Median: 15, Requests: 5}},
	} {
		over, limit, ok := baseline(tc.past, tc.request)
		if over != tc.over || limit != tc.limit || ok != tc.ok {
			t.Errorf("%s: %+v, limit %d, %t", name, over, limit, ok)
		}
	}
}
