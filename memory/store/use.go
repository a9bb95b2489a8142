package store

import (
	"context"
	"database/sql"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"manicule/memory/file"
	"manicule/memory/life"
)

// Statements about the use of memories.
const (
	qLives   = `SELECT uuid, life FROM memories`
	qLifeOf  = `SELECT uuid, life FROM memories WHERE uuid IN (SELECT value FROM json_each(?1))`
	qLifeRow = `SELECT memory_id, path, json, unreviewed, places FROM memories WHERE uuid = ?1 ORDER BY path LIMIT 1`
	qSetLife = `UPDATE memories SET life = ?2, tier = ?3 WHERE memory_id = ?1`
)

// AsOf sets the time up to which the ages of rows count.
func AsOf(rows []Row, now time.Time) {
	for i := range rows {
		rows[i].Now = now
	}
}

// Use returns the use of the row's memory on this machine.
func (r Row) Use() life.Use { return life.DecodeUse(r.life) }

// NoteUses stores the use of memories beside their rows: rankings then need no other database. Only
// lists the memories to look at, nil for all. It returns the uses that changed.
func (s *Memories) NoteUses(ctx context.Context, only []string, use func(uuid string, was life.Use) life.Use) (map[string]life.Use, error) {
	changed := map[string]life.Use{}
	query, args := qLives, []any(nil)
	if only != nil {
		query, args = qLifeOf, []any{jsonList(only)}
	}
	err := s.read(ctx, func(db DB) error {
		clear(changed)
		return scan(ctx, db, query, args, func(rows *sql.Rows) error {
			var uuid, was string
			if err := rows.Scan(&uuid, &was); err != nil {
				return err
			}
			if is := use(uuid, life.DecodeUse(was)); is.Encode() != was {
				changed[uuid] = is
			}
			return nil
		})
	})
	if err != nil || len(changed) == 0 {
		return nil, err
	}
	return changed, s.write(ctx, func(tx *sql.Tx) (err error) {
		prep := prepareOnce(tx)
		defer func() { err = errors.Join(err, prep.close()) }()
		for _, uuid := range slices.Sorted(maps.Keys(changed)) {
			if err := s.writer.noteUse(ctx, prep, uuid, changed[uuid].Encode()); err != nil {
				return err
			}
		}
		return nil
	})
}

func (w *rowWriter) noteUse(ctx context.Context, tx runner, uuid, use string) error {
	row, places, ok, err := storedMemory(ctx, tx, qLifeRow, uuid)
	if err != nil || !ok {
		return err
	}
	row.use = use
	if err := exec(ctx, tx, "note the use of a memory", qSetLife, row.id, use, life.TierOf(row.m, life.DecodeUse(use))); err != nil {
		return err
	}
	if err := exec(ctx, tx, "drop reaches", qClearReaches, row.id); err != nil {
		return err
	}
	return w.reach(ctx, tx, row, Align(decodePlaces(places), row.m))
}

// outlineStanding encodes what else the effective confidence depends on, "" for most memories.
func outlineStanding(m *file.Memory) string {
	half, verified, disputed, review, tainted := "", "", "", "", ""
	if m.HalfLifeDays != nil {
		half = strconv.FormatFloat(*m.HalfLifeDays, 'g', -1, 64)
	}
	if m.Trust.VerifiedBy != "" {
		verified = "0"
		if m.Trust.VerifiedAt != nil {
			verified = strconv.FormatInt(m.Trust.VerifiedAt.UnixMilli(), 10)
		}
	}
	if m.Trust.Disputed() {
		disputed = "1"
	}
	if m.Trust.NeedsReview {
		review = "1"
	}
	if m.Trust.Tainted {
		tainted = "1"
	}
	if half+verified+disputed+review+tainted == "" {
		return ""
	}
	return strings.Join([]string{half, verified, disputed, review, tainted}, itemSep)
}

// somebody stands for a person whose name an outline leaves out.
const somebody = "a person"

func setStanding(m *file.Memory, field string) {
	f := strings.Split(field, itemSep)
	if len(f) != 5 {
		return
	}
	if half, err := strconv.ParseFloat(f[0], 64); err == nil {
		m.HalfLifeDays = &half
	}
	if ms, err := strconv.ParseInt(f[1], 10, 64); err == nil {
		m.Trust.VerifiedBy = somebody
		if ms > 0 {
			at := file.At(time.UnixMilli(ms))
			m.Trust.VerifiedAt = &at
		}
	}
	if f[2] != "" {
		m.Trust.DisputedBy = somebody
	}
	m.Trust.NeedsReview, m.Trust.Tainted = f[3] != "", f[4] != ""
}
