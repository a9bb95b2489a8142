package memory

import (
	"fmt"
	"slices"
	"strings"

	"manicule/memory/episode"
	"manicule/memory/store"
)

// scrubbed returns a session's report without the parts that contain a secret, and their number.
// Hooks mask the log with few rules, but what enters the database stays. All texts are scanned
// together; a hit is located by scanning each.
func (b *Observer) scrubbed(o store.Observation) (clean store.Observation, dropped int, err error) {
	var all strings.Builder
	keep := func(text string) { all.WriteString(text); all.WriteByte('\n') }
	seen := map[string]bool{}
	each(&o, func(texts ...string) bool {
		for _, t := range texts {
			if !seen[t] {
				seen[t] = true
				keep(t)
			}
		}
		return false
	})
	rule, err := b.checks.gate.Scan(all.String())
	if err != nil {
		return o, 0, fmt.Errorf("scan what session %s has shown: %w", o.Session, err)
	}
	if rule == "" {
		return o, 0, nil
	}
	judged := map[string]bool{}
	each(&o, func(texts ...string) bool {
		joined := strings.Join(texts, "\n")
		bad, ok := judged[joined]
		if !ok && err == nil {
			var rule string
			rule, err = b.checks.gate.Scan(joined)
			bad = rule != ""
			judged[joined] = bad
		}
		if bad {
			dropped++
		}
		return bad
	})
	if err != nil {
		return o, 0, fmt.Errorf("scan what session %s has shown: %w", o.Session, err)
	}
	return o, dropped, nil
}

// each calls drop with the texts of every part of a report, and removes the parts for which drop
// returns true. It replaces the slices of o and never modifies them.
func each(o *store.Observation, drop func(texts ...string) bool) {
	// Pairs consist of these files, so up to 780 pairs need no scan.
	bad := map[string]bool{}
	o.Files = without(o.Files, func(f store.ObservedFile) bool {
		bad[f.Path] = drop(f.Path)
		return bad[f.Path]
	})
	o.Pairs = without(o.Pairs, func(p store.ObservedPair) bool { return bad[p.A] || bad[p.B] })
	o.Commands = without(o.Commands, func(c store.ObservedCommand) bool { return drop(c.Key) })
	o.Errors = without(o.Errors, func(e store.ObservedError) bool {
		return drop(append([]string{e.Subject, e.Fingerprint, e.Message, e.Failed, e.Fix}, e.Trigger...)...)
	})
	o.Took = without(o.Took, func(x store.ObservedTime) bool { return drop(x.Key) })
	o.Requests = without(o.Requests, func(r store.ObservedRequest) bool { return drop(r.Folder) })
	o.Signals = without(o.Signals, func(s store.ObservedSignal) bool { return drop(s.Key) })
	o.Work.Open = without(o.Work.Open, func(s string) bool { return drop(s) })
	o.Work.Fails = without(o.Work.Fails, func(b store.ObservedBroken) bool { return drop(b.Command, b.Line) })
	for _, text := range []*string{&o.Work.Said, &o.Work.Branch, &o.Work.Task} {
		if *text != "" && drop(*text) {
			*text = ""
		}
	}
	scrubEpisode(&o.Episode, drop)
}

// scrubEpisode is [each] for the record of a session. A task with a secret is told as a fallback's.
func scrubEpisode(e *episode.Episode, drop func(texts ...string) bool) {
	if e.Task != "" && drop(e.Task) {
		e.Task, e.Fallback, e.Confidence = "(its words held a secret)", true, episode.FallbackConfidence
	}
	for _, list := range []*[]string{&e.Further, &e.Evidence, &e.Edited, &e.Decisions} {
		*list = without(*list, func(s string) bool { return drop(s) })
	}
	e.Approach = without(e.Approach, func(s episode.Step) bool { return drop(s.What, s.Key) })
	e.Problems = without(e.Problems, func(p episode.Problem) bool { return drop(p.What, p.Line, p.Fix) })
}

// without returns list without the elements that drop selects. It copies the list if it removes
// any.
func without[T any](list []T, drop func(T) bool) []T {
	gone := map[int]bool{}
	for i, x := range list {
		if drop(x) {
			gone[i] = true
		}
	}
	if len(gone) == 0 {
		return list
	}
	i := -1
	return slices.DeleteFunc(slices.Clone(list), func(T) bool { i++; return gone[i] })
}
