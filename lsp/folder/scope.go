package folder

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"manicule/memory/scope"
)

// Files is what a scope can match: the files of a workspace. It is safe for
// concurrent use.
type Files interface {
	// List returns their paths, relative to the root with forward slashes.
	List(ctx context.Context) ([]string, error)
	// Modified is when a file of the last list was changed, by a commit or after
	// it, zero where that is longer ago than is looked at. known is false where
	// there is no history.
	Modified(path string) (at time.Time, known bool)
}

// month is how far back "edited this month" looks.
const month = 30 * 24 * time.Hour

// listedFor is how long a list of files is used without looking again.
const listedFor = 30 * time.Second

// listEvery is the least time between two lists of a folder's files, for people who
// save often.
const listEvery = 2 * time.Second

// scopeCache keeps the files of a folder and what scopes match of them.
type scopeCache struct {
	mu      sync.Mutex
	files   []string              // guarded by mu; nil before the first list
	recent  []bool                // guarded by mu; edited this month, by file; nil without history
	at      time.Time             // guarded by mu; of the list, zero where a file was saved since
	ended   time.Time             // guarded by mu; when the last list was made
	saves   uint64                // guarded by mu; counts the saved files
	matched map[string]ScopeMatch // guarded by mu; by the patterns
	loading chan struct{}         // guarded by mu; closed when a list that is being made is there
}

// ScopeMatch is what a scope matches.
type ScopeMatch struct {
	Files  int
	Recent int   // of them edited this month
	All    int   // files of the workspace
	Dated  bool  // Recent is known
	Err    error // of the pattern
}

// ListFiles starts a list of the folder's files unless there is a young one or
// one is being made. The channel is closed when there is one: an old one does
// while it is made again.
func (f *Folder) ListFiles() <-chan struct{} {
	c := &f.scopes
	c.mu.Lock()
	defer c.mu.Unlock()
	first := c.files == nil
	ready := make(chan struct{})
	close(ready)
	now := f.opts.Now()
	switch {
	case c.loading != nil && first:
		return c.loading
	case c.loading != nil, !first && now.Sub(c.at) < listedFor:
		return ready
	}
	done := make(chan struct{})
	c.loading = done
	wait := time.Duration(0)
	if !first {
		wait = min(listEvery-now.Sub(c.ended), listEvery) // a clock can be set back
	}
	f.opts.Spawn(func(ctx context.Context) {
		defer close(done)
		if wait > 0 {
			select {
			case <-time.After(wait):
			case <-ctx.Done():
				return
			}
		}
		f.list(ctx)
	})
	if first {
		return done
	}
	return ready
}

// list lists the folder's files, and tells of what changed in the list.
func (f *Folder) list(ctx context.Context) {
	c := &f.scopes
	c.mu.Lock()
	saves := c.saves
	c.mu.Unlock()
	files, recent, err := f.files(ctx)
	if err != nil && ctx.Err() == nil {
		f.opts.Log.Warn("list the files of the workspace", "root", f.Root, "err", err)
	}
	c.mu.Lock()
	first := c.files == nil
	others := err == nil && !(slices.Equal(files, c.files) && slices.Equal(recent, c.recent))
	if err == nil {
		c.files, c.recent, c.matched = files, recent, make(map[string]ScopeMatch)
	}
	c.ended, c.loading = f.opts.Now(), nil
	if c.at = c.ended; saves != c.saves {
		c.at = time.Time{} // it may not have seen what was saved meanwhile
	}
	c.mu.Unlock()
	switch {
	case first && err == nil:
		f.opts.Events.FilesListed()
	case others:
		f.opts.Events.Changed() // the old list may be shown
	}
}

// FilesChanged notes that a file was saved. The list is old then, and one that is
// being made may be.
func (f *Folder) FilesChanged() { f.scopes.saved() }

func (c *scopeCache) saved() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = time.Time{}
	c.saves++
}

// files lists the files of a folder, and which were edited this month.
func (f *Folder) files(ctx context.Context) (files []string, recent []bool, err error) {
	files = []string{}
	if f.opts.Files == nil {
		return files, nil, nil
	}
	of := f.opts.Files(f.Memories)
	if of == nil {
		return files, nil, nil
	}
	if files, err = of.List(ctx); err != nil {
		return nil, nil, err
	}
	since := f.opts.Now().Add(-month)
	flags := make([]bool, len(files))
	for i, p := range files {
		at, known := of.Modified(p)
		if !known {
			return files, nil, nil
		}
		flags[i] = at.After(since)
	}
	return files, flags, nil
}

// MatchScope returns what patterns match, false while the files are not known.
func (f *Folder) MatchScope(patterns ...string) (ScopeMatch, bool) {
	c := &f.scopes
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.files) == 0 {
		return ScopeMatch{}, false
	}
	key := strings.Join(patterns, "\x00")
	if u, ok := c.matched[key]; ok {
		return u, true
	}
	u := ScopeMatch{All: len(c.files), Dated: c.recent != nil}
	compiled, err := scope.Compile(patterns, scope.Platform())
	if err != nil {
		u.Err = err
	} else {
		for i, p := range c.files {
			if compiled.Match(p, false) != scope.In {
				continue
			}
			u.Files++
			if u.Dated && c.recent[i] {
				u.Recent++
			}
		}
	}
	c.matched[key] = u
	return u, true
}
