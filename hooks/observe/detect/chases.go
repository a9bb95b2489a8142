package detect

import (
	"path"

	"manicule/hooks/event"
	"manicule/hooks/observe/fold"
	"manicule/hooks/observe/signal"
)

// chases are three files read one after the other, each in another folder: the
// information lies two steps away.
func chases(lane []fold.Step) []signal.Signal {
	var reads []fold.Step
	var out []signal.Signal
	for _, s := range lane {
		switch {
		case s.Class == event.Read && len(s.Paths) == 1 && (!s.Done || s.OK):
			if len(reads) > 0 && reads[len(reads)-1].Paths[0] == s.Paths[0] {
				continue
			}
			reads = append(reads, s)
		case s.Class == event.Search || s.Class == event.OtherClass:
		default:
			reads = nil
		}
		if n := len(reads); n >= 3 {
			a, b, c := reads[n-3], reads[n-2], reads[n-1]
			if path.Dir(a.Paths[0]) != path.Dir(b.Paths[0]) && path.Dir(b.Paths[0]) != path.Dir(c.Paths[0]) && a.Paths[0] != c.Paths[0] {
				out = append(out, signal.Signal{Detail: signal.ReadChain{First: a.Paths[0], Via: b.Paths[0], Last: c.Paths[0]}, Key: a.Paths[0] + "\x00" + c.Paths[0], Paths: []string{a.Paths[0]}, N: 1,
					Evidence: []int{a.N, b.N, c.N}, Tainted: c.Tainted})
			}
		}
	}
	return out
}
