package detect

import (
	"manicule/hooks/event"
	"manicule/hooks/observe/cmdline"
	"manicule/hooks/observe/fold"
	"manicule/hooks/observe/signal"
)

// SpikeBytes is the size of a result that fills a noticeable part of a context: about
// 10,000 tokens of 4 bytes.
const SpikeBytes = 40_000

// spikes are results that fill much of the context.
func spikes(ses *fold.Session) []signal.Signal {
	var out []signal.Signal
	for _, s := range ses.Steps {
		if s.Bytes < SpikeBytes {
			continue
		}
		sig := signal.Signal{N: 1, Evidence: []int{s.N, s.Ended}, Tainted: s.Tainted}
		size := signal.LargeResult{Thousands: s.Bytes / 4000}
		switch {
		case s.Class == event.Read && len(s.Paths) == 1:
			size.Name, size.File, sig.Paths = s.Paths[0], true, s.Paths
		case s.Class == event.Shell && len(s.Keys) > 0 && !cmdline.Unspecific(s.Keys[len(s.Keys)-1]) && !cmdline.OfForge(s.Keys[len(s.Keys)-1]):
			size.Name = s.Keys[len(s.Keys)-1]
		default:
			continue
		}
		sig.Detail, sig.Key = size, size.Name
		out = append(out, sig)
	}
	return out
}
