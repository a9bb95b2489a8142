package follow

import (
	"maps"
	"slices"
	"sync"

	"manicule/indexer/anchor"
	"manicule/memory/store"
)

// places are the places of all anchors as the last Refresh found them, which places a person
// rejected, and who is told of changes.
type places struct {
	mu          sync.RWMutex // guards what follows
	loaded      bool         // a Refresh has found them
	byMemory    map[string][]Place
	byPath      map[string][]Place
	rejected    map[store.Rejection]bool
	subscribers map[int]func(Report)
	nextID      int
}

// areLoaded reports whether a Refresh has found the places.
func (ps *places) areLoaded() bool {
	ps.mu.RLock()
	defer ps.mu.RUnlock()
	return ps.loaded
}

// of returns the places of a memory's anchors, in order.
func (ps *places) of(uuid string) []Place {
	ps.mu.RLock()
	defer ps.mu.RUnlock()
	return slices.Clone(ps.byMemory[uuid])
}

// in returns the anchors that are in a file now, including followed ones, by memory and index. An
// orphaned anchor counts for its old file.
func (ps *places) in(path string) []Place {
	ps.mu.RLock()
	defer ps.mu.RUnlock()
	return slices.Clone(ps.byPath[path])
}

// all returns every anchor, by memory and index.
func (ps *places) all() []Place {
	ps.mu.RLock()
	defer ps.mu.RUnlock()
	var out []Place
	for _, uuid := range slices.Sorted(maps.Keys(ps.byMemory)) {
		out = append(out, ps.byMemory[uuid]...)
	}
	return out
}

// subscribe calls f after each Refresh that changed something, in the goroutine of the Refresh,
// until cancel is called.
func (ps *places) subscribe(f func(Report)) (cancel func()) {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	id := ps.nextID
	ps.nextID++
	ps.subscribers[id] = f
	return func() {
		ps.mu.Lock()
		defer ps.mu.Unlock()
		delete(ps.subscribers, id)
	}
}

// withoutRejected orphans an anchor at a place that a person rejected, until it is found elsewhere
// or tied to code again.
func (ps *places) withoutRejected(p store.Place, a anchor.Anchor) store.Place {
	if s := p.Suggestion; s != nil && ps.isRejected(p.Key, s.Path, s.Symbol) {
		p.Suggestion = nil
	}
	if p.State == anchor.Followed && ps.isRejected(p.Key, p.Path, p.Symbol) {
		return store.Place{Key: p.Key, State: anchor.Orphaned, Reason: "somebody said that it is not " + anchor.Place{Path: p.Path, Symbol: p.Symbol}.String(),
			Path: a.Path, Symbol: a.Symbol, Ordinal: a.Ordinal, Line: 1, EndLine: 1, Rung: anchor.RungNone}
	}
	return p
}

func (ps *places) isRejected(key, path, symbol string) bool {
	ps.mu.RLock()
	defer ps.mu.RUnlock()
	return ps.rejected[store.Rejection{Anchor: key, Path: path, Symbol: symbol}]
}

// reject replaces the places that a person rejected.
func (ps *places) reject(rejected map[store.Rejection]bool) {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	ps.rejected = rejected
}

// notify tells the subscribers.
func (ps *places) notify(r Report) {
	ps.mu.RLock()
	var all []func(Report)
	for _, id := range slices.Sorted(maps.Keys(ps.subscribers)) {
		all = append(all, ps.subscribers[id])
	}
	ps.mu.RUnlock()
	for _, f := range all {
		f(r)
	}
}

// set replaces the places. It sorts the lists by memory and index.
func (ps *places) set(all []Place) {
	byMemory, byPath := map[string][]Place{}, map[string][]Place{}
	for _, p := range all {
		byMemory[p.Memory] = append(byMemory[p.Memory], p)
		byPath[p.Path] = append(byPath[p.Path], p)
	}
	ps.mu.Lock()
	ps.byMemory, ps.byPath, ps.loaded = byMemory, byPath, true
	ps.mu.Unlock()
}
