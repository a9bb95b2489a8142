package feature

import (
	"cmp"
	"slices"

	"manicule/indexer/sorting"
	"manicule/lsp/folder"
	"manicule/memory"
	"manicule/memory/file"
)

// selectPlaces returns the indexes of n places to show on a surface. It takes one place
// of each memory in turn, so that a memory with many anchors leaves room for others.
func selectPlaces(f *folder.Folder, places [][]memory.Hit, surface string, n int) map[int]bool {
	var hits []memory.Hit
	of := make(map[string][]int)
	for i, at := range places {
		for _, h := range at {
			uuid := h.Memory.UUID
			if len(of[uuid]) == 0 {
				hits = append(hits, h)
			}
			of[uuid] = append(of[uuid], i)
		}
	}
	hits = rankHits(f, hits, surface)
	out := make(map[int]bool, n)
	for turn, more := 0, true; more; turn++ {
		more = false
		for _, h := range hits {
			if len(out) >= n {
				return out
			}
			if list := of[h.Memory.UUID]; turn < len(list) {
				out[list[turn]], more = true, true
			}
		}
	}
	return out
}

// rankHits sorts memories for a surface without room for all: pinned and important ones
// first, types that were dismissed often last, else by confidence.
func rankHits(f *folder.Folder, hits []memory.Hit, surface string) []memory.Hit {
	sorted := slices.Clone(hits)
	tired := f.Dismissed.Types(surface)
	weight := func(h memory.Hit) int {
		m := h.Memory
		switch {
		case m.Pinned:
			return 3
		case m.Importance == file.High:
			return 2
		case tired[m.Type]:
			return 0
		}
		return 1
	}
	sorting.StableFunc(sorted, func(a, b memory.Hit) int {
		return cmp.Or(cmp.Compare(weight(b), weight(a)), cmp.Compare(b.Confidence(), a.Confidence()), cmp.Compare(a.Memory.UUID, b.Memory.UUID))
	})
	return sorted
}
