package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"manicule/memory/episode"
)

// Statements about observed sessions.
const (
	qSessionReport = `SELECT report FROM observer_sessions WHERE root = ?1 AND session = ?2`
	qPutSession    = `INSERT INTO observer_sessions (root, session, log, agent, kind, started_ms, ended_ms, events, bytes, steps, tainted, candidates, report, finished_ms)
		VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)
		ON CONFLICT (root, session) DO UPDATE SET log = ?3, agent = ?4, kind = ?5, started_ms = ?6, ended_ms = ?7, events = ?8, bytes = ?9, steps = ?10,
			tainted = ?11, candidates = candidates + ?12, report = ?13, finished_ms = ?14`
	qSessionLogs = `SELECT log, max(bytes) FROM observer_sessions GROUP BY log`
	qLogsNamed   = `SELECT log, max(bytes) FROM observer_sessions WHERE log IN (SELECT value FROM json_each(?1)) GROUP BY log`
	qSessions    = `SELECT session, log, agent, kind, started_ms, ended_ms, events, steps, tainted, candidates FROM observer_sessions WHERE root = ?1 ORDER BY started_ms DESC, session LIMIT ?2`
	qPutProposal = `INSERT OR IGNORE INTO observer_proposals (root, kind, key, uuid, session, verdict, at_ms) VALUES (?1, ?2, ?3, ?4, ?5, '', ?6)`
	qWithdraw    = `DELETE FROM drafts WHERE status = 'candidate' AND uuid IN (SELECT uuid FROM observer_proposals WHERE root = ?1 AND kind = ?2 AND key = ?3 AND verdict = '')`
	qUnpropose   = `DELETE FROM observer_proposals WHERE root = ?1 AND kind = ?2 AND key = ?3 AND verdict = ''`
	qPromoted    = `UPDATE observer_pairs SET promoted_ms = ?4 WHERE root = ?1 AND a = ?2 AND b = ?3`
	qJudge       = `UPDATE observer_proposals SET verdict = ?2 WHERE uuid = ?1`
	qPastFiles   = `SELECT f.path, f.sessions, f.edited FROM json_each(?2) AS k CROSS JOIN observer_files AS f ON f.root = ?1 AND f.path = k.value`
	qFailures    = `SELECT subject, sum(count) FROM observer_errors WHERE root = ?1 AND generic = 0 GROUP BY subject`
	qForgetStale = `UPDATE observer_sessions SET report = NULL WHERE finished_ms < ?1 AND report IS NOT NULL`

	qKnownErrors = `SELECT count(*) FROM json_each(?2) AS k WHERE EXISTS (SELECT 1 FROM observer_errors AS e WHERE e.root = ?1 AND e.tool = json_extract(k.value, '$.tool')
		AND e.subject = json_extract(k.value, '$.subject') AND e.fingerprint = json_extract(k.value, '$.fingerprint') AND e.sessions > 0)`
	qKnownReads = `SELECT count(*) FROM json_each(?2) AS k JOIN observer_files AS f ON f.root = ?1 AND f.path = k.value AND f.reads > 0`
)

// Sessions are the reports about agents' sessions, the sums over them, and what was proposed because of them: the tables
// observer_sessions, observer_files, observer_pairs, observer_errors, observer_commands, observer_modules, observer_signals and
// observer_proposals. [ObserverReader] reads the sums for hooks.
type Sessions struct{ state *State }

// Sessions returns the reports about the sessions of the workspace.
func (s *State) Sessions() Sessions { return Sessions{s} }

// Put adds a session's report to the sums, with its candidates, in one transaction. It first
// subtracts an earlier report of the same session, so that repeated or continued reports count
// once. A candidate that repeats an earlier one is counted there. It returns the new drafts.
func (s Sessions) Put(ctx context.Context, o Observation, proposals []Proposal) (fresh []string, err error) {
	o.Task = episode.KindOf(o.Episode.Task)
	data, err := json.Marshal(o)
	if err != nil {
		return nil, fmt.Errorf("encode a session's report: %w", err)
	}
	err = s.state.db.do(ctx, func(tx *sql.Tx) error {
		old, err := reported(ctx, tx, s.state.root, o.Session)
		if err != nil {
			return err
		}
		if err := s.replaceInSums(ctx, tx, old, o); err != nil {
			return err
		}
		if old != nil && o.Withdrawn[0] != "" {
			if err := s.withdraw(ctx, tx, o.Withdrawn); err != nil {
				return err
			}
		}
		if fresh, err = s.proposeAll(ctx, tx, o, proposals); err != nil {
			return err
		}
		if err := s.putParts(ctx, tx, o); err != nil {
			return err
		}
		return exec(ctx, tx, "note a session", qPutSession, s.state.root, o.Session, o.Log, o.Agent, o.Kind, o.Started, o.Ended, o.Events, o.Bytes, o.Steps, o.Tainted, len(fresh), data, s.state.now().UnixMilli())
	})
	return fresh, err
}

