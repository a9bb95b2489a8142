package folder

import (
	"context"
	"errors"
	"time"

	"manicule/indexer/anchor"
	"manicule/memory"
	"manicule/memory/file"
	"manicule/memory/follow"
)

// Tracker is what the server needs to know of where the anchors of a workspace
// are (package memory/follow). It is safe for concurrent use; paths are relative
// to the workspace root with forward slashes.
type Tracker interface {
	// Refresh looks at what changed in the files.
	Refresh(ctx context.Context) (follow.Report, error)
	// In returns the anchors that are in a file now, with those that were followed
	// into it from other files.
	In(path string) []follow.Place
	// Of returns the places of a memory's anchors in their order, none for a memory
	// that it has not looked for yet.
	Of(uuid string) []follow.Place
	// ResolveText finds the anchors that are in a text of a file, and those of
	// this file that are not in it. It writes nothing.
	ResolveText(ctx context.Context, now *anchor.Source) ([]follow.LiveAnchor, error)
	// Release forgets what ResolveText keeps of a file.
	Release(path string)
	// ReleaseIdle releases what git said, unless somebody used it within unusedFor.
	ReleaseIdle(unusedFor time.Duration) error
	// Moved keeps what the files alone can't tell.
	Moved(ctx context.Context, m follow.EditorMove) error
	// At returns the places of a memory's anchors in a commit, given by its id,
	// with the memory as its file says there.
	At(ctx context.Context, m *file.Memory, commit string) (*file.Memory, []follow.Place, error)
	// Propose makes the next version of an anchor and writes nothing.
	Propose(ctx context.Context, q follow.Request) (follow.Proposal, error)
	// Apply writes a proposal to the memory's file.
	Apply(ctx context.Context, p follow.Proposal) (memory.Result, error)
	// Subscribe calls told after each Refresh that changed something.
	Subscribe(told func(follow.Report)) (cancel func())
	Close() error
}

// ErrNoTracker is the answer to what can't be done without a tracker.
var ErrNoTracker = errors.New("this server doesn't follow anchors in this folder: see its log for the reason, or use `manicule verify`")

// busyRetry is how long to wait for git to finish what it is in the middle of.
const busyRetry = 2 * time.Second

// openTracker opens the tracker, if there is one to open.
func (f *Folder) openTracker() {
	if f.opts.Track == nil {
		return
	}
	t, err := f.opts.Track(f.Memories)
	if err != nil {
		f.opts.Log.Warn("follow anchors", "root", f.Root, "err", err)
		return
	}
	f.Tracker = t
	f.untrack = t.Subscribe(func(follow.Report) {
		f.PlacesChanged()
		f.opts.Events.Changed()
	})
}

// PlacesChanged notes that anchors may be elsewhere now.
func (f *Folder) PlacesChanged() { f.places.Add(1) }

// PlacesVersion grows with each change to where anchors are.
func (f *Folder) PlacesVersion() uint64 { return f.places.Load() }

// GitBusy reports whether git is in the middle of something. The states of anchors
// stay as they are then.
func (f *Folder) GitBusy() bool { return f.gitBusy.Load() }

// followAnchors refreshes the tracker whenever that is due, and again until git
// has finished what it is in the middle of.
func (f *Folder) followAnchors(ctx context.Context) {
	defer func() {
		f.untrack()
		if err := f.Tracker.Close(); err != nil {
			f.opts.LocalLog.Warn("stop following anchors", "root", f.Root, "err", err)
		}
	}()
	again, due := time.NewTimer(0), true
	defer again.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-f.refresh:
			if !due { // one that is due sees this change too
				again.Reset(f.opts.RefreshAfter)
				due = true
			}
			continue
		case <-again.C:
			due = false
		}
		report, err := f.Tracker.Refresh(ctx)
		if err != nil {
			if ctx.Err() == nil {
				f.opts.Log.Warn("follow anchors", "root", f.Root, "err", err)
			}
			continue
		}
		for _, x := range report.Faults {
			f.opts.Log.Warn("an anchor was not looked for", "file", x.Path, "err", x.Err)
		}
		if was := f.gitBusy.Swap(report.Busy != ""); was != (report.Busy != "") {
			f.PlacesChanged()
			f.opts.Events.Changed()
		}
		if report.Busy != "" {
			again.Reset(busyRetry) // not due: a change brings it forward
		}
	}
}

// RefreshSoon has the tracker look at the files again, once for all calls until it
// does.
func (f *Folder) RefreshSoon() {
	if f.Tracker == nil {
		return
	}
	select {
	case f.refresh <- struct{}{}:
	default:
	}
}

// memoriesChanged has the tracker look for new anchors. A change that only notes
// where it found some is no reason to.
func (f *Folder) memoriesChanged() {
	if now := f.Memories.View().Revision(); f.revision.Swap(now) != now {
		f.RefreshSoon()
	}
}

// LastPlace returns where the tracker found an anchor last, false for one that it
// has not looked for yet.
func (f *Folder) LastPlace(uuid string, index int) (follow.Place, bool) {
	if f.Tracker == nil {
		return follow.Place{}, false
	}
	for _, p := range f.Tracker.Of(uuid) {
		if p.Index == index && p.State != "" {
			return p, true
		}
	}
	return follow.Place{}, false
}

// Moved has the tracker note moves that the files alone can't tell.
func (f *Folder) Moved(ctx context.Context, moves []follow.EditorMove) {
	for _, m := range moves {
		if err := f.Tracker.Moved(ctx, m); err != nil && ctx.Err() == nil {
			f.opts.Log.Warn("keep where code was moved in the editor", "root", f.Root, "file", m.Path, "err", err)
		}
	}
	f.RefreshSoon()
}
