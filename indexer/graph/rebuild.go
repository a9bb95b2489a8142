package graph

import (
	"context"
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
	held   *held
	tree   *tree            // that of held
	s      *store           // that of held
	g      *Graph           // becomes that of held at the end
	cold   bool             // nothing was indexed before
	ids    map[string]int32 // of new files
	report Report
	w      *writer

	fresh    []*parsed        // taken but not yet written
	uses     map[int32][]byte // encoded uses of the files that were read, which saves database reads
	changed  meanings
	stranded map[int32]bool // files with edges to removed symbols

	outline  bool           // g is an outline
	unread   *unread        // what an outline lacks, nil if that is nothing
	symbols  int            // minus the symbols that the resolved files had, for an outline
	edges    int            // minus the edges that the resolved files had, for an outline
	resolved map[int32]bool // files that were resolved again, for an outline
}

// rebuild reads the changed files, adds them to the graph, and resolves them and what
// they affect.
func rebuild(ctx context.Context, h *held, c change, r Report, progress func(Progress)) (Report, error) {
	rd, err := newRebuilder(ctx, h, c, r)
	if rd != nil {
		defer func() { rd.unread.close() }()
	}
	if err != nil {
		return r, err
	}
	if err := rd.read(ctx, c, progress); err != nil {
		return rd.report, err
	}
	if err := rd.drop(ctx, c.gone); err != nil {
		return rd.report, err
	}
	build := rd.assignUnits()
	everything := rd.cold || build != h.tree.build
	rd.changed.methods = rd.changed.methods || everything
	if rd.outline && (everything || len(rd.changed.names)+len(rd.changed.stars) > 0) {
		if err := rd.complete(ctx); err != nil {
			return rd.report, err
		}
	}
	due := rd.affectedFiles(c.waiting, everything)
	if err := rd.beginResolving(ctx, due); err != nil {
		return rd.report, err
	}
	if err := rd.resolve(ctx, due, progress); err != nil {
		return rd.report, err
	}
	return rd.finish(ctx, build)
}

// newRebuilder begins a rebuild on the current graph, with the changed files marked
// stale, or on an empty graph.
func newRebuilder(ctx context.Context, h *held, c change, r Report) (*rebuilder, error) {
	rd := &rebuilder{held: h, tree: h.tree, s: h.s, cold: r.Cold, ids: h.tree.newIDs(c.files), report: r, w: newWriter(), uses: map[int32][]byte{}, changed: newMeanings(), stranded: map[int32]bool{}}
	if rd.cold {
		h.g = nil
		rd.g, rd.changed.methods = newGraph(resolve.NewTable(nil)), true
		return rd, nil
	}
	var err error
	if rd.outline, err = h.outlineSuffices(ctx, c); err != nil {
		return nil, err
	}
	if rd.outline {
		rd.g, rd.unread, err = h.loadOutline(ctx, c.files)
	} else {
		rd.g, err = h.graph(ctx)
	}
	if err != nil {
		return nil, err
	}
	if err := rd.markStale(ctx, c.files); err != nil {
		return rd, err
	}
	rd.changed.methods, err = h.tree.interrupted(ctx)
	return rd, err
}

