package memory

import (
	"cmp"
	"slices"

	"manicule/indexer/sorting"
	"manicule/memory/file"
)

// Limits of a recall.
const (
	// DefaultLimit is the default maximum number of memories of a recall.
	DefaultLimit = 20
	// DiversityLimit is the default limit below which no layer may crowd out another.
	DiversityLimit = 5
)

// Rank sorts hits in recall order: scoped before project-wide, then by layer, specificity (deeper
// first) and keyword relevance, then by importance, what it costs not to know (see [traps]), confidence
// and age. The uuid breaks ties, so the order is deterministic.
func Rank(hits []Hit) {
	// Most of what is compared is computed, so it is computed once, and only small keys are moved.
	type key struct {
		hit                             int
		scoped, layer, importance, trap int
		confidence                      float64
	}
	keys := make([]key, len(hits))
	for i, h := range hits {
		keys[i] = key{hit: i, layer: h.Memory.Layer.Rank(), importance: h.Memory.Importance.Rank(), confidence: h.Confidence()}
		if h.Match > MatchProject {
			keys[i].scoped = 1
		}
		if slices.Contains(traps(), h.Memory.Type) {
			keys[i].trap = 1
		}
	}
	sorting.Func(keys, func(ka, kb key) int {
		a, b := &hits[ka.hit], &hits[kb.hit]
		if c := cmp.Or(
			cmp.Compare(kb.scoped, ka.scoped),
			cmp.Compare(ka.layer, kb.layer),
			cmp.Compare(b.specific, a.specific),
			cmp.Compare(b.Score, a.Score),
			cmp.Compare(kb.importance, ka.importance),
			cmp.Compare(kb.trap, ka.trap),
			cmp.Compare(kb.confidence, ka.confidence),
		); c != 0 {
			return c
		}
		return cmp.Or(
			b.Memory.UpdatedAt.Compare(a.Memory.UpdatedAt.Time),
			cmp.Compare(a.Memory.UUID, b.Memory.UUID),
		)
	})
	// Each hit goes to its place along the cycles of the permutation: hits are large, and there may be thousands.
	for i := range keys {
		at, first := i, hits[i]
		for from := keys[at].hit; from >= 0; from = keys[at].hit {
			keys[at].hit = -1
			if from == i {
				hits[at] = first
				break
			}
			hits[at], at = hits[from], from
		}
	}
}

// traps are the types into which somebody who does not know them runs. The code shows what others say.
func traps() []file.Type { return []file.Type{file.Gotcha, file.DeadEnd, file.ErrorPattern} }

// Limit keeps the first of the ranked hits. If fewer than diversity may stay, a layer with several hits gives up its
// last for the best hit of a layer that has none.
func Limit(hits []Hit, limit, diversity int) (kept []Hit, omitted int) {
	if limit <= 0 || len(hits) <= limit {
		return hits, 0
	}
	kept = slices.Clone(hits[:limit])
	if limit < diversity {
		diversify(kept, hits[limit:])
	}
	return kept, len(hits) - limit
}

func diversify(kept, rest []Hit) {
	count := map[file.Layer]int{}
	for _, h := range kept {
		count[h.Memory.Layer]++
	}
	for _, r := range rest {
		if count[r.Memory.Layer] > 0 {
			continue
		}
		for i := len(kept) - 1; i > 0; i-- { // the first always stays
			if l := kept[i].Memory.Layer; count[l] > 1 {
				count[l]--
				count[r.Memory.Layer]++
				kept[i] = r
				break
			}
		}
	}
}

// Group holds the hits of one layer.
type Group struct {
	Layer file.Layer
	Hits  []Hit
}

// ByLayer groups hits by layer in recall order and keeps their order within a layer.
func ByLayer(hits []Hit) []Group {
	var out []Group
	for _, l := range file.Layers() {
		g := Group{Layer: l}
		for _, h := range hits {
			if h.Memory.Layer == l {
				g.Hits = append(g.Hits, h)
			}
		}
		if len(g.Hits) > 0 {
			out = append(out, g)
		}
	}
	return out
}
