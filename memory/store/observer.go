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
	qSessionLogs  = `SELECT log, max(bytes) FROM observer_sessions GROUP BY log`
	qSessions     = `SELECT session, log, agent, kind, started_ms, ended_ms, events, steps, tainted, candidates FROM observer_sessions WHERE root = ?1 ORDER BY started_ms DESC, session LIMIT ?2`
	qCountSession = `SELECT count(*) FROM observer_sessions WHERE root = ?1 AND session <> ?2`
	qSumFile      = `INSERT INTO observer_files (root, path, sessions, edited, reads, edits, weight, first_ms, last_ms) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?8)
		ON CONFLICT (root, path) DO UPDATE SET sessions = sessions + ?3, edited = edited + ?4, reads = reads + ?5, edits = edits + ?6, weight = max(0, weight + ?7),
			first_ms = min(first_ms, ?8), last_ms = max(last_ms, ?8)`
	qNoFiles = `DELETE FROM observer_files WHERE root = ?1 AND sessions <= 0`
	qSumPair = `INSERT INTO observer_pairs (root, a, b, sessions, raw, edited, forward, delta_ms, weight, last_ms, kinds)
		VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, iif(?11 = '', '{}', json_object(?11, ?4)))
		ON CONFLICT (root, a, b) DO UPDATE SET sessions = sessions + ?4, raw = raw + ?5, edited = edited + ?6, forward = forward + ?7, delta_ms = delta_ms + ?8,
			weight = max(0, weight + ?9), last_ms = max(last_ms, ?10),
			kinds = iif(?11 = '', kinds, json_set(kinds, '$.' || ?11, coalesce(json_extract(kinds, '$.' || ?11), 0) + ?4))`
	qNoPairs  = `DELETE FROM observer_pairs WHERE root = ?1 AND sessions <= 0 AND promoted_ms = 0`
	qSumError = `INSERT INTO observer_errors (root, tool, subject, fingerprint, trigger, message, failed, fix, how, generic, count, sessions, tainted, last_ms)
		VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)
		ON CONFLICT (root, tool, subject, fingerprint, trigger) DO UPDATE SET
			message = CASE WHEN ?13 > 0 AND sessions > tainted THEN message ELSE ?6 END,
			failed = CASE WHEN ?13 > 0 AND sessions > tainted THEN failed WHEN ?8 <> '' OR fix = '' OR tainted >= sessions THEN ?7 ELSE failed END,
			how = CASE WHEN ?13 > 0 AND sessions > tainted THEN how WHEN ?8 <> '' OR fix = '' OR tainted >= sessions THEN ?9 ELSE how END,
			fix = CASE WHEN ?13 > 0 AND sessions > tainted THEN fix WHEN ?8 <> '' OR tainted >= sessions THEN ?8 ELSE fix END,
			count = count + ?11, sessions = sessions + ?12, tainted = tainted + ?13, last_ms = max(last_ms, ?14)`
	qNoErrors   = `DELETE FROM observer_errors WHERE root = ?1 AND sessions <= 0`
	qSumCommand = `INSERT INTO observer_commands (root, key, runs, fails, sessions, failed) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
		ON CONFLICT (root, key) DO UPDATE SET runs = runs + ?3, fails = fails + ?4, sessions = sessions + ?5, failed = failed + ?6`
	qNoSignals = `DELETE FROM observer_signals WHERE root = ?1 AND session = ?2`
	qPutSignal = `INSERT INTO observer_signals (root, kind, key, session, count, tainted, at_ms) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
		ON CONFLICT (root, kind, key, session) DO UPDATE SET count = ?5, tainted = ?6, at_ms = ?7`
	qRequests     = `SELECT key, count FROM observer_signals WHERE root = ?1 AND kind = 'request' ORDER BY at_ms DESC, session, key LIMIT ?2`
	qPastCommands = `SELECT k.value, c.runs, c.fails FROM json_each(?2) AS k CROSS JOIN observer_commands AS c ON c.root = ?1 AND c.key = k.value`
	qPastTook     = `SELECT s.key, s.count FROM json_each(?2) AS k
		CROSS JOIN observer_signals AS s ON s.root = ?1 AND s.kind = 'took' AND s.key > k.value || char(0) AND s.key < k.value || char(1) AND s.session <> ?3`
	qPutRan = `INSERT INTO observer_signals (root, kind, key, session, count, tainted, at_ms)
		SELECT ?1, 'ran', ?2, ?3, ?4, 0, ?5 WHERE EXISTS (SELECT 1 FROM observer_errors WHERE root = ?1 AND tool = 'shell' AND subject = substr(?2, 1, instr(?2 || char(10), char(10)) - 1))
		ON CONFLICT (root, kind, key, session) DO UPDATE SET count = ?4, at_ms = ?5`
	qTriggers    = `SELECT DISTINCT trigger FROM observer_errors WHERE root = ?1 AND tool = 'shell' AND subject = ?2 AND trigger <> ''`
	qSumModule   = `INSERT INTO observer_modules (root, module, sessions) VALUES (?1, ?2, ?3) ON CONFLICT (root, module) DO UPDATE SET sessions = sessions + ?3`
	qPutProposal = `INSERT OR IGNORE INTO observer_proposals (root, kind, key, uuid, session, verdict, at_ms) VALUES (?1, ?2, ?3, ?4, ?5, '', ?6)`
	qWithdraw    = `DELETE FROM drafts WHERE status = 'candidate' AND uuid IN (SELECT uuid FROM observer_proposals WHERE root = ?1 AND kind = ?2 AND key = ?3 AND verdict = '')`
	qUnpropose   = `DELETE FROM observer_proposals WHERE root = ?1 AND kind = ?2 AND key = ?3 AND verdict = ''`
	qPromoted    = `UPDATE observer_pairs SET promoted_ms = ?4 WHERE root = ?1 AND a = ?2 AND b = ?3`
	qJudge       = `UPDATE observer_proposals SET verdict = ?2 WHERE uuid = ?1`
	qJudged      = `SELECT kind, verdict, count(*) FROM observer_proposals WHERE root = ?1 AND verdict <> '' GROUP BY kind, verdict`
	qProposed    = `SELECT kind, key FROM observer_proposals WHERE root = ?1 AND kind || char(0) || key IN (SELECT value FROM json_each(?2))`
	qPastSignals = `SELECT s.kind, s.key, count(*), sum(s.count), sum(s.tainted = 0), json_group_array(s.session) FROM json_each(?2) AS k
		CROSS JOIN observer_signals AS s ON s.root = ?1 AND s.kind = json_extract(k.value, '$[0]') AND s.key = json_extract(k.value, '$[1]') AND s.session <> ?3
		GROUP BY s.kind, s.key`
	qPastFiles   = `SELECT f.path, f.sessions, f.edited FROM json_each(?2) AS k CROSS JOIN observer_files AS f ON f.root = ?1 AND f.path = k.value`
	qPastPairs   = `SELECT p.a, p.b, p.sessions, p.edited, p.forward, p.promoted_ms FROM json_each(?2) AS k CROSS JOIN observer_pairs AS p ON p.root = ?1 AND p.a = k.value`
	qDraftTexts  = `SELECT json FROM drafts WHERE root = ?1`
	qForgetStale = `UPDATE observer_sessions SET report = NULL WHERE finished_ms < ?1 AND report IS NOT NULL`

	qKnownErrors = `SELECT count(*) FROM json_each(?2) AS k WHERE EXISTS (SELECT 1 FROM observer_errors AS e WHERE e.root = ?1 AND e.tool = json_extract(k.value, '$.tool')
		AND e.subject = json_extract(k.value, '$.subject') AND e.fingerprint = json_extract(k.value, '$.fingerprint') AND e.sessions > 0)`
	qKnownReads = `SELECT count(*) FROM json_each(?2) AS k JOIN observer_files AS f ON f.root = ?1 AND f.path = k.value AND f.reads > 0`

	qDraftsOf     = `SELECT json FROM drafts WHERE root = ?1 AND status IN ('candidate', 'draft') AND session = ?2 ORDER BY created_ms DESC, uuid LIMIT 8`
	qDraftsBeside = `SELECT json FROM drafts WHERE root = ?1 AND status = 'draft' AND coalesce(session, '') <> ?2 ORDER BY created_ms DESC, uuid LIMIT 20`
	qFrequent     = `SELECT tool, subject, fingerprint, trigger, message, failed, fix, how, generic, count, sessions, tainted, last_ms,
			(SELECT count(*) FROM observer_sessions WHERE root = ?1 AND started_ms >= ?2),
			(SELECT count(*) FROM observer_signals AS s WHERE s.root = ?1 AND s.kind = 'ran' AND s.key = iif(trigger = '', subject, subject || char(10) || trigger) AND s.at_ms > last_ms AND tool = 'shell')
		FROM observer_errors WHERE root = ?1 AND last_ms >= ?2 AND sessions >= ?3 AND generic = 0 ORDER BY sessions DESC, subject, fingerprint, trigger LIMIT 20`
	qFailuresFor = `SELECT e.tool, e.subject, e.fingerprint, e.trigger, e.message, e.failed, e.fix, e.how, e.generic, e.count, e.sessions, e.tainted, e.last_ms,
			coalesce(c.sessions, 0),
			(SELECT count(*) FROM observer_signals AS s WHERE s.root = ?1 AND s.kind = 'ran' AND s.key = iif(e.trigger = '', e.subject, e.subject || char(10) || e.trigger) AND s.at_ms > e.last_ms AND ?2 = 'shell')
		FROM json_each(?3) AS k CROSS JOIN observer_errors AS e ON e.root = ?1 AND e.tool = ?2 AND e.subject = k.value
		LEFT JOIN observer_commands AS c ON c.root = ?1 AND c.key = e.subject AND ?2 = 'shell' WHERE e.sessions > 0`
	qFailuresLike = `SELECT tool, subject, fingerprint, trigger, message, failed, fix, how, generic, count, sessions, tainted, last_ms, 0, 0
		FROM observer_errors WHERE root = ?1 AND tool = ?2 AND fingerprint = ?3 AND sessions > 0 AND generic = 0 ORDER BY last_ms DESC, subject, trigger LIMIT 20`
	qNextOf = `SELECT * FROM (SELECT b, sessions, weight, 0 FROM observer_pairs WHERE root = ?1 AND a = ?2 ORDER BY weight DESC LIMIT ?3)
		UNION ALL SELECT * FROM (SELECT a, sessions, weight, 0 FROM observer_pairs WHERE root = ?1 AND b = ?2 ORDER BY weight DESC LIMIT ?3)`
	qNextOfKind = `SELECT * FROM (SELECT b, sessions, weight, coalesce(json_extract(kinds, '$.' || ?4), 0) FROM observer_pairs WHERE root = ?1 AND a = ?2 ORDER BY weight DESC LIMIT ?3)
		UNION ALL SELECT * FROM (SELECT a, sessions, weight, coalesce(json_extract(kinds, '$.' || ?4), 0) FROM observer_pairs WHERE root = ?1 AND b = ?2 ORDER BY weight DESC LIMIT ?3)`
	qPopular = `SELECT path, weight FROM observer_files WHERE root = ?1 ORDER BY weight DESC, path LIMIT ?2`
)

