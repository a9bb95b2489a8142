package store

import (
	"context"
	"database/sql"
	"time"

	"manicule/memory/trust"
)

// Statements about the evidence for a trust level.
const (
	qTrust         = `SELECT since_ms FROM trust WHERE root = ?1 AND level = ?2`
	qPutTrust      = `INSERT INTO trust (root, level, since_ms) VALUES (?1, ?2, ?3) ON CONFLICT (root) DO UPDATE SET level = ?2, since_ms = ?3`
	qTrustSessions = `SELECT count(*) FROM observer_sessions WHERE ended_ms > ?1`
	qTrustActs     = `SELECT kind, sum(count) FROM usage WHERE day > ?1 AND kind LIKE 'judged%' GROUP BY kind`
	qTrustShown    = `SELECT count(DISTINCT uuid) FROM shown WHERE at_ms > ?1 AND agent <> ''`
)

// The acts that count as evidence for a trust level; see [Usage.Count]. They are counted by day, and
// are not among the uses that [Usage.Since] reports.
const (
	UseAccepted = "judged_accepted"
	UseRejected = "judged_rejected"
	UseWrong    = "judged_wrong"
)

// wholeRepository is the root of what is kept once for a repository, as the level is: its workspaces
// share the evidence.
const wholeRepository = ""

// Trust is the evidence for the trust level of a repository: the table trust, and what others have since.
type Trust struct{ state *State }

// Trust returns the evidence for the trust level of the repository.
func (s *State) Trust() Trust { return Trust{s} }

// Start begins to collect evidence for a trust level.
func (s Trust) Start(ctx context.Context, level int) error {
	return s.state.db.do(ctx, func(tx *sql.Tx) error {
		return exec(ctx, tx, "note the trust level", qPutTrust, wholeRepository, level, s.state.now().UnixMilli())
	})
}

// Evidence returns what happened in the repository since a trust level was set, or all if nobody
// noted when. Of the day on which it was set no judgement counts: they are counted by day.
func (s Trust) Evidence(ctx context.Context, level int) (e trust.Evidence, err error) {
	since, err := value[int64](ctx, s.state, qTrust, wholeRepository, level)
	if err != nil {
		return e, err
	}
	for query, to := range map[string]*int{qTrustSessions: &e.Sessions, qTrustShown: &e.Shown} {
		if *to, err = value[int](ctx, s.state, query, since); err != nil {
			return e, err
		}
	}
	acts := map[string]*int{UseAccepted: &e.Accepted, UseRejected: &e.Rejected, UseWrong: &e.Wrong}
	err = s.state.db.query(ctx, qTrustActs, []any{time.UnixMilli(since).UTC().Format(time.DateOnly)}, func(rows *sql.Rows) error {
		var kind string
		var n int
		err := rows.Scan(&kind, &n)
		if to := acts[kind]; to != nil {
			*to = n
		}
		return err
	})
	return e, err
}
