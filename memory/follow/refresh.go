package follow

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"manicule/indexer/anchor"
	"manicule/indexer/anchoring"
	"manicule/indexer/gitinfo"
	"manicule/memory"
	"manicule/memory/store"
)

// Refresh reads changed memories and resolves each anchor whose files changed. It stores the result
// for other processes and writes no memory file. While git is in the middle of a rebase, a merge or
// the like, no state changes.
//
// If a place changed, the workspace's subscribers are notified in this goroutine. They must not
// wait for another Refresh.
func (t *Tracker) Refresh(ctx context.Context) (Report, error) {
	began := time.Now() // by the clock of the files
	if _, err := t.w.Sync(ctx); err != nil {
		return Report{}, err
	}
	if err := t.looking.take(ctx); err != nil {
		return Report{}, err
	}
	defer t.looking.give()
	all, r, err := t.look(ctx, t.w.View().All(), false)
	if err != nil {
		return r, err
	}
	t.known.set(all)
	if r.Unsteady {
		return r, nil // nothing says where the anchors are
	}
	if len(r.Changes) > 0 {
		t.known.notify(r)
	}
	if r.Busy == "" && r.Held == 0 && len(r.Faults) == 0 { // otherwise an anchor may be elsewhere by now
		t.w.Views().NoteFollowed(began)
	}
	return r, t.noteLook(ctx)
}

// Current reports whether HEAD, the index and the memories are as at the last Refresh. It does not
// notice edited files; Locate checks those that are shown. It costs one query and two stats,
// whereas Refresh checks every file with an anchor. Outside of git it returns false.
func (t *Tracker) Current(ctx context.Context) (bool, error) {
	if t.code.repo == nil {
		return false, nil
	}
	folders, was, err := t.w.Store().ScanStamp(ctx)
	if err != nil {
		return false, fmt.Errorf("read when anchors were last looked for: %w", err)
	}
	return folders != "" && was == t.stamp(folders), nil
}

// stamp identifies the state that Current compares.
func (t *Tracker) stamp(folders string) string {
	index := ""
	if st, err := os.Stat(filepath.Join(t.w.Place().GitDir, "index")); err == nil {
		index = fmt.Sprintf("%d/%d", st.Size(), st.ModTime().UnixNano())
	}
	return strings.Join([]string{ladder, folders, t.code.head(), index, gitinfo.Operation(t.w.Place().GitDir)}, " ")
}

// noteLook stores the stamp of a Refresh.
func (t *Tracker) noteLook(ctx context.Context) error {
	if t.code.repo == nil {
		return nil
	}
	folders, was, err := t.w.Store().ScanStamp(ctx)
	if err == nil && was != t.stamp(folders) && folders != "" {
		err = t.w.Store().SetScanStamp(ctx, t.stamp(folders))
	}
	if err != nil {
		return fmt.Errorf("note when anchors were looked for: %w", err)
	}
	return nil
}

// Locate resolves the anchors of some memories only, and returns the memories with the places.
func (t *Tracker) Locate(ctx context.Context, hits []memory.Hit) ([]memory.Hit, error) {
	return t.lookFor(ctx, hits, false)
}

// LocateFast is Locate without walking history. An uncertain anchor stays where the two ends of
// history suggest, unless a Refresh resolved it before.
func (t *Tracker) LocateFast(ctx context.Context, hits []memory.Hit) ([]memory.Hit, error) {
	return t.lookFor(ctx, hits, true)
}

func (t *Tracker) lookFor(ctx context.Context, hits []memory.Hit, straight bool) ([]memory.Hit, error) {
	if err := t.looking.take(ctx); err != nil {
		return nil, err
	}
	defer t.looking.give()
	all, _, err := t.look(ctx, hits, straight)
	if err != nil {
		return nil, err
	}
	return withPlaces(hits, all), nil
}

// withPlaces sets the places of the anchors in memories.
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

// looks is how often anchors are looked for while files change under the look, and unsteadyFor how long it waits in between: git
// writes most files of a checkout within that.
const (
	looks       = 4
	unsteadyFor = 50 * time.Millisecond
)

// look resolves the anchors of memories and stores what changed. It looks again at files that were written meanwhile, as by a
// checkout: half of a file says nothing about where code is. If they go on changing, anchors keep their states. With straight
// there is no time for that.
func (t *Tracker) look(ctx context.Context, hits []memory.Hit, straight bool) ([]Place, Report, error) {
	for n := 1; ; n++ {
		all, r, err := t.lookOnce(ctx, hits, straight)
		if err != nil || !r.Unsteady || straight || n == looks {
			return all, r, err
		}
		select {
		case <-time.After(unsteadyFor):
		case <-ctx.Done():
			return all, r, nil
		}
	}
}

