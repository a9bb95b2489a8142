package store

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"strings"
	"time"

	"manicule/indexer/sqlfile"
	"manicule/memory/file"
)

// TombstoneLife is how long a deleted memory can be restored.
const TombstoneLife = 30 * 24 * time.Hour

// ArchivedReason begins the reason of a tombstone that a sweep made. A sweep asks nobody, so its
// tombstones don't expire.
const ArchivedReason = "archived: "

// tombstoneKept is when a tombstone's text is deleted. The margin protects against a clock that is
// wrong by weeks.
const tombstoneKept = 3 * TombstoneLife

// Statements on state.db.
const (
	qBury = `INSERT INTO tombstones (uuid, path, reason, json, deleted_ms, root) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
		ON CONFLICT (uuid) DO UPDATE SET path = ?2, reason = ?3, json = ?4, deleted_ms = ?5, root = ?6`
	qTombstones = `SELECT uuid, path, reason, json, deleted_ms FROM tombstones WHERE root = ?1 ORDER BY deleted_ms DESC, uuid`
	qTombstone  = `SELECT uuid, path, reason, json, deleted_ms FROM tombstones WHERE (substr(uuid, 1, length(?1)) = ?1 OR substr(uuid, -length(?1)) = ?1 OR substr(uuid, -8, length(?1)) = ?1) AND root = ?2 ORDER BY uuid LIMIT 10`
	qUnbury     = `DELETE FROM tombstones WHERE uuid = ?1`
	qExpire     = `DELETE FROM tombstones WHERE deleted_ms < ?1 AND instr(json, '"verified_by": "') = 0 AND reason NOT LIKE 'archived: %'`
	qRecalled   = `INSERT INTO accesses (uuid, recalled, last_recalled_ms, access_score) VALUES (?1, 1, ?2, 1)
		ON CONFLICT (uuid) DO UPDATE SET recalled = recalled + 1,
			access_score = access_score * pow(0.5, max(0, ?2 - last_recalled_ms) / (30 * 86400000.0)) + 1, last_recalled_ms = ?2`
	qAccesses    = `SELECT uuid, recalled, last_recalled_ms FROM accesses`
	qPutPersonal = `INSERT INTO personal (worktree, uuid, path, json, updated_ms) VALUES (?1, ?2, ?3, ?4, ?5)
		ON CONFLICT (worktree, uuid) DO UPDATE SET path = ?3, json = ?4, updated_ms = ?5`
	qPersonal     = `SELECT uuid, path, json FROM personal WHERE worktree = ?1 ORDER BY uuid`
	qDropPersonal = `DELETE FROM personal WHERE worktree = ?1 AND uuid = ?2`
	qPutVersion   = `INSERT OR IGNORE INTO versions (hash, uuid, version, parent, json, at_ms) VALUES (?1, ?2, ?3, ?4, ?5, ?6)`
	qParent       = `SELECT parent FROM versions WHERE hash = ?1`
	qVersions     = `SELECT json FROM versions WHERE uuid = ?1 ORDER BY version, at_ms`
	qSeen         = `SELECT DISTINCT uuid FROM versions WHERE substr(uuid, 1, length(?1)) = ?1 OR substr(uuid, -length(?1)) = ?1 OR substr(uuid, -8, length(?1)) = ?1 LIMIT 2`
	qUse          = `INSERT INTO usage (day, kind, count) VALUES (?1, ?2, ?3) ON CONFLICT (day, kind) DO UPDATE SET count = count + ?3`
	qUsage        = `SELECT kind, sum(count) FROM usage WHERE day >= ?1 AND kind NOT LIKE 'judged%' GROUP BY kind ORDER BY kind`
)

// Tombstone is a deleted memory that can still be restored.
type Tombstone struct {
	UUID    string    `json:"uuid"`
	Path    string    `json:"path"`
	Reason  string    `json:"reason"`
	JSON    []byte    `json:"-"`
	Deleted time.Time `json:"deleted_at"`
}

