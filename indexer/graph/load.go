package graph

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"manicule/indexer/extract"
	"manicule/indexer/fault"
	"manicule/indexer/resolve"
	"manicule/indexer/sorting"
)

// Graph returns the graph as of the last synchronization. A process that has not
// synchronized loads it from the database.
func (ix *Index) Graph(ctx context.Context) (*Graph, error) {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	return ix.graph(ctx)
}

func (ix *Index) graph(ctx context.Context) (*Graph, error) {
	ix.used = ix.o.Now()
	if ix.g != nil { // what is read of the database beside it must fit it
		if cut, err := ix.interrupted(ctx); err == nil && !cut { // else another process is at work
			_ = ix.forgetOutdated(ctx) // the next synchronization reports it
		}
	}
	if ix.g != nil {
		return ix.g, nil
	}
	for attempt := 0; ; attempt++ {
		err := ix.s.open(ctx)
		if err == nil {
			err = ix.load(ctx)
		}
		if err == nil { // restore the unsaved buffers that the released graph had
			if err := ix.applyOverlays(ctx); err != nil {
				ix.g, ix.overlays = nil, nil
				return nil, fmt.Errorf("apply unsaved buffers to the graph: %w", err)
			}
			return ix.g, nil
		}
		if attempt > 0 || !damaged(err) {
			return nil, fmt.Errorf("load the graph: %w", err)
		}
		if err := ix.s.beginGeneration(ctx); err != nil {
			return nil, fmt.Errorf("create a new graph: %w", err)
		}
	}
}

// Release frees the memory of the graph unless it was used recently. The next query,
// or a change of a file, loads it again, with its unsaved buffers.
func (ix *Index) Release(unusedFor time.Duration) {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	if ix.g == nil && ix.part == nil || ix.o.Now().Sub(ix.used) < unusedFor {
		return
	}
	ix.g, ix.scip, ix.overlays, ix.part = nil, nil, nil, nil
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
	if err := ix.loadFaults(ctx); err != nil {
		return err
	}
	if ix.paths == nil {
		for p := range rows {
			ix.paths = append(ix.paths, p)
		}
		slices.Sort(ix.paths)
	}
	table := resolve.NewTable(ix.project())
	g := newGraph(table)
	ix.scip = map[int32][]Link{}
	kept, err := ix.readStored(ctx, qLoad)
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
		g.setSorted(k.id, k.links)
	}
	if err := ix.loadDispatch(ctx, g); err != nil {
		return err
	}
	ix.g = g
	return nil
}

// storedFile is a file in the database.
type storedFile struct {
	id    int32
	path  string
	stale bool
	blobs [4][]byte // declarations, names, links and SCIP links

	rec   *record
	names []uint32
	links []link // with those of SCIP
	scip  []Link
	err   error
}

// readStored reads all files of the database, by qLoad or qLoadDecls, and decodes them
// in parallel.
func (ix *Index) readStored(ctx context.Context, query string) ([]*storedFile, error) {
	q, err := ix.s.db.QueryContext(ctx, query)
	if err != nil {
		return nil, fmt.Errorf("read graph.db: %w", err)
	}
	defer func() { _ = q.Close() }() // rows.Err reports it
	var all []*storedFile
	work := make(chan *storedFile, 64)
	var wg sync.WaitGroup
	for range ix.o.Workers {
		wg.Go(func() {
			for k := range work {
				k.decode()
			}
		})
	}
	for err == nil && q.Next() {
		k := &storedFile{}
		var valid bool
		to := []any{&k.id, &k.path, &k.stale, &k.blobs[0]}
		if query == qLoad {
			to = append(to, &k.blobs[1], &k.blobs[2], &k.blobs[3], &valid)
		}
		if err = q.Scan(to...); err != nil {
			break
		}
		if !valid { // the file changed since the SCIP index
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
		if fault.Is(k.err) {
			k.err = fmt.Errorf("%w: %w", errDamaged, k.err)
		}
		if k.err != nil {
			return nil, fmt.Errorf("%s: %w", k.path, k.err)
		}
	}
	return all, nil
}

func (k *storedFile) decode() {
	defer fault.Catch(&k.err)
	if k.rec, k.err = decodeDecls(k.blobs[0]); k.err != nil {
		return
	}
	if k.blobs[2] == nil { // of an outline
		return
	}
	k.names = decodeNames(k.blobs[1])
	k.decodeEdges()
}

func (k *storedFile) decodeEdges() {
	defer fault.Catch(&k.err)
	if len(k.blobs[3]) == 0 {
		k.err = eachLink(k.blobs[2], func(l link) { k.links = append(k.links, l) })
		sorting.StableFunc(k.links, func(a, b link) int { return cmp.Compare(a.to, b.to) })
		k.links = slices.Clip(k.links)
		return
	}
	var links []Link
	if links, k.err = decodeLinks(k.blobs[2], k.id); k.err != nil {
		return
	}
	if k.scip, k.err = decodeLinks(k.blobs[3], k.id); k.err != nil {
		return
	}
	k.links = sortedLinks(mergeLinks(links, k.scip))
}

// project reads the build files. They refer to each other (a tsconfig extends
// another), so no path may lead out of the workspace, neither by dots nor by a link.
func (ix *Index) project() *resolve.Project {
	root, err := os.OpenRoot(ix.o.Root)
	if err != nil {
		ix.o.Log.Warn("read the build files", "root", ix.o.Root, "err", err)
		return resolve.NewProject(ix.paths, func(string) ([]byte, error) { return nil, err })
	}
	defer func() { _ = root.Close() }() // it was only read
	p := resolve.NewProject(ix.paths, func(p string) ([]byte, error) { return readBuild(root, p) })
	ix.noteFaults(p.Faults())
	return p
}

// readBuild reads a build file by its path below the root, with slashes. The path may
// come from another build file, so anything that is not a regular file of moderate
// size is not read.
func readBuild(root *os.Root, p string) ([]byte, error) {
	name := filepath.FromSlash(p)
	info, err := root.Stat(name)
	if err != nil {
		return nil, fmt.Errorf("read a build file: %w", err)
	}
	if !info.Mode().IsRegular() || info.Size() > extract.MaxSize {
		return nil, fmt.Errorf("%s is not a build file", p)
	}
	data, err := root.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("read a build file: %w", err)
	}
	return data, nil
}

// record reads the stored declarations of a file; nil if it had none.
func (ix *Index) record(ctx context.Context, id int32) (*record, error) {
	var decls []byte
	err := ix.s.db.QueryRowContext(ctx, qDecls, id).Scan(&decls)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the declarations of a file: %w", err)
	}
	return decodeDecls(decls)
}
