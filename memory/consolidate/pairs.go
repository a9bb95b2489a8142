package consolidate

import (
	"cmp"
	"context"
	"math"
	"slices"
	"sync"

	"manicule/indexer/sorting"
)

const (
	// step is the number of values after which two vectors are checked for being too far apart.
	// Most pairs are, within the first few.
	step = 32
	// tile is the number of rows that are compared with all rows before them at a time. So many fit
	// a core's cache.
	tile = 128
	// workers compare at once.
	workers = 2
	// maxPairs limits the pairs of one block. The rest is found after these are merged.
	maxPairs = 1 << 20
)

// pair is two rows of a block and their cosine.
type pair struct {
	a, b int32 // a < b
	cos  float32
}

// unit scales a vector to length one.
func unit(v []float32) {
	sum := 0.0
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if sum == 0 {
		return
	}
	k := float32(1 / math.Sqrt(sum))
	for i := range v {
		v[i] *= k
	}
}

// within returns the cosine of two unit vectors whose squared distance is at most limit, and
// otherwise gives up early. The distance grows with each value, so nothing is missed.
func within(a, b []float32, limit float32) (float32, bool) {
	b = b[:len(a)]
	var d float32
	for at := 0; at < len(a); at += step {
		x, y := a[at:min(at+step, len(a))], b[at:min(at+step, len(a))]
		y = y[:len(x)]
		var s0, s1, s2, s3 float32
		i := 0
		for ; i+4 <= len(x); i += 4 {
			d0, d1, d2, d3 := x[i]-y[i], x[i+1]-y[i+1], x[i+2]-y[i+2], x[i+3]-y[i+3]
			s0 += d0 * d0
			s1 += d1 * d1
			s2 += d2 * d2
			s3 += d3 * d3
		}
		for ; i < len(x); i++ {
			s0 += (x[i] - y[i]) * (x[i] - y[i])
		}
		if d += s0 + s1 + s2 + s3; d > limit {
			return 0, false
		}
	}
	return 1 - d/2, d == d // false for NaN
}

// limitOf converts a cosine of unit vectors to a squared distance. The margin keeps rounding from
// deciding differently in two runs.
func limitOf(threshold float64) float32 { return float32(2*(1-threshold)) + 1e-6 }

// nearPairs lists the pairs of similar unit vectors, in a deterministic order. told receives the
// number of processed rows. whole is false if there are more than maxPairs.
func nearPairs(ctx context.Context, v [][]float32, threshold float64, told func(rows int)) (out []pair, whole bool, err error) {
	limit := limitOf(threshold)
	tiles := (len(v) + tile - 1) / tile
	found := make([][]pair, tiles)
	var mu sync.Mutex // guards what follows
	next, total := 0, 0
	take := func() (int, bool) {
		mu.Lock()
		defer mu.Unlock()
		if next >= tiles || total > maxPairs || ctx.Err() != nil {
			return 0, false
		}
		next++
		return next - 1, true
	}
	work := func() {
		for t, ok := take(); ok; t, ok = take() {
			from, to := t*tile, min((t+1)*tile, len(v))
			var list []pair
			for a := 0; a < to && len(list) <= maxPairs; a++ {
				for b := max(a+1, from); b < to; b++ {
					if cos, near := within(v[a], v[b], limit); near {
						list = append(list, pair{int32(a), int32(b), cos})
					}
				}
			}
			mu.Lock()
			found[t] = list
			total += len(list)
			told(to - from)
			mu.Unlock()
		}
	}
	var wg sync.WaitGroup
	for range min(workers, tiles) {
		wg.Go(work)
	}
	wg.Wait()
	if err := ctx.Err(); err != nil {
		return nil, false, err
	}
	// Take the first tiles that fit, whichever finished first.
	for _, list := range found[:next] {
		if len(out) > 0 && len(out)+len(list) > maxPairs {
			return out, false, nil
		}
		out = append(out, list[:min(len(list), maxPairs)]...)
	}
	return out, next == tiles && len(out) <= maxPairs, nil
}

// group groups rows so that every two of a group are a pair, the nearest first (complete linkage).
// At the end no two groups could be joined.
func group(n int, pairs []pair, less func(a, b int32) bool) [][]int32 {
	sorting.Func(pairs, func(x, y pair) int {
		if c := cmp.Compare(y.cos, x.cos); c != 0 {
			return c
		}
		for _, p := range [][2]int32{{x.a, y.a}, {x.b, y.b}} {
			switch {
			case p[0] == p[1]:
			case less(p[0], p[1]):
				return -1
			default:
				return 1
			}
		}
		return 0
	})
	joined := make(map[[2]int32]bool, len(pairs))
	for _, p := range pairs {
		joined[[2]int32{p.a, p.b}] = true
	}
	of := make([]int32, n) // the group of a row
	members := make(map[int32][]int32, n)
	for i := range of {
		of[i] = int32(i)
	}
	list := func(g int32) []int32 {
		if m := members[g]; m != nil {
			return m
		}
		return []int32{g}
	}
	all := func(x, y []int32) bool {
		for _, a := range x {
			for _, b := range y {
				if !joined[[2]int32{min(a, b), max(a, b)}] {
					return false
				}
			}
		}
		return true
	}
	for _, p := range pairs {
		g, h := of[p.a], of[p.b]
		if g == h || !all(list(g), list(h)) {
			continue
		}
		both := append(slices.Clone(list(g)), list(h)...)
		for _, r := range list(h) {
			of[r] = g
		}
		delete(members, h)
		members[g] = both
	}
	var out [][]int32
	for _, m := range members {
		slices.Sort(m)
		out = append(out, m)
	}
	sorting.Func(out, func(a, b []int32) int { return cmp.Compare(a[0], b[0]) })
	return out
}
