package graph

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"log/slog"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"manicule/indexer/extract"
	"manicule/indexer/ignore"
	"manicule/indexer/resolve"
)

// Options say how a workspace is indexed.
type Options struct {
	Root    string // absolute, links resolved
	Dir     string // the cache folder of the worktree
	Now     func() time.Time
	Log     *slog.Logger
	Workers int           // parsers; the number of processors when 0
	Commit  func() string // what is checked out, for the state of the index
}

// Progress tells how far indexing has come.
type Progress struct {
	Phase string // "read", "resolve"
	Done  int
	Total int
}

// Report says what a synchronisation did.
type Report struct {
	Files    int           `json:"files"`    // in the index
	Parsed   int           `json:"parsed"`   // read again
	Resolved int           `json:"resolved"` // whose edges were found again
	Removed  int           `json:"removed"`
	Skipped  int           `json:"skipped"` // of the parsed, without data
	Cold     bool          `json:"cold"`
	Took     time.Duration `json:"-"`
}

// Index keeps the graph of one worktree. Its methods may be called from any
// goroutine; synchronising happens one at a time.
type Index struct {
	o  Options
	s  *store
	mu sync.Mutex // guards all below

	rows    map[string]*row
	paths   []string // what is indexed, with build files: what the project is made of
	g       *Graph   // nil until it was asked for
	scip    map[int32][]Link
	ignored *ignore.Matcher
	build   string // a summary of the build files

	used     time.Time           // when the graph was last asked for
	wanted   map[string][]byte   // the unsaved buffers
	overlays map[string]*overlay // those that the graph has
}

// Open returns the index of a workspace. Nothing is read yet.
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
	return &Index{o: o, s: &store{dir: o.Dir, now: o.Now}}
}

// Close releases the database.
func (ix *Index) Close() error {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	return ix.s.close()
}

// Graph returns the graph as it was last synchronised, from the database where
// this process has not yet done so.
func (ix *Index) Graph(ctx context.Context) (*Graph, error) {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	return ix.graph(ctx)
}

func (ix *Index) graph(ctx context.Context) (*Graph, error) {
	ix.used = ix.o.Now()
	if ix.g != nil {
		return ix.g, nil
	}
	for attempt := 0; ; attempt++ {
		err := ix.s.open(ctx)
		if err == nil {
			err = ix.load(ctx)
		}
		if err == nil {
			return ix.g, nil
		}
		if attempt > 0 || !damaged(err) {
			return nil, fmt.Errorf("load the graph: %w", err)
		}
		if err := ix.s.begin(ctx); err != nil {
			return nil, fmt.Errorf("begin a new graph: %w", err)
		}
	}
}

// Release gives the memory of the graph back. The next question, or a change
// of a file, loads it again. It does nothing while there are unsaved buffers,
// or when the graph was used within the last while.
func (ix *Index) Release(unusedFor time.Duration) {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	if ix.g == nil || len(ix.wanted) > 0 || ix.o.Now().Sub(ix.used) < unusedFor {
		return
	}
	ix.g, ix.scip, ix.overlays = nil, nil, nil
	debug.FreeOSMemory()
	extract.Trim()
}

// load reads the whole graph from the database.
func (ix *Index) load(ctx context.Context) error {
	rows, err := ix.s.rows(ctx)
	if err != nil {
		return err
	}
	ix.rows = rows
	if ix.paths == nil {
		for p := range rows {
			ix.paths = append(ix.paths, p)
		}
		slices.Sort(ix.paths)
	}
	table := resolve.NewTable(ix.project())
	g := newGraph(table)
	ix.scip = map[int32][]Link{}
	kept, err := ix.readKept(ctx)
	if err != nil {
		return err
	}
	for _, k := range kept {
		st := g.setFile(table.Add(k.path, k.id, k.rec.facts, k.rec.locals), k.names)
		st.stale = k.stale
		if len(k.scip) > 0 {
			ix.scip[k.id] = k.scip
		}
	}
	for _, k := range kept {
		g.setLinks(k.id, merge(k.links, k.scip))
	}
	pairs, err := ix.s.meta(ctx, metaDispatch)
	if err != nil {
		return err
	}
	decoded, err := decodePairs([]byte(pairs))
	if err != nil {
		return err
	}
	g.pairs = decoded
	g.setDispatch(decoded)
	if ix.build, err = ix.s.meta(ctx, "build"); err != nil {
		return err
	}
	ix.g = g
	return nil
}

