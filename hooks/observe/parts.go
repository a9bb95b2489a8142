package observe

import (
	"maps"
	"slices"

	"manicule/hooks/event"
	"manicule/hooks/observe/cmdline"
	"manicule/hooks/observe/wording"
	"manicule/memory/episode"
)

// Limits of the parts of an episode.
const (
	maxParts      = 12
	maxPartEdited = 8
)

// AgentTypeFact is the fact of a subagent's event that names what the subagent is.
const AgentTypeFact = "agent_type"

// parts lists what subagents did for the session, in the order in which they began.
func parts(ses *folded) (out []episode.Part) {
	for _, lane := range ses.stepsByAgent() {
		id := lane[0].agent
		if id == "" || len(out) == maxParts {
			continue
		}
		p := episode.Part{Agent: id, Type: wording.OneLine(ses.types[id], 40), Calls: len(lane)}
		last := map[string]bool{} // whether the last run of a check worked
		for _, s := range lane {
			switch {
			case !s.done:
			case s.ok && s.edits():
				for _, path := range s.paths {
					if !slices.Contains(p.Edited, path) && len(p.Edited) < maxPartEdited {
						p.Edited = append(p.Edited, path)
					}
				}
			case s.class == event.Shell && !s.kind.Unmade():
				for _, k := range s.keys {
					if cmdline.Checks(k) && (s.ok || s.key == k) {
						last[k] = s.ok
					}
				}
			}
		}
		for _, k := range slices.Sorted(maps.Keys(last)) {
			if !last[k] {
				p.Failed = append(p.Failed, k)
			}
		}
		out = append(out, p)
	}
	return out
}
