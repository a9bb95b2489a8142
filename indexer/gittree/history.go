package gittree

import (
	"bytes"
	"slices"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
)

// History is the ancestry of a commit, as far back as it was read.
type History struct {
	parents  map[string][]string
	children map[string][]string
}

// NewHistory returns a history with the given parents by commit.
func NewHistory(parents map[string][]string) *History {
	h := &History{parents: parents, children: make(map[string][]string, len(parents))}
	for id, of := range parents {
		for _, p := range of {
			h.children[p] = append(h.children[p], id)
		}
	}
	return h
}

// clockSlack is how much older than its parent a commit may claim to be.
const clockSlack = 30 * 24 * time.Hour

// History reads the commits up to head that are not older than since. ok is false if
// since can't be read, if there are more than max commits, and if stop says so.
func (r *Repo) History(head, since string, max int, stop func() bool) (*History, bool) {
	oldest, _, ok := r.timeAndParents(since)
	if !ok {
		return nil, false
	}
	found := map[string][]string{}
	for queue := []string{head}; len(queue) > 0; {
		id := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		if _, seen := found[id]; seen {
			continue
		}
		if len(found) >= max || stop() {
			return nil, false
		}
		at, parents, _ := r.timeAndParents(id) // at the edge of a shallow clone there are no parents
		if at.Before(oldest.Add(-clockSlack)) {
			parents = nil
		}
		found[id] = parents
		queue = append(queue, parents...)
	}
	return NewHistory(found), true
}

// Parents returns the parents of a commit.
func (h *History) Parents(id string) []string { return h.parents[id] }

// Path returns the commits from start to end, each a parent of the next. Of several
// paths it prefers first parents. It is nil if end does not descend from start.
func (h *History) Path(start, end string) []string {
	after := map[string]bool{start: true}
	for queue := []string{start}; len(queue) > 0; {
		c := queue[0]
		queue = queue[1:]
		for _, k := range h.children[c] {
			if !after[k] {
				after[k] = true
				queue = append(queue, k)
			}
		}
	}
	if !after[end] {
		return nil
	}
	way := []string{end}
	for c := end; c != start; {
		i := slices.IndexFunc(h.parents[c], func(p string) bool { return after[p] })
		if i < 0 {
			return nil
		}
		c = h.parents[c][i]
		way = append(way, c)
	}
	slices.Reverse(way)
	return way
}

// ForkPoint returns the last commit of a path that another commit descends from, or
// "".
func (h *History) ForkPoint(way []string, commit string) string {
	before := map[string]bool{commit: true}
	for queue := []string{commit}; len(queue) > 0; {
		c := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		for _, p := range h.parents[c] {
			if !before[p] {
				before[p] = true
				queue = append(queue, p)
			}
		}
	}
	for _, c := range slices.Backward(way) {
		if before[c] {
			return c
		}
	}
	return ""
}

// timeAndParents reads when a commit was made, and its parents. ok is false if the
// commit can't be read or has no valid time.
func (r *Repo) timeAndParents(id string) (at time.Time, parents []string, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	data, err := r.objects.read(plumbing.CommitObject, id)
	if err != nil {
		return at, nil, false
	}
	for line := range bytes.Lines(data) {
		key, value, _ := strings.Cut(strings.TrimSpace(string(line)), " ")
		switch key {
		case "parent":
			parents = append(parents, value)
		case "committer": // NAME <MAIL> SECONDS ZONE
			at = unixTime(value[strings.LastIndexByte(value, '>')+1:])
			return at, parents, !at.IsZero()
		case "":
			return at, parents, false
		}
	}
	return at, parents, false
}
