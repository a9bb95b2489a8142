package graph

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"manicule/indexer/resolve"
)

// batchFiles is how many files one transaction writes: a kill loses at most that.
const batchFiles = 256

// change is the difference between the files and the index.
type change struct {
	files   []found // new, or with other content
	gone    []string
	waiting []int32 // stale since an interrupted run
	seen    int64   // when the files were read, as in row
}

// rebuilder runs one rebuild. While it reads the changed files it collects what they
// affect, and resolves that at the end. Its methods run in one goroutine.
type rebuilder struct {
	ix     *Index
	g      *Graph
	cold   bool             // nothing was indexed before
	ids    map[string]int32 // of new files
	report Report
	w      *writer

	fresh    []*parsed        // taken but not yet written
	uses     map[int32][]byte // encoded uses of the files that were read, which saves database reads
	renamed  map[string]bool  // names whose meaning changed
	stranded map[int32]bool   // files with edges to removed symbols
	methods  bool             // overriding or implementing methods may differ

	outline  bool           // g is an outline
	edges    int            // minus the edges that the resolved files had, for an outline
	resolved map[int32]bool // files that were resolved again, for an outline
}

// rebuild reads the changed files, adds them to the graph, and resolves them and what
// they affect.
func (ix *Index) rebuild(ctx context.Context, c change, r Report, progress func(Progress)) (Report, error) {
	rd, err := ix.newRebuilder(ctx, c, r)
	if err != nil {
		return r, err
	}
	if err := ix.parseAll(ctx, c.files, c.seen, progress, func(p *parsed) error { return rd.takeSafely(ctx, p) }, func() error { return rd.flush(ctx) }); err != nil {
		return rd.report, errors.Join(err, rd.flush(ctx))
	}
	if err := rd.drop(ctx, c.gone); err != nil {
		return rd.report, err
	}
	build := rd.assignUnits()
	everything := rd.cold || build != ix.build
	rd.methods = rd.methods || everything
	if rd.outline && (everything || len(rd.renamed) > 0) {
		if err := rd.complete(ctx); err != nil {
			return rd.report, err
		}
	}
	due := rd.affectedFiles(c.waiting, everything)
	if err := rd.beginResolving(ctx, due); err != nil {
		return rd.report, err
	}
	if err := ix.resolveAll(ctx, rd.g, due, rd.uses, progress, &rd.report); err != nil {
		return rd.report, err
	}
	return rd.finish(ctx, build)
}

// newRebuilder begins a rebuild on the current graph, with the changed files marked
// stale, or on an empty graph.
func (ix *Index) newRebuilder(ctx context.Context, c change, r Report) (*rebuilder, error) {
	rd := &rebuilder{ix: ix, cold: len(ix.rows) == 0, ids: ix.newIDs(c.files), report: r, w: newWriter(), uses: map[int32][]byte{}, renamed: map[string]bool{}, stranded: map[int32]bool{}}
	if rd.cold {
		ix.g = nil
		rd.g, rd.methods = newGraph(resolve.NewTable(nil)), true
		return rd, nil
	}
	var err error
	if rd.outline, err = ix.outlineSuffices(ctx, c); err != nil {
		return nil, err
	}
	if rd.outline {
		rd.g, err = ix.loadOutline(ctx)
	} else {
		rd.g, err = ix.graph(ctx)
	}
	if err != nil {
		return nil, err
	}
	if err := ix.markStale(ctx, rd.g, c.files); err != nil {
		return nil, err
	}
	rd.methods, err = ix.interrupted(ctx)
	return rd, err
}

// newIDs assigns ids to new files before any is read: the order of reading differs
// from run to run, and the graph must not.
func (ix *Index) newIDs(files []found) map[string]int32 {
	out := map[string]int32{}
	next := ix.nextID()
	for _, f := range files {
		if ix.rows[f.path] == nil {
			out[f.path] = next
			next++
		}
	}
	return out
}

func (ix *Index) nextID() int32 {
	id := int32(0)
	for _, r := range ix.rows {
		id = max(id, r.id)
	}
	return id + 1
}