// kept is a file as the database has it.
type kept struct {
	id    int32
	path  string
	stale bool
	blobs [4][]byte // decls, names, links and those of a SCIP index

	rec   *record
	names []uint32
	links []Link
	scip  []Link
	err   error
}

// readKept reads all files of the database and decodes them in parallel.
func (ix *Index) readKept(ctx context.Context) ([]*kept, error) {
	q, err := ix.s.db.QueryContext(ctx, qLoad)
	if err != nil {
		return nil, fmt.Errorf("read graph.db: %w", err)
	}
	defer func() { _ = q.Close() }() // Err has said it
	var all []*kept
	work := make(chan *kept, 64)
	var wg sync.WaitGroup
	for range ix.o.Workers {
		wg.Go(func() {
			for k := range work {
				k.decode()
			}
		})
	}
	for err == nil && q.Next() {
		k := &kept{}
		var valid bool
		if err = q.Scan(&k.id, &k.path, &k.stale, &k.blobs[0], &k.blobs[1], &k.blobs[2], &k.blobs[3], &valid); err != nil {
			break
		}
		if !valid { // the file has changed since the SCIP index
			k.blobs[3] = nil
		}
		all = append(all, k)
		work <- k
	}
	close(work)
	wg.Wait()
	if err = errors.Join(err, q.Err()); err != nil {
		return nil, fmt.Errorf("read graph.db: %w", err)
	}
	for _, k := range all {
		if k.err != nil {
			return nil, fmt.Errorf("%s: %w", k.path, k.err)
		}
	}
	return all, nil
}

func (k *kept) decode() {
	if k.rec, k.err = decodeDecls(k.blobs[0]); k.err != nil {
		return
	}
	k.names = decodeNames(k.blobs[1])
	if k.links, k.err = decodeLinks(k.blobs[2], k.id); k.err != nil || len(k.blobs[3]) == 0 {
		return
	}
	k.scip, k.err = decodeLinks(k.blobs[3], k.id)
}

// project is what the build files say now.
func (ix *Index) project() *resolve.Project {
	return resolve.NewProject(ix.paths, func(p string) ([]byte, error) {
		return os.ReadFile(filepath.Join(ix.o.Root, filepath.FromSlash(p)))
	})
}

// parsed is a file that was read again.
type parsed struct {
	row    *row
	rec    *record // nil where it can't be indexed
	src    []byte
	decls  []byte
	uses   []byte
	names  []uint32
	chunks []Chunk
	same   bool // the content is what it was
}

// Sync brings the index up to the files. The first paths are read first.
// Cancelled, it keeps what it has, and the next one goes on from there.
func (ix *Index) Sync(ctx context.Context, progress func(Progress), first ...string) (Report, error) {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	start := ix.o.Now()
	if progress == nil {
		progress = func(Progress) {}
	}
	unlock, err := ix.s.lock()
	if err != nil {
		return Report{}, err
	}
	defer unlock()
	for attempt := 0; ; attempt++ {
		var r Report
		err := ix.withoutOverlays(ctx, func() (err error) {
			r, err = ix.sync(ctx, progress, first)
			return err
		})
		r.Took = ix.o.Now().Sub(start)
		if err == nil || attempt > 0 || !damaged(err) {
			return r, err
		}
		ix.o.Log.Warn("the graph is damaged and is built again", "err", err)
		ix.g, ix.rows, ix.overlays = nil, nil, nil
		if err := ix.s.begin(ctx); err != nil {
			return r, err
		}
	}
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
	if ix.rows == nil {
		if ix.rows, err = ix.s.rows(ctx); err != nil {
			return Report{}, err
		}
	}
	return ix.apply(ctx, files, nil, false, seen, progress, first)
}

