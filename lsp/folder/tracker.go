package folder

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"manicule/indexer/anchoring"
	"manicule/memory"
	"manicule/memory/file"
	"manicule/memory/follow"
)

// Tracker knows where the anchors of a workspace are (package memory/follow). It is
// safe for concurrent use. Paths are relative to the workspace root with forward
// slashes.
type Tracker interface {
	// Refresh resolves the anchors in files that changed.
	Refresh(ctx context.Context) (follow.Report, error)
	// In returns the anchors that are in a file now, including those that came from
	// other files.
	In(path string) []follow.Place
	// Of returns the places of a memory's anchors in their order, none for a memory
	// that was not resolved yet.
	Of(uuid string) []follow.Place
	// ResolveText resolves the anchors of a file in a text of it: those that are in it,
	// and those that are missing. It writes nothing.
	ResolveText(ctx context.Context, now *anchoring.Source) ([]follow.LiveAnchor, error)
	// Release drops what ResolveText caches for a file.
	Release(path string)
	// ReleaseIdle frees git's objects if they were not used for unusedFor.
	ReleaseIdle(unusedFor time.Duration) error
	// Moved records a move that the files alone don't show.
	Moved(ctx context.Context, m follow.EditorMove) error
	// At returns the places of a memory's anchors in a commit, given by its id, with
	// the memory as its file was then.
	At(ctx context.Context, m *file.Memory, commit string) (*file.Memory, []follow.Place, error)
	// Propose returns the next version of an anchor and writes nothing.
	Propose(ctx context.Context, q follow.Request) (follow.Proposal, error)
	// Apply writes a proposal to the memory's file.
	Apply(ctx context.Context, p follow.Proposal) (memory.Result, error)
	// Subscribe calls changed after each Refresh that changed something.
	Subscribe(changed func(follow.Report)) (cancel func())
	Close() error
}

// ErrNoTracker is the error of what needs a tracker in a folder without one.
var ErrNoTracker = errors.New("this server doesn't follow anchors in this folder; its log has the reason; try: manicule verify")

// gitBusyRetry is how long to wait while git has an operation in progress.
const gitBusyRetry = 2 * time.Second

// Anchors follows the anchors of a folder's memories: it refreshes the tracker, and tells
// who shows them that they may have moved.
type Anchors struct {
	opts    *Options
	tracker Tracker // nil if anchors are not followed
	root    string

	unsubscribe func()        // ends the subscription to the tracker
	refresh     chan struct{} // has a value while a refresh is due
	hurry       chan struct{} // has a value when a request waits for that refresh
	following   following
	places      atomic.Uint64 // version of the anchors' places
	revision    atomic.Uint64 // of the memories at the last refresh
	gitBusy     atomic.Bool   // a merge, rebase or similar is in progress
}

// open follows the anchors in a tracker from now on.
func (a *Anchors) open(t Tracker) {
	a.tracker = t
	a.following.request()
	a.unsubscribe = t.Subscribe(func(follow.Report) {
		a.PlacesChanged()
		a.opts.Events.Changed()
	})
}

// begin says that the memories of the next refresh are those of a revision: what they
// announced before needs none of its own.
func (a *Anchors) begin(revision uint64) {
	a.revision.Store(revision)
	select {
	case <-a.refresh:
	default:
	}
}

// PlacesChanged reports that anchors may have moved.
func (a *Anchors) PlacesChanged() { a.places.Add(1) }

// PlacesVersion returns a number that grows whenever anchors may have moved.
func (a *Anchors) PlacesVersion() uint64 { return a.places.Load() }

// GitBusy reports whether a merge, rebase or similar is in progress. The states of
// anchors don't change meanwhile.
func (a *Anchors) GitBusy() bool { return a.gitBusy.Load() }