// replaceInSums puts a session's report in the place of its earlier one, nil for none.
func (s Sessions) replaceInSums(ctx context.Context, tx *sql.Tx, old *Observation, o Observation) error {
	if old != nil {
		if err := s.takeFromSums(ctx, tx, *old); err != nil {
			return err
		}
	}
	if err := s.countKnown(ctx, tx, o); err != nil {
		return err
	}
	if err := s.addToSums(ctx, tx, o); err != nil || old == nil {
		return err
	}
	return s.dropEmptySums(ctx, tx)
}

// withdraw takes back a proposal, given by its kind and key, that nobody has judged.
func (s Sessions) withdraw(ctx context.Context, tx *sql.Tx, proposal [2]string) error {
	for _, q := range []string{qWithdraw, qUnpropose} {
		if err := exec(ctx, tx, "withdraw a candidate", q, s.state.root, proposal[0], proposal[1]); err != nil {
			return err
		}
	}
	return nil
}

// proposeAll stores the candidates of a session and returns the uuids of the new drafts.
func (s Sessions) proposeAll(ctx context.Context, tx *sql.Tx, o Observation, proposals []Proposal) (fresh []string, err error) {
	for _, p := range proposals {
		isNew, err := s.propose(ctx, tx, o, p)
		if err != nil {
			return nil, err
		}
		if isNew {
			fresh = append(fresh, p.Draft.Memory.UUID)
		}
	}
	return fresh, nil
}

// putParts stores what of a report has rows of its own: what was shown, the episode, the uses of procedures, the module.
func (s Sessions) putParts(ctx context.Context, tx *sql.Tx, o Observation) error {
	for _, l := range o.Shown {
		if err := s.state.Shown().put(ctx, tx, l); err != nil {
			return err
		}
	}
	if o.Episode.Session != "" {
		if err := s.state.Episodes().put(ctx, tx, o.Episode); err != nil {
			return err
		}
	}
	for _, u := range o.Uses {
		if err := recordUse(ctx, tx, u); err != nil {
			return err
		}
	}
	return s.state.Digests().put(ctx, tx, o)
}

// countKnown counts what a session did that earlier ones had done before it, for its line in the
// ledger. The sums must not have the session yet.
func (s Sessions) countKnown(ctx context.Context, tx *sql.Tx, o Observation) error {
	var reads []string
	for _, f := range o.Files {
		if f.Reads > 0 {
			reads = append(reads, f.Path)
		}
	}
	failures, err := json.Marshal(o.Errors)
	if err != nil {
		return fmt.Errorf("encode a session's errors: %w", err)
	}
	for _, l := range o.Shown {
		if l.Session == nil || l.Session.Session != o.Session {
			continue
		}
		if err := tx.QueryRowContext(ctx, qKnownErrors, s.state.root, string(failures)).Scan(&l.Session.Repeated); err != nil {
			return fmt.Errorf("count the repeated failures: %w", err)
		}
		if err := tx.QueryRowContext(ctx, qKnownReads, s.state.root, jsonList(reads)).Scan(&l.Session.Reread); err != nil {
			return fmt.Errorf("count the files that were read before: %w", err)
		}
	}
	return nil
}

// reported returns a session's report that is in the sums.
func reported(ctx context.Context, tx *sql.Tx, root, session string) (*Observation, error) {
	var data []byte
	err := tx.QueryRowContext(ctx, qSessionReport, root, session).Scan(&data)
	if errors.Is(err, sql.ErrNoRows) || err == nil && data == nil {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read a session's report: %w", err)
	}
	var o Observation
	if err := json.Unmarshal(data, &o); err != nil {
		return nil, fmt.Errorf("decode a session's report: %w", err)
	}
	return &o, nil
}