// Observe adds a session's report to the sums, with its candidates, in one transaction. It first
// subtracts an earlier report of the same session, so that repeated or continued reports count
// once. A candidate that repeats an earlier one is counted there. It returns the new drafts.
func (s *State) Observe(ctx context.Context, o Observation, proposals []Proposal) (fresh []string, err error) {
	o.Task = episode.KindOf(o.Episode.Task)
	data, err := json.Marshal(o)
	if err != nil {
		return nil, fmt.Errorf("encode a session's report: %w", err)
	}
	err = s.do(ctx, func(tx *sql.Tx) error {
		old, err := reported(ctx, tx, s.root, o.Session)
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
		return exec(ctx, tx, "note a session", qPutSession, s.root, o.Session, o.Log, o.Agent, o.Kind, o.Started, o.Ended, o.Events, o.Bytes, o.Steps, o.Tainted, len(fresh), data, s.now().UnixMilli())
	})
	return fresh, err
}

// replaceInSums puts a session's report in the place of its earlier one, nil for none.
func (s *State) replaceInSums(ctx context.Context, tx *sql.Tx, old *Observation, o Observation) error {
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
func (s *State) withdraw(ctx context.Context, tx *sql.Tx, proposal [2]string) error {
	for _, q := range []string{qWithdraw, qUnpropose} {
		if err := exec(ctx, tx, "withdraw a candidate", q, s.root, proposal[0], proposal[1]); err != nil {
			return err
		}
	}
	return nil
}

// proposeAll stores the candidates of a session and returns the uuids of the new drafts.
func (s *State) proposeAll(ctx context.Context, tx *sql.Tx, o Observation, proposals []Proposal) (fresh []string, err error) {
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
func (s *State) putParts(ctx context.Context, tx *sql.Tx, o Observation) error {
	for _, l := range o.Shown {
		if err := s.Shown().put(ctx, tx, l); err != nil {
			return err
		}
	}
	if o.Episode.Session != "" {
		if err := s.Episodes().put(ctx, tx, o.Episode); err != nil {
			return err
		}
	}
	for _, u := range o.Uses {
		if err := s.Episodes().recordUse(ctx, tx, u); err != nil {
			return err
		}
	}
	return s.putModule(ctx, tx, o)
}

// countKnown counts what a session did that earlier ones had done before it, for its line in the
// ledger. The sums must not have the session yet.
func (s *State) countKnown(ctx context.Context, tx *sql.Tx, o Observation) error {
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
		if err := tx.QueryRowContext(ctx, qKnownErrors, s.root, string(failures)).Scan(&l.Session.Repeated); err != nil {
			return fmt.Errorf("count the repeated failures: %w", err)
		}
		if err := tx.QueryRowContext(ctx, qKnownReads, s.root, jsonList(reads)).Scan(&l.Session.Reread); err != nil {
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
func (s *State) propose(ctx context.Context, tx *sql.Tx, o Observation, p Proposal) (isNew bool, err error) {
	m := p.Draft.Memory
	data, err := m.Marshal()
	if err != nil {
		return false, err
	}
	now := s.now().UnixMilli()
	res, err := tx.ExecContext(ctx, qPutProposal, s.root, p.Kind, p.Key, m.UUID, o.Session, now)
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
		if err := exec(ctx, tx, "mark a pair", qPromoted, s.root, a, b, now); err != nil {
			return false, err
		}
	}
	key := m.DedupeKey()
	var same, status string
	var old []byte
	err = tx.QueryRowContext(ctx, qSameDraft, key, s.root).Scan(&same, &status, &old)
	if err == nil {
		return false, exec(ctx, tx, "count a draft", qSeenAgain, same, now)
	}
	if !errors.Is(err, sql.ErrNoRows) {
		return false, fmt.Errorf("look for the same draft: %w", err)
	}
	d := p.Draft
	if p.Procedure != nil {
		if err := s.Episodes().putProcedure(ctx, tx, m.UUID, *p.Procedure); err != nil {
			return false, err
		}
	}
	return true, exec(ctx, tx, "store a candidate", qPutDraft, m.UUID, StatusCandidate, d.Reason, d.Tool, d.Session, key, data, now, s.root)
}

// ObservedLogs returns the event logs in the sums with their size at that time. Logs that have
// grown must be read again. Workspaces of one repository share their logs.
func (s *State) ObservedLogs(ctx context.Context) (map[string]int64, error) {
	out := map[string]int64{}
	err := s.query(ctx, qSessionLogs, nil, func(rows *sql.Rows) error { return scanLog(rows, out) })
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

// ObservedSessions lists the observed sessions, newest first.
func (s *State) ObservedSessions(ctx context.Context, limit int) ([]SessionRow, error) {
	var out []SessionRow
	err := s.query(ctx, qSessions, []any{s.root, limit}, func(rows *sql.Rows) error {
		var r SessionRow
		var started, ended int64
		err := rows.Scan(&r.Session, &r.Log, &r.Agent, &r.Kind, &started, &ended, &r.Events, &r.Steps, &r.Tainted, &r.Candidates)
		r.Started, r.Ended = time.UnixMilli(started).UTC(), time.UnixMilli(ended).UTC()
		out = append(out, r)
		return err
	})
	return out, err
}

// SettleReports drops the reports of sessions that ended before a time. Their logs are gone, so
// they can't change any more. The sums stay.
func (s *State) SettleReports(ctx context.Context, before time.Time) error {
	return s.do(ctx, func(tx *sql.Tx) error {
		return exec(ctx, tx, "drop old reports", qForgetStale, before.UnixMilli())
	})
}