// follow refreshes the tracker after changes, and again when a git operation has
// ended.
func (a *Anchors) follow(ctx context.Context) {
	defer func() {
		a.unsubscribe()
		if err := a.tracker.Close(); err != nil {
			a.opts.LocalLog.Warn("stop following anchors", "root", a.root, "err", err)
		}
	}()
	again, due := time.NewTimer(0), true
	defer again.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-a.refresh:
			if !due { // a refresh that is due sees this change, too
				again.Reset(a.opts.RefreshAfter)
				due = true
			}
			continue
		case <-a.hurry: // it sees the changes that a.refresh announces, too
			again.Reset(0)
			due = true
			continue
		case <-again.C:
			due = false
		}
		seen, at := a.following.seen(), time.Now()
		report, err := a.tracker.Refresh(ctx)
		a.following.done(seen, at, err == nil && report.Busy == "" && !report.Unsteady)
		if err != nil {
			if ctx.Err() == nil {
				a.opts.Log.Warn("follow anchors", "root", a.root, "err", err)
			}
			continue
		}
		for _, x := range report.Faults {
			a.opts.Log.Warn("skipped an anchor", "file", x.Path, "err", x.Err)
		}
		if was := a.gitBusy.Swap(report.Busy != ""); was != (report.Busy != "") {
			a.PlacesChanged()
			a.opts.Events.Changed()
		}
		if report.Busy != "" || report.Unsteady {
			again.Reset(gitBusyRetry) // due stays false, so that a change brings it forward
		}
	}
}

// RefreshSoon schedules a refresh of the tracker, once for all calls until it starts.
func (a *Anchors) RefreshSoon() {
	if a.tracker == nil {
		return
	}
	a.following.request()
	select {
	case a.refresh <- struct{}{}:
	default:
	}
}

// CatchUp waits, at most until ctx ends, until the tracker knows which anchors have moved into a
// file, by its path relative to the root. A refresh is made at once if the file was written since the last one.
func (a *Anchors) CatchUp(ctx context.Context, rel string) {
	if a.tracker == nil {
		return
	}
	written, err := memory.LastWritten(a.root, rel)
	if err != nil {
		written = time.Now() // it can't be told
	}
	done := a.following.catchUp(written)
	if done == nil {
		return
	}
	select {
	case a.hurry <- struct{}{}:
	default:
	}
	select {
	case <-done:
	case <-ctx.Done():
	}
}

// following counts the requested refreshes of a tracker, and those that are done. The first
// is requested when the folder opens.
type following struct {
	mu        sync.Mutex
	requested uint64        // guarded by mu, as are the others
	reached   uint64        // the refreshes up to this one are done
	at        time.Time     // when the last that looked at the files began, by their clock
	waiting   chan struct{} // closed when one is done; nil while nobody waits
}

func (p *following) request() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.requested++
}

// seen returns the requests that a refresh that starts now fulfils.
func (p *following) seen() uint64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.requested
}

// done notes that the requests up to one are fulfilled by a refresh that began at a time. One that
// failed, or left anchors alone because git was busy, ends the waiting, but what was written before
// it is still to be looked at.
func (p *following) done(upTo uint64, at time.Time, looked bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.reached = upTo
	if looked {
		p.at = at
	}
	if p.waiting != nil && p.reached == p.requested {
		close(p.waiting)
		p.waiting = nil
	}
}

// fileClock is how much later than a write its file's time may be read as earlier: the tick of
// coarse clocks.
const fileClock = 20 * time.Millisecond

// catchUp returns a channel that is closed when all requested refreshes are done, or nil if none
// is needed for a file that was written at a time. It requests one if the last is older.
func (p *following) catchUp(written time.Time) <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.reached > 0 {
		if written.Before(p.at.Add(-fileClock)) {
			return nil
		}
		p.requested++
	}
	if p.waiting == nil {
		p.waiting = make(chan struct{})
	}
	return p.waiting
}

// memoriesChanged schedules a refresh for new anchors. A change that only records where
// anchors are needs none.
func (a *Anchors) memoriesChanged(revision uint64) {
	if a.revision.Swap(revision) != revision {
		a.RefreshSoon()
	}
}

// LastPlace returns the last known place of an anchor, false for one that was not
// resolved yet.
func (a *Anchors) LastPlace(uuid string, index int) (follow.Place, bool) {
	if a.tracker == nil {
		return follow.Place{}, false
	}
	for _, p := range a.tracker.Of(uuid) {
		if p.Index == index && p.State != "" {
			return p, true
		}
	}
	return follow.Place{}, false
}

// Moved passes moves to the tracker that the files alone don't show.
func (a *Anchors) Moved(ctx context.Context, moves []follow.EditorMove) {
	for _, m := range moves {
		if err := a.tracker.Moved(ctx, m); err != nil && ctx.Err() == nil {
			a.opts.Log.Warn("record a move in the editor", "root", a.root, "file", m.Path, "err", err)
		}
	}
	a.RefreshSoon()
}
