package folder

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"manicule/memory/scope"
)

// Files lists the files of a workspace, for matching scopes. It is safe for concurrent
// use.
type Files interface {
	// List returns their paths, relative to the root with forward slashes.
	List(ctx context.Context) ([]string, error)
	// Modified returns when a file of the last list was changed, by a commit or after
	// it, and zero if that is too long ago. known is false without history.
	Modified(path string) (at time.Time, known bool)
}

// recentPeriod is the period of "edited this month".
const recentPeriod = 30 * 24 * time.Hour

// fileListTTL is how long a list of files is valid.
const fileListTTL = 30 * time.Second

// minFileListInterval is the least time between two listings of a folder, for people
// who save often.
const minFileListInterval = 2 * time.Second

// scopeCache caches the files of a folder and the matches of scopes.
type scopeCache struct {
	mu      sync.Mutex
	files   []string              // guarded by mu; nil before the first list
	recent  []bool                // guarded by mu; whether each file was edited recently; nil without history
	at      time.Time             // guarded by mu; when files was listed, zero if a file was saved since
	ended   time.Time             // guarded by mu; when the last listing ended
	saves   uint64                // guarded by mu; counts the saved files
	matched map[string]ScopeMatch // guarded by mu; by the patterns
	loading chan struct{}         // guarded by mu; closed when the listing in flight ends
}

// ScopeMatch is the result of matching a scope.
type ScopeMatch struct {
	Files  int
	Recent int   // files among them that were edited recently
	All    int   // all files of the workspace
	Dated  bool  // Recent is known
	Err    error // of the pattern
}

// ListFiles starts a listing of the folder's files, unless the list is young or a
// listing is in flight. The returned channel is closed when there is a list, if only an
// old one.
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
	case c.loading != nil, !first && now.Sub(c.at) < fileListTTL:
		return ready
	}
	done := make(chan struct{})
	c.loading = done
	wait := time.Duration(0)
	if !first {
		wait = min(minFileListInterval-now.Sub(c.ended), minFileListInterval) // the clock may have been set back
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

// list lists the folder's files and reports changes.
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
		c.at = time.Time{} // it may have missed a file saved meanwhile
	}
	c.mu.Unlock()
	switch {
	case first && err == nil:
		f.opts.Events.FilesListed()
	case others:
		f.opts.Events.Changed() // matches of the old list may be on screen
	}
}

// FilesChanged reports that a file was saved, which invalidates the list, and a listing
// in flight.
func (f *Folder) FilesChanged() { f.scopes.saved() }

func (c *scopeCache) saved() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = time.Time{}
	c.saves++
}

// files lists the files of a folder, and whether each was edited recently.
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
	since := f.opts.Now().Add(-recentPeriod)
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

// MatchScope returns the files that patterns match, false before the first listing.
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