// lookOnce is look without looking again.
func (t *Tracker) lookOnce(ctx context.Context, hits []memory.Hit, straight bool) ([]Place, Report, error) {
	rejected, err := t.w.State().Receipts().Rejections(ctx)
	if err != nil {
		return nil, Report{}, fmt.Errorf("read what was rejected: %w", err)
	}
	t.known.reject(rejected)
	all := knownPlaces(hits)
	r := Report{Anchors: len(all), Busy: gitinfo.Operation(t.w.Place().GitDir)}
	if r.Busy != "" {
		r.Held = len(all)
		return all, r, nil
	}
	if len(all) == 0 {
		return all, r, nil
	}
	now, err := t.code.working(ctx)
	if err != nil {
		return nil, r, err
	}
	l := &pass{tracker: t, solver: newSolver(progressOf(ctx), t.code.repo, t.code.head(), now), report: &r, ctx: ctx, skipHistory: straight, all: all, stamp: t.w.Now()}
	for i := range all {
		if err := ctx.Err(); err != nil {
			return nil, r, fmt.Errorf("look for anchors: %w", err)
		}
		was := all[i]
		all[i].Place = l.find(was)
		if !same(was.Place, all[i].Place) {
			r.Changes = append(r.Changes, Transition{was, all[i]})
		}
	}
	if l.err != nil {
		return nil, r, l.err
	}
	if now.Torn() || l.doubts(now) {
		r = Report{Anchors: len(all), Held: len(all), Unsteady: true}
		return knownPlaces(hits), r, nil
	}
	if l.incomplete {
		return all, r, nil
	}
	return all, r, l.note(ctx, all)
}

// doubts reports whether an anchor is in doubt now because of a file that is not as it was when it was looked at, or that git may be
// about to write.
func (l *pass) doubts(now *working) bool {
	for _, c := range l.report.Changes {
		if c.Now.Doubtful() && (l.tracker.code.gitWrites() || !now.Unchanged(path.Clean(c.Was.Anchor.Path)) || !now.Unchanged(c.Was.Path)) {
			return true
		}
	}
	return false
}

// pass is one resolution of anchors. It reads cached data on first use, because mostly nothing has
// changed.
type pass struct {
	tracker *Tracker
	*solver
	report      *Report
	ctx         context.Context // of the look
	skipHistory bool            // there is no time for history
	incomplete  bool            // history was skipped: the result is not stored
	all         []Place
	stamp       time.Time
	fresh       []store.CachedResolution // for the cache
	err         error                    // the first that reading met

	cache map[string][]store.CachedResolution // by anchor; nil until it is read
	moves map[string][]store.Receipt          // by anchor; nil until it is read
	since map[[2]string]time.Time             // by anchor and memory; nil until it is read
}

// fewAnchors is the number of anchors up to which the cache is queried by name.
const fewAnchors = 200

// found returns earlier resolutions of an anchor, newest first.
func (l *pass) found(cached string) []store.CachedResolution {
	if l.cache == nil {
		var keys []string
		if len(l.all) <= fewAnchors {
			for _, p := range l.all {
				keys = append(keys, p.Key+"/"+ladder)
			}
		}
		list, err := l.tracker.w.Store().CachedResolutions(l.ctx, keys...)
		l.fault("read what was found before", err)
		l.cache = list
	}
	return l.cache[cached]
}

// moved returns the moves of an anchor that editors saw, newest first.
func (l *pass) moved(key string) []store.Receipt {
	if l.moves == nil {
		l.moves = map[string][]store.Receipt{}
		list, err := l.tracker.w.State().Receipts().Moved(l.ctx)
		l.fault("read what editors saw", err)
		for _, m := range list {
			l.moves[m.Anchor] = append(l.moves[m.Anchor], m)
		}
	}
	return l.moves[key]
}

// staleSince returns when an anchor first differed from its record.
func (l *pass) staleSince(key, uuid string) (at time.Time, ok bool) {
	if l.since == nil {
		l.since = map[[2]string]time.Time{}
		list, err := l.tracker.w.State().Receipts().Stale(l.ctx, l.tracker.w.Place().WorktreeID)
		l.fault("read since when anchors are stale", err)
		for _, s := range list {
			l.since[[2]string{s.Anchor, s.Memory}] = s.Since
		}
	}
	at, ok = l.since[[2]string{key, uuid}]
	return at, ok
}

