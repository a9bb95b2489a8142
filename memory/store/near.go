package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"manicule/indexer/sorting"
	"manicule/indexer/treefile"
	"manicule/indexer/words"
	"manicule/memory/store/hookfile"
)

// Statements about memories near a text.
const (
	qNaming     = `SELECT path, json, sum, places, unreviewed, life FROM memories WHERE memory_id IN (SELECT memory_id FROM relations WHERE target = ?1) ORDER BY path`
	qSuperseded = `SELECT target, by_uuid FROM (` + qReplaced + `) WHERE target <> by_uuid ORDER BY target, by_uuid DESC`
)

// maxNear is how many memories with one of the words are ranked for [Memories.Near].
const maxNear = 1000

// Near returns the memories that share the rarest words with a text, best first. It is quick, and
// drops common words where many memories have them.
func (s queries) Near(ctx context.Context, text string, limit int) ([]Row, error) {
	if rows, err := s.nearInHooks(ctx, text, limit); err == nil {
		return rows, nil
	}
	return wordSearch[Row]{
		limit: limit, ranked: maxNear, having: s.having(ctx), key: pathOf,
		ask: func(q words.Query, all bool) ([]Row, error) { return s.rows(ctx, qSearch, match(q, all), limit) },
	}.find(text)
}

// nearInHooks is Near by the hooks' file, which ranks like the database in a tenth of the time. It fails if that file doesn't
// say what the database says.
func (s queries) nearInHooks(ctx context.Context, text string, limit int) (out []Row, err error) {
	index, file, err := s.openHooks(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	ask := func(q words.Query, all bool) ([]string, error) {
		found, err := index.Search(termsOf(q), all, limit)
		var paths []string
		for _, m := range found {
			path, _, _ := strings.Cut(m.Line, fieldSep)
			paths = append(paths, path)
		}
		return paths, err
	}
	paths, err := wordSearch[string]{limit: limit, ranked: maxNear, having: countIn(index), key: func(path string) string { return path }, ask: ask}.find(text)
	if err != nil || len(paths) == 0 {
		return nil, err
	}
	rows, err := s.rows(ctx, qRowsAt, jsonList(paths))
	sorting.Func(rows, func(a, b Row) int { return cmp.Compare(slices.Index(paths, a.Path), slices.Index(paths, b.Path)) })
	return rows, err
}

// openHooks opens the hooks' file if it says what the database says.
func (s queries) openHooks(ctx context.Context) (*hookfile.File, io.Closer, error) {
	var p pointer
	var dir string
	current := false
	err := s.read(ctx, func(db DB) (err error) {
		if dir = s.dir(); dir == "" {
			return nil
		}
		now, err := writes(ctx, db)
		if err != nil {
			return err
		}
		p, err = s.readPointer()
		current = now == p.Hooks.Write && strings.HasPrefix(p.Hooks.File, hooksPrefix())
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	if !current {
		return nil, nil, errors.New("the hooks' file is of another write")
	}
	f, err := treefile.OpenMade(filepath.Join(dir, p.Hooks.File))
	if err != nil {
		return nil, nil, fmt.Errorf("open the hooks' file: %w", err)
	}
	index, err := hookfile.Open(f, p.Hooks.Table, p.Hooks.Size)
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	return index, f, nil
}

// Superseded returns the ids of the memories that others supersede, each with the id of one that does.
func (s queries) Superseded(ctx context.Context) (map[string]string, error) {
	by := map[string]string{}
	err := s.read(ctx, func(db DB) error {
		clear(by)
		return scan(ctx, db, qSuperseded, nil, func(rows *sql.Rows) error {
			var target, uuid string
			err := rows.Scan(&target, &uuid)
			by[target] = uuid
			return err
		})
	})
	return by, err
}

// Naming returns the memories that have a relation to another one.
func (s queries) Naming(ctx context.Context, uuid string) ([]Row, error) {
	return s.rows(ctx, qNaming, uuid)
}
