package search

import (
	"cmp"
	"path"
	"slices"

	"manicule/indexer/sorting"
	"manicule/memory"
	"manicule/memory/retrieve"
)

// MaxRecent is how many of the files that the asker used last count.
const MaxRecent = 5

// recent returns what ranks memories by the files that the asker used last, nil if they are unknown.
func recent(q Question, about func(file string) []memory.Hit) func() []retrieve.Ranked {
	if len(q.Recent) == 0 {
		return nil
	}
	return func() []retrieve.Ranked { return nearRecent(q.Recent, about) }
}

// nearRecent ranks the memories about files that were used last, the latest first, and about others in their folders. about looks
// up those of a file, or of what is in a folder.
func nearRecent(files []string, about func(file string) []memory.Hit) []retrieve.Ranked {
	score := map[string]float64{}
	for i, f := range files[:min(len(files), MaxRecent)] {
		late := 1 / float64(i+1)
		for _, h := range about(f) {
			if h.Match > memory.MatchProject {
				score[h.Memory.UUID] = max(score[h.Memory.UUID], late)
			}
		}
		folder := path.Dir(f)
		if folder == "." {
			continue // what lies at the root is no module
		}
		for _, h := range about(folder + "/") {
			if slices.ContainsFunc(filesOf(h), func(p string) bool { return path.Dir(p) == folder }) {
				score[h.Memory.UUID] = max(score[h.Memory.UUID], late/2)
			}
		}
	}
	out := make([]retrieve.Ranked, 0, len(score))
	for id, s := range score {
		out = append(out, retrieve.Ranked{ID: id, Score: s})
	}
	sorting.Func(out, func(a, b retrieve.Ranked) int { return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.ID, b.ID)) })
	return out
}
