package recipe

import (
	"cmp"
	"math"
	"slices"

	"manicule/indexer/sorting"
	"manicule/memory/episode"
)

// Limits of what sessions tell of a recipe.
const (
	minUses    = 2   // sessions that did such work, for its commands
	checkShare = 0.5 // of them, those that ran one
	maxChecks  = 2   // and as many other commands
)

// used counts the sessions that went the way of a recipe, and adds the checks that they ran.
func (r *found) used(sessions []episode.Episode) {
	var near []episode.Episode // that changed one of its places
	for _, e := range sessions {
		if e.Fallback {
			continue
		}
		if r.Procedure.Used(e) {
			r.Sessions, r.Outcomes = append(r.Sessions, e.Session), append(r.Outcomes, e.Outcome)
			r.LastUsed = max(r.LastUsed, e.Ended)
			switch e.Outcome {
			case episode.Success:
				r.Successes++
				r.LastWorked = max(r.LastWorked, e.Ended)
			case episode.Failure:
				r.Failures++
			}
		}
		if slices.ContainsFunc(e.Approach, r.touches) {
			near = append(near, e)
		}
	}
	r.Score *= 1 + math.Log(float64(1+len(near)))/2
	if len(near) < minUses {
		return
	}
	began := slices.DeleteFunc(slices.Clone(near), func(e episode.Episode) bool {
		return !slices.ContainsFunc(e.Approach, func(s episode.Step) bool { return s.Act != episode.Run && episode.Matches(r.On, s.What) })
	})
	r.Steps = append(r.Steps, runs(began, sessions, func(s episode.Step) bool { return !s.Check && !episode.Housekeeping(s) })...)
	r.Steps = append(r.Steps, runs(near, nil, func(s episode.Step) bool { return s.Check })...)
}

// runs lists the commands that most of some sessions ran, the most often first; if others are given, only those that are
// rarer in them.
func runs(list, others []episode.Episode, wanted func(episode.Step) bool) []episode.ProcedureStep {
	if len(list) < minUses {
		return nil
	}
	in, all := runsIn(list, wanted), runsIn(others, wanted)
	var keys []string
	for _, k := range sortedKeys(in) {
		share := float64(in[k]) / float64(len(list))
		if in[k] >= minUses && share >= checkShare && (others == nil || share >= minSpecific*float64(all[k]-in[k])/float64(max(1, len(others)-len(list)))) {
			keys = append(keys, k)
		}
	}
	sorting.StableFunc(keys, func(a, b string) int { return cmp.Compare(in[b], in[a]) })
	var out []episode.ProcedureStep
	for _, k := range keys[:min(len(keys), maxChecks)] {
		out = append(out, episode.ProcedureStep{ID: "run " + k, Act: episode.Run, What: k, In: in[k], Of: len(list)})
	}
	return out
}

// runsIn counts the sessions in which a command worked.
func runsIn(list []episode.Episode, wanted func(episode.Step) bool) map[string]int {
	out := map[string]int{}
	for _, e := range list {
		once := map[string]bool{}
		for _, s := range e.Approach {
			if s.Act == episode.Run && wanted(s) && !s.Tainted && s.Times > s.Fails && !once[s.Key] {
				once[s.Key] = true
				out[s.Key]++
			}
		}
	}
	return out
}

// touches reports whether a step changes a place of a recipe.
func (r *found) touches(s episode.Step) bool {
	if s.Act != episode.Edit && s.Act != episode.Create {
		return false
	}
	for place := range r.files {
		if episode.Matches(place, s.What) {
			return true
		}
	}
	return false
}