// Bury stores a tombstone for TombstoneLife and drops much older ones. It also removes a draft of
// the memory that a crash may have left after acceptance, because the draft would bring the memory
// back.
func (s *State) Bury(ctx context.Context, t Tombstone) error {
	return s.do(ctx, func(tx *sql.Tx) error {
		if err := exec(ctx, tx, "drop old tombstones", qExpire, s.now().Add(-tombstoneKept).UnixMilli()); err != nil {
			return err
		}
		if err := exec(ctx, tx, "drop a draft", qDeleteDraft, t.UUID); err != nil {
			return err
		}
		return exec(ctx, tx, "keep a tombstone", qBury, t.UUID, t.Path, t.Reason, t.JSON, s.now().UnixMilli(), s.root)
	})
}

// Tombstones lists what can be restored, newest first.
func (s *State) Tombstones(ctx context.Context) ([]Tombstone, error) {
	return s.tombstones(ctx, qTombstones, s.root)
}

// TombstoneOf returns the tombstones that id is short for.
func (s *State) TombstoneOf(ctx context.Context, id string) ([]Tombstone, error) {
	return s.tombstones(ctx, qTombstone, id, s.root)
}

func (s *State) tombstones(ctx context.Context, query string, args ...any) ([]Tombstone, error) {
	var out []Tombstone
	err := s.query(ctx, query, args, func(rows *sql.Rows) error {
		var t Tombstone
		var ms int64
		err := rows.Scan(&t.UUID, &t.Path, &t.Reason, &t.JSON, &ms)
		t.Deleted = time.UnixMilli(ms).UTC()
		// What a person confirmed stays for good, and so does what no person removed.
		if s.now().Sub(t.Deleted) <= TombstoneLife || strings.HasPrefix(t.Reason, ArchivedReason) || bytes.Contains(t.JSON, []byte(`"verified_by": "`)) {
			out = append(out, t)
		}
		return err
	})
	return out, err
}

// Unbury removes a tombstone.
func (s *State) Unbury(ctx context.Context, uuid string) error {
	return s.do(ctx, func(tx *sql.Tx) error { return exec(ctx, tx, "remove a tombstone", qUnbury, uuid) })
}

// Recalled counts one recall of each memory and one use.
func (s *State) Recalled(ctx context.Context, uuids []string) error {
	now := s.now()
	return s.do(ctx, func(tx *sql.Tx) error {
		for _, u := range uuids {
			if err := exec(ctx, tx, "count a recall", qRecalled, u, now.UnixMilli()); err != nil {
				return err
			}
		}
		return use(ctx, tx, now, "recall")
	})
}

// Access counts the recalls of a memory on this machine.
type Access struct {
	Recalled int
	Last     time.Time
}

// Accesses returns the counters by uuid. Of a database that a newer version wrote
// there are none: what is found is only ranked without them.
func (s *State) Accesses(ctx context.Context) (map[string]Access, error) {
	out := map[string]Access{}
	err := s.query(ctx, qAccesses, nil, func(rows *sql.Rows) error {
		var u string
		var a Access
		var ms int64
		err := rows.Scan(&u, &a.Recalled, &ms)
		a.Last = time.UnixMilli(ms).UTC()
		out[u] = a
		return err
	})
	if errors.Is(err, sqlfile.ErrNewer) {
		return nil, nil
	}
	return out, err
}

// Used counts an act for the local statistics.
func (s *State) Used(ctx context.Context, kind string) error {
	return s.do(ctx, func(tx *sql.Tx) error { return use(ctx, tx, s.now(), kind) })
}

func use(ctx context.Context, tx runner, now time.Time, kind string) error {
	return exec(ctx, tx, "count a use", qUse, now.UTC().Format(time.DateOnly), kind, 1)
}

// Usage sums the uses by kind since a day.
func (s *State) Usage(ctx context.Context, since time.Time) (map[string]int, error) {
	out := map[string]int{}
	err := s.query(ctx, qUsage, []any{since.UTC().Format(time.DateOnly)}, func(rows *sql.Rows) error {
		var k string
		var n int
		err := rows.Scan(&k, &n)
		out[k] = n
		return err
	})
	return out, err
}

// Keep stores a version of a memory. It mirrors the memory for its worktree, since git has no copy yet, or never will. What was
// imported can be imported again.
func (s *State) Keep(ctx context.Context, worktree string, m *file.Memory) error {
	return s.KeepAll(ctx, worktree, []*file.Memory{m})
}

