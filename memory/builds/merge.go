package builds

import "slices"

// Settle gives the slices that three versions of a build have the same state in each, so that what is left to merge is
// text: two people who finish slices one below the other change lines that git takes for one place. A state that one side changed is
// as that side has it; where both changed it, the one that is further on counts. Of slices of the same words that are not as many
// in each version nobody knows which is which: they are left as they are.
func Settle(base, ours, theirs []byte) (b, o, t []byte) {
	texts := [3][]byte{base, ours, theirs}
	var of [3]map[slot]Slice
	var alike [3]map[string]int
	for i, data := range texts {
		of[i], alike[i] = slots(data)
	}
	for key, was := range of[0] {
		if n := alike[0][key.text]; alike[1][key.text] != n || alike[2][key.text] != n {
			continue
		}
		mine, other := of[1][key], of[2][key]
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

// slots returns the slices of a build, and how many have the same words.
func slots(data []byte) (of map[slot]Slice, alike map[string]int) {
	of, alike = map[slot]Slice{}, map[string]int{}
	b := Parse(data)
	for _, s := range b.Slices() {
		of[slot{s.Text, alike[s.Text]}] = s
		alike[s.Text]++
	}
	return of, alike
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
