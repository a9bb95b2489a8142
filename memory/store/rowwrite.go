package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"manicule/memory/file"
	"manicule/memory/scope"
)

// Statements about the rows of a memory.
const (
	qKnown        = `SELECT path, mtime_ns, size, 0 FROM memories UNION ALL SELECT path, mtime_ns, size, 1 FROM problems`
	qKnownPath    = `SELECT path, mtime_ns, size, 0 FROM memories WHERE path = ?1 UNION ALL SELECT path, mtime_ns, size, 1 FROM problems WHERE path = ?1`
	qClearFolders = `DELETE FROM folders`
	qAddFolder    = `INSERT INTO folders (path, mtime_ns) VALUES (?1, ?2)`
	qAddProblem   = `INSERT INTO problems (path, mtime_ns, size, line, col, message, hint, uuid, held, vouch) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
		ON CONFLICT (path) DO UPDATE SET mtime_ns = ?2, size = ?3, line = ?4, col = ?5, message = ?6, hint = ?7, uuid = ?8, held = ?9, vouch = ?10`
	qPutMemory = `INSERT INTO memories (path, mtime_ns, size, uuid, type, layer, what, why, label, tags, related_files, words,
			owner_kind, owner_id, visibility, importance, confidence, pinned, tier, origin, needs_review,
			dedupe_key, import_key, created_ms, updated_ms, json, sum, unreviewed)
		VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24, ?25, ?26, ?27, ?28)
		ON CONFLICT (path) DO UPDATE SET mtime_ns = ?2, size = ?3, uuid = ?4, type = ?5, layer = ?6, what = ?7, why = ?8,
			label = ?9, tags = ?10, related_files = ?11, words = ?12, owner_kind = ?13, owner_id = ?14, visibility = ?15,
			importance = ?16, confidence = ?17, pinned = ?18, tier = ?19, origin = ?20, needs_review = ?21,
			dedupe_key = ?22, import_key = ?23, created_ms = ?24, updated_ms = ?25, json = ?26, sum = ?27, unreviewed = ?28
		RETURNING memory_id, places, life`
	// qReplaced selects what is out of use, and by what: as [file.Superseded] does, or because it is deprecated. Such a memory
	// stands as if it superseded itself.
	qReplaced = `SELECT s.target, m.uuid AS by_uuid FROM supersedes s JOIN memories m USING (memory_id) WHERE s.target = m.uuid OR NOT EXISTS
		(SELECT 1 FROM supersedes back JOIN memories t USING (memory_id) WHERE back.target = m.uuid AND t.uuid = s.target)`
	qDeprecate = `UPDATE memories SET deprecated = 1, deprecated_at_ms = ?1
		WHERE uuid IN (SELECT target FROM (` + qReplaced + `)) AND deprecated = 0 RETURNING path`
	qUndeprecate = `UPDATE memories SET deprecated = 0, deprecated_at_ms = NULL
		WHERE deprecated = 1 AND uuid NOT IN (SELECT target FROM (` + qReplaced + `)) RETURNING path`
	qClearRelations  = `DELETE FROM relations WHERE memory_id = ?1`
	qAddRelation     = `INSERT OR IGNORE INTO relations (target, memory_id) VALUES (?1, ?2)`
	qClearSupersedes = `DELETE FROM supersedes WHERE memory_id = ?1`
	qAddSupersedes   = `INSERT OR IGNORE INTO supersedes (target, memory_id) VALUES (?1, ?2)`
)

// rowWriter writes what memory files say into the rows of a database.
type rowWriter struct {
	dir      string // of the memory files
	scopes   scope.Options
	now      func() time.Time
	progress func(done, total int) // nil if nobody waits
	judge    Judge
	changed  pathSet     // whose rows the transaction changed; nil if nobody asks
	many     atomic.Bool // many changed files are being read
}

func exec(ctx context.Context, tx runner, act, query string, args ...any) error {
	if _, err := tx.ExecContext(ctx, query, args...); err != nil {
		return fmt.Errorf("%s: %w", act, err)
	}
	return nil
}

