// Package detect finds the signals of a session: functions of its record, one file each, and what joins those that say
// the same.
package detect

import (
	"cmp"
	"slices"

	"manicule/hooks/observe/failures"
	"manicule/hooks/observe/fold"
	"manicule/hooks/observe/signal"
	"manicule/hooks/observe/wording"
	"manicule/indexer/sorting"
)

// maxEvidence bounds the events that a signal names.
const maxEvidence = 24

// Signals finds the signals of a session with these failures.
func Signals(ses *fold.Session, failures []failures.Failure) []signal.Signal {
	out := retries(ses, failures)
	for _, detect := range [...]func(*fold.Session) []signal.Signal{
		backtracks, searches, globs, sequences, slow, orders, configs, overruns, conflicts, spikes, references, pageFaults, Corrections, refusals, selfCorrections,
	} {
		out = append(out, detect(ses)...)
	}
	for _, lane := range ses.ByAgent() {
		out = append(out, abandons(lane)...)
		out = append(out, chases(lane)...)
	}
	agents := make(map[int]string, len(ses.Steps))
	for _, s := range ses.Steps {
		agents[s.N], agents[s.Ended] = s.Agent, s.Agent
	}
	return merged(out, func(n int) string { return agents[n] })
}

// quorum is the similarity from which two agents have seen the same.
const quorum = 0.85

// merged joins signals of the same key, and nearly equal ones of two agents.
func merged(all []signal.Signal, agentOf func(n int) string) []signal.Signal {
	var out []signal.Signal
	at := map[string]int{}
	for _, s := range all {
		id := signal.ID(s.Kind(), s.Key)
		i, ok := at[id]
		if note, is := s.Detail.(signal.Noted); !ok && is {
			i = slices.IndexFunc(out, func(o signal.Signal) bool {
				other, is := o.Detail.(signal.Noted)
				return is && wording.Similarity(other.Text, note.Text) > quorum
			})
			ok = i >= 0
		}
		if !ok {
			at[id] = len(out)
			out = append(out, s)
			continue
		}
		o := &out[i]
		o.N += s.N
		o.Tainted = o.Tainted || s.Tainted
		o.Acute = max(o.Acute, s.Acute)
		o.Evidence = append(o.Evidence, s.Evidence...)
	}
	for i := range out {
		slices.Sort(out[i].Evidence)
		out[i].Evidence = slices.Compact(out[i].Evidence)
		by := map[string]bool{}
		for _, n := range out[i].Evidence {
			by[agentOf(n)] = true
		}
		out[i].Agents = len(by)
		if e := out[i].Evidence; len(e) > maxEvidence {
			out[i].Evidence = append(e[:maxEvidence/2:maxEvidence/2], e[len(e)-maxEvidence/2:]...)
		}
	}
	sorting.StableFunc(out, func(a, b signal.Signal) int {
		return cmp.Or(cmp.Compare(a.Kind(), b.Kind()), cmp.Compare(a.Key, b.Key))
	})
	return out
}
