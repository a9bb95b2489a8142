package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"time"

	"manicule/memory/file"
)

// consolidationsKept is how many runs of a workspace the log keeps.
const consolidationsKept = 100

// Statements about consolidation.
const (
	qPutConsolidation = `INSERT INTO consolidations (root, at_ms, model, looked, known, merged, archived, failed, skipped, took_ms)
		VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)`
	qOldConsolidations = `DELETE FROM consolidations WHERE root = ?1 AND id NOT IN (SELECT id FROM consolidations WHERE root = ?1 ORDER BY at_ms DESC, id DESC LIMIT ?2)`
	qConsolidations    = `SELECT at_ms, model, looked, known, merged, archived, failed, skipped, took_ms FROM consolidations
		WHERE root = ?1 ORDER BY at_ms DESC, id DESC LIMIT ?2`
	qPutStands = `INSERT INTO consolidated (root, kept, hash, uuid, at_ms) VALUES (?1, ?2, ?3, ?4, ?5)
		ON CONFLICT (root, kept, hash) DO UPDATE SET uuid = ?4, at_ms = ?5`
	qStands     = `SELECT c.kept, c.hash, c.uuid, c.at_ms, v.json FROM consolidated c JOIN versions v ON v.hash = c.hash WHERE c.root = ?1 ORDER BY c.kept, c.at_ms, c.hash`
	qDropStands = `DELETE FROM consolidated WHERE root = ?1 AND kept = ?2 AND hash = ?3`
	qPutApart   = `INSERT INTO kept_apart (root, one, other, at_ms) VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING`
	qApart      = `SELECT one, other FROM kept_apart WHERE root = ?1`
)

// Reason is why memories were left out, with their number.
type Reason struct {
	Reason string `json:"reason"`
	Count  int    `json:"count"`
}

// Consolidation is one run of the search for memories that say the same, with its result.
type Consolidation struct {
	At       time.Time     `json:"at"`
	Model    string        `json:"model"`
	Looked   int           `json:"looked"`
	Known    int           `json:"known"` // groups that stay as they are
	Merged   int           `json:"merged"`
	Archived int           `json:"archived"`
	Failed   int           `json:"failed"`
	Skipped  []Reason      `json:"skipped"`
	Took     time.Duration `json:"-"`
}

// Consolidations are what became one memory, and which memories a person keeps apart: the tables consolidations, consolidated and kept_apart.
type Consolidations struct{ state *State }

// Consolidations returns the consolidations of the workspace.
func (s *State) Consolidations() Consolidations { return Consolidations{s} }

// Note appends a run to the log and drops the oldest.
func (s Consolidations) Note(ctx context.Context, c Consolidation) error {
	skipped, err := json.Marshal(append([]Reason{}, c.Skipped...))
	if err != nil {
		return fmt.Errorf("write the reasons of a consolidation: %w", err)
	}
	return s.state.db.do(ctx, func(tx *sql.Tx) error {
		if err := exec(ctx, tx, "note a consolidation", qPutConsolidation, s.state.root, c.At.UnixMilli(), c.Model, c.Looked, c.Known, c.Merged, c.Archived, c.Failed, skipped, c.Took.Milliseconds()); err != nil {
			return err
		}
		return exec(ctx, tx, "drop old consolidations", qOldConsolidations, s.state.root, consolidationsKept)
	})
}

// Latest lists the last runs, newest first.
func (s Consolidations) Latest(ctx context.Context, limit int) ([]Consolidation, error) {
	return list(ctx, s.state, qConsolidations, []any{s.state.root, limit}, func(rows *sql.Rows, c *Consolidation) error {
		var at, took int64
		var skipped []byte
		if err := rows.Scan(&at, &c.Model, &c.Looked, &c.Known, &c.Merged, &c.Archived, &c.Failed, &skipped, &took); err != nil {
			return err
		}
		c.At, c.Took, c.Skipped = time.UnixMilli(at).UTC(), time.Duration(took)*time.Millisecond, []Reason{}
		if err := json.Unmarshal(skipped, &c.Skipped); err != nil {
			return fmt.Errorf("read the reasons of a consolidation: %w", err)
		}
		return nil
	})
}

// MergedVersion is a version that a kept memory represents since a merge.
type MergedVersion struct {
	Kept   string    // uuid of the memory that represents it
	Hash   string    // of the version
	UUID   string    // of its memory: the kept one or an archived one
	At     time.Time // of its last merge
	Memory *file.Memory
}

