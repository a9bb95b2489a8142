package follow

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"manicule/indexer/anchor"
	"manicule/indexer/sorting"
	"manicule/memory"
	"manicule/memory/store"
)

// Tracker knows the places of a workspace's anchors. It is safe for concurrent use by goroutines
// and processes.
type Tracker struct {
	w     *memory.Workspace
	code  *checkout
	known *places
	live  *liveFiles

	looking turn // one look at anchors at a time
}

// Open returns the tracker of a workspace. It reads nothing yet.
func Open(w *memory.Workspace) *Tracker {
	code, known := newCheckout(w.Place()), &places{subscribers: map[int]func(Report){}}
	return &Tracker{w: w, looking: make(turn, 1), code: code, known: known, live: &liveFiles{w: w, code: code, known: known}}
}

// turn is a lock that nobody waits for when its context has ended: a look at all anchors takes seconds, and who looks for a few has
// less time.
type turn chan struct{}

func (t turn) take(ctx context.Context) error {
	select {
	case t <- struct{}{}:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("wait for another look at the anchors: %w", ctx.Err())
	}
}

func (t turn) give() { <-t }

// ReleaseIdle releases git's objects if no anchor was resolved within unusedFor. The next
// resolution reads them again.
func (t *Tracker) ReleaseIdle(unusedFor time.Duration) error {
	if t.code.repo == nil {
		return nil
	}
	return t.code.repo.ReleaseIdle(unusedFor)
}

// Close closes git's files.
func (t *Tracker) Close() error {
	if t.code.repo == nil {
		return nil
	}
	return t.code.repo.Close()
}

// Of returns the places of a memory's anchors, in order.
func (t *Tracker) Of(uuid string) []Place { return t.known.of(uuid) }

// In returns the anchors that are in a file now, including followed ones, by memory and index. An
// orphaned anchor counts for its old file.
func (t *Tracker) In(path string) []Place { return t.known.in(path) }

// All returns every anchor, by memory and index.
func (t *Tracker) All() []Place { return t.known.all() }

// Subscribe calls f after each Refresh that changed something, in the goroutine of the Refresh,
// until cancel is called.
func (t *Tracker) Subscribe(f func(Report)) (cancel func()) { return t.known.subscribe(f) }

// knownPlaces returns the last known places of some memories' anchors, by memory and index: from
// the database, else from the record.
func knownPlaces(hits []memory.Hit) []Place {
	var all []Place
	for _, h := range hits {
		for i, a := range h.Memory.Anchors {
			p := Place{Memory: h.Memory.UUID, Index: i, Anchor: a}
			if i < len(h.Places) && h.Places[i].State != "" {
				p.Place = h.Places[i]
			} else {
				p.Place = recorded(store.AnchorKey(a), a)
			}
			all = append(all, p)
		}
	}
	sorting.Func(all, func(a, b Place) int {
		return cmp.Or(cmp.Compare(a.Memory, b.Memory), cmp.Compare(a.Index, b.Index))
	})
	return all
}

// recorded is the place that an anchor's record names.
func recorded(key string, a anchor.Anchor) store.Place {
	p := store.Place{Key: key, State: anchor.Fresh, Path: a.Path, Symbol: a.Symbol, Ordinal: a.Ordinal, Confidence: 1, Rung: anchor.RungBlob}
	if a.Lines != nil {
		p.Line, p.EndLine = a.Lines.Start, a.Lines.End
	}
	return p
}

// atRecord reports whether a place is the record's, so that it need not be stored. Without a stored
// place, the next pass assumes the record's.
func atRecord(p Place) bool { return same(p.Place, recorded(p.Key, p.Anchor)) }

// same reports whether two places look the same to a reader.
func same(a, b store.Place) bool {
	return a.State == b.State && a.Reason == b.Reason && a.Path == b.Path && a.Symbol == b.Symbol && a.Ordinal == b.Ordinal &&
		a.Line == b.Line && a.EndLine == b.EndLine && suggested(a) == suggested(b)
}

func suggested(p store.Place) store.Suggestion {
	if p.Suggestion == nil {
		return store.Suggestion{}
	}
	return *p.Suggestion
}

// errGone says that the anchor no longer exists.
var errGone = errors.New("the memory has no such anchor")
