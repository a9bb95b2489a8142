package local

import (
	"cmp"
	"slices"

	"manicule/indexer/sorting"
)

// buckets are the lengths in tokens to which texts are padded. A runtime prepares and caches each
// input shape, and buckets keep them few. The last is the model's maximum.
func buckets(maxTokens int) []int {
	var out []int
	for _, n := range []int{16, 32, 64, 96, 128, 192, 256, 384, 512} {
		if n < maxTokens {
			out = append(out, n)
		}
	}
	return append(out, maxTokens)
}

// bucket returns the shortest bucket for a length.
func bucket(n int, in []int) int {
	i, _ := slices.BinarySearch(in, n)
	return in[min(i, len(in)-1)]
}

// batch is some texts, by index in the request, padded to one width.
type batch struct {
	at    []int
	width int
}

// cells is the number of tokens that a batch computes, padding included.
func (b batch) cells() int { return len(b.at) * b.width }

// unpadded is batches, where a text by itself is not padded.
func unpadded(lengths, widths []int, maxCells, maxTexts int) []batch {
	out := batches(lengths, widths, maxCells, maxTexts)
	for i, b := range out {
		if len(b.at) == 1 {
			out[i].width = lengths[b.at[0]]
		}
	}
	return out
}

// batches groups texts of similar length. Each batch has at most maxCells tokens with padding and
// maxTexts texts, but at least one text.
func batches(lengths, widths []int, maxCells, maxTexts int) []batch {
	order := make([]int, len(lengths))
	for i := range order {
		order[i] = i
	}
	sorting.StableFunc(order, func(a, b int) int { return cmp.Compare(lengths[a], lengths[b]) })
	var out []batch
	for _, i := range order {
		w := bucket(lengths[i], widths)
		if n := len(out) - 1; n >= 0 && out[n].width == w && len(out[n].at) < maxTexts && (len(out[n].at)+1)*w <= maxCells {
			out[n].at = append(out[n].at, i)
			continue
		}
		out = append(out, batch{[]int{i}, w})
	}
	return out
}
