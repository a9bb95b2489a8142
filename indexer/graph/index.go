package graph

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"path"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"manicule/indexer/background"
	"manicule/indexer/extract"
	"manicule/indexer/hashing"
	"manicule/indexer/ignore"
	"manicule/indexer/resolve"
	"manicule/indexer/sorting"
	"manicule/indexer/sqlfile"
	"manicule/indexer/treefile"
	"manicule/indexer/watch"
)

// Options configures an index.
type Options struct {
	Root    string // absolute, links resolved
	Dir     string // cache folder of the worktree
	Now     func() time.Time
	Log     *slog.Logger
	Workers int           // number of parsers; 0 is the number of processors
	Commit  func() string // current commit, for the state of the index
}

// Progress reports how far indexing has come.
type Progress struct {
	Phase string // "read", "resolve"
	Done  int
	Total int
	First bool // the workspace was never indexed completely
}

// Report summarizes a synchronization.
type Report struct {
	Files    int           `json:"files"`    // in the index
	Parsed   int           `json:"parsed"`   // parsed again
	Resolved int           `json:"resolved"` // resolved again
	Removed  int           `json:"removed"`
	Skipped  int           `json:"skipped"` // parsed but without data
	Cold     bool          `json:"cold"`
	Took     time.Duration `json:"-"`
}

// Index maintains the graph of one worktree. Its methods may be called from any
// goroutine; only one synchronization runs at a time.
type Index struct {
	o  Options
	s  *store
	mu sync.Mutex // guards all below

	rows    map[string]*row
	paths   []string // indexed paths and build files, which define the project
	g       *Graph   // nil until requested
	part    *stored  // what questions have read of the graph while g is nil
	scip    map[int32][]Link
	ignored *ignore.Matcher
	build   string // a summary of the build files

	faults    map[string]string // Manicule's own faults by path
	faultsNew bool              // faults has unwritten changes

	watching func(*watch.Options) // adjusts the watcher, for tests

	begins func(context.Context) (progress func(Progress), end func()) // of OnRebuild

	used     time.Time           // time of the last request for the graph
	wanted   map[string]Source   // requested unsaved buffers
	overlays map[string]*overlay // applied unsaved buffers

	synced atomic.Bool // a Sync of this process has completed
}

// Open returns the index of a workspace. It reads nothing yet.
func Open(o Options) *Index {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	if o.Commit == nil {
		o.Commit = func() string { return "" }
	}
	return &Index{o: o, s: &store{dir: o.Dir, now: o.Now, id: rand.Text()}}
}

// Close releases the database.
func (ix *Index) Close() error {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	return ix.s.close()
}

// Sync updates the index to the files. It reads the first paths first. If cancelled it
// keeps its progress, and the next Sync continues from there.
func (ix *Index) Sync(ctx context.Context, progress func(Progress), first ...string) (r Report, err error) {
	background.Run(func() { r, err = ix.syncOnce(ctx, progress, first) })
	return r, err
}

// OnRebuild sets what is told of a graph that is built as a whole where nobody asked for its progress: in place of one that was
// deleted or damaged, when a file changes. Questions wait for it. begin is called when it begins, and what it returns until end.
func (ix *Index) OnRebuild(begin func(context.Context) (progress func(Progress), end func())) {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	ix.begins = begin
}

// untold returns the progress for work of which nobody asked for it.
func (ix *Index) untold(ctx context.Context) (progress func(Progress), end func()) {
	var tell func(Progress)
	over := func() {}
	return func(p Progress) {
		if !p.First || ix.begins == nil {
			return
		}
		if tell == nil {
			tell, over = ix.begins(ctx)
		}
		tell(p)
	}, func() { over() }
}

// syncOnce is Sync on its caller's thread.
func (ix *Index) syncOnce(ctx context.Context, progress func(Progress), first []string) (Report, error) {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	start := ix.o.Now()
	if progress == nil {
		var end func()
		progress, end = ix.untold(ctx)
		defer end()
	}
	unlock, err := ix.s.lock()
	if err != nil {
		return Report{}, err
	}
	defer unlock()
	for attempt := 0; ; attempt++ {
		var r Report
		err := ix.catchUp(ctx)
		if err == nil {
			err = ix.withoutOverlays(ctx, func() (err error) {
				r, err = ix.sync(ctx, progress, first)
				return err
			})
		}
		r.Took = ix.o.Now().Sub(start)
		if err == nil || attempt > 0 || !damaged(err) {
			if err == nil && !ix.synced.Swap(true) {
				sqlfile.RemoveEarlier(ix.s.dir, "graph", schema, ix.o.Now())
			}
			return r, err
		}
		ix.o.Log.Warn("the graph is damaged and is built again", "err", err)
		ix.forget()
		if err := ix.s.beginGeneration(ctx); err != nil {
			return r, err
		}
	}
}

