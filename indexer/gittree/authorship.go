package gittree

import (
	"slices"
	"time"
)

// Commit reads the description of a commit. ok is false if it can't be read.
func (r *Repo) Commit(id string) (c Commit, ok bool) {
	c, _, ok = r.readCommit(id)
	return c, ok
}

// Authorship is what a cherry-pick, a rebase and a mailed patch keep of a commit, though they make another one of it.
type Authorship struct {
	Author, Email string
	Wrote         time.Time
}

// Authorship returns who wrote a commit, and when.
func (c Commit) Authorship() Authorship { return Authorship{c.Author, c.Email, c.Wrote} }

// WrittenAs finds the commits with one of some authorships that can be reached from some tips. It reads at most max commits,
// and none that is over a day older than all of them: a commit is made when it is written or later, but for clocks that differ.
func (r *Repo) WrittenAs(sought map[Authorship]bool, tips []string, max int) map[Authorship][]string {
	var since time.Time
	for a := range sought {
		if since.IsZero() || a.Wrote.Before(since) {
			since = a.Wrote
		}
	}
	since = since.Add(-24 * time.Hour)
	out := map[Authorship][]string{}
	seen := map[string]bool{}
	for queue := slices.Clone(tips); len(queue) > 0 && len(seen) < max && len(sought) > 0; queue = queue[1:] {
		id := queue[0]
		if seen[id] {
			continue
		}
		seen[id] = true
		c, _, ok := r.readCommit(id)
		if !ok || c.Time.Before(since) {
			continue
		}
		if a := c.Authorship(); sought[a] {
			out[a] = append(out[a], id)
		}
		queue = append(queue, r.Parents(id)...)
	}
	return out
}