// fault keeps the first error.
func (l *pass) fault(act string, err error) {
	if err != nil && l.err == nil {
		l.err = fmt.Errorf("%s: %w", act, err)
	}
}

// find resolves an anchor. In this order it uses the record if its file is unchanged, a move that
// an editor saw, an earlier resolution for the same files, and the ladder.
func (l *pass) find(was Place) store.Place {
	t := l.tracker
	p, settled := l.search(was)
	p = t.known.withoutRejected(p, was.Anchor)
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

func (l *pass) sinceWhen(p store.Place, uuid string) time.Time {
	if !p.Doubtful() {
		return time.Time{}
	}
	if at, ok := l.staleSince(p.Key, uuid); ok {
		return at
	}
	return l.stamp
}

// search is find without earlier results. settled is false if the file is broken.
func (l *pass) search(was Place) (p store.Place, settled bool) {
	a, key := was.Anchor, was.Key
	if a.Blob != "" && a.Lines != nil && l.now.Is(a.Path, a.Blob) {
		return recorded(key, a), true
	}
	for _, m := range l.moved(key) {
		if l.now.Is(m.Place.Path, m.Blob) {
			m.Place.Key = key
			return m.Place, true
		}
	}
	if a.Kind == anchor.KindFile && l.now.Exists(a.Path) {
		return recorded(key, a), true
	}
	cached := key + "/" + ladder
	for _, f := range l.found(cached) {
		if !holds(f.Seen, l.now) {
			continue
		}
		if p, ok := f.Decode(); ok {
			p.Key = key
			return p, true
		}
	}
	l.report.Resolved++
	r := l.resolve(a)
	if r.Fault != nil {
		l.report.Faults = append(l.report.Faults, Fault{was.Memory, a.Path, r.Fault})
	}
	if r.Unsettled {
		return placeOf(key, r), false
	}
	if !certain(r) {
		if l.skipHistory {
			l.incomplete = true
			return placeOf(key, unsure(a, r)), true
		}
		r = l.followHistory(cached, a, r)
	}
	p = placeOf(key, r)
	if s := dependsOn(a, r, l.now); s != "" {
		l.fresh = append(l.fresh, store.CachedResolution{Anchor: cached, Seen: s, Place: p})
	}
	return p, true
}

// followHistory walks the commits since an anchor's record if the two ends are not certain. The
// result is stored, because history does not change.
func (l *pass) followHistory(cached string, a anchor.Anchor, r anchoring.Resolution) anchoring.Resolution {
	var memos []memo
	for _, f := range l.found(cached) {
		if m, ok := memoOf(f); ok {
			memos = append(memos, m)
		}
	}
	is, ok := l.walk(l.ctx, a, memos)
	if !ok {
		return unsure(a, r)
	}
	if !slices.ContainsFunc(memos, func(m memo) bool { return m.to == l.head }) {
		l.fresh = append(l.fresh, is.memo(cached, l.head))
	}
	return l.combine(a, r, is)
}

// note stores what changed, for other processes and later runs.
func (l *pass) note(ctx context.Context, all []Place) error {
	w := l.tracker.w
	changed := map[string][]store.Place{}
	var receipts []store.Receipt
	for _, c := range l.report.Changes {
		changed[c.Now.Memory] = nil
		if c.Now.State == anchor.Followed && (c.Was.State != anchor.Followed || c.Was.Path != c.Now.Path || c.Was.Symbol != c.Now.Symbol) {
			receipts = append(receipts, store.Receipt{Anchor: c.Now.Key, Blob: l.now.Blob(c.Now.Path), Memory: c.Now.Memory,
				Kind: store.ReceiptFollowed, Place: c.Now.Place})
		}
	}
	for _, p := range all {
		if _, ok := changed[p.Memory]; ok && !atRecord(p) {
			changed[p.Memory] = append(changed[p.Memory], p.Place)
		}
	}
	stale := map[string][]store.Place{}
	for _, c := range l.report.Changes {
		if c.Was.Doubtful() || c.Now.Doubtful() {
			stale[c.Now.Memory] = append(stale[c.Now.Memory], c.Now.Place)
		}
	}
	if err := w.Views().NotePlaces(ctx, changed, l.fresh); err != nil {
		return err
	}
	if err := w.State().Receipts().Note(ctx, w.Place().WorktreeID, receipts, stale); err != nil {
		return fmt.Errorf("note where anchors were followed to: %w", err)
	}
	return nil
}