// MergedVersions lists the versions that the kept memories represent.
func (s Consolidations) MergedVersions(ctx context.Context) ([]MergedVersion, error) {
	return list(ctx, s.state, qStands, []any{s.state.root}, func(rows *sql.Rows, x *MergedVersion) error {
		var data []byte
		var at int64
		err := rows.Scan(&x.Kept, &x.Hash, &x.UUID, &at, &data)
		x.At = time.UnixMilli(at).UTC()
		if err != nil {
			return err
		}
		if x.Memory, err = file.Parse(data); err != nil {
			return fmt.Errorf("version %s of %s: %w", x.Hash, x.UUID, err)
		}
		return nil
	})
}

// Merged is what a merge must record before it changes files.
type Merged struct {
	Kept     *file.Memory    // before the merge
	Archived []*file.Memory  // before the merge
	Reason   string          // of their tombstones
	Stands   []MergedVersion // what the kept memory represents from now on; Memory is not read
}

// Merge records in one transaction what a merge removes: tombstones of the archived memories, the
// previous version of the kept one, and what it now represents. The files change afterwards, so a
// killed process loses nothing.
func (s Consolidations) Merge(ctx context.Context, worktree string, m Merged) error {
	if err := s.state.db.backupDaily(ctx); err != nil {
		return err
	}
	now := s.state.now()
	return s.state.db.do(ctx, func(tx *sql.Tx) error {
		if err := exec(ctx, tx, "drop old tombstones", qExpireTombstones, now.Add(-tombstoneKept).UnixMilli()); err != nil {
			return err
		}
		for _, x := range append([]*file.Memory{m.Kept}, m.Archived...) {
			if _, err := s.state.Versions().insert(ctx, tx, x); err != nil {
				return err
			}
		}
		for _, x := range m.Archived {
			data, err := x.Marshal()
			if err != nil {
				return err
			}
			if err := exec(ctx, tx, "keep a tombstone", qPutTombstone, x.UUID, x.RelPath(), m.Reason, data, now.UnixMilli(), s.state.root); err != nil {
				return err
			}
			if err := exec(ctx, tx, "drop a personal mirror", qDropMirror, worktree, x.UUID); err != nil {
				return err
			}
		}
		for _, x := range m.Stands {
			if err := exec(ctx, tx, "note what a memory stands for", qPutStands, s.state.root, m.Kept.UUID, x.Hash, x.UUID, now.UnixMilli()); err != nil {
				return err
			}
		}
		return nil
	})
}

// Unmerge reverts Merge for memories whose files stayed in place.
func (s Consolidations) Unmerge(ctx context.Context, m Merged) error {
	return s.state.db.do(ctx, func(tx *sql.Tx) error {
		for _, x := range m.Archived {
			if err := exec(ctx, tx, "remove a tombstone", qDropTombstone, x.UUID); err != nil {
				return err
			}
			hash, err := x.Hash()
			if err != nil {
				return err
			}
			if err := exec(ctx, tx, "forget what a memory stood for", qDropStands, s.state.root, m.Kept.UUID, hash); err != nil {
				return err
			}
		}
		return nil
	})
}

// Pair is two memories, by uuid.
type Pair struct{ One, Other string }

// Paired returns the pair of two memories in either order.
func Paired(a, b string) Pair {
	if b < a {
		a, b = b, a
	}
	return Pair{a, b}
}

// KeepApart records that a person does not want some memories merged.
func (s Consolidations) KeepApart(ctx context.Context, pairs []Pair) error {
	return s.state.db.do(ctx, func(tx *sql.Tx) error {
		for _, p := range pairs {
			p = Paired(p.One, p.Other)
			if err := exec(ctx, tx, "keep two memories apart", qPutApart, s.state.root, p.One, p.Other, s.state.now().UnixMilli()); err != nil {
				return err
			}
		}
		return nil
	})
}

// Apart lists the pairs that a person keeps apart.
func (s Consolidations) Apart(ctx context.Context) (map[Pair]bool, error) {
	return mapped(ctx, s.state, qApart, []any{s.state.root}, func(rows *sql.Rows, p *Pair, is *bool) error {
		*is = true
		return rows.Scan(&p.One, &p.Other)
	})
}