// Update looks at some files again, as a watcher or a save names them. Paths
// are relative to the root, with slashes; one that is gone is taken out.
func (ix *Index) Update(ctx context.Context, paths []string) (Report, error) {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	start := ix.o.Now()
	if ix.ignored == nil || ix.rows == nil {
		return Report{}, errors.New("the index was not synchronised yet")
	}
	unlock, err := ix.s.lock()
	if err != nil {
		return Report{}, err
	}
	defer unlock()
	seen := start.UnixNano()
	var files []found
	var gone []string
	for _, p := range slices.Compact(slices.Sorted(slices.Values(paths))) {
		f, ok := ix.look(p)
		switch {
		case ok:
			files = append(files, f)
		case ix.rows[p] != nil:
			gone = append(gone, p)
		}
	}
	var r Report
	err = ix.withoutOverlays(ctx, func() (err error) {
		r, err = ix.apply(ctx, files, gone, true, seen, func(Progress) {}, nil)
		return err
	})
	r.Took = ix.o.Now().Sub(start)
	return r, err
}

// look stats one path as walk would.
func (ix *Index) look(p string) (found, bool) {
	info, err := os.Lstat(filepath.Join(ix.o.Root, filepath.FromSlash(p)))
	if err != nil || !info.Mode().IsRegular() {
		return found{}, false
	}
	lang := languageOf(p)
	if lang == "" && !resolve.BuildFile(p) || ix.ignored.Ignored(p, false) {
		return found{}, false
	}
	return found{path: p, lang: lang, stat: statOf(info)}, true
}

// racy is how much later than its last change a file must have been looked at
// for its times to prove that nothing changed since (as in git's index).
const racy = 20 * time.Millisecond

// apply reads what changed among the files and resolves what that touches.
// Where they are not some but all there are, the rest is gone.
func (ix *Index) apply(ctx context.Context, files []found, gone []string, some bool, seen int64, progress func(Progress), first []string) (Report, error) {
	var changed []found
	have := make(map[string]bool, len(files))
	for _, f := range files {
		have[f.path] = true
		r := ix.rows[f.path]
		if r == nil || r.stat != f.stat || r.seen-f.stat.mtime < int64(racy) || r.lang != f.lang {
			changed = append(changed, f)
		}
	}
	changed, err := ix.reallyChanged(ctx, changed, seen)
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
	var waiting []int32 // stale since an earlier run was cut short
	for _, row := range ix.rows {
		if row.stale {
			waiting = append(waiting, row.id)
		}
	}
	if len(changed) == 0 && len(gone) == 0 && len(waiting) == 0 {
		r.Files = len(ix.rows)
		if cut, err := ix.cutShort(ctx); err != nil || !cut {
			return r, err
		}
	}
	if len(changed) > 0 && len(first) > 0 {
		front(changed, first)
	}
	return ix.rebuild(ctx, changed, gone, waiting, seen, r, progress)
}

// fewChanges is how many files are looked at again before the graph is loaded.
const fewChanges = 64

