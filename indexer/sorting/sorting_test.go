package sorting

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// pair is an element with a part that the order does not look at.
type pair struct{ key, place int }

func byKey(a, b pair) int { return cmp.Compare(a.key, b.key) }

func TestSameAsSlices(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	shuffled := func(n, keys int) []pair {
		list := make([]pair, n)
		for i := range list {
			list[i] = pair{random.IntN(keys), i}
		}
		return list
	}
	nearly := func(misplaced int) func(n, keys int) []pair { // elements that swap places in a sorted list
		return func(n, keys int) []pair {
			list := make([]pair, n)
			for i := range list {
				list[i] = pair{i % n * min(keys, n) / n, i}
			}
			for range min(misplaced, n) {
				a, b := random.IntN(n), random.IntN(n)
				list[a], list[b] = list[b], list[a]
			}
			return list
		}
	}
	for _, n := range []int{0, 1, 2, 11, 13, 60, 1000} {
		for i, made := range []func(n, keys int) []pair{shuffled, nearly(0), nearly(1), nearly(20)} {
			for _, keys := range []int{1, 3, 1 << 20} {
				testSame(t, fmt.Sprintf("list %d", i), made(n, keys))
			}
		}
	}
}

func testSame(t *testing.T, what string, list []pair) {
	for name, with := range map[string]struct {
		ours, theirs func([]pair, func(a, b pair) int)
	}{
		"Func":       {Func[[]pair], slices.SortFunc[[]pair]},
		"StableFunc": {StableFunc[[]pair], slices.SortStableFunc[[]pair]},
		"StableByKey": {func(x []pair, _ func(a, b pair) int) { StableByKey(x, func(p *pair) uint64 { return uint64(p.key) }) },
			slices.SortStableFunc[[]pair]},
	} {
		got, want := slices.Clone(list), slices.Clone(list)
		with.ours(got, byKey)
		with.theirs(want, byKey)
		if !slices.Equal(got, want) {
			t.Errorf("%s of %d elements, %s: not the order of package slices", name, len(list), what)
		}
	}
}

// record is as large as what is sorted in this program usually is.
type record struct {
	key int
	_   string
	_   []int
}

func BenchmarkFunc(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{4, 30, 1000} {
		list := make([]record, n)
		for i := range list {
			list[i].key = random.IntN(n)
		}
		work := make([]record, n)
		for name, sort := range map[string]func([]record, func(a, b record) int){
			"ours": Func[[]record], "slices": slices.SortFunc[[]record],
			"ours-stable": StableFunc[[]record], "slices-stable": slices.SortStableFunc[[]record],
			"by-key": func(x []record, _ func(a, b record) int) {
				StableByKey(x, func(r *record) uint64 { return uint64(r.key) })
			},
		} {
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					copy(work, list)
					sort(work, func(a, b record) int { return cmp.Compare(a.key, b.key) })
				}
			})
		}
	}
}