// propose stores a candidate, unless it was proposed before.
func (s Sessions) propose(ctx context.Context, tx *sql.Tx, o Observation, p Proposal) (isNew bool, err error) {
	m := p.Draft.Memory
	data, err := m.Marshal()
	if err != nil {
		return false, err
	}
	now := s.state.now().UnixMilli()
	res, err := tx.ExecContext(ctx, qPutProposal, s.state.root, p.Kind, p.Key, m.UUID, o.Session, now)
	if err != nil {
		return false, fmt.Errorf("note a proposal: %w", err)
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return false, err // another process proposed it meanwhile
	}
	if a, b, ok := strings.Cut(p.Key, "\x00"); ok {
		if a > b {
			a, b = b, a
		}
		if err := exec(ctx, tx, "mark a pair", qPromoted, s.state.root, a, b, now); err != nil {
			return false, err
		}
	}
	key := m.DedupeKey()
	var same, status string
	var old []byte
	err = tx.QueryRowContext(ctx, qSameDraft, key, s.state.root).Scan(&same, &status, &old)
	if err == nil {
		return false, exec(ctx, tx, "count a draft", qSeenAgain, same, now)
	}
	if !errors.Is(err, sql.ErrNoRows) {
		return false, fmt.Errorf("look for the same draft: %w", err)
	}
	d := p.Draft
	if p.Procedure != nil {
		if err := s.state.Episodes().putProcedure(ctx, tx, m.UUID, *p.Procedure); err != nil {
			return false, err
		}
	}
	return true, exec(ctx, tx, "store a candidate", qPutDraft, m.UUID, StatusCandidate, d.Reason, d.Tool, d.Session, key, data, now, s.state.root)
}

// Logs returns the event logs in the sums with their size at that time. Logs that have
// grown must be read again. Workspaces of one repository share their logs.
func (s Sessions) Logs(ctx context.Context) (map[string]int64, error) {
	out := map[string]int64{}
	err := s.state.db.query(ctx, qSessionLogs, nil, func(rows *sql.Rows) error { return scanLog(rows, out) })
	return out, err
}

func scanLog(rows *sql.Rows, into map[string]int64) error {
	var log string
	var bytes int64
	err := rows.Scan(&log, &bytes)
	into[log] = bytes
	return err
}

// SessionRow is an observed session.
type SessionRow struct {
	Session    string    `json:"session"`
	Log        string    `json:"-"`
	Agent      string    `json:"agent"`
	Kind       string    `json:"kind"`
	Started    time.Time `json:"started"`
	Ended      time.Time `json:"ended"`
	Events     int       `json:"events"`
	Steps      int       `json:"calls"`
	Tainted    bool      `json:"tainted"`
	Candidates int       `json:"candidates"`
}

// Latest lists the observed sessions, newest first.
func (s Sessions) Latest(ctx context.Context, limit int) ([]SessionRow, error) {
	return list(ctx, s.state, qSessions, []any{s.state.root, limit}, func(rows *sql.Rows, r *SessionRow) error {
		var started, ended int64
		err := rows.Scan(&r.Session, &r.Log, &r.Agent, &r.Kind, &started, &ended, &r.Events, &r.Steps, &r.Tainted, &r.Candidates)
		r.Started, r.Ended = time.UnixMilli(started).UTC(), time.UnixMilli(ended).UTC()
		return err
	})
}

// DropReports drops the reports of sessions that ended before a time. Their logs are gone, so
// they can't change any more. The sums stay.
func (s Sessions) DropReports(ctx context.Context, before time.Time) error {
	return s.state.db.do(ctx, func(tx *sql.Tx) error {
		return exec(ctx, tx, "drop old reports", qForgetStale, before.UnixMilli())
	})
}

// Failures returns how often sessions met an error that is this project's own, by what failed: a
// path, or a command.
func (s Sessions) Failures(ctx context.Context) (map[string]int, error) {
	return mapped(ctx, s.state, qFailures, []any{s.state.root}, func(rows *sql.Rows, subject *string, n *int) error {
		return rows.Scan(subject, n)
	})
}
