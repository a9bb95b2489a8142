package gittree

import (
	"bytes"
	"container/heap"
	"strconv"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
)

// Sides from which a commit can be reached.
const (
	fromHere = 1 << iota
	fromThere
)

// aheadCommit is a commit on the way.
type aheadCommit struct {
	id      string
	at      time.Time
	parents []string
	sides   int
	waits   int // how often it is in the queue
}

// CommitsAhead lists the commits that lead to one and not to any of others: what a
// branch has of its own. base is the newest that leads to both, "" where their
// histories have nothing in common. ok is false when stop said so before it was
// known, or a commit can't be read, as in a shallow clone.
func (r *Repo) CommitsAhead(id string, others []string, stop func(looked int) bool) (own map[string]bool, base string, ok bool) {
	w := aheadWalk{seen: map[string]*aheadCommit{}}
	put := func(id string, sides int) bool {
		c := w.seen[id]
		if c == nil {
			at, parents, ok := r.parents(id)
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
	// The newest first, until nothing is left that could lead to a commit of this
	// side alone: what leads to it is no older, where the clocks were right.
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
	below := map[string]bool{} // commits that another shared one follows
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

// aheadWalk is how far the way back has come. It keeps what tells whether it may end,
// so that no step looks at all commits again.
type aheadWalk struct {
	seen  map[string]*aheadCommit
	queue newestFirst // what waits, the newest on top
	own   oldestFirst // what was of this side alone when it came, the oldest on top
	alone int         // how many that wait are of this side alone
}

// mark notes from which sides a commit can be reached, and has it wait where that
// is new: what it follows must hear of it.
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

// next takes the newest that waits.
func (w *aheadWalk) next() *aheadCommit {
	c := heap.Pop(&w.queue).(*aheadCommit)
	c.waits--
	if c.sides == fromHere {
		w.alone--
	}
	return c
}

// open reports whether something that waits may still change what is known: one of
// this side alone, or one no older than the oldest of those.
func (w *aheadWalk) open() bool {
	if w.alone > 0 {
		return true
	}
	for w.own.Len() > 0 && w.own.newestFirst[0].sides != fromHere {
		heap.Pop(&w.own) // the other side leads to it too
	}
	return w.own.Len() > 0 && len(w.queue) > 0 && !w.queue[0].at.Before(w.own.newestFirst[0].at)
}

// parents is when a commit was made, and what it follows.
func (r *Repo) parents(id string) (at time.Time, parents []string, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	data, err := r.object(plumbing.CommitObject, id)
	if err != nil {
		return at, nil, false
	}
	for line := range bytes.Lines(data) {
		key, value, _ := strings.Cut(strings.TrimSpace(string(line)), " ")
		switch key {
		case "parent":
			parents = append(parents, value)
		case "committer": // NAME <MAIL> SECONDS ZONE
			if f := strings.Fields(value[strings.LastIndexByte(value, '>')+1:]); len(f) > 0 {
				if s, err := strconv.ParseInt(f[0], 10, 64); err == nil {
					return time.Unix(s, 0), parents, true
				}
			}
			return at, nil, false
		case "":
			return at, nil, false
		}
	}
	return at, nil, false
}

// newestFirst is a heap with the newest commit on top.
type newestFirst []*aheadCommit

// Len is how many commits wait.
func (a newestFirst) Len() int { return len(a) }

// Less puts the newer first.
func (a newestFirst) Less(i, j int) bool { return a[i].at.After(a[j].at) }

// Swap changes two places.
func (a newestFirst) Swap(i, j int) { a[i], a[j] = a[j], a[i] }

// Push adds a commit; see [heap.Interface].
func (a *newestFirst) Push(x any) { *a = append(*a, x.(*aheadCommit)) }

// Pop takes the last one; see [heap.Interface].
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
