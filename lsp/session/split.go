package session

import (
	"slices"
	"strings"
)

// maxHunks is how many edits one replacement becomes. A text with more differences is another text.
const maxHunks = 256

// splitEdit returns the edits that the replacement of a whole document consists of, the last one first, so that each is one
// of the text that those before it left. A client that sends the whole document, and a formatter that replaces it, change a
// few lines; as one edit that would remove all that lies between the first and the last of them. e is the replacement
// without what both texts begin and end with, text what takes the place of its bytes.
func splitEdit(old []byte, e Edit, text string) []Edit {
	before, after := strings.SplitAfter(string(old[e.Start:e.OldEnd]), "\n"), strings.SplitAfter(text, "\n")
	if len(before) == 1 || len(after) == 1 {
		return []Edit{e}
	}
	hunks := compareLines(before, after)
	if len(hunks) > maxHunks {
		return []Edit{e}
	}
	oldAt, newAt := offsets(before), offsets(after)
	var out []Edit
	for _, h := range slices.Backward(hunks) {
		part := trimEdit(old, e.Start+oldAt[h.start], e.Start+oldAt[h.end], text[newAt[h.newStart]:newAt[h.newEnd]])
		if part.Start != part.OldEnd || part.NewLen != 0 {
			out = append(out, part)
		}
	}
	return out
}

// hunk says that lines of one text are replaced by lines of another.
type hunk struct{ start, end, newStart, newEnd int }

// compareLines finds the lines that differ: beside equal lines at both ends, those between lines that occur once in each text
// and in the same order (B. Cohen's patience diff, without its recursion).
func compareLines(before, after []string) []hunk {
	var out []hunk
	i, j := 0, 0
	for _, same := range append(commonUnique(before, after), [2]int{len(before), len(after)}) {
		end, newEnd := same[0], same[1]
		for i < end && j < newEnd && before[i] == after[j] {
			i, j = i+1, j+1
		}
		for i < end && j < newEnd && before[end-1] == after[newEnd-1] {
			end, newEnd = end-1, newEnd-1
		}
		switch {
		case i == end && j == newEnd:
		case end-i == newEnd-j: // each line became another
			for ; i < end; i, j = i+1, j+1 {
				if n := len(out) - 1; n >= 0 && out[n].end == i && out[n].newEnd == j && !(alike(before[i], after[j]) && alike(before[i-1], after[j-1])) {
					out[n].end, out[n].newEnd = i+1, j+1
					continue
				}
				out = append(out, hunk{i, i + 1, j, j + 1})
			}
		default:
			out = append(out, hunk{i, end, j, newEnd})
		}
		i, j = same[0], same[1]
	}
	return out
}

// alike reports whether half of the longer of two lines is common to them, at their beginnings and ends: one is an edit of
// the other, and not another line in its place.
func alike(a, b string) bool {
	e := trimEdit([]byte(a), 0, len(a), b)
	return 2*(len(a)-(e.OldEnd-e.Start)) >= max(len(a), len(b))
}

// commonUnique returns the longest list of pairs of equal lines that occur once in each text, ascending in both.
func commonUnique(before, after []string) [][2]int {
	count, at := map[string]int{}, map[string]int{}
	for _, line := range before {
		count[line]++
	}
	for j, line := range after {
		if count[line] == 1 {
			if _, twice := at[line]; twice {
				count[line] = 2
			}
			at[line] = j
		}
	}
	var pairs [][2]int
	for i, line := range before {
		if j, ok := at[line]; ok && count[line] == 1 {
			pairs = append(pairs, [2]int{i, j})
		}
	}
	return ascending(pairs)
}

// ascending returns a longest subsequence of pairs whose second members ascend, as the first ones do.
func ascending(pairs [][2]int) [][2]int {
	var tops []int // of the piles: indexes of pairs
	below := make([]int, len(pairs))
	for k, p := range pairs {
		pile, _ := slices.BinarySearchFunc(tops, p[1], func(top, want int) int { return pairs[top][1] - want })
		below[k] = -1
		if pile > 0 {
			below[k] = tops[pile-1]
		}
		if pile == len(tops) {
			tops = append(tops, k)
		} else {
			tops[pile] = k
		}
	}
	if len(tops) == 0 {
		return nil
	}
	out := make([][2]int, len(tops))
	for n, k := len(tops)-1, tops[len(tops)-1]; n >= 0; n, k = n-1, below[k] {
		out[n] = pairs[k]
	}
	return out
}

// offsets returns where each line begins, and the end of the last one.
func offsets(lines []string) []int {
	out := make([]int, len(lines)+1)
	for i, line := range lines {
		out[i+1] = out[i] + len(line)
	}
	return out
}
