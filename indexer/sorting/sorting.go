// Package sorting owns the sort of lists whose elements are of many types. It must not know
// what is sorted.
//
// The compiler writes the sort of package slices, eleven functions, anew for each type of
// element: 13 KB of code, 9 KB for the stable one, and half as much again that describes it.
// Here places are sorted, which are numbers whatever the elements are, and a type costs a
// tenth of that. What is far from sorted takes 1.3 to 1.7 times as long from 30 elements on, for
// a handful .1 µs more (BenchmarkFunc).
package sorting

import (
	"cmp"
	"slices"
)

// Func sorts a list as slices.SortFunc does, into the same order where the comparison has no
// preference.
func Func[S ~[]E, E any](x S, compare func(a, b E) int) {
	if sorted(x, compare) {
		return
	}
	places := upTo(len(x))
	slices.SortFunc(places, func(a, b int) int { return compare(x[a], x[b]) })
	permute(x, places)
}

// StableFunc sorts a list as slices.SortStableFunc does: equal elements keep their order.
func StableFunc[S ~[]E, E any](x S, compare func(a, b E) int) {
	if sorted(x, compare) {
		return
	}
	places := upTo(len(x))
	if !insert(places, func(a, b int) bool { return compare(x[a], x[b]) > 0 }) {
		slices.SortFunc(places, func(a, b int) int {
			if c := compare(x[a], x[b]); c != 0 {
				return c
			}
			return cmp.Compare(a, b)
		})
	}
	permute(x, places)
}

// sorted reports whether no element is out of place, as in many lists that come from a walk
// over a source.
func sorted[S ~[]E, E any](x S, compare func(a, b E) int) bool {
	for i := 1; i < len(x); i++ {
		if compare(x[i-1], x[i]) > 0 {
			return false
		}
	}
	return true
}

// maxMoves is how many places an element moves on average before insert gives up.
const maxMoves = 4

// insert sorts places by insertion, which is stable and takes little time if few are out of
// place. It reports false, and leaves some order, if many are.
func insert(places []int, greater func(a, b int) bool) bool {
	left := maxMoves * len(places)
	for i := 1; i < len(places); i++ {
		place, j := places[i], i
		for ; j > 0 && greater(places[j-1], place); j-- {
			if left--; left < 0 {
				places[j] = place
				return false
			}
			places[j] = places[j-1]
		}
		places[j] = place
	}
	return true
}

func upTo(n int) []int {
	places := make([]int, n)
	for i := range places {
		places[i] = i
	}
	return places
}

// permute puts the element that was at places[i] at i, and spends places for it.
func permute[S ~[]E, E any](x S, places []int) {
	for i := range places {
		if places[i] == i {
			continue
		}
		first, at := x[i], i
		for {
			from := places[at]
			places[at] = at
			if from == i {
				x[at] = first
				break
			}
			x[at], at = x[from], from
		}
	}
}

// keyed is an element's key, and where the element was.
type keyed struct {
	key   uint64
	place int
}

// StableByKey sorts a list by numbers, and equal elements keep their order. [StableFunc] hands
// two whole elements to each comparison, which takes longer where they are large.
func StableByKey[S ~[]E, E any](x S, key func(*E) uint64) {
	keys := make([]keyed, len(x))
	inOrder := true
	for i := range x {
		keys[i] = keyed{key(&x[i]), i}
		inOrder = inOrder && (i == 0 || keys[i-1].key <= keys[i].key)
	}
	if inOrder {
		return
	}
	keys = sortKeys(keys)
	places := make([]int, len(x))
	for i, k := range keys {
		places[i] = k.place
	}
	permute(x, places)
}

// block is how many keys are sorted by insertion before they are merged.
const block = 12

// sortKeys returns the sorted keys, equal ones in their order. What insertion does not sort soon is
// merged: slices.SortFunc calls a function for each comparison.
func sortKeys(keys []keyed) []keyed {
	if insertKeys(keys, maxMoves*len(keys)) {
		return keys
	}
	for from := 0; from < len(keys); from += block {
		insertKeys(keys[from:min(from+block, len(keys))], block*block)
	}
	to := make([]keyed, len(keys))
	for width := block; width < len(keys); width *= 2 {
		for from := 0; from < len(keys); from += 2 * width {
			middle, end := min(from+width, len(keys)), min(from+2*width, len(keys))
			mergeKeys(to[from:end], keys[from:middle], keys[middle:end])
		}
		keys, to = to, keys
	}
	return keys
}

// insertKeys is insert for keys, with at most a number of moves. Equal ones never pass each other,
// also where it gives up.
func insertKeys(keys []keyed, moves int) bool {
	for i := 1; i < len(keys); i++ {
		k, j := keys[i], i
		for ; j > 0 && keys[j-1].key > k.key; j-- {
			if moves--; moves < 0 {
				keys[j] = k
				return false
			}
			keys[j] = keys[j-1]
		}
		keys[j] = k
	}
	return true
}

// mergeKeys merges two sorted lists into a third one.
func mergeKeys(to, a, b []keyed) {
	if len(b) == 0 || a[len(a)-1].key <= b[0].key {
		copy(to[copy(to, a):], b)
		return
	}
	n := 0
	for len(a) > 0 && len(b) > 0 {
		if b[0].key < a[0].key {
			to[n], b = b[0], b[1:]
		} else {
			to[n], a = a[0], a[1:]
		}
		n++
	}
	copy(to[n+copy(to[n:], a):], b)
}