// markStale records at once that the edges of changed files are unreliable.
func (ix *Index) markStale(ctx context.Context, g *Graph, changed []found) error {
	if len(changed) == 0 {
		return nil
	}
	g.mu.Lock()
	for _, f := range changed {
		if st := g.byPath[f.path]; st != nil {
			st.stale = true
		}
	}
	g.mu.Unlock()
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

// take adds a parsed file to the graph, without its edges.
func (rd *rebuilder) take(ctx context.Context, p *parsed) error {
	old := rd.ix.rows[p.row.path]
	if old != nil {
		p.row.id = old.id
	} else {
		p.row.id, p.isNew = rd.ids[p.row.path], true
	}
	if p.same {
		rd.keepUnchanged(p, old)
		return nil
	}
	rd.report.Parsed++
	rd.ix.noteFault(p.row.path, p.fault)
	var was *record
	if old != nil && !rd.cold {
		var err error
		if was, err = rd.ix.record(ctx, old.id); err != nil {
			return err
		}
	}
	if p.rec == nil {
		rd.report.Skipped++
		p.row.stale = false
	} else {
		assignIDs(p.rec, was)
		p.decls = encodeDecls(rd.w, p.rec)
		rd.uses[p.row.id] = p.uses
	}
	if err := rd.begin(ctx, p); err != nil {
		return err
	}
	if !rd.cold {
		rd.replace(p, was)
	}
	if p.rec != nil {
		rd.add(p)
	}
	rd.fresh = append(rd.fresh, p)
	return nil
}

// keepUnchanged keeps the data of a file that only seemed to have changed.
func (rd *rebuilder) keepUnchanged(p *parsed, old *row) {
	p.row.reason, p.row.errors, p.row.chunks, p.row.stale = old.reason, old.errors, old.chunks, old.stale
	if st := rd.g.byPath[p.row.path]; st != nil {
		st.stale = old.stale
	}
	rd.fresh = append(rd.fresh, p)
}

// replace removes the old version of a file from the graph, and records what that
// affects.
func (rd *rebuilder) replace(p *parsed, was *record) {
	before, after := map[string]string{}, map[string]string{}
	if was != nil {
		before = exportedAPI(was)
	}
	if p.rec != nil {
		after = exportedAPI(p.rec)
	}
	for n := range changedNames(before, after) {
		rd.renamed[n] = true
	}
	rd.methods = rd.methods || !sameTypes(was, p.rec, before, after)
	if was == nil {
		rd.renamed[stem(p.row.path)] = true
		for _, n := range resolve.ComponentNames(p.row.path) {
			rd.renamed[n] = true
		}
		rd.renamed[path.Base(path.Dir(p.row.path))] = true
	}
	rd.g.mu.Lock()
	defer rd.g.mu.Unlock()
	rd.g.addStranded(p.row.path, after, rd.stranded)
	rd.g.removeFile(p.row.path)
}

// add adds the declarations of a file to the graph and releases them: the encoded form
// is what gets written.
func (rd *rebuilder) add(p *parsed) {
	rd.g.mu.Lock()
	defer rd.g.mu.Unlock()
	st := rd.g.setFile(rd.g.table.AddDeferred(p.row.path, p.row.id, p.rec.facts, p.rec.locals), p.names)
	st.stale = true
	p.rec = nil
}

// stem returns a file's name up to its first dot: the name of a module.
func stem(p string) string {
	s, _, _ := strings.Cut(path.Base(p), ".")
	return s
}

// flush writes the files taken since the last flush.
func (rd *rebuilder) flush(ctx context.Context) error {
	if len(rd.fresh) == 0 {
		return nil
	}
	err := rd.ix.s.batch(ctx, func(b *batch) error {
		if err := b.exec(ctx, qDropMeta, metaDispatch); err != nil {
			return err
		}
		for _, p := range rd.fresh {
			if err := b.putParsed(ctx, p); err != nil {
				return err
			}
		}
		return b.putFaults(ctx, rd.ix)
	})
	if err != nil {
		return err
	}
	for _, p := range rd.fresh {
		rd.ix.rows[p.row.path] = p.row
	}
	rd.fresh = rd.fresh[:0:0]
	return nil
}

// putParsed writes a file that was read, without its edges.
func (b *batch) putParsed(ctx context.Context, p *parsed) error {
	if err := b.putFile(ctx, p.row); err != nil || p.same {
		return err
	}
	if !p.isNew { // its edges belonged to the old symbols
		if err := b.exec(ctx, qDropLinks, p.row.id); err != nil {
			return err
		}
	}
	if p.decls == nil {
		if p.isNew {
			return nil
		}
		return b.exec(ctx, qDropData, p.row.id)
	}
	return b.exec(ctx, qPutData, p.row.id, p.decls, p.uses, p.packed, p.chunks)
}

// drop removes files that are gone.
func (rd *rebuilder) drop(ctx context.Context, gone []string) error {
	if len(gone) == 0 {
		return nil
	}
	rd.methods = true
	for _, p := range gone { // before the transaction, which has the only connection
		was, err := rd.ix.record(ctx, rd.ix.rows[p].id)
		if err != nil {
			return err
		}
		if was != nil && !rd.cold {
			for n := range changedNames(exportedAPI(was), nil) {
				rd.renamed[n] = true
			}
		}
		rd.renamed[stem(p)] = true
		for _, n := range resolve.ComponentNames(p) {
			rd.renamed[n] = true
		}
	}
	err := rd.ix.s.batch(ctx, func(b *batch) error {
		if err := b.exec(ctx, qDropMeta, metaDispatch); err != nil {
			return err
		}
		for _, p := range gone {
			for _, q := range []string{qDropData, qDropLinks, qDropFile} {
				if err := b.exec(ctx, q, rd.ix.rows[p].id); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	rd.g.mu.Lock()
	defer rd.g.mu.Unlock()
	for _, p := range gone {
		delete(rd.ix.rows, p)
		rd.ix.noteFault(p, nil)
		rd.g.addStranded(p, nil, rd.stranded)
		rd.g.removeFile(p)
	}
	return nil
}

// assignUnits assigns the files that were read to their units in the current project,
// which depends on the set of files. It returns the summary of the build files.
func (rd *rebuilder) assignUnits() string {
	ix := rd.ix
	ix.paths = ix.paths[:0:0]
	for p := range ix.rows {
		ix.paths = append(ix.paths, p)
	}
	slices.Sort(ix.paths)
	rd.g.mu.Lock()
	defer rd.g.mu.Unlock()
	rd.g.table.Invalidate(ix.project())
	rd.g.table.AssignUnits()
	return ix.buildFiles()
}

// buildFiles summarizes the contents of the build files.
func (ix *Index) buildFiles() string {
	h := sha256.New()
	for _, p := range ix.paths {
		if resolve.BuildFile(p) {
			_, _ = fmt.Fprintf(h, "%s %x\n", p, ix.rows[p].hash) // never fails
		}
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:8])
}

// affectedFiles returns the files to resolve again: stale files, files with edges to
// removed symbols, and files that mention a name whose meaning changed.
func (rd *rebuilder) affectedFiles(waiting []int32, everything bool) map[int32]bool {
	due := map[int32]bool{}
	for _, id := range waiting {
		due[id] = true
	}
	for _, row := range rd.ix.rows {
		if row.stale && rd.g.files[row.id] != nil {
			due[row.id] = true
		}
	}
	for id := range rd.stranded {
		due[id] = true
	}
	rd.g.addMentioning(rd.renamed, everything, due)
	return due
}

// addMentioning adds the files that mention one of the names, or a name under which it
// is re-exported; or all files.
func (g *Graph) addMentioning(names map[string]bool, everything bool, due map[int32]bool) {
	g.table.ExpandReexports(names)
	hashes := make(map[uint32]bool, len(names))
	for n := range names {
		hashes[hashName(n)] = true
	}
	for id, st := range g.files {
		if everything || len(hashes) > 0 && anyOf(st.names, hashes) {
			due[id] = true
		}
	}
}

// anyOf reports whether one of the sorted hashes is wanted.
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

// finish computes the dispatch pairs and records that the rebuild completed.
func (rd *rebuilder) finish(ctx context.Context, build string) (Report, error) {
	ix, g := rd.ix, rd.g
	if rd.methods {
		pairs, faults := g.table.Dispatch()
		ix.noteFaults(faults)
		g.pairs = pairs
		g.mu.Lock()
		g.setDispatch(g.pairs)
		g.mu.Unlock()
	}
	ix.build = build
	if !rd.outline {
		ix.g = g
	}
	rd.report.Files = len(ix.rows)
	counts := g.Counts()
	edges, err := rd.countEdges(ctx, counts)
	if err != nil {
		return rd.report, err
	}
	return rd.report, ix.s.batch(ctx, func(b *batch) error {
		for _, m := range []struct {
			key   string
			value any
		}{
			{"build", build}, {"commit", ix.o.Commit()}, {metaDispatch, encodePairs(g.pairs)}, {"symbols", strconv.Itoa(counts.Symbols)},
			{"edges", strconv.Itoa(edges)}, {metaIndexed, strconv.FormatInt(ix.o.Now().UnixNano(), 10)},
		} {
			if err := b.exec(ctx, qPutMeta, m.key, m.value); err != nil {
				return err
			}
		}
		return b.putFaults(ctx, ix)
	})
}
