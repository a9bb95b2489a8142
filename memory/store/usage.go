package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"manicule/indexer/sqlfile"
	"manicule/memory/life"
)

// Statements about what is used.
const (
	qRecalled = `INSERT INTO accesses (uuid, recalled, last_recalled_ms, access_score) VALUES (?1, 1, ?2, 1)
		ON CONFLICT (uuid) DO UPDATE SET recalled = recalled + 1,
			access_score = access_score * pow(0.5, max(0, ?2 - last_recalled_ms) / (30 * 86400000.0)) + 1, last_recalled_ms = ?2`
	qAccesses = `SELECT uuid, recalled, last_recalled_ms FROM accesses`
	qUse      = `INSERT INTO usage (day, kind, count) VALUES (?1, ?2, ?3) ON CONFLICT (day, kind) DO UPDATE SET count = count + ?3`
	qUsage    = `SELECT kind, sum(count) FROM usage WHERE day >= ?1 AND kind NOT LIKE 'judged%' GROUP BY kind ORDER BY kind`
	qTiers    = `SELECT uuid, tier FROM tiers WHERE root = ?1`
	// Only the ledger knows of "followed": a memory that was shown and not heeded was not used.
	qUseVerdicts = `SELECT uuid, verdict, sum(n), max(last) FROM (
			SELECT uuid, verdict, count(*) AS n, max(at_ms) AS last FROM shown WHERE root = ?1 AND verdict IN ('followed', 'overridden') GROUP BY uuid, verdict
			UNION ALL SELECT uuid, verdict, count, last_ms FROM shown_sums WHERE root = ?1 AND verdict IN ('followed', 'overridden'))
		GROUP BY uuid, verdict`
	qSaid = `INSERT INTO said (uuid, count, last_ms) VALUES (?1, 1, ?2)
		ON CONFLICT (uuid) DO UPDATE SET count = count + 1, last_ms = ?2`
	qSaidOf = `SELECT count FROM said WHERE uuid = ?1`
)

// Usage is how often memories and the program are used on this machine: the tables accesses, said and usage.
type Usage struct{ state *State }

// Usage returns how often memories and the program are used.
func (s *State) Usage() Usage { return Usage{s} }

// CountRecalls counts one recall of each memory and one use.
func (s Usage) CountRecalls(ctx context.Context, uuids []string) error {
	now := s.state.now()
	return s.state.db.do(ctx, func(tx *sql.Tx) error {
		for _, u := range uuids {
			if err := exec(ctx, tx, "count a recall", qRecalled, u, now.UnixMilli()); err != nil {
				return err
			}
		}
		return use(ctx, tx, now, "recall")
	})
}

// Accesses returns how often each memory was recalled on this machine, by uuid. Of a database that a newer
// version wrote there is nothing: what is found is only ranked without it.
func (s Usage) Accesses(ctx context.Context) (map[string]int, error) {
	out, err := mapped(ctx, s.state, qAccesses, nil, func(rows *sql.Rows, uuid *string, n *int) error {
		return rows.Scan(uuid, n, new(int64))
	})
	if errors.Is(err, sqlfile.ErrNewer) {
		return nil, nil
	}
	return out, err
}

// Count counts an act for the local statistics.
func (s Usage) Count(ctx context.Context, kind string) error {
	return s.state.db.do(ctx, func(tx *sql.Tx) error { return use(ctx, tx, s.state.now(), kind) })
}

func use(ctx context.Context, tx runner, now time.Time, kind string) error {
	return exec(ctx, tx, "count a use", qUse, now.UTC().Format(time.DateOnly), kind, 1)
}

// Since sums the acts by kind since a day.
func (s Usage) Since(ctx context.Context, since time.Time) (map[string]int, error) {
	return mapped(ctx, s.state, qUsage, []any{since.UTC().Format(time.DateOnly)}, func(rows *sql.Rows, k *string, n *int) error {
		return rows.Scan(k, n)
	})
}

// CountSaidAgain counts that a memory was said again.
func (s Usage) CountSaidAgain(ctx context.Context, uuid string) error {
	return s.state.db.do(ctx, func(tx *sql.Tx) error {
		return exec(ctx, tx, "count what is said again", qSaid, uuid, s.state.now().UnixMilli())
	})
}

// SaidAgain returns how often a memory was said again.
func (s Usage) SaidAgain(ctx context.Context, uuid string) (int, error) {
	return value[int](ctx, s.state, qSaidOf, uuid)
}

// ByMemory returns the use of all memories that were used, by uuid.
func (s Usage) ByMemory(ctx context.Context) (map[string]life.Use, error) {
	out := uses{}
	err := inTurn(ctx, func(ctx context.Context) error {
		return s.state.db.query(ctx, qAccesses, nil, out.scanAccess)
	}, func(ctx context.Context) error {
		return s.state.db.query(ctx, qUseVerdicts, []any{s.state.root}, out.scanVerdict)
	}, func(ctx context.Context) error {
		applied, err := s.state.Shown().Applied(ctx)
		for _, c := range applied {
			u := out[c.UUID]
			u.Worked += c.Worked
			u.Failed += c.Failed
			out[c.UUID] = u
		}
		return err
	}, func(ctx context.Context) error {
		return s.state.db.query(ctx, qTiers, []any{s.state.root}, out.scanTier)
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// uses collects the use of memories, by uuid.
type uses map[string]life.Use

func (all uses) scanAccess(rows *sql.Rows) error {
	var uuid string
	var n int
	var last int64
	err := rows.Scan(&uuid, &n, &last)
	if n > 0 {
		all[uuid] = life.Use{Uses: n, Last: time.UnixMilli(last).UTC()}
	}
	return err
}

func (all uses) scanVerdict(rows *sql.Rows) error {
	var uuid, verdict string
	var n int
	var last int64
	if err := rows.Scan(&uuid, &verdict, &n, &last); err != nil {
		return err
	}
	u := all[uuid]
	if verdict == "overridden" {
		u.Overridden += n
		all[uuid] = u
		return nil
	}
	u.Followed += n
	u.Uses += n
	if at := time.UnixMilli(last).UTC(); at.After(u.Last) {
		u.Last = at
	}
	all[uuid] = u
	return nil
}

func (all uses) scanTier(rows *sql.Rows) error {
	var uuid string
	var tier life.Tier
	err := rows.Scan(&uuid, &tier)
	u := all[uuid]
	u.Tier = tier
	all[uuid] = u
	return err
}
