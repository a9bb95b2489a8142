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
		"nine are too few":  {past: past("src", 10, 10, 10, 10, 10, 10, 10, 10, 10), request: editing},
		"others don't help": {past: past("", 10, 10, 10, 10, 10, 10, 10, 10, 10, 10), request: editing},
		"nine of ten stay within": {past: past("src", 3, 3, 4, 4, 30, 30, 30, 30, 60, 200), request: editing, ok: true, limit: 60,
			over: nudge.LongRequest{Calls: 90, Usual: 60, Requests: 10, Changing: true}},
		"few calls are never many": {past: past("src", 2, 2, 2, 2, 2, 2, 2, 2, 2, 2), request: editing, ok: true, limit: 20,
			over: nudge.LongRequest{Calls: 90, Usual: 2, Requests: 10, Changing: true}},
		"the folder's own": {past: slices.Concat(past("src", 30, 30), past("src/auth", 50, 50, 50, 50, 50, 50, 50, 50, 50, 50)), request: editing, ok: true, limit: 50,
			over: nudge.LongRequest{Calls: 90, Usual: 50, Requests: 12, Changing: true, Folder: "src/auth", InFolder: 50}},
		"one that may still edit": {past: slices.Concat(past("", 15, 15, 15, 28, 28), past("src", 70, 70, 70, 100, 100)), request: fold.Request{Calls: 40}, ok: true, limit: 100,
			over: nudge.LongRequest{Calls: 40, Usual: 100, Requests: 10}},
	} {
		over, limit, ok := baseline(tc.past, tc.request)
		if over != tc.over || limit != tc.limit || ok != tc.ok {
			t.Errorf("%s: %+v, limit %d, %t", name, over, limit, ok)
		}
	}
}
