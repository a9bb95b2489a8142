package graph

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"

	"manicule/indexer/extract"
	"manicule/indexer/resolve"
	"manicule/indexer/sqlfile"
)

// unread reads declarations for a table that has only those of the files that were reached. It is for
// one goroutine, and for one rebuild: the table lookup is as of its beginning.
type unread struct {
	ctx  context.Context //nolint:containedctx // of one rebuild; who reaches a file has none
	db   *sqlfile.DB
	stmt *sql.Stmt // qDecls
	read int       // how many files it has read

	declaring map[uint32][]int32 // by the hash of a name
}

func newUnread(ctx context.Context, s *store) (*unread, error) {
	stmt, err := s.db.PrepareContext(ctx, qDecls)
	if err != nil {
		return nil, fmt.Errorf("prepare a statement on graph.db: %w", err)
	}
	return &unread{ctx: ctx, db: s.db, stmt: stmt, declaring: map[uint32][]int32{}}, nil
}

func (u *unread) close() {
	if u != nil {
		_ = u.stmt.Close() // it was only read
	}
}

// Read implements [resolve.Reader].
func (u *unread) Read(d resolve.Declared) (*resolve.File, error) {
	k := storedFile{id: d.ID, path: d.Path}
	err := u.stmt.QueryRowContext(u.ctx, d.ID).Scan(&k.blobs[0])
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the declarations of a file: %w", err)
	}
	u.read++
	k.decode()
	return k.file, k.whyNot()
}

// Declaring implements [resolve.Reader].
func (u *unread) Declaring(name string) ([]int32, error) {
	h := hashName(name)
	if _, ok := u.declaring[h]; !ok {
		if err := u.find(map[uint32]bool{h: true}); err != nil {
			return nil, err
		}
	}
	return u.declaring[h], nil
}

// expect finds at once who declares what a file calls: each time costs as much as the workspace is large.
func (u *unread) expect(f *extract.Facts) error {
	wanted := map[uint32]bool{}
	for i := range f.Refs {
		if r := &f.Refs[i]; r.Kind == extract.RefCall {
			if h := hashName(r.Name); u.declaring[h] == nil {
				wanted[h] = true
			}
		}
	}
	if len(wanted) == 0 {
		return nil
	}
	return u.find(wanted)
}

// find reads which files declare some names.
func (u *unread) find(wanted map[uint32]bool) error {
	for h := range wanted {
		u.declaring[h] = []int32{}
	}
	rows, err := u.db.QueryContext(u.ctx, qDeclared)
	if err != nil {
		return fmt.Errorf("read who declares a name: %w", err)
	}
	defer func() { _ = rows.Close() }() // rows.Err reports it
	for rows.Next() {
		var id int32
		var names sql.RawBytes
		if err := rows.Scan(&id, &names); err != nil {
			return fmt.Errorf("read who declares a name: %w", err)
		}
		rest, last := []byte(names), uint32(0)
		for len(rest) > 0 {
			var n uint32
			n, rest = nextName(rest)
			if last += n; wanted[last] {
				u.declaring[last] = append(u.declaring[last], id)
			}
		}
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("read who declares a name: %w", err)
	}
	return nil
}

// loadThin begins an outline of which only that is read what the changed files reach. They come first.
func (h *held) loadThin(ctx context.Context, changed []found) (*Graph, *unread, error) {
	files := make([]resolve.Declared, 0, len(h.tree.rows))
	for _, r := range h.tree.rows {
		if r.reason != "" {
			continue
		}
		if strings.Contains(r.path, ":") { // it may look like the key of another unit
			return nil, nil, nil
		}
		files = append(files, resolve.Declared{ID: r.id, Path: r.path, Lang: r.lang})
	}
	u, err := newUnread(ctx, h.s)
	if err != nil {
		return nil, nil, err
	}
	table := resolve.NewTable(nil) // assignUnits sets the project
	table.Defer(files, u)
	g := newGraph(table)
	for _, c := range slices.SortedFunc(slices.Values(changed), func(a, b found) int { return strings.Compare(a.path, b.path) }) {
		if f := table.File(c.path); f != nil {
			g.setFile(f, nil).stale = h.tree.rows[c.path].stale
		}
	}
	err = table.Unread()
	if err == nil {
		err = h.loadPairs(ctx, g)
	}
	if err != nil {
		u.close()
		return nil, nil, err
	}
	return g, u, nil
}