// markStale records at once that the edges of changed files are unreliable.
func (rd *rebuilder) markStale(ctx context.Context, changed []found) error {
	if len(changed) == 0 {
		return nil
	}
	rd.g.mu.Lock()
	for _, f := range changed {
		if st := rd.g.byPath[f.path]; st != nil {
			st.stale = true
		}
	}
	rd.g.mu.Unlock()
	return rd.s.batch(ctx, func(b *batch) error {
		for _, f := range changed {
			if r := rd.tree.rows[f.path]; r != nil && r.reason == "" {
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
	old := rd.tree.rows[p.row.path]
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
	rd.tree.faults.note(p.row.path, p.fault)
	var was *record
	if old != nil && !rd.cold {
		var err error
		if was, err = rd.s.record(ctx, old.id); err != nil {
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
	after := rd.changed.replaced(p.row.path, was, p.rec)
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
	err := rd.s.batch(ctx, func(b *batch) error {
		if err := b.exec(ctx, qDropMeta, metaDispatch); err != nil {
			return err
		}
		for _, p := range rd.fresh {
			if err := b.putParsed(ctx, p); err != nil {
				return err
			}
		}
		return rd.tree.faults.save(ctx, b)
	})
	if err != nil {
		return err
	}
	for _, p := range rd.fresh {
		rd.tree.rows[p.row.path] = p.row
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
	for _, p := range gone { // before the transaction, which has the only connection
		was, err := rd.s.record(ctx, rd.tree.rows[p].id)
		if err != nil {
			return err
		}
		rd.changed.replaced(p, was, nil)
	}
	rd.changed.methods = true
	err := rd.s.batch(ctx, func(b *batch) error {
		if err := b.exec(ctx, qDropMeta, metaDispatch); err != nil {
			return err
		}
		for _, p := range gone {
			for _, q := range []string{qDropData, qDropLinks, qDropFile} {
				if err := b.exec(ctx, q, rd.tree.rows[p].id); err != nil {
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
		delete(rd.tree.rows, p)
		rd.tree.faults.note(p, nil)
		rd.g.addStranded(p, nil, rd.stranded)
		rd.g.removeFile(p)
	}
	return nil
}

// assignUnits assigns the files that were read to their units in the current project,
// which depends on the set of files. It returns the summary of the build files.
func (rd *rebuilder) assignUnits() string {
	rd.tree.listPaths()
	rd.g.mu.Lock()
	defer rd.g.mu.Unlock()
	rd.g.table.Invalidate(rd.tree.project())
	rd.g.table.AssignUnits()
	return rd.tree.buildFiles()
}

// affectedFiles returns the files to resolve again: stale files, files with edges to
// removed symbols, and files that mention a name whose meaning changed.
func (rd *rebuilder) affectedFiles(waiting []int32, everything bool) map[int32]bool {
	due := map[int32]bool{}
	for _, id := range waiting {
		due[id] = true
	}
	for _, row := range rd.tree.rows {
		if row.stale && rd.g.files[row.id] != nil {
			due[row.id] = true
		}
	}
	for id := range rd.stranded {
		due[id] = true
	}
	if !everything {
		rd.changed.expand(rd.g.table)
	}
	rd.g.addMentioning(rd.changed.names, everything, due)
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
	g := rd.g
	if rd.changed.methods {
		pairs, faults := g.table.Dispatch()
		if err := g.table.Unread(); err != nil {
			return rd.report, err
		}
		rd.tree.faults.noteAll(faults)
		g.pairs = pairs
		g.mu.Lock()
		g.setDispatch(g.pairs)
		g.mu.Unlock()
	}
	rd.tree.build = build
	if !rd.outline {
		rd.held.g = g
	}
	rd.report.Files = len(rd.tree.rows)
	if rd.unread != nil {
		rd.report.Reached = rd.unread.read
	}
	symbols, edges, err := rd.count(ctx)
	if err != nil {
		return rd.report, err
	}
	return rd.report, rd.s.batch(ctx, func(b *batch) error {
		for _, m := range []struct {
			key   string
			value any
		}{
			{metaBuild, build}, {"commit", rd.held.o.Commit()}, {metaDispatch, encodePairs(g.pairs)}, {"symbols", strconv.Itoa(symbols)},
			{"edges", strconv.Itoa(edges)}, {metaIndexed, strconv.FormatInt(rd.held.o.Now().UnixNano(), 10)},
		} {
			if err := b.exec(ctx, qPutMeta, m.key, m.value); err != nil {
				return err
			}
		}
		return rd.tree.faults.save(ctx, b)
	})
}
