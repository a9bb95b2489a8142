package builds

import "slices"

// Settle gives the slices that three versions of a build have the same state in each, so that what is left to merge is
// text: two people who finish slices one below the other change lines that git takes for one place. A state that one side changed is
// as that side has it; where both changed it, the one that is further on counts.
func Settle(base, ours, theirs []byte) (b, o, t []byte) {
	texts := [3][]byte{base, ours, theirs}
	var of [3]map[slot]Slice
	for i, data := range texts {
		of[i] = slots(data)
	}
	for key, was := range of[0] {
		mine, ok := of[1][key]
		other, too := of[2][key]
		if !ok || !too {
			continue
		}
		to := merged(was, mine, other)
		for i := range texts {
			if s := of[i][key]; !sameState(s, to) {
				if data, err := SetStatus(texts[i], s, to.Status, to.Why); err == nil {
					texts[i] = data // no line moves
				}
			}
		}
	}
	return texts[0], texts[1], texts[2]
}

// slot tells a slice from others of the same words.
type slot struct {
	text string
	nth  int
}

func slots(data []byte) map[slot]Slice {
	out := map[slot]Slice{}
	b := Parse(data)
	for _, s := range b.Slices() {
		key := slot{s.Text, 0}
		for _, taken := out[key]; taken; _, taken = out[key] {
			key.nth++
		}
		out[key] = s
	}
	return out
}

func sameState(a, b Slice) bool { return a.Status == b.Status && a.Why == b.Why }

// merged is the slice whose state a merge keeps.
func merged(was, mine, other Slice) Slice {
	switch {
	case sameState(mine, was):
		return other
	case sameState(other, was):
		return mine
	case slices.Index(furthest[:], other.Status) > slices.Index(furthest[:], mine.Status), mine.Status == other.Status && other.Why > mine.Why:
		return other
	}
	return mine
}

var furthest = [...]Status{Planned, InProgress, Blocked, Done}
