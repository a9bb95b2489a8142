package file

import (
	"iter"
	"slices"
)

// Supersedes is the type of the relation to a memory that one replaces.
const Supersedes = "supersedes"

// Superseded returns which memories are out of use because another of them supersedes them, by uuid. Two that supersede each
// other, as two people may decide on two branches, both stay in use: else nobody would be told of either.
func Superseded(all iter.Seq[*Memory]) map[string]bool {
	out := map[string]bool{}
	by := supersessions(all)
	for pair := range by {
		if !by[[2]string{pair[1], pair[0]}] {
			out[pair[1]] = true
		}
	}
	return out
}

// MutuallySuperseded lists the pairs of memories of which each supersedes the other, the smaller uuid first.
func MutuallySuperseded(all iter.Seq[*Memory]) (out [][2]string) {
	by := supersessions(all)
	for pair := range by {
		if pair[0] < pair[1] && by[[2]string{pair[1], pair[0]}] {
			out = append(out, pair)
		}
	}
	slices.SortFunc(out, func(a, b [2]string) int { return slices.Compare(a[:], b[:]) })
	return out
}

// supersessions returns what supersedes what. None supersedes itself, whatever a file says.
func supersessions(all iter.Seq[*Memory]) map[[2]string]bool {
	by := map[[2]string]bool{}
	for m := range all {
		for _, r := range m.Relations {
			if r.Type == Supersedes && r.Memory != "" && r.Memory != m.UUID {
				by[[2]string{m.UUID, r.Memory}] = true
			}
		}
	}
	return by
}
