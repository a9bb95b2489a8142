package gittree

import (
	"container/heap"
	"time"
)

// The sides from which a commit is reachable.
const (
	fromHere = 1 << iota
	fromThere
)

// aheadCommit is a commit on the walk.
type aheadCommit struct {
	id      string
	at      time.Time
	parents []string
	sides   int
	waits   int // number of queue entries
}

// CommitsAhead lists the commits reachable from id but from none of others: those a
// branch is ahead by. base is the newest common ancestor, "" if the histories share
// none. ok is false if stop ended the walk early, or a commit can't be read, as in a
// shallow clone.
func (r *Repo) CommitsAhead(id string, others []string, stop func(looked int) bool) (own map[string]bool, base string, ok bool) {
	w := aheadWalk{seen: map[string]*aheadCommit{}}
	put := func(id string, sides int) bool {
		c := w.seen[id]
		if c == nil {
			at, parents, ok := r.timeAndParents(id)
			if !ok {
				return false
			}
			c = &aheadCommit{id: id, at: at, parents: parents}
			w.seen[id] = c
		}
		w.mark(c, sides)
		return true
	}
	if !put(id, fromHere) {
		return nil, "", false
	}
	for _, o := range others {
		if !put(o, fromThere) {
			return nil, "", false
		}
	}
	// Newest first, until no queued commit can lead to one that only this side
	// reaches. Where clocks were right, a parent is never newer than its child.
	for looked := 0; w.open(); looked++ {
		if stop(looked) {
			return nil, "", false
		}
		c := w.next()
		for _, p := range c.parents {
			if !put(p, c.sides) {
				return nil, "", false
			}
		}
	}
	seen := w.seen
	own = map[string]bool{}
	below := map[string]bool{} // commits below another shared one
	for _, c := range seen {
		switch c.sides {
		case fromHere:
			own[c.id] = true
		case fromHere | fromThere:
			for _, p := range c.parents {
				below[p] = true
			}
		}
	}
	for _, c := range seen {
		if c.sides != fromHere|fromThere || below[c.id] {
			continue
		}
		if b := seen[base]; b == nil || c.at.After(b.at) || c.at.Equal(b.at) && c.id < b.id {
			base = c.id
		}
	}
	return own, base, true
}

// aheadWalk is the state of the walk. It maintains what decides the end, so that no
// step looks at all commits again.
type aheadWalk struct {
	seen  map[string]*aheadCommit
	queue newestFirst // pending commits, the newest on top
	own   oldestFirst // commits that only this side had reached when they were queued, the oldest on top
	alone int         // how many pending commits only this side reaches
}

// mark records the sides that reach a commit. If that is news it queues the commit,
// because its parents must learn it too.
func (w *aheadWalk) mark(c *aheadCommit, sides int) {
	if c.sides|sides == c.sides {
		return
	}
	if c.sides == fromHere {
		w.alone -= c.waits
	}
	c.sides |= sides
	c.waits++
	if c.sides == fromHere {
		w.alone += c.waits
		heap.Push(&w.own, c)
	}
	heap.Push(&w.queue, c)
}

// next takes the newest pending commit.
func (w *aheadWalk) next() *aheadCommit {
	c := heap.Pop(&w.queue).(*aheadCommit)
	c.waits--
	if c.sides == fromHere {
		w.alone--
	}
	return c
}

// open reports whether a pending commit may still change the result: one that only
// this side reaches, or one no older than the oldest of those.
func (w *aheadWalk) open() bool {
	if w.alone > 0 {
		return true
	}
	for w.own.Len() > 0 && w.own.newestFirst[0].sides != fromHere {
		heap.Pop(&w.own) // the other side reaches it too
	}
	return w.own.Len() > 0 && len(w.queue) > 0 && !w.queue[0].at.Before(w.own.newestFirst[0].at)
}

// newestFirst is a heap with the newest commit on top.
type newestFirst []*aheadCommit

// Len returns the number of commits.
func (a newestFirst) Len() int { return len(a) }

// Less puts the newer first.
func (a newestFirst) Less(i, j int) bool { return a[i].at.After(a[j].at) }

// Swap swaps two elements.
func (a newestFirst) Swap(i, j int) { a[i], a[j] = a[j], a[i] }

// Push adds a commit; see [heap.Interface].
func (a *newestFirst) Push(x any) { *a = append(*a, x.(*aheadCommit)) }

// Pop removes the last one; see [heap.Interface].
func (a *newestFirst) Pop() any {
	old := *a
	c := old[len(old)-1]
	*a = old[:len(old)-1]
	return c
}

// oldestFirst is a heap with the oldest commit on top.
type oldestFirst struct{ newestFirst }

// Less puts the older first.
func (d oldestFirst) Less(i, j int) bool { return d.newestFirst[i].at.Before(d.newestFirst[j].at) }
