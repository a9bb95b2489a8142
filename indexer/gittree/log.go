package gittree

import (
	"bytes"
	"strconv"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
)

// Logged is a commit with what it changed against its first parent.
type Logged struct {
	ID    string
	Time  time.Time // of the committer
	Files []string
}

// Log lists a commit and the first parents before it, newest first: until one
// that is known to stop, one older than since, one that can't be read, or max of
// them. A commit without a readable parent has no files: what a shallow clone
// begins with did not change.
func (r *Repo) Log(id string, stop func(id string) bool, since time.Time, max int) []Logged {
	var out []Logged
	for id != "" && len(out) < max && !stop(id) {
		at, parent, ok := r.head(id)
		if !ok || at.Before(since) {
			break
		}
		l := Logged{ID: id, Time: at}
		if parent != "" {
			if now, ok := r.Tree(id); ok {
				if before, ok := r.Tree(parent); ok {
					l.Files = now.Differing(before)
				}
			}
		}
		out = append(out, l)
		id = parent
	}
	return out
}

// head is when a commit was made, and its first parent.
func (r *Repo) head(id string) (at time.Time, parent string, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	data, err := r.object(plumbing.CommitObject, id)
	if err != nil {
		return at, "", false
	}
	for line := range bytes.Lines(data) {
		key, value, _ := strings.Cut(strings.TrimSpace(string(line)), " ")
		switch key {
		case "parent":
			if parent == "" {
				parent = value
			}
		case "committer": // NAME <MAIL> SECONDS ZONE
			if f := strings.Fields(value[strings.LastIndexByte(value, '>')+1:]); len(f) > 0 {
				if s, err := strconv.ParseInt(f[0], 10, 64); err == nil {
					return time.Unix(s, 0).UTC(), parent, true
				}
			}
			return at, "", false
		case "":
			return at, "", false
		}
	}
	return at, "", false
}
