// Package history reports how often each file changed in the last months, and when it
// last did. It reads git's objects and caches the result in the worktree's cache
// folder, so that a query doesn't wait for git. It must not know how the frequency is
// used.
package history

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"manicule/indexer/atomicfile"
	"manicule/indexer/gittree"
)

// How far back commits are looked at.
const (
	window     = 180 * 24 * time.Hour
	maxCommits = 1000 // commits
	// minSpan is the shortest time that changes are spread over: what is a day old
	// did not change once a day.
	minSpan = 14 * 24 * time.Hour
)

// cacheFile is the file in the cache folder.
type cacheFile struct {
	Version int      `json:"version"`
	Head    string   `json:"head"`
	Commits []change `json:"commits"` // newest first
}

// change is one commit. Files are paths; folders are counted when it is read.
type change struct {
	ID    string   `json:"id"`
	At    int64    `json:"at"` // seconds
	Files []string `json:"files"`
}

// format is the version of the file.
//
// History: 1, the first.
const format = 1

// maxFiles is how many files a commit may change to count: a new license header
// in all of them tells nothing of one.
const maxFiles = 200

// History is what is known of a worktree. It is safe for concurrent use.
type History struct {
	file string
	repo *gittree.Repo
	now  func() time.Time

	updating sync.Mutex // one Update at a time

	mu    sync.Mutex // guards what follows
	k     cacheFile
	count map[string]int
	last  map[string]int64
	trees map[string]gittree.Tree
}

// Open reads what is kept in a cache folder. Nothing may be: then nothing is
// known. The repository is the caller's to close.
func Open(dir string, repo *gittree.Repo, now func() time.Time) *History {
	h := &History{file: filepath.Join(dir, "history.json"), repo: repo, now: now}
	var k cacheFile
	if data, err := os.ReadFile(h.file); err == nil && json.Unmarshal(data, &k) == nil && k.Version == format {
		h.k = k
	}
	h.tally()
	return h
}

// Update reads the commits up to head that are not known yet, and keeps what it
// found.
//
// They are read through a repository of their own, which reading keeps the trees
// of: the caller closes it after, and questions don't wait for it.
func (h *History) Update(ctx context.Context, repo *gittree.Repo, head string) error {
	h.updating.Lock()
	defer h.updating.Unlock()
	h.mu.Lock()
	before := h.k
	h.mu.Unlock()
	if head == "" || head == before.Head {
		return nil
	}
	known := map[string]int{}
	for i, c := range before.Commits {
		known[c.ID] = i
	}
	since := h.now().Add(-window)
	var all []change
	old := -1
	log := repo.Log(head, func(id string) bool {
		i, ok := known[id]
		if ok {
			old = i
		}
		return ok || ctx.Err() != nil
	}, since, maxCommits)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	for _, l := range log {
		c := change{ID: l.ID, At: l.Time.Unix(), Files: l.Files}
		if len(c.Files) > maxFiles {
			c.Files = nil
		}
		all = append(all, c)
	}
	if old >= 0 {
		all = append(all, before.Commits[old:]...)
	}
	all = slices.DeleteFunc(all, func(c change) bool { return c.At < since.Unix() })
	now := cacheFile{format, head, all[:min(maxCommits, len(all))]}
	h.mu.Lock()
	h.k = now
	h.tally()
	h.mu.Unlock()
	data, err := json.Marshal(now)
	if err == nil {
		err = atomicfile.Write(h.file, data, 0o600)
	}
	if err != nil && !errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("keep the history: %w", err)
	}
	return nil
}

// tally counts the changes of files and folders. h.mu is held, or h is new.
func (h *History) tally() {
	h.count, h.last, h.trees = map[string]int{}, map[string]int64{}, map[string]gittree.Tree{}
	for _, c := range h.k.Commits {
		seen := map[string]bool{}
		for _, f := range c.Files {
			for p := f; p != "." && p != "/" && !seen[p]; p = path.Dir(p) {
				seen[p] = true
				h.count[p]++
				h.last[p] = max(h.last[p], c.At)
			}
		}
	}
}

// Volatility is how often a day a file, or something in a folder, changed in the
// last months; negative where there is no history.
func (h *History) Volatility(p string) float64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.k.Commits) == 0 {
		return -1
	}
	span := max(minSpan, h.now().Sub(time.Unix(h.k.Commits[len(h.k.Commits)-1].At, 0)))
	return float64(h.count[p]) / (span.Hours() / 24)
}

// Modified is when a file last changed, zero where that is longer ago than what
// is looked at.
func (h *History) Modified(p string) time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	if at, ok := h.last[p]; ok {
		return time.Unix(at, 0).UTC()
	}
	return time.Time{}
}

// ChangedSince reports whether a file is another at the head than in a commit.
// What can't be read, or is a folder, has not changed.
func (h *History) ChangedSince(commit, p string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.k.Head == "" || commit == "" {
		return false
	}
	then, ok := h.tree(commit)
	now, ok2 := h.tree(h.k.Head)
	if !ok || !ok2 {
		return false
	}
	return then.Blob(p) != now.Blob(p)
}

// tree remembers trees: many memories are of one commit. h.mu is held.
func (h *History) tree(commit string) (gittree.Tree, bool) {
	if t, ok := h.trees[commit]; ok {
		return t, t.ID() != ""
	}
	t, ok := h.repo.Tree(commit)
	h.trees[commit] = t
	return t, ok
}
