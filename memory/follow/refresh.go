package follow

import (
	"context"
	"fmt"
	"time"

	"manicule/indexer/anchor"
	"manicule/indexer/gitinfo"
	"manicule/memory"
	"manicule/memory/store"
)

// Refresh brings the memories up to their files and looks again for each anchor
// whose files changed. What it finds is noted for other processes; no memory
// file is written. While git is in the middle of a rebase, a merge or the like
// nothing changes its state.
func (t *Tracker) Refresh(ctx context.Context) (Report, error) {
	t.refreshing.Lock()
	defer t.refreshing.Unlock()
	if _, err := t.w.Sync(ctx); err != nil {
		return Report{}, err
	}
	all, r, err := t.look(ctx, t.w.View().All())
	if err != nil {
		return r, err
	}
	t.set(all)
	if len(r.Changes) > 0 {
		t.tell(r)
	}
	return r, nil
}

// Look is Refresh for some memories alone: it returns them with where their
// anchors are now.
func (t *Tracker) Look(ctx context.Context, hits []memory.Hit) ([]memory.Hit, error) {
	t.refreshing.Lock()
	defer t.refreshing.Unlock()
	all, _, err := t.look(ctx, hits)
	if err != nil {
		return nil, err
	}
	return withPlaces(hits, all), nil
}

// withPlaces gives memories the places of their anchors.
func withPlaces(hits []memory.Hit, all []Place) []memory.Hit {
	byMemory := map[string][]store.Place{}
	for _, p := range all {
		byMemory[p.Memory] = append(byMemory[p.Memory], p.Place)
	}
	out := make([]memory.Hit, len(hits))
	for i, h := range hits {
		h.Places = byMemory[h.Memory.UUID]
		out[i] = h
	}
	return out
}

// look finds the anchors of memories and notes what changed.
func (t *Tracker) look(ctx context.Context, hits []memory.Hit) ([]Place, Report, error) {
	all := noted(hits)
	r := Report{Anchors: len(all), Busy: gitinfo.Operation(t.w.Place().GitDir)}
	if r.Busy != "" {
		r.Held = len(all)
		return all, r, nil
	}
	if len(all) == 0 {
		return all, r, nil
	}
	now, err := t.working(ctx)
	if err != nil {
		return nil, r, err
	}
	l := &looker{tracker: t, solver: newSolver(t.repo, t.head(), now), report: &r}
	if err := l.load(ctx); err != nil {
		return nil, r, err
	}
	for i := range all {
		if err := ctx.Err(); err != nil {
			return nil, r, fmt.Errorf("look for anchors: %w", err)
		}
		was := all[i]
		all[i].Place = l.find(was)
		if !same(was.Place, all[i].Place) {
			r.Changes = append(r.Changes, Turn{was, all[i]})
		}
	}
	return all, r, l.note(ctx, all)
}

// looker is one look at anchors.
type looker struct {
	tracker *Tracker
	*solver
	report *Report
	found  map[string][]store.Found   // the cache, by anchor
	moved  map[string][]store.Receipt // what editors saw, by anchor
	fresh  []store.Found              // for the cache
	since  map[[2]string]time.Time    // by anchor and memory, read when first asked for
	stamp  time.Time
}

func (l *looker) load(ctx context.Context) (err error) {
	if l.found, err = l.tracker.w.Store().Found(ctx); err != nil {
		return fmt.Errorf("read what was found before: %w", err)
	}
	moves, err := l.tracker.w.State().Moved(ctx)
	if err != nil {
		return fmt.Errorf("read what editors saw: %w", err)
	}
	l.moved = map[string][]store.Receipt{}
	for _, m := range moves {
		l.moved[m.Anchor] = append(l.moved[m.Anchor], m)
	}
	since, err := l.tracker.w.State().Stale(ctx, l.tracker.w.Place().WorktreeID)
	if err != nil {
		return fmt.Errorf("read since when anchors are stale: %w", err)
	}
	l.since = map[[2]string]time.Time{}
	for _, s := range since {
		l.since[[2]string{s.Anchor, s.Memory}] = s.Since
	}
	l.stamp = l.tracker.w.Now()
	return nil
}

// find returns where an anchor is: what an editor saw, else the record where its
// file is as it was, else what was found in these files before, else what the
// ladder finds.
func (l *looker) find(was Place) store.Place {
	p, settled := l.search(was)
	if !settled && !same(p, was.Place) {
		l.report.Held++
		p.State, p.Reason, p.Confidence, p.Since = was.State, was.Reason, was.Confidence, was.Since
		if p.Line == 0 || p.Path != was.Path {
			p = was.Place
		}
		return p
	}
	p.Since = was.Since
	if p.State != was.State || p.Since.IsZero() && p.Doubtful() {
		p.Since = l.sinceWhen(p, was.Memory)
	}
	return p
}

func (l *looker) sinceWhen(p store.Place, uuid string) time.Time {
	if !p.Doubtful() {
		return time.Time{}
	}
	if at, ok := l.since[[2]string{p.Key, uuid}]; ok {
		return at
	}
	return l.stamp
}

// search is find without what was before. settled is false where the file is
// broken.
func (l *looker) search(was Place) (p store.Place, settled bool) {
	a, key := was.Anchor, was.Key
	for _, m := range l.moved[key] {
		if l.now.Blob(m.Place.Path) == m.Blob {
			m.Place.Key = key
			return m.Place, true
		}
	}
	if a.Blob != "" && a.Lines != nil && l.now.Blob(a.Path) == a.Blob {
		return recorded(key, a), true
	}
	if a.Kind == anchor.KindFile && l.now.Blob(a.Path) != "" {
		return recorded(key, a), true
	}
	cached := key + "/" + ladder
	for _, f := range l.found[cached] {
		if !holds(f.Seen, l.now) {
			continue
		}
		if p, ok := f.Known(); ok {
			p.Key = key
			return p, true
		}
	}
	l.report.Resolved++
	r := l.resolve(a)
	p = placeOf(key, r)
	if r.Unsettled {
		return p, false
	}
	if s := seen(a, r, l.now); s != "" {
		l.fresh = append(l.fresh, store.Found{Anchor: cached, Seen: s, Place: p})
	}
	return p, true
}

// note keeps what changed, for other processes and other days.
func (l *looker) note(ctx context.Context, all []Place) error {
	w := l.tracker.w
	changed := map[string][]store.Place{}
	var receipts []store.Receipt
	for _, c := range l.report.Changes {
		changed[c.Now.Memory] = nil
		if c.Now.State == anchor.Followed {
			receipts = append(receipts, store.Receipt{Anchor: c.Now.Key, Blob: l.now.Blob(c.Now.Path), Memory: c.Now.Memory,
				Kind: store.ReceiptFollowed, Place: c.Now.Place})
		}
	}
	for _, p := range all {
		if _, ok := changed[p.Memory]; ok && !plain(p) {
			changed[p.Memory] = append(changed[p.Memory], p.Place)
		}
	}
	stale := map[string][]store.Place{}
	for _, c := range l.report.Changes {
		if c.Was.Doubtful() || c.Now.Doubtful() {
			stale[c.Now.Memory] = append(stale[c.Now.Memory], c.Now.Place)
		}
	}
	if err := w.NotePlaces(ctx, changed, l.fresh); err != nil {
		return err
	}
	if err := w.State().NoteReceipts(ctx, w.Place().WorktreeID, receipts, stale); err != nil {
		return fmt.Errorf("note where anchors were followed to: %w", err)
	}
	return nil
}
