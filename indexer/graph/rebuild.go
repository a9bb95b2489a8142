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
	typesChanged := cold || unfinished
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
			}
			typesChanged = typesChanged || !sameTypes(was, p.rec, before, after)
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
		typesChanged = true
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
	if typesChanged || everything {
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
