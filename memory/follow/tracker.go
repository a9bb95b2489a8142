package follow

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"manicule/indexer/anchor"
	"manicule/indexer/gitinfo"
	"manicule/indexer/gittree"
	"manicule/indexer/sorting"
	"manicule/memory"
	"manicule/memory/store"
)

// Tracker knows the places of a workspace's anchors. It is safe for concurrent use by goroutines
// and processes.
type Tracker struct {
	w    *memory.Workspace
	repo *gittree.Repo // nil outside of git

	refreshing sync.Mutex // one Refresh at a time

	mu          sync.RWMutex // guards all below
	loaded      bool         // places were loaded
	places      map[string][]Place
	byPath      map[string][]Place
	rejected    map[store.Rejection]bool
	subscribers map[int]func(Report)
	nextID      int

	live liveFiles
}

// Open returns the tracker of a workspace. It reads nothing yet.
func Open(w *memory.Workspace) *Tracker {
	t := &Tracker{w: w, subscribers: map[int]func(Report){}}
	p := w.Place()
	if p.GitDir != "" {
		t.repo = gittree.Open(p.GitDir, p.GitCommonDir, p.GitPrefix())
	}
	return t
}

// ReleaseIdle releases git's objects if no anchor was resolved within unusedFor. The next
// resolution reads them again.
func (t *Tracker) ReleaseIdle(unusedFor time.Duration) error {
	if t.repo == nil {
		return nil
	}
	return t.repo.ReleaseIdle(unusedFor)
}

// Close closes git's files.
func (t *Tracker) Close() error {
	if t.repo == nil {
		return nil
	}
	return t.repo.Close()
}

// head returns the current commit, or "".
func (t *Tracker) head() string {
	p := t.w.Place()
	return gitinfo.Head(p.GitDir, p.GitCommonDir)
}

// working returns the current state of the files.
func (t *Tracker) working(ctx context.Context) (*working, error) {
	files, err := gittree.NewWorktree(t.w.Root(), t.repo)
	if err != nil {
		return nil, fmt.Errorf("look at the files of %s: %w", t.w.Root(), err)
	}
	return &working{Worktree: files, ctx: ctx, head: sync.OnceValues(func() (tree gittree.Tree, git bool) {
		if t.repo == nil {
			return tree, false
		}
		head := t.head()
		tree, git = t.repo.Tree(head)
		return tree, git || head == "" // nothing is committed yet
	})}, nil
}

// Of returns the places of a memory's anchors, in order.
func (t *Tracker) Of(uuid string) []Place {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return slices.Clone(t.places[uuid])
}

// In returns the anchors that are in a file now, including followed ones, by memory and index. An
// orphaned anchor counts for its old file.
func (t *Tracker) In(path string) []Place {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return slices.Clone(t.byPath[path])
}

// All returns every anchor, by memory and index.
func (t *Tracker) All() []Place {
	t.mu.RLock()
	defer t.mu.RUnlock()
	var out []Place
	for _, uuid := range slices.Sorted(maps.Keys(t.places)) {
		out = append(out, t.places[uuid]...)
	}
	return out
}

// Subscribe calls f after each Refresh that changed something, in the goroutine of the Refresh,
// until cancel is called.
func (t *Tracker) Subscribe(f func(Report)) (cancel func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	id := t.nextID
	t.nextID++
	t.subscribers[id] = f
	return func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		delete(t.subscribers, id)
	}
}

// withoutRejected orphans an anchor at a place that a person rejected, until it is found elsewhere
// or tied to code again.
func (t *Tracker) withoutRejected(p store.Place, a anchor.Anchor) store.Place {
	if s := p.Suggestion; s != nil && t.isRejected(p.Key, s.Path, s.Symbol) {
		p.Suggestion = nil
	}
	if p.State == anchor.Followed && t.isRejected(p.Key, p.Path, p.Symbol) {
		return store.Place{Key: p.Key, State: anchor.Orphaned, Reason: "somebody said that it is not " + anchor.Place{Path: p.Path, Symbol: p.Symbol}.String(),
			Path: a.Path, Symbol: a.Symbol, Ordinal: a.Ordinal, Line: 1, EndLine: 1, Rung: anchor.RungNone}
	}
	return p
}

func (t *Tracker) isRejected(key, path, symbol string) bool {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.rejected[store.Rejection{Anchor: key, Path: path, Symbol: symbol}]
}

func (t *Tracker) notify(r Report) {
	t.mu.RLock()
	var all []func(Report)
	for _, id := range slices.Sorted(maps.Keys(t.subscribers)) {
		all = append(all, t.subscribers[id])
	}
	t.mu.RUnlock()
	for _, f := range all {
		f(r)
	}
}

// set replaces the places. It sorts the lists by memory and index.
func (t *Tracker) set(all []Place) {
	places, byPath := map[string][]Place{}, map[string][]Place{}
	for _, p := range all {
		places[p.Memory] = append(places[p.Memory], p)
		byPath[p.Path] = append(byPath[p.Path], p)
	}
	t.mu.Lock()
	t.places, t.byPath, t.loaded = places, byPath, true
	t.mu.Unlock()
}

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
