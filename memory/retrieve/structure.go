package retrieve

import (
	"cmp"
	"slices"

	"manicule/indexer/sorting"
)

// The scores of results from the code graph.
const (
	atMentioned = 1.0 // about a file that the question names
	atNeighbour = 0.5 // about a neighbour of such a file
)

// structure finds items by the code: those about files that the question names and their
// neighbours. If it names none, those about neighbours of the first results of the other retrievers.
func (r *run) structure() []Ranked {
	score := map[string]float64{}
	var ids []string
	add := func(file string, weight float64) {
		for i, id := range r.Structure.At(file) {
			if _, ok := score[id]; !ok {
				ids = append(ids, id)
			}
			score[id] += weight / float64(i+1)
		}
	}
	named := r.Structure.Mentioned(Names(r.q.Text))
	from, weight := named, atNeighbour
	for i, f := range named {
		add(f, atMentioned+1/float64(i+1))
		for _, id := range r.Structure.At(f) {
			r.named[id] = true
		}
	}
	if len(named) == 0 && r.t.Seeds > 0 {
		from, weight = r.seeds(), atNeighbour/2
	}
	for i, f := range from {
		for _, n := range r.Structure.Neighbours(f) {
			if !slices.Contains(from, n) {
				add(n, weight/float64(i+1))
			}
		}
	}
	out := make([]Ranked, 0, len(ids))
	for _, id := range ids {
		if r.known(id) {
			out = append(out, Ranked{id, score[id]})
		}
	}
	sorting.Func(out, func(a, b Ranked) int { return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.ID, b.ID)) })
	return out[:min(r.t.Structure, len(out))]
}

// seeds returns the files of the first results of the other retrievers.
func (r *run) seeds() []string {
	var out []string
	for _, f := range Fuse(r.legs) {
		if len(out) >= r.t.Seeds {
			break
		}
		for _, p := range r.items[f.ID].Files {
			if !slices.Contains(out, p) {
				out = append(out, p)
			}
		}
	}
	return out
}
