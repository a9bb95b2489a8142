package graph

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"sync"

	"manicule/indexer/fault"
	"manicule/indexer/resolve"
	"manicule/indexer/sorting"
)

// storedFile is a file in the database.
type storedFile struct {
	id    int32
	path  string
	stale bool
	blobs [4][]byte // declarations, names, links and SCIP links

	file  *resolve.File
	names []uint32
	links []link // with those of SCIP
	scip  []Link
	err   error
}

// readFiles reads all files of the database, by qLoad or qLoadDecls, and decodes them
// with some goroutines.
func (s *store) readFiles(ctx context.Context, query string, goroutines int) ([]*storedFile, error) {
	q, err := s.db.QueryContext(ctx, query)
	if err != nil {
		return nil, fmt.Errorf("read graph.db: %w", err)
	}
	defer func() { _ = q.Close() }() // rows.Err reports it
	var all []*storedFile
	work := make(chan *storedFile, 64)
	var wg sync.WaitGroup
	for range goroutines {
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
		if err := k.whyNot(); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// whyNot returns why the file could not be decoded, nil if it was.
func (k *storedFile) whyNot() error {
	if fault.Is(k.err) {
		k.err = fmt.Errorf("%w: %w", errDamaged, k.err)
	}
	if k.err != nil {
		return fmt.Errorf("%s: %w", k.path, k.err)
	}
	return nil
}

func (k *storedFile) decode() {
	defer fault.Catch(&k.err)
	var rec *record
	if rec, k.err = decodeDecls(k.blobs[0]); k.err != nil {
		return
	}
	// At once: of a large graph the facts of all files would be as much again.
	k.file, k.blobs[0] = resolve.NewFile(k.path, k.id, rec.facts, rec.locals), nil
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

// record reads the stored declarations of a file; nil if it had none.
func (s *store) record(ctx context.Context, id int32) (*record, error) {
	var decls []byte
	err := s.db.QueryRowContext(ctx, qDecls, id).Scan(&decls)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the declarations of a file: %w", err)
	}
	return decodeDecls(decls)
}

// uses returns the encoded uses in a file.
func (s *store) uses(ctx context.Context, f *resolve.File) (uses []byte, err error) {
	if err := s.db.QueryRowContext(ctx, qUses, f.ID).Scan(&uses); err != nil {
		return nil, fmt.Errorf("read the uses in %s: %w", f.Path, err)
	}
	return uses, nil
}
