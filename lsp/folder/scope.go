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

// Scopes matches scopes with the files of a folder. It caches both.
type Scopes struct {
	opts *Options
	of   func() Files // nil for none
	root string

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

// List starts a listing of the folder's files, unless the list is young or a
// listing is in flight. The returned channel is closed when there is a list, if only an
// old one.
func (c *Scopes) List() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	first := c.files == nil
	ready := make(chan struct{})
	close(ready)
	now := c.opts.Now()
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
	c.opts.Spawn(func(ctx context.Context) {
		defer close(done)
		if wait > 0 {
			select {
			case <-time.After(wait):
			case <-ctx.Done():
				return
			}
		}
		c.list(ctx)
	})
	if first {
		return done
	}
	return ready
}

// list lists the folder's files and reports changes.
func (c *Scopes) list(ctx context.Context) {
	c.mu.Lock()
	saves := c.saves
	c.mu.Unlock()
	files, recent, err := c.read(ctx)
	if err != nil && ctx.Err() == nil {
		c.opts.Log.Warn("list the files of the workspace", "root", c.root, "err", err)
	}
	c.mu.Lock()
	first := c.files == nil
	others := err == nil && !(slices.Equal(files, c.files) && slices.Equal(recent, c.recent))
	if err == nil {
		c.files, c.recent, c.matched = files, recent, make(map[string]ScopeMatch)
	}
	c.ended, c.loading = c.opts.Now(), nil
	if c.at = c.ended; saves != c.saves {
		c.at = time.Time{} // it may have missed a file saved meanwhile
	}
	c.mu.Unlock()
	switch {
	case first && err == nil:
		c.opts.Events.FilesListed()
	case others:
		c.opts.Events.Changed() // matches of the old list may be on screen
	}
}

// Saved reports that a file was saved, which invalidates the list, and a listing in
// flight.
func (c *Scopes) Saved() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = time.Time{}
	c.saves++
}

// read lists the files of a folder, and whether each was edited recently.
func (c *Scopes) read(ctx context.Context) (files []string, recent []bool, err error) {
	files = []string{}
	of := c.of()
	if of == nil {
		return files, nil, nil
	}
	if files, err = of.List(ctx); err != nil {
		return nil, nil, err
	}
	since := c.opts.Now().Add(-recentPeriod)
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

// Match returns the files that patterns match, false before the first listing.
func (c *Scopes) Match(patterns ...string) (ScopeMatch, bool) {
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
