package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// Statements about what types of memories weigh.
const (
	qShownPhases = `SELECT type, phase, verdict, sum(n) FROM (
			SELECT type, phase, verdict, count(*) AS n FROM shown WHERE root = ?1 AND phase <> '' AND type <> '' GROUP BY type, phase, verdict
			UNION ALL SELECT type, phase, verdict, count FROM shown_phases WHERE root = ?1)
		WHERE verdict IN ('followed', 'overridden', 'ignored') GROUP BY type, phase, verdict ORDER BY type, phase, verdict`
	qSumPhases = `INSERT INTO shown_phases (root, type, phase, verdict, count)
		SELECT root, type, phase, verdict, count(*) FROM shown WHERE at_ms < ?1 AND phase <> '' AND type <> '' GROUP BY root, type, phase, verdict
		ON CONFLICT (root, type, phase, verdict) DO UPDATE SET count = count + excluded.count`
	qToldSessions = `SELECT count(*) FROM shown_sessions WHERE root = ?1 AND tokens > 0`

	qPutWeight   = `INSERT OR REPLACE INTO learned_weights (root, type, phase, at_ms, weight, followed, decided) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)`
	qWeights     = `SELECT type, phase, at_ms, weight, followed, decided FROM learned_weights WHERE root = ?1 ORDER BY at_ms DESC, type, phase LIMIT ?2`
	qOldWeights  = `DELETE FROM learned_weights WHERE root = ?1 AND at_ms < ?2`
	qResetOf     = `SELECT type, phase, at_ms, 0, followed, decided FROM weights_reset WHERE root = ?1`
	qPutReset    = `INSERT INTO weights_reset (root, type, phase, followed, decided, at_ms) VALUES (?1, ?2, ?3, ?4, ?5, ?6)`
	qDropReset   = `DELETE FROM weights_reset WHERE root = ?1`
	qDropWeights = `DELETE FROM learned_weights WHERE root = ?1`
)

// PhaseCount counts the showings of a type of memory in a phase of work with one outcome.
type PhaseCount struct {
	Type, Phase, Verdict string
	Count                int
}

// Phases counts the outcomes of showings whose phase is known.
func (s Shown) Phases(ctx context.Context) ([]PhaseCount, error) {
	return list(ctx, s.state, qShownPhases, []any{s.state.root}, func(rows *sql.Rows, c *PhaseCount) error {
		return rows.Scan(&c.Type, &c.Phase, &c.Verdict, &c.Count)
	})
}

// SessionsTold counts the sessions that were told something.
func (s Shown) SessionsTold(ctx context.Context) (n int, err error) {
	n, err = value[int](ctx, s.state, qToldSessions, s.state.root)
	if err != nil {
		return 0, fmt.Errorf("count the sessions that were told something: %w", err)
	}
	return n, nil
}

// WeightRow is what a type weighed in a phase from a time on, and the evidence. The phase "" is every phase.
type WeightRow struct {
	Type, Phase       string
	At                time.Time
	Weight            float64
	Followed, Decided int
}

// Weights are what types of memories weigh by the outcome of showing them: the tables learned_weights and weights_reset.
type Weights struct{ state *State }

// Weights returns the learned weights of the workspace.
func (s *State) Weights() Weights { return Weights{s} }

// weightsKept is the number of changes of weights that are read.
const weightsKept = 500

// Log lists the changes of learned weights, newest first.
func (s Weights) Log(ctx context.Context) ([]WeightRow, error) {
	return s.list(ctx, qWeights, s.state.root, weightsKept)
}

// Discarded lists the evidence that counts no more, because a person reset the weights. The type "" has the sessions.
func (s Weights) Discarded(ctx context.Context) ([]WeightRow, error) {
	return s.list(ctx, qResetOf, s.state.root)
}

func (s Weights) list(ctx context.Context, query string, args ...any) ([]WeightRow, error) {
	return list(ctx, s.state, query, args, func(rows *sql.Rows, w *WeightRow) error {
		var at int64
		err := rows.Scan(&w.Type, &w.Phase, &at, &w.Weight, &w.Followed, &w.Decided)
		w.At = time.UnixMilli(at).UTC()
		return err
	})
}

// Put keeps changes of learned weights, and drops those before a time.
func (s Weights) Put(ctx context.Context, changes []WeightRow, before time.Time) error {
	return s.state.db.do(ctx, func(tx *sql.Tx) error {
		for _, w := range changes {
			if err := exec(ctx, tx, "keep a learned weight", qPutWeight, s.state.root, w.Type, w.Phase, w.At.UnixMilli(), w.Weight, w.Followed, w.Decided); err != nil {
				return err
			}
		}
		return exec(ctx, tx, "drop old weights", qOldWeights, s.state.root, before.UnixMilli())
	})
}

// Reset drops the learned weights of the workspace. The given evidence counts no more.
func (s Weights) Reset(ctx context.Context, evidence []WeightRow) error {
	return s.state.db.do(ctx, func(tx *sql.Tx) error {
		err := errors.Join(exec(ctx, tx, "drop the learned weights", qDropWeights, s.state.root), exec(ctx, tx, "drop an earlier reset", qDropReset, s.state.root))
		for _, w := range evidence {
			err = errors.Join(err, exec(ctx, tx, "note what counts no more", qPutReset, s.state.root, w.Type, w.Phase, w.Followed, w.Decided, w.At.UnixMilli()))
		}
		if err != nil {
			return fmt.Errorf("reset the learned weights: %w", err)
		}
		return nil
	})
}
