package observe

import (
	"maps"
	"slices"

	"manicule/hooks/event"
	"manicule/hooks/observe/cmdline"
	"manicule/hooks/observe/fold"
	"manicule/hooks/observe/wording"
	"manicule/memory/episode"
)

// Limits of the parts of an episode.
const (
	maxParts      = 12
	maxPartEdited = 8
)

// parts lists what subagents did for the session, in the order in which they began.
func parts(ses *fold.Session) (out []episode.Part) {
	for _, lane := range ses.ByAgent() {
		id := lane[0].Agent
		if id == "" || len(out) == maxParts {
			continue
		}
		p := episode.Part{Agent: id, Type: wording.OneLine(ses.AgentTypes[id], 40), Calls: len(lane)}
		p.Edited, p.Failed = work(lane)
		out = append(out, p)
	}
	return out
}

// work returns the files that steps changed, and the checks that failed at their last run in them.
func work(steps []fold.Step) (edited, failed []string) {
	last := map[string]bool{} // whether the last run of a check worked
	for _, s := range steps {
		switch {
		case !s.Done:
		case s.OK && s.Edits():
			for _, path := range s.Paths {
				if !slices.Contains(edited, path) && len(edited) < maxPartEdited {
					edited = append(edited, path)
				}
			}
		case s.Class == event.Shell && !s.Kind.Unmade():
			for _, k := range s.Keys {
				if cmdline.Checks(k) && (s.OK || s.Key == k) {
					last[k] = s.OK
				}
			}
		}
	}
	for _, k := range slices.Sorted(maps.Keys(last)) {
		if !last[k] {
			failed = append(failed, k)
		}
	}
	return edited, failed
}