// KeepAll is Keep for many memories in one transaction.
func (s *State) KeepAll(ctx context.Context, worktree string, list []*file.Memory) error {
	if len(list) == 0 {
		return nil
	}
	berr := s.backupDaily(ctx) // a full disk must not prevent the attempt to store the version
	return errors.Join(berr, s.do(ctx, func(tx *sql.Tx) (err error) {
		prep := prepareOnce(tx)
		defer func() { err = errors.Join(err, prep.close()) }()
		for _, m := range list {
			if err := s.keep(ctx, prep, worktree, m); err != nil {
				return err
			}
		}
		return nil
	}))
}

func (s *State) keep(ctx context.Context, tx runner, worktree string, m *file.Memory) error {
	data, err := m.Marshal()
	if err != nil {
		return err
	}
	hash, err := m.Hash()
	if err != nil {
		return err
	}
	now := s.now().UnixMilli()
	if imported := m.Provenance != nil && m.Provenance.Import != nil; m.Visibility == file.Personal || !imported {
		if err := exec(ctx, tx, "mirror a memory", qPutPersonal, worktree, m.UUID, m.RelPath(), data, now); err != nil {
			return err
		}
	}
	if err := use(ctx, tx, s.now(), m.Lineage.ChangeKind); err != nil {
		return err
	}
	return exec(ctx, tx, "keep a version", qPutVersion, hash, m.UUID, m.Lineage.Version, m.Lineage.Parent, data, now)
}

// Mirror stores copies of a worktree's personal memories.
func (s *State) Mirror(ctx context.Context, worktree string, rows []Row) error {
	return s.do(ctx, func(tx *sql.Tx) error {
		for _, r := range rows {
			m, err := r.Memory()
			if err != nil {
				continue // reported as a problem
			}
			if err := exec(ctx, tx, "mirror a personal memory", qPutPersonal, worktree, m.UUID, r.Path, r.JSON, s.now().UnixMilli()); err != nil {
				return err
			}
		}
		return nil
	})
}

// Personal lists the mirrored memories of a worktree: personal ones, and those that git did not have.
func (s *State) Personal(ctx context.Context, worktree string) ([]Tombstone, error) {
	var out []Tombstone
	err := s.query(ctx, qPersonal, []any{worktree}, func(rows *sql.Rows) error {
		var t Tombstone
		err := rows.Scan(&t.UUID, &t.Path, &t.JSON)
		out = append(out, t)
		return err
	})
	return out, err
}

// DropPersonal removes the mirror of a memory that was deliberately deleted, or that git has.
func (s *State) DropPersonal(ctx context.Context, worktree, uuid string) error {
	return s.do(ctx, func(tx *sql.Tx) error {
		return exec(ctx, tx, "drop a personal mirror", qDropPersonal, worktree, uuid)
	})
}

// Descends reports whether a version has ancestor among its ancestors, as far as this machine has
// seen them.
func (s *State) Descends(ctx context.Context, parent, ancestor string) (bool, error) {
	for range 1000 { // limit for damaged chains
		if parent == "" {
			return false, nil
		}
		if parent == ancestor {
			return true, nil
		}
		next := ""
		if err := s.query(ctx, qParent, []any{parent}, func(rows *sql.Rows) error { return rows.Scan(&next) }); err != nil {
			return false, err
		}
		parent = next
	}
	return false, nil
}

// SeenAs returns the uuid that an abbreviated id stands for among the memories that this machine has seen versions
// of, "" for none and for several.
func (s *State) SeenAs(ctx context.Context, id string) (string, error) {
	var found []string
	err := s.query(ctx, qSeen, []any{id}, func(rows *sql.Rows) error {
		var uuid string
		err := rows.Scan(&uuid)
		found = append(found, uuid)
		return err
	})
	if err != nil || len(found) != 1 {
		return "", err
	}
	return found[0], nil
}

// Versions lists the versions of a memory that this machine has seen, oldest first.
func (s *State) Versions(ctx context.Context, uuid string) ([]*file.Memory, error) {
	var out []*file.Memory
	err := s.query(ctx, qVersions, []any{uuid}, func(rows *sql.Rows) error {
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
