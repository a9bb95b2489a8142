package retrieve

import (
	"cmp"
	"slices"
)

// The weights of the way over the code graph.
const (
	atMentioned = 1.0 // about a file that the question names
	atNeighbour = 0.5 // about a file next to such a one
)

// structure finds items by the code: those about files that the question names
// and about their neighbours; where it names none, those about neighbours of
// what the other ways found first (V5-RET-03).
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
	slices.SortFunc(out, func(a, b Ranked) int { return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.ID, b.ID)) })
	return out[:min(r.t.Structure, len(out))]
}

// seeds are the files of what the other ways found first.
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
