package lsp

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
	// Refresh looks again at what changed in the files.
	Refresh(ctx context.Context) (follow.Report, error)
	// In returns the anchors that are in a file now, those of other files that
	// were followed into it too.
	In(path string) []follow.Place
	// Of returns the places of a memory's anchors in their order, nothing for a
	// memory that nobody has looked for yet.
	Of(uuid string) []follow.Place
	// ResolveText finds the anchors that are in a text of a file, and those of
	// this file that are not in it. It writes nothing.
	ResolveText(ctx context.Context, now *anchor.Source) ([]follow.Live, error)
	// Release forgets what ResolveText keeps of a file.
	Release(path string)
	// Rest gives back what git said, when nobody asked within the last while.
	Rest(unusedFor time.Duration) error
	// Moved keeps what the files alone can't tell.
	Moved(ctx context.Context, m follow.Move) error
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

// errNoTracker is answered to what can't be done without knowing where anchors
// are.
var errNoTracker = errors.New("this server doesn't follow anchors in this folder: see its log for the reason, or use `manicule verify`")

// Times of following.
const (
	refreshAfter = 200 * time.Millisecond // files change in groups
	busyRetry    = 2 * time.Second        // until git has finished what it is at
)

// tracked opens the tracker of a folder, if there is one to open.
func (s *server) tracked(f *folder) {
	if s.opts.Track == nil {
		return
	}
	t, err := s.opts.Track(f.mem)
	if err != nil {
		s.log.Warn("follow anchors", "root", f.root, "err", err)
		return
	}
	f.tracker = t
	f.untrack = t.Subscribe(func(follow.Report) {
		f.placed.Add(1)
		s.markStale()
	})
}

// keepTrack has the tracker look again whenever somebody wants it, and until
// git has finished what it is in the middle of.
func (s *server) keepTrack(ctx context.Context, f *folder) {
	defer func() {
		f.untrack()
		if err := f.tracker.Close(); err != nil {
			s.opts.Log.Warn("stop following anchors", "root", f.root, "err", err)
		}
	}()
	again, due := time.NewTimer(0), true
	defer again.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-f.replace:
			if !due { // one that is due sees this change too
				again.Reset(s.opts.FollowAfter)
				due = true
			}
			continue
		case <-again.C:
			due = false
		}
		report, err := f.tracker.Refresh(ctx)
		if err != nil {
			if ctx.Err() == nil {
				s.log.Warn("follow anchors", "root", f.root, "err", err)
			}
			continue
		}
		for _, x := range report.Faults {
			s.log.Warn("an anchor was not looked for", "file", x.Path, "err", x.Err)
		}
		if was := f.busy.Swap(report.Busy != ""); was != (report.Busy != "") {
			f.placed.Add(1)
			s.markStale()
		}
		if report.Busy != "" {
			again.Reset(busyRetry) // not due: who wants it sooner gets it
		}
	}
}

// wantPlaces has the tracker look again, once for all that ask meanwhile.
func (f *folder) wantPlaces() {
	if f.tracker == nil {
		return
	}
	select {
	case f.replace <- struct{}{}:
	default:
	}
}

// memoriesChanged has the tracker look for anchors that came. Where a look of its
// own has found others is no reason to look again.
func (f *folder) memoriesChanged() {
	if now := f.mem.View().Revision(); f.revision.Swap(now) != now {
		f.wantPlaces()
	}
}

// noted is where an anchor was found last, false for one that nobody has looked
// for yet.
func (f *folder) noted(uuid string, index int) (follow.Place, bool) {
	if f.tracker == nil {
		return follow.Place{}, false
	}
	for _, p := range f.tracker.Of(uuid) {
		if p.Index == index && p.State != "" {
			return p, true
		}
	}
	return follow.Place{}, false
}
