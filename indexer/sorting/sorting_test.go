package sorting

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
)

// pair is an element with a part that the order does not look at.
type pair struct{ key, place int }

func byKey(a, b pair) int { return cmp.Compare(a.key, b.key) }

func TestSameAsSlices(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, 2, 11, 13, 60, 1000} {
		for _, keys := range []int{1, 3, 1 << 20} {
			list := make([]pair, n)
			for i := range list {
				list[i] = pair{random.IntN(keys), i}
			}
			for name, with := range map[string]struct {
				ours, theirs func([]pair, func(a, b pair) int)
			}{
				"Func":       {Func[[]pair], slices.SortFunc[[]pair]},
				"StableFunc": {StableFunc[[]pair], slices.SortStableFunc[[]pair]},
			} {
				got, want := slices.Clone(list), slices.Clone(list)
				with.ours(got, byKey)
				with.theirs(want, byKey)
				if !slices.Equal(got, want) {
					t.Errorf("%s of %d elements with %d keys: not the order of package slices", name, n, keys)
				}
			}
		}
	}
}
