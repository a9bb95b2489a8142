package gittree

import "time"

// Merge is a commit with several parents.
type Merge struct {
	ID      string
	Parents []string
}

// Merges lists the merges that a commit goes back to, as far as the commits can be read, at most max
// commits that are no older than since.
func (r *Repo) Merges(head string, since time.Time, max int) []Merge {
	var out []Merge
	seen := map[string]bool{}
	for todo := []string{head}; len(todo) > 0 && len(seen) < max; todo = todo[1:] {
		id := todo[0]
		if id == "" || seen[id] {
			continue
		}
		seen[id] = true
		at, parents, ok := r.timeAndParents(id)
		if !ok || at.Before(since) {
			continue
		}
		if len(parents) > 1 {
			out = append(out, Merge{id, parents})
		}
		todo = append(todo, parents...)
	}
	return out
}