// reallyChanged leaves out the files whose content is what it was: touched, or
// so young that their times prove nothing. Few are the rule, and then the graph
// need not be loaded to find that nothing is to be done.
func (ix *Index) reallyChanged(ctx context.Context, changed []found, seen int64) ([]found, error) {
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
		src, err := os.ReadFile(filepath.Join(ix.o.Root, filepath.FromSlash(f.path)))
		if sum := sha256.Sum256(src); err != nil || !bytes.Equal(sum[:16], old.hash) {
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
	err := ix.s.batch(ctx, func(b *batch) error {
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

// cutShort reports whether the last synchronisation did not come to its end.
func (ix *Index) cutShort(ctx context.Context) (bool, error) {
	if len(ix.rows) == 0 {
		return false, nil
	}
	pairs, err := ix.s.meta(ctx, metaDispatch)
	return pairs == "", err
}

// metaDispatch is the key of the dispatch pairs. It is absent from the first
// write of a synchronisation to its end.
const metaDispatch = "dispatch"

// front puts the files that a person has open before the others, then those of
// the same folders.
func front(files []found, first []string) {
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
	slices.SortStableFunc(files, func(a, b found) int { return rank(a.path) - rank(b.path) })
}

// hashName is the hash by which a mentioned name is kept.
func hashName(s string) uint32 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(s)) // never fails
	return h.Sum32()
}

// mentions are the hashes of all names in a file that a declaration elsewhere
// could change the meaning of.
func mentions(f *extract.Facts) []uint32 {
	set := make(map[string]bool, len(f.Refs)/2)
	word := func(s string) {
		start := -1
		for i := 0; i <= len(s); i++ {
			in := i < len(s) && (s[i] == '_' || s[i] == '$' || s[i] >= 0x80 || s[i] >= '0' && s[i] <= '9' || s[i] >= 'a' && s[i] <= 'z' || s[i] >= 'A' && s[i] <= 'Z')
			switch {
			case in && start < 0:
				start = i
			case !in && start >= 0:
				set[s[start:i]] = true
				start = -1
			}
		}
	}
	for _, r := range f.Refs {
		set[r.Name] = true
		if r.Recv != "" {
			word(r.Recv)
		}
	}
	for _, b := range f.Binds {
		word(b.Type)
		word(b.Value)
	}
	for _, s := range f.Symbols {
		word(s.Type)
		word(s.Value)
	}
	for _, i := range f.Uses {
		word(i.Module)
		word(i.Name)
	}
	out := make([]uint32, 0, len(set))
	for name := range set {
		out = append(out, hashName(name))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// read reads and parses one file.
func (ix *Index) read(ctx context.Context, f found, old *row, seen int64) (*parsed, error) {
	p := &parsed{row: &row{path: f.path, lang: f.lang, stat: f.stat, seen: seen, stale: true}}
	if f.stat.size > extract.MaxSize {
		p.row.reason = fmt.Sprintf("larger than %d MB", extract.MaxSize>>20)
		p.row.hash = []byte{}
		return p, nil
	}
	src, err := os.ReadFile(filepath.Join(ix.o.Root, filepath.FromSlash(f.path)))
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		p.row.reason, p.row.hash = "can't be read", []byte{}
		return p, nil
	}
	sum := sha256.Sum256(src)
	p.row.hash = sum[:16]
	if old != nil && bytes.Equal(old.hash, p.row.hash) && old.lang == f.lang {
		p.same = true
		return p, nil
	}
	if f.lang == "" {
		p.row.reason = "build file"
		return p, nil
	}
	if p.row.reason = unfit(f.path, src); p.row.reason != "" {
		return p, nil
	}
	facts, err := extract.Index(ctx, f.lang, src)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		p.row.reason = err.Error()
		return p, nil
	}
	p.row.errors = len(facts.Errors)
	p.rec = &record{facts: facts}
	p.src = src
	p.uses, p.names, p.chunks = encodeUses(facts), mentions(facts), chunks(f.path, facts, src)
	p.src = nil
	return p, nil
}

// number gives the symbols of a file their stable ids: those that they had,
// where one of the same path is there already.
func number(rec *record, old *record) {
	rec.next = 1
	ids := map[string][]int32{}
	if old != nil {
		rec.next = old.next
		for i, s := range old.facts.Symbols {
			ids[s.Path] = append(ids[s.Path], old.locals[i])
		}
	}
	rec.locals = make([]int32, len(rec.facts.Symbols))
	for i, s := range rec.facts.Symbols {
		if was := ids[s.Path]; len(was) > 0 {
			rec.locals[i], ids[s.Path] = was[0], was[1:]
			continue
		}
		rec.locals[i] = rec.next
		rec.next++
	}
}

func (ix *Index) nextID() int32 {
	id := int32(0)
	for _, r := range ix.rows {
		id = max(id, r.id)
	}
	return id + 1
}

// buildFiles is a summary of the contents of the build files.
func (ix *Index) buildFiles(rows map[string]*row) string {
	h := sha256.New()
	names := make([]string, 0, 16)
	for p := range rows {
		if resolve.BuildFile(p) {
			names = append(names, p)
		}
	}
	slices.Sort(names)
	for _, p := range names {
		_, _ = fmt.Fprintf(h, "%s %x\n", p, rows[p].hash) // never fails
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:8])
}

// batchFiles is how many files are written in one transaction: what a kill loses.
const batchFiles = 256

// rebuild reads the changed files, puts them into the graph, and resolves them
// and what their changes touch.
func (ix *Index) rebuild(ctx context.Context, changed []found, gone []string, waiting []int32, seen int64, r Report, progress func(Progress)) (Report, error) {
	cold := len(ix.rows) == 0
	var err error
	if !cold {
		if _, err = ix.graph(ctx); err != nil {
			return r, err
		}
		if err := ix.markStale(ctx, changed); err != nil {
			return r, err
		}
	} else {
		ix.g = nil
	}
	// Parsing needs no table; what it finds is numbered and added in one goroutine.
	renamed := map[string]bool{} // names that mean something else now
	uses := map[int32][]byte{}
	var fresh []*parsed
	id := ix.nextID()
	var table *resolve.Table
	var g *Graph
	if cold {
		table = resolve.NewTable(nil)
		g = newGraph(table)
	} else {
		g, table = ix.g, ix.g.table
	}
	unfinished := false
	if !cold {
		if unfinished, err = ix.cutShort(ctx); err != nil {
			return r, err
		}
	}
	apiChanged := cold || unfinished
	stranded := map[int32]bool{} // files with edges to what is gone
	take := func(p *parsed) error {
		old := ix.rows[p.row.path]
		if old != nil {
			p.row.id = old.id
		} else {
			p.row.id = id
			id++
		}
		if p.same {
			p.row.reason, p.row.errors, p.row.stale = old.reason, old.errors, old.stale
			if st := g.byPath[p.row.path]; st != nil {
				st.stale = old.stale
			}
			fresh = append(fresh, p)
			return nil
		}
		r.Parsed++
		var was *record
		if old != nil && !cold {
			if was, err = ix.record(ctx, old.id); err != nil {
				return err
			}
		}
		if p.rec == nil {
			r.Skipped++
			p.row.stale = false
		} else {
			number(p.rec, was)
			p.decls = encodeDecls(p.rec)
			uses[p.row.id] = p.uses
		}
		if !cold {
			before, after := map[string]string{}, map[string]string{}
			if was != nil {
				before = apiOf(was)
			}
			if p.rec != nil {
				after = apiOf(p.rec)
			}
			for n := range changedNames(before, after) {
				renamed[n] = true
				apiChanged = true
			}
			if was == nil {
				stem, _, _ := strings.Cut(path.Base(p.row.path), ".")
				renamed[stem] = true
				renamed[path.Base(path.Dir(p.row.path))] = true
			}
			g.mu.Lock()
			g.strand(p.row.path, after, stranded)
			g.removeFile(p.row.path)
			g.mu.Unlock()
		}
		if p.rec != nil {
			g.mu.Lock()
			st := g.setFile(table.AddLater(p.row.path, p.row.id, p.rec.facts, p.rec.locals), p.names)
			st.stale = true
			g.mu.Unlock()
			p.rec = nil
		}
		fresh = append(fresh, p)
		return nil
	}
	flush := func() error {
		if len(fresh) == 0 {
			return nil
		}
		err := ix.s.batch(ctx, func(b *batch) error {
			if err := b.exec(ctx, qDropMeta, metaDispatch); err != nil {
				return err
			}
			for _, p := range fresh {
				if err := b.putFile(ctx, p.row); err != nil {
					return err
				}
				if p.same {
					continue
				}
				if p.decls == nil {
					if err := errors.Join(b.exec(ctx, qDropData, p.row.id), b.exec(ctx, qDropChunks, p.row.id)); err != nil {
						return err
					}
					continue
				}
				if err := b.exec(ctx, qPutData, p.row.id, p.decls, p.uses, encodeNames(p.names), []byte{0, 0}); err != nil {
					return err
				}
				if err := b.putChunks(ctx, p.row.id, p.chunks); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		for _, p := range fresh {
			ix.rows[p.row.path] = p.row
		}
		fresh = fresh[:0:0]
		return nil
	}
	if err := ix.parseAll(ctx, changed, seen, progress, take, flush); err != nil {
		return r, errors.Join(err, flush())
	}
	if err := ix.drop(ctx, g, gone, renamed, stranded, cold); err != nil {
		return r, err
	}
	if len(gone) > 0 {
		apiChanged = true
	}
	// The project depends on which files there are.
	ix.paths = ix.paths[:0:0]
	for p := range ix.rows {
		ix.paths = append(ix.paths, p)
	}
	slices.Sort(ix.paths)
	build := ix.buildFiles(ix.rows)
	everything := cold || build != ix.build
	g.mu.Lock()
	table.Forget(ix.project())
	table.EnterAll()
	g.mu.Unlock()
	todo := map[int32]bool{}
	for _, w := range waiting {
		todo[w] = true
	}
	for _, row := range ix.rows {
		if row.stale && g.files[row.id] != nil {
			todo[row.id] = true
		}
	}
	for id := range stranded {
		todo[id] = true
	}
	table.Spread(renamed)
	hashes := map[uint32]bool{}
	for n := range renamed {
		hashes[hashName(n)] = true
	}
	for id, st := range g.files {
		if everything || len(hashes) > 0 && anyOf(st.names, hashes) {
			todo[id] = true
		}
	}
	if err := ix.resolveAll(ctx, g, todo, uses, progress, &r); err != nil {
		return r, err
	}
	if apiChanged {
		g.pairs = table.Dispatch()
		g.mu.Lock()
		g.setDispatch(g.pairs)
		g.mu.Unlock()
	}
	ix.g, ix.build = g, build
	r.Files = len(ix.rows)
	c := g.Counts()
	return r, ix.s.batch(ctx, func(b *batch) error {
		return errors.Join(b.exec(ctx, qPutMeta, "build", build), b.exec(ctx, qPutMeta, "commit", ix.o.Commit()),
			b.exec(ctx, qPutMeta, metaDispatch, encodePairs(g.pairs)), b.exec(ctx, qPutMeta, "symbols", strconv.Itoa(c.Symbols)), b.exec(ctx, qPutMeta, "edges", strconv.Itoa(c.Edges)),
			b.exec(ctx, qPutMeta, "indexed_ns", strconv.FormatInt(ix.o.Now().UnixNano(), 10)))
	})
}

func anyOf(names []uint32, wanted map[uint32]bool) bool {
	if len(wanted) < 64 {
		for w := range wanted {
			if _, ok := slices.BinarySearch(names, w); ok {
				return true
			}
		}
		return false
	}
	for _, n := range names {
		if wanted[n] {
			return true
		}
	}
	return false
}

// markStale says at once that the edges of changed files can't be relied on.
func (ix *Index) markStale(ctx context.Context, changed []found) error {
	if len(changed) == 0 {
		return nil
	}
	ix.g.mu.Lock()
	for _, f := range changed {
		if st := ix.g.byPath[f.path]; st != nil {
			st.stale = true
		}
	}
	ix.g.mu.Unlock()
	return ix.s.batch(ctx, func(b *batch) error {
		for _, f := range changed {
			if r := ix.rows[f.path]; r != nil && r.reason == "" {
				if err := b.exec(ctx, qMarkStale, r.id); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// record reads the declarations that a file had.
func (ix *Index) record(ctx context.Context, id int32) (*record, error) {
	var decls []byte
	err := ix.s.db.QueryRowContext(ctx, `SELECT decls FROM data WHERE file = ?`, id).Scan(&decls)
	if err != nil {
		return nil, nil // it had none
	}
	return decodeDecls(decls)
}

// parseAll reads files in parallel, with a bounded queue. take is called in
// this goroutine, flush after every batch.
func (ix *Index) parseAll(ctx context.Context, files []found, seen int64, progress func(Progress), take func(*parsed) error, flush func() error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	type item struct {
		file found
		old  *row // as it was before this synchronisation
	}
	items := make([]item, 0, len(files))
	for _, f := range files {
		items = append(items, item{f, ix.rows[f.path]})
	}
	work := make(chan item)
	results := make(chan *parsed, 2*ix.o.Workers)
	faults := make(chan error, ix.o.Workers+1)
	var wg sync.WaitGroup
	for range ix.o.Workers {
		wg.Go(func() {
			for i := range work {
				p, err := ix.read(ctx, i.file, i.old, seen)
				if err != nil {
					faults <- err
					cancel()
					return
				}
				select {
				case results <- p:
				case <-ctx.Done():
					return
				}
			}
		})
	}
	go func() {
		defer close(work)
		for _, i := range items {
			select {
			case work <- i:
			case <-ctx.Done():
				return
			}
		}
	}()
	go func() {
		wg.Wait()
		close(results)
	}()
	n := 0
	var err error
	for p := range results {
		n++
		if p == nil || err != nil {
			continue
		}
		if err = take(p); err == nil && n%batchFiles == 0 {
			err = flush()
		}
		if err != nil {
			cancel()
		}
		progress(Progress{"read", n, len(files)})
	}
	select {
	case e := <-faults:
		err = errors.Join(err, e)
	default:
	}
	if err != nil {
		return err
	}
	if err := context.Cause(ctx); err != nil {
		return err
	}
	return flush()
}

// drop takes files out that are gone.
func (ix *Index) drop(ctx context.Context, g *Graph, gone []string, renamed map[string]bool, stranded map[int32]bool, cold bool) error {
	if len(gone) == 0 {
		return nil
	}
	for _, p := range gone { // before the transaction, which has the only connection
		was, err := ix.record(ctx, ix.rows[p].id)
		if err != nil {
			return err
		}
		if was != nil && !cold {
			for n := range changedNames(apiOf(was), nil) {
				renamed[n] = true
			}
		}
		stem, _, _ := strings.Cut(path.Base(p), ".")
		renamed[stem] = true
	}
	err := ix.s.batch(ctx, func(b *batch) error {
		if err := b.exec(ctx, qDropMeta, metaDispatch); err != nil {
			return err
		}
		for _, p := range gone {
			row := ix.rows[p]
			for _, q := range []string{qDropData, qDropChunks, qDropFile} {
				if err := b.exec(ctx, q, row.id); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, p := range gone {
		delete(ix.rows, p)
		g.strand(p, nil, stranded)
		g.removeFile(p)
	}
	return nil
}

// resolveAll finds the edges of files, in parallel, and writes them.
func (ix *Index) resolveAll(ctx context.Context, g *Graph, todo map[int32]bool, uses map[int32][]byte, progress func(Progress), r *Report) error {
	ids := make([]int32, 0, len(todo))
	for id := range todo {
		if g.files[id] != nil {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	r.Resolved = len(ids)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	type done struct {
		id    int32
		links []Link
		data  []byte
		err   error
	}
	work, results := make(chan int32), make(chan done, 2*ix.o.Workers)
	var wg sync.WaitGroup
	for range min(ix.o.Workers, max(1, len(ids)/8+1)) {
		wg.Go(func() {
			rr := resolve.NewResolver(g.table)
			for id := range work {
				links, err := ix.resolveOne(ctx, rr, g.files[id].file, uses[id])
				d := done{id: id, links: links, err: err}
				if err == nil {
					d.data = encodeLinks(links)
				}
				select {
				case results <- d:
				case <-ctx.Done():
					return
				}
			}
		})
	}
	go func() {
		defer close(work)
		for _, id := range ids {
			select {
			case work <- id:
			case <-ctx.Done():
				return
			}
		}
	}()
	go func() {
		wg.Wait()
		close(results)
	}()
	byID := make(map[int32]*row, len(ix.rows))
	for _, row := range ix.rows {
		byID[row.id] = row
	}
	var err error
	var batched []done
	flush := func() error {
		if len(batched) == 0 {
			return nil
		}
		err := ix.s.batch(ctx, func(b *batch) error {
			for _, d := range batched {
				if err := errors.Join(b.exec(ctx, qPutLinks, d.data, d.id), b.exec(ctx, qFresh, d.id)); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		g.mu.Lock()
		for _, d := range batched {
			g.setLinks(d.id, merge(d.links, ix.scip[d.id]))
			g.files[d.id].stale = false
			if row := byID[d.id]; row != nil {
				row.stale = false
			}
		}
		g.mu.Unlock()
		batched = batched[:0]
		return nil
	}
	n := 0
	for d := range results {
		n++
		if err != nil {
			continue
		}
		if d.err != nil {
			err = d.err
			cancel()
			continue
		}
		batched = append(batched, d)
		if len(batched) >= batchFiles {
			if err = flush(); err != nil {
				cancel()
			}
		}
		progress(Progress{"resolve", n, len(ids)})
	}
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return flush()
}

// resolveOne finds the edges of one file.
func (ix *Index) resolveOne(ctx context.Context, rr *resolve.Resolver, f *resolve.File, uses []byte) ([]Link, error) {
	if uses == nil {
		if err := ix.s.db.QueryRowContext(ctx, qUses, f.ID).Scan(&uses); err != nil {
			return nil, fmt.Errorf("read what %s uses: %w", f.Path, err)
		}
	}
	facts := &extract.Facts{File: &extract.File{Symbols: make([]extract.Symbol, len(f.Symbols))}}
	if err := decodeUses(uses, facts); err != nil {
		return nil, fmt.Errorf("%s: %w", f.Path, err)
	}
	return linksOf(rr.Edges(f, facts)), nil
}

// linksOf turns edges into links, each once.
func linksOf(edges []resolve.Edge) []Link {
	links := make([]Link, 0, len(edges))
	for _, e := range edges {
		l := Link{From: e.From.Node(), External: e.External, Kind: e.Kind, Line: e.Line, Sure: e.Sure, May: e.May}
		if e.To != nil {
			l.To, l.External = e.To.Node(), ""
		}
		links = append(links, l)
	}
	return links
}

// merge puts the edges of a SCIP index before those of the syntax: at a line
// where it knows what a name means, nothing else does.
func merge(ast, scip []Link) []Link {
	if len(scip) == 0 {
		return ast
	}
	known := map[int]bool{}
	for _, l := range scip {
		known[l.Line] = true
	}
	out := slices.Clone(scip)
	for _, l := range ast {
		if !known[l.Line] {
			out = append(out, l)
		}
	}
	return out
}
