package store

import (
	"context"
	"database/sql"
	"errors"

	"manicule/memory/file"
)

// Statements about versions of memories.
const (
	qPutVersion = `INSERT OR IGNORE INTO versions (hash, uuid, version, parent, json, at_ms) VALUES (?1, ?2, ?3, ?4, ?5, ?6)`
	qParent     = `SELECT parent FROM versions WHERE hash = ?1`
	qVersions   = `SELECT json FROM versions WHERE uuid = ?1 ORDER BY version, at_ms`
	qSeen       = `SELECT DISTINCT uuid FROM versions WHERE substr(uuid, 1, length(?1)) = ?1 OR substr(uuid, -length(?1)) = ?1 OR substr(uuid, -8, length(?1)) = ?1 LIMIT 2`
)

// Versions are the versions of memories that this machine has seen: the table versions.
type Versions struct{ state *State }

// Versions returns the versions of memories that this machine has seen.
func (s *State) Versions() Versions { return Versions{s} }

// Put stores a version of a memory. It also mirrors the memory for its worktree (see [Mirrors]), since git has no copy yet, or never
// will. What was imported can be imported again.
func (s Versions) Put(ctx context.Context, worktree string, m *file.Memory) error {
	return s.PutAll(ctx, worktree, []*file.Memory{m})
}

// PutAll is Put for many memories in one transaction.
func (s Versions) PutAll(ctx context.Context, worktree string, list []*file.Memory) error {
	if len(list) == 0 {
		return nil
	}
	berr := s.state.db.backupDaily(ctx) // a full disk must not prevent the attempt to store the version
	return errors.Join(berr, s.state.db.do(ctx, func(tx *sql.Tx) (err error) {
		prep := prepareOnce(tx)
		defer func() { err = errors.Join(err, prep.close()) }()
		for _, m := range list {
			if err := s.put(ctx, prep, worktree, m); err != nil {
				return err
			}
		}
		return nil
	}))
}

func (s Versions) put(ctx context.Context, tx runner, worktree string, m *file.Memory) error {
	data, err := s.insert(ctx, tx, m)
	if err != nil {
		return err
	}
	now := s.state.now()
	if imported := m.Provenance != nil && m.Provenance.Import != nil; m.Visibility == file.Personal || !imported {
		if err := exec(ctx, tx, "mirror a memory", qPutMirror, worktree, m.UUID, m.RelPath(), data, now.UnixMilli()); err != nil {
			return err
		}
	}
	return use(ctx, tx, now, m.Lineage.ChangeKind)
}

// insert stores a version of a memory, and returns its JSON.
func (s Versions) insert(ctx context.Context, tx runner, m *file.Memory) ([]byte, error) {
	data, err := m.Marshal()
	if err != nil {
		return nil, err
	}
	hash, err := m.Hash()
	if err != nil {
		return nil, err
	}
	return data, exec(ctx, tx, "keep a version", qPutVersion, hash, m.UUID, m.Lineage.Version, m.Lineage.Parent, data, s.state.now().UnixMilli())
}

// Descends reports whether a version has ancestor among its ancestors, as far as this machine has
// seen them.
func (s Versions) Descends(ctx context.Context, parent, ancestor string) (bool, error) {
	for range 1000 { // limit for damaged chains
		if parent == "" {
			return false, nil
		}
		if parent == ancestor {
			return true, nil
		}
		var err error
		if parent, err = value[string](ctx, s.state, qParent, parent); err != nil {
			return false, err
		}
	}
	return false, nil
}

// SeenAs returns the uuid that an abbreviated id stands for among the memories that this machine has seen versions
// of, "" for none and for several.
func (s Versions) SeenAs(ctx context.Context, id string) (string, error) {
	found, err := list(ctx, s.state, qSeen, []any{id}, func(rows *sql.Rows, uuid *string) error { return rows.Scan(uuid) })
	if err != nil || len(found) != 1 {
		return "", err
	}
	return found[0], nil
}

// Of lists the versions of a memory that this machine has seen, oldest first.
func (s Versions) Of(ctx context.Context, uuid string) ([]*file.Memory, error) {
	var out []*file.Memory
	err := s.state.db.query(ctx, qVersions, []any{uuid}, func(rows *sql.Rows) error {
		var data []byte
		if err := rows.Scan(&data); err != nil {
			return err
		}
		m, err := file.Parse(data)
		if err == nil {
			out = append(out, m)
		}
		return err
	})
	return out, err
}
