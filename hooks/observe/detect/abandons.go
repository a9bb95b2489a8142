package detect

import (
	"path"
	"strings"

	"manicule/hooks/event"
	"manicule/hooks/observe/fold"
	"manicule/hooks/observe/signal"
)

// abandons are files that were opened and left for another one nearby, which was then
// edited.
func abandons(lane []fold.Step) []signal.Signal {
	uses := map[string]int{}
	edited := map[string]bool{}
	for _, s := range lane {
		for _, p := range s.Paths {
			if s.Class != event.Search {
				uses[p]++
			}
			if s.Class == event.Edit {
				edited[p] = true
			}
		}
	}
	var out []signal.Signal
	for i, s := range lane {
		if s.Class != event.Read || len(s.Paths) != 1 || uses[s.Paths[0]] != 1 || s.Done && !s.OK {
			continue
		}
		for _, t := range lane[i+1 : min(len(lane), i+4)] {
			if t.Class == event.Read && len(t.Paths) == 1 && edited[t.Paths[0]] && confusable(s.Paths[0], t.Paths[0]) {
				out = append(out, signal.Signal{Detail: signal.LeftFor{Path: s.Paths[0], Meant: t.Paths[0]}, Key: s.Paths[0] + "\x00" + t.Paths[0], Paths: []string{s.Paths[0]}, N: 1,
					Evidence: []int{s.N, t.N}, Tainted: s.Tainted})
				break
			}
		}
	}
	return out
}

// confusable reports whether the names of two files share their first word.
func confusable(a, b string) bool {
	first := func(p string) string {
		base := path.Base(p)
		if i := strings.IndexAny(base, "_-."); i > 0 {
			base = base[:i]
		}
		return strings.ToLower(base)
	}
	return a != b && first(a) == first(b) && !TestOf(a, b)
}

// TestOf reports whether one of two files is the other's test, which is obvious.
func TestOf(a, b string) bool {
	stem := func(p string) string {
		base := strings.ToLower(path.Base(p))
		base = strings.TrimSuffix(base, path.Ext(base))
		for _, mark := range []string{"_test", ".test", ".spec", "-test", "_spec", "tests"} {
			base = strings.TrimSuffix(base, mark)
		}
		return strings.TrimPrefix(base, "test_")
	}
	return stem(a) == stem(b)
}
