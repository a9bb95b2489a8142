// Package history reports how often each file changed in the last months, and when it
// last did. It reads git's objects and caches the result in the worktree's cache
// folder, so that a query does not wait for git. It must not know how the frequency is
// used.
package history

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"manicule/indexer/atomicfile"
	"manicule/indexer/gittree"
	"manicule/indexer/treefile"
)

// Bounds of the commits that are read.
const (
	window     = 180 * 24 * time.Hour
	maxCommits = 1000 // commits
	// minSpan is the shortest period that changes are averaged over: a file that is
	// one day old did not change once a day.
	minSpan = 14 * 24 * time.Hour
)

// cacheFile is the content of the file in the cache folder.
type cacheFile struct {
	Version int      `json:"version"`
	Head    string   `json:"head"`
	Shallow string   `json:"shallow,omitzero"` // where a shallow clone ended
	Commits []change `json:"commits"`          // newest first
}

// change is one commit with the paths of its files. Folders are counted when the cache
// is read.
type change struct {
	ID    string   `json:"id"`
	At    int64    `json:"at"` // seconds
	Files []string `json:"files"`
}

// format is the version of the file.
//
// History: 1, the first.
const format = 1

// maxFiles is how many files a commit may change to count: a new license header in
// every file says nothing about any of them.
const maxFiles = 200

// History is the known history of a worktree. It is safe for concurrent use.
type History struct {
	file string
	repo *gittree.Repo
	now  func() time.Time

	updating sync.Mutex // one Update at a time

	mu    sync.Mutex // guards all below
	k     cacheFile
	count map[string]int
	last  map[string]int64
	trees map[string]gittree.Tree
}

// Open reads the cache. Without one, nothing is known until Update. The caller closes
// the repository.
func Open(dir string, repo *gittree.Repo, now func() time.Time) *History {
	h := &History{file: filepath.Join(dir, "history.json"), repo: repo, now: now}
	var k cacheFile
	if data, err := treefile.ReadMade(h.file); err == nil && json.Unmarshal(data, &k) == nil && k.Version == format {
		h.k = k
	}
	h.tally()
	return h
}

// Update reads the new commits up to head and saves the result.
//
// It uses a repository of its own, because reading keeps trees in memory. The caller
// closes that repository afterwards, and queries don't wait for it.
func (h *History) Update(ctx context.Context, repo *gittree.Repo, head string) error {
	h.updating.Lock()
	defer h.updating.Unlock()
	h.mu.Lock()
	before := h.k
	h.mu.Unlock()
	edge := repo.ShallowEdge()
	if head == "" || head == before.Head && edge == before.Shallow {
		return nil
	}
	if edge != before.Shallow {
		before.Commits = nil // earlier ones were fetched: what had no parent has one, and changes
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
	now := cacheFile{format, head, edge, all[:min(maxCommits, len(all))]}
	h.mu.Lock()
	h.k = now
	h.tally()
	h.mu.Unlock()
	data, err := json.Marshal(now)
	if err == nil {
		err = atomicfile.Write(h.file, data, 0o600)
	}
	if err != nil && !errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("write the history cache: %w", err)
	}
	return nil
}

// tally counts the changes of files and folders. The caller holds h.mu, or h is new.
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

// Volatility returns how many times a day a file, or anything in a folder, changed in
// the last months. It is negative without a history.
func (h *History) Volatility(p string) float64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.k.Commits) == 0 {
		return -1
	}
	span := max(minSpan, h.now().Sub(time.Unix(h.k.Commits[len(h.k.Commits)-1].At, 0)))
	return float64(h.count[p]) / (span.Hours() / 24)
}

// Churn returns how often each file changed in the last months. It is empty without a history. counts returns the files of a commit that
// count; nil: all do.
func (h *History) Churn(counts func(files []string) []string) map[string]int {
	h.mu.Lock()
	defer h.mu.Unlock()
	out := map[string]int{}
	for _, c := range h.k.Commits {
		files := c.Files
		if counts != nil {
			files = counts(files)
		}
		for _, f := range files {
			out[f]++
		}
	}
	return out
}

// Modified returns when a file last changed, or the zero time if that was before the
// period that is read.
func (h *History) Modified(p string) time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	if at, ok := h.last[p]; ok {
		return time.Unix(at, 0).UTC()
	}
	return time.Time{}
}

// ChangedSince reports whether a file differs between a commit and the head. Folders
// and unreadable files count as unchanged.
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

// tree caches trees by commit: many memories name the same commit. The caller holds
// h.mu.
func (h *History) tree(commit string) (gittree.Tree, bool) {
	if t, ok := h.trees[commit]; ok {
		return t, t.ID() != ""
	}
	t, ok := h.repo.Tree(commit)
	h.trees[commit] = t
	return t, ok
}
