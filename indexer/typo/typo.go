// Package typo tells which name somebody meant who mistyped one: a symbol, a command, a flag, a word of a list. It must not
// know what the names are of.
package typo

import "strings"

// Meant reports whether somebody who typed a name, which may be a path of symbols, may have meant the
// symbol that is called have, and how far apart they are.
func Meant(have, typed string) (far int, ok bool) {
	have, last := strings.ToLower(have), strings.ToLower(typed[strings.LastIndexByte(typed, '.')+1:])
	far = Distance(last, have)
	const part = 3 // a letter is in most names
	if last != "" && (strings.Contains(have, last) || len(have) >= part && strings.Contains(last, have)) {
		far = min(far, 1)
	}
	return far, far <= slipsIn(len(last))
}

// slipsIn is how many slips of a finger a name of a length may have. Of a short one any two
// letters may be another name.
func slipsIn(letters int) int {
	const short = 4
	if letters <= short {
		return min(1, letters-1)
	}
	return max(2, letters/3)
}

// Distance returns the edit distance of two names in bytes; two neighbours that changed places are one
// edit. It compares long names by their first bytes.
func Distance(a, b string) int {
	const enough = 64
	a, b = a[:min(len(a), enough)], b[:min(len(b), enough)]
	row, before, earlier := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		row, before, earlier = earlier, row, before
		row[0] = i + 1
		for j := range len(b) {
			cost := before[j]
			if a[i] != b[j] {
				cost = 1 + min(before[j], before[j+1], row[j])
			}
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				cost = min(cost, 1+earlier[j-1])
			}
			row[j+1] = cost
		}
	}
	return row[len(b)]
}