func loadKnown(ctx context.Context, tx *sql.Tx, only ...string) (out map[string]known, err error) {
	query, args := qKnown, []any(nil)
	if len(only) == 1 {
		query, args = qKnownPath, []any{only[0]}
	}
	rows, err := tx.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, fmt.Errorf("read known files: %w", err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	out = map[string]known{}
	for rows.Next() {
		var p string
		var k known
		if err := rows.Scan(&p, &k.mtimeNS, &k.size, &k.problem); err != nil {
			return nil, fmt.Errorf("read known files: %w", err)
		}
		out[p] = k
	}
	return out, rows.Err()
}

func saveFolders(ctx context.Context, tx *sql.Tx, l listing) error {
	if err := exec(ctx, tx, "note folders", qClearFolders); err != nil {
		return err
	}
	for p, mtime := range l.folders {
		if err := exec(ctx, tx, "note folders", qAddFolder, p, mtime); err != nil {
			return err
		}
	}
	return nil
}

func (w *rowWriter) saveProblem(ctx context.Context, tx runner, path string, disk diskFile, err error) error {
	w.changed.add(path)
	f := &file.Error{Line: 1, Column: 1, Msg: err.Error(), Hint: "Check that the file can be read."}
	if e, ok := errors.AsType[*file.Error](err); ok {
		f = e
	}
	uuid, code, keys := heldOf(err)
	mtime, size := disk.stamp()
	return exec(ctx, tx, "note a problem", qAddProblem, path, mtime, size, f.Line, f.Column, f.Error(), f.Hint, uuid, code, keys)
}

// put writes a memory's row and its reach. was is the row that its file had.
func (w *rowWriter) put(ctx context.Context, tx runner, p prepared, was known) error {
	row, places, err := putRow(ctx, tx, p)
	if err != nil {
		return err
	}
	if was != (known{}) {
		for _, q := range []string{qClearReaches, qClearSupersedes, qClearRelations} {
			if err := exec(ctx, tx, "drop reaches and relations", q, row.id); err != nil {
				return err
			}
		}
	}
	if err := w.putPlaces(ctx, tx, row, places); err != nil {
		return err
	}
	return putRelations(ctx, tx, row)
}

// memoryRow is the row of a memory.
type memoryRow struct {
	id   int64
	path string
	m    *file.Memory
	use  string // its column
}

// putRow writes a memory's row. It returns what the row knows of the memory's places, which a file does not say.
func putRow(ctx context.Context, tx runner, p prepared) (row memoryRow, places string, err error) {
	m := p.m
	row = memoryRow{path: p.path, m: m}
	mtime, size := p.disk.stamp()
	ownerKind, ownerID, importKey, tier := "project", "", "", 2
	if m.Owner != nil {
		ownerKind, ownerID = m.Owner.Kind, m.Owner.ID
	}
	if m.Provenance != nil && m.Provenance.Import != nil {
		importKey = m.Provenance.Import.Key
	}
	if m.Pinned {
		tier = 1
	}
	err = tx.QueryRowContext(ctx, qPutMemory, p.path, mtime, size, m.UUID, m.Type, m.Layer, p.what, p.why, m.ContextLabel, p.tags, p.files,
		p.words, ownerKind, ownerID, m.Visibility, m.Importance, m.Confidence, m.Pinned, tier,
		m.Trust.Origin, m.Trust.NeedsReview, p.dedupe, importKey, m.CreatedAt.UnixMilli(), m.UpdatedAt.UnixMilli(),
		p.data, checksum(p.path, p.data), m.Trust.Unreviewed).Scan(&row.id, &places, &row.use)
	if err != nil {
		return row, "", fmt.Errorf("store memory %s: %w", m.UUID, err)
	}
	return row, places, nil
}

// maxRelations is how many relations of a memory are indexed. A clone's file may have thousands, and each takes 30 µs.
const maxRelations = 256

// relationsOf returns the relations of a memory that are indexed: the first ones.
func relationsOf(m *file.Memory) []file.Relation {
	return m.Relations[:min(len(m.Relations), maxRelations)]
}

// putRelations writes which memories a memory supersedes or is related to.
func putRelations(ctx context.Context, tx runner, row memoryRow) error {
	m, id := row.m, row.id
	if m.Trust.Deprecated != nil { // as if it superseded itself
		if err := exec(ctx, tx, "store that it is deprecated", qAddSupersedes, m.UUID, id); err != nil {
			return err
		}
	}
	for _, r := range relationsOf(m) {
		if r.Memory == "" {
			continue
		}
		if err := exec(ctx, tx, "store relations", qAddRelation, r.Memory, id); err != nil {
			return err
		}
		if r.Type != file.Supersedes || r.Memory == m.UUID {
			continue
		}
		if err := exec(ctx, tx, "store relations", qAddSupersedes, r.Memory, id); err != nil {
			return err
		}
	}
	return nil
}

func (w *rowWriter) deprecate(ctx context.Context, tx *sql.Tx) error {
	for _, step := range []struct {
		act, query string
		args       []any
	}{
		{"mark superseded memories", qDeprecate, []any{w.now().UnixMilli()}},
		{"unmark superseded memories", qUndeprecate, nil},
	} {
		err := scan(ctx, tx, step.query, step.args, func(rows *sql.Rows) error {
			var path string
			err := rows.Scan(&path)
			w.changed.add(path)
			return err
		})
		if err != nil {
			return fmt.Errorf("%s: %w", step.act, err)
		}
	}
	return nil
}