// Built reports whether a synchronization of any process has ever completed. It reads nothing else, so that what a process
// that is at it has not written yet is not remembered, and begins no graph: that process may be about to.
func Built(ctx context.Context, ix *Index) (bool, error) {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	if ix.s.db == nil && !Exists(ix.s.dir) {
		return false, nil
	}
	if err := ix.s.open(ctx); err != nil {
		return false, err
	}
	at, err := ix.s.meta(ctx, metaIndexed)
	return at != "", err
}

// Synced reports whether a Sync of this process has completed. Before, the graph may be empty or of long ago.
func (ix *Index) Synced() bool { return ix.synced.Load() }

// catchUp forgets what was read of the graph if another process has written it since, or begun a new one: the ids of files
// may be other ones. The caller holds the lock, so nobody writes meanwhile.
//
// If the cache folder was deleted, the lock is another file than the one that a process may still hold, which writes the deleted
// graph. This one begins a new one.
func (ix *Index) catchUp(ctx context.Context) error {
	current := ix.s.db == nil
	if !current {
		var err error
		if current, err = ix.s.isCurrent(); err != nil {
			return err // the open one stays, and the next update asks again
		}
	}
	if !current {
		if err := ix.s.close(); err != nil {
			return fmt.Errorf("close the graph that was replaced or deleted: %w", err)
		}
	}
	if ix.s.db == nil {
		ix.forget()
	}
	if err := ix.s.open(ctx); err != nil {
		return err
	}
	return ix.forgetOutdated(ctx)
}

// forgetOutdated forgets what was read before another process wrote.
func (ix *Index) forgetOutdated(ctx context.Context) error {
	written, err := ix.s.meta(ctx, metaWritten)
	if err != nil || written == ix.s.written {
		return err
	}
	ix.forget()
	ix.s.written = written
	return nil
}

// forget drops what is in memory. The requested overlays stay.
func (ix *Index) forget() {
	ix.g, ix.part, ix.rows, ix.paths, ix.scip, ix.overlays = nil, nil, nil, nil, nil, nil
}

func (ix *Index) sync(ctx context.Context, progress func(Progress), first []string) (Report, error) {
	if err := ix.s.open(ctx); err != nil {
		return Report{}, err
	}
	if ix.ignored == nil {
		m, err := ignore.New(ix.o.Root)
		if err != nil {
			return Report{}, err
		}
		ix.ignored = m
	}
	ix.ignored.Invalidate()
	seen := ix.o.Now().UnixNano()
	files, err := walk(ctx, ix.o.Root, ix.ignored)
	if err != nil {
		return Report{}, err
	}
	if err := ix.readRows(ctx); err != nil {
		return Report{}, err
	}
	never, err := ix.s.meta(ctx, metaIndexed)
	if err != nil {
		return Report{}, err
	}
	return ix.apply(ctx, files, nil, false, seen, func(p Progress) {
		p.First = never == ""
		progress(p)
	}, first)
}

// readRows reads the stored metadata of all files, unless it is in memory.
func (ix *Index) readRows(ctx context.Context) error {
	if ix.rows != nil {
		return nil
	}
	rows, err := ix.s.rows(ctx)
	if err != nil {
		return err
	}
	ix.rows = rows
	return ix.loadFaults(ctx)
}

// Update updates some files, as a watcher or a save reports them. Paths are relative
// to the root, with slashes. A file that is gone is removed.
func (ix *Index) Update(ctx context.Context, paths []string) (Report, error) {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	start := ix.o.Now()
	if ix.ignored == nil {
		return Report{}, errors.New("query the index: it is not synchronized yet; try: synchronize it first")
	}
	unlock, err := ix.s.lock()
	if err != nil {
		return Report{}, err
	}
	defer unlock()
	if err := ix.catchUp(ctx); err != nil {
		return Report{}, err
	}
	if err := ix.readRows(ctx); err != nil {
		return Report{}, err
	}
	seen := start.UnixNano()
	var files []found
	var gone []string
	for _, p := range slices.Compact(slices.Sorted(slices.Values(paths))) {
		f, ok := ix.statPath(p)
		switch {
		case ok:
			files = append(files, f)
		case ix.rows[p] != nil:
			gone = append(gone, p)
		}
	}
	indexed, err := ix.s.meta(ctx, metaIndexed)
	if err != nil {
		return Report{}, err
	}
	var r Report
	err = ix.withoutOverlays(ctx, func() (err error) {
		if indexed == "" { // another process has begun a new graph and left it: these files are not all that it lacks
			progress, end := ix.untold(ctx)
			defer end()
			r, err = ix.sync(ctx, progress, nil)
			return err
		}
		r, err = ix.apply(ctx, files, gone, true, seen, func(Progress) {}, nil)
		return err
	})
	r.Took = ix.o.Now().Sub(start)
	return r, err
}

// statPath stats one path as walk would.
func (ix *Index) statPath(p string) (found, bool) {
	info, err := treefile.Lstat(ix.o.Root, p)
	if err != nil || !info.Mode().IsRegular() {
		return found{}, false
	}
	lang := languageOf(p)
	if lang == "" && !resolve.BuildFile(p) || ix.ignored.Ignored(p, false) || elsewhere(ix.o.Root, p) {
		return found{}, false
	}
	return found{path: p, lang: lang, stat: statOf(info)}, true
}

// racyWindow is how much later than its last change a file must have been read for its
// times to prove that it is unchanged (as in git's index).
const racyWindow = 20 * time.Millisecond

// apply reads the changed files and resolves what they affect. Unless files is partial
// (some), files that are not listed are gone.
func (ix *Index) apply(ctx context.Context, files []found, gone []string, some bool, seen int64, progress func(Progress), first []string) (Report, error) {
	var changed []found
	have := make(map[string]bool, len(files))
	for _, f := range files {
		have[f.path] = true
		r := ix.rows[f.path]
		if r == nil || r.stat != f.stat || r.seen-f.stat.mtime < int64(racyWindow) || r.lang != f.lang {
			changed = append(changed, f)
		}
	}
	changed, err := ix.filterChanged(ctx, changed, seen)
	if err != nil {
		return Report{}, err
	}
	if !some {
		for p := range ix.rows {
			if !have[p] {
				gone = append(gone, p)
			}
		}
		slices.Sort(gone)
	}
	r := Report{Removed: len(gone), Cold: len(ix.rows) == 0}
	var waiting []int32
	for _, row := range ix.rows {
		if row.stale {
			waiting = append(waiting, row.id)
		}
	}
	if len(changed) == 0 && len(gone) == 0 && len(waiting) == 0 {
		r.Files = len(ix.rows)
		if cut, err := ix.interrupted(ctx); err != nil || !cut {
			return r, err
		}
	}
	if len(changed) > 0 && len(first) > 0 {
		prioritize(changed, first)
	}
	return ix.rebuild(ctx, change{files: changed, gone: gone, waiting: waiting, seen: seen}, r, progress)
}

// fewChanges is how many files are compared by content before the graph is loaded.
const fewChanges = 64

// filterChanged drops files with unchanged content: touched, or so young that their
// times prove nothing. Usually there are few, and then the graph need not be loaded to
// find that there is nothing to do.
func (ix *Index) filterChanged(ctx context.Context, changed []found, seen int64) ([]found, error) {
	if len(changed) > fewChanges {
		return changed, nil
	}
	var same []*row
	kept := changed[:0:0]
	for _, f := range changed {
		old := ix.rows[f.path]
		if old == nil || old.lang != f.lang || f.stat.size > extract.MaxSize {
			kept = append(kept, f)
			continue
		}
		src, err := treefile.ReadWithin(ix.o.Root, f.path, extract.MaxSize)
		if sum := hashing.Sum256(src); err != nil || !bytes.Equal(sum[:16], old.hash) {
			kept = append(kept, f)
			continue
		}
		r := *old
		r.stat, r.seen = f.stat, seen
		same = append(same, &r)
	}
	if len(same) == 0 {
		return kept, nil
	}
	err := ix.s.note(ctx, func(b *batch) error { // with the times that another process knows, it compares the file once more
		for _, r := range same {
			if err := b.putFile(ctx, r); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, r := range same {
		ix.rows[r.path] = r
	}
	return kept, nil
}

// interrupted reports whether the last synchronization did not finish.
func (ix *Index) interrupted(ctx context.Context) (bool, error) {
	if len(ix.rows) == 0 {
		return false, nil
	}
	pairs, err := ix.s.meta(ctx, metaDispatch)
	return pairs == "", err
}

// metaDispatch is the key of the dispatch pairs. It is absent from the first write of
// a synchronization to its end.
const metaDispatch = "dispatch"

// metaIndexed is the key of the time of the last completed synchronization, in
// nanoseconds.
const metaIndexed = "indexed_ns"

// prioritize moves the open files to the front, followed by those of the same folders.
func prioritize(files []found, first []string) {
	rank := func(p string) int {
		best := 2
		for _, f := range first {
			if f == p {
				return 0
			}
			if path.Dir(f) == path.Dir(p) {
				best = 1
			}
		}
		return best
	}
	sorting.StableFunc(files, func(a, b found) int { return rank(a.path) - rank(b.path) })
}
