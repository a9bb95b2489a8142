package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"time"

	"manicule/indexer/atomicfile"
	"manicule/indexer/sqlfile"
	"manicule/indexer/treefile"
)

// Statements about showings.
const (
	qPutShown = `INSERT INTO shown (uuid, at_ms, surface, agent, agent_id, log, root, session, path, tool, tokens, verdict, rule, phase, type)
		VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?15, ?16)
		ON CONFLICT (uuid, at_ms, surface, agent, agent_id, log) DO UPDATE SET session = ?8, verdict = ?12, rule = ?13, phase = ?15, type = ?16 WHERE ?14 OR verdict IN ('', 'open')`
	qPutShownSession = `INSERT INTO shown_sessions (root, session, agent, started_ms, over, answers, tokens, calls, rereads, prompts, corrections, failed, heeded, reentered, retry, arm, repeated, reread)
		VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18)
		ON CONFLICT (root, session) DO UPDATE SET agent = ?3, started_ms = ?4, over = ?5, answers = ?6, tokens = ?7, calls = ?8, rereads = ?9, prompts = ?10,
			corrections = ?11, failed = ?12, heeded = ?13, reentered = ?14, retry = ?15, arm = ?16,
			repeated = max(repeated, ?17), reread = max(reread, ?18)`
	qPutShownLog = `INSERT INTO shown_logs (root, log, bytes, over) VALUES (?1, ?2, ?3, ?4) ON CONFLICT (root, log) DO UPDATE SET bytes = ?3, over = ?4`
	qShownLogs   = `SELECT log, bytes, over FROM shown_logs WHERE root = ?1`
	qShownOf     = `SELECT agent, surface, verdict, count(*), sum(tokens), max(at_ms) FROM shown WHERE uuid = ?1 GROUP BY agent, surface, verdict
		UNION ALL SELECT agent, surface, verdict, count, tokens, last_ms FROM shown_sums WHERE uuid = ?1`
	qShownAll = `SELECT uuid, agent, surface, verdict, count(*), sum(tokens), max(at_ms) FROM shown WHERE root = ?1 GROUP BY uuid, agent, surface, verdict
		UNION ALL SELECT uuid, agent, surface, verdict, count, tokens, last_ms FROM shown_sums WHERE root = ?1`
	qShownRecent   = `SELECT uuid, at_ms, surface, agent, agent_id, log, session, path, tool, tokens, verdict, rule FROM shown WHERE uuid = ?1 ORDER BY at_ms DESC, log LIMIT ?2`
	qShownSessions = `SELECT session, agent, started_ms, over, answers, tokens, calls, rereads, prompts, corrections, failed, heeded, reentered, retry, arm, repeated, reread
		FROM shown_sessions WHERE root = ?1 ORDER BY started_ms, session`
	qSumShown = `INSERT INTO shown_sums (uuid, agent, surface, verdict, root, count, tokens, last_ms)
		SELECT uuid, agent, surface, verdict, root, count(*), sum(tokens), max(at_ms) FROM shown WHERE at_ms < ?1 GROUP BY uuid, agent, surface, verdict, root
		ON CONFLICT (uuid, agent, surface, verdict, root) DO UPDATE SET count = count + excluded.count, tokens = tokens + excluded.tokens, last_ms = max(last_ms, excluded.last_ms)`
	qShownSettled = `SELECT settled_ms FROM shown_logs WHERE root = ?1 AND log = ?2`
	qSettleLogs   = `UPDATE shown_logs SET settled_ms = max(settled_ms, ?1)`
	qDropShown    = `DELETE FROM shown WHERE at_ms < ?1`

	qDropApplied = `DELETE FROM applied WHERE root = ?1 AND session = ?2`
	qPutApplied  = `INSERT INTO applied (root, uuid, session, agent, at_ms, outcome, rule) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)`
	qApplied     = `SELECT uuid, agent, coalesce(sum(outcome = 'worked'), 0), coalesce(sum(outcome = 'failed'), 0) FROM applied WHERE root = ?1 GROUP BY uuid, agent ORDER BY uuid, agent`
	qAppliedOf   = `SELECT coalesce(sum(outcome = 'worked'), 0), coalesce(sum(outcome = 'failed'), 0) FROM applied WHERE root = ?1 AND uuid = ?2`
)

// ShownRow is one memory in one answer. Times are Unix milliseconds.
type ShownRow struct {
	UUID    string
	At      int64
	Surface string
	Agent   string // "" for a person
	AgentID string
	Log     string
	Session string
	Path    string
	Tool    string
	Tokens  int
	Verdict string
	Rule    string
	Phase   string // of the work when it was shown, "" if unknown
	Type    string // of the memory, "" if it is gone
	// Judged is true if the session's events were available. A judged row stays so if its file is
	// read again without them.
	Judged bool
}

// ShownSession is what a session was shown and did.
type ShownSession struct {
	Session     string
	Agent       string
	Started     int64 // Unix milliseconds
	Over        bool
	Answers     int
	Tokens      int // of the answers
	Calls       int
	Rereads     int
	Prompts     int
	Corrections int
	Failed      int
	Heeded      int // warnings that it followed
	Reentered   int // warnings that it did not follow
	Retry       int // tokens of failed calls
	Arm         string
	// Repeated counts the failures that an earlier session met, and Reread the files that an
	// earlier session read, too. Observe counts them.
	Repeated, Reread int
}

// ShownState is how far a file of showings was read.
type ShownState struct {
	Bytes int64 // size of the file and of the session's events together
	Over  bool  // the session was over
}

// ShownLog is the content of one file of showings.
type ShownLog struct {
	Name string
	ShownState
	Rows    []ShownRow
	Session *ShownSession // nil without a session
	Applied []AppliedRow  // memories that the session followed
	Trials  []TrialRow    // of the session
}

// AppliedRow is a memory that a session followed, and what came of it. Rows of a session are judged anew
// with its events, and stay when these are gone.
type AppliedRow struct {
	UUID    string
	Agent   string
	At      int64 // Unix milliseconds of the call that followed it
	Outcome string
	Rule    string
}

// AppliedCount counts the sessions of an agent that followed a memory by what came of it.
type AppliedCount struct {
	UUID, Agent    string
	Worked, Failed int
}

// Shown are what the ledger keeps of the memories that were shown: the tables shown, shown_logs, shown_phases, shown_sessions, shown_sums, applied and trials.
type Shown struct{ state *State }

// Shown returns what was shown of the workspace's memories.
func (s *State) Shown() Shown { return Shown{s} }

// Put stores the contents of files of showings in one transaction. It is idempotent.
func (s Shown) Put(ctx context.Context, logs []ShownLog) error {
	return s.state.db.do(ctx, func(tx *sql.Tx) (err error) {
		prep := prepareOnce(tx)
		defer func() { err = errors.Join(err, prep.close()) }()
		for _, l := range logs {
			if err := s.put(ctx, prep, l); err != nil {
				return err
			}
		}
		return nil
	})
}

func (s Shown) put(ctx context.Context, tx runner, l ShownLog) error {
	settled := map[string]int64{} // by log
	for _, r := range l.Rows {
		until, ok := settled[r.Log]
		if !ok {
			if err := tx.QueryRowContext(ctx, qShownSettled, s.state.root, r.Log).Scan(&until); err != nil && !errors.Is(err, sql.ErrNoRows) {
				return fmt.Errorf("look up what is summed already: %w", err)
			}
			settled[r.Log] = until
		}
		if r.At < until {
			continue // it is in the sums already
		}
		if err := exec(ctx, tx, "keep what was shown", qPutShown, r.UUID, r.At, r.Surface, r.Agent, r.AgentID, r.Log, s.state.root, r.Session, r.Path, r.Tool, r.Tokens, r.Verdict, r.Rule, r.Judged, r.Phase, r.Type); err != nil {
			return err
		}
	}
	if x := l.Session; x != nil {
		if err := exec(ctx, tx, "keep what a session was told", qPutShownSession, s.state.root, x.Session, x.Agent, x.Started, x.Over, x.Answers, x.Tokens, x.Calls, x.Rereads,
			x.Prompts, x.Corrections, x.Failed, x.Heeded, x.Reentered, x.Retry, x.Arm, x.Repeated, x.Reread); err != nil {
			return err
		}
		if err := exec(ctx, tx, "judge anew what a session followed", qDropApplied, s.state.root, x.Session); err != nil {
			return err
		}
		for _, a := range l.Applied {
			if err := exec(ctx, tx, "keep what came of a memory", qPutApplied, s.state.root, a.UUID, x.Session, a.Agent, a.At, a.Outcome, a.Rule); err != nil {
				return err
			}
		}
		if err := s.putTrials(ctx, tx, x.Session, l.Trials); err != nil {
			return err
		}
	}
	return exec(ctx, tx, "note how far a file was read", qPutShownLog, s.state.root, l.Name, l.Bytes, l.Over)
}

// Logs returns the stored files of showings, by name.
func (s Shown) Logs(ctx context.Context) (map[string]ShownState, error) {
	return mapped(ctx, s.state, qShownLogs, []any{s.state.root}, func(rows *sql.Rows, log *string, x *ShownState) error {
		return rows.Scan(log, &x.Bytes, &x.Over)
	})
}

// ShownCount is how often a memory was shown to an agent ("" for a person) with one outcome.
type ShownCount struct {
	UUID    string
	Agent   string
	Surface string
	Verdict string
	Count   int
	Tokens  int
	Last    time.Time
}

// Of counts the outcomes of a memory.
func (s Shown) Of(ctx context.Context, uuid string) ([]ShownCount, error) {
	var out []ShownCount
	err := s.state.db.query(ctx, qShownOf, []any{uuid}, func(rows *sql.Rows) error {
		c := ShownCount{UUID: uuid}
		var last int64
		err := rows.Scan(&c.Agent, &c.Surface, &c.Verdict, &c.Count, &c.Tokens, &last)
		c.Last = time.UnixMilli(last).UTC()
		out = append(out, c)
		return err
	})
	return out, err
}

// All counts the outcomes of all memories of the workspace.
func (s Shown) All(ctx context.Context) ([]ShownCount, error) {
	return list(ctx, s.state, qShownAll, []any{s.state.root}, func(rows *sql.Rows, c *ShownCount) error {
		var last int64
		err := rows.Scan(&c.UUID, &c.Agent, &c.Surface, &c.Verdict, &c.Count, &c.Tokens, &last)
		c.Last = time.UnixMilli(last).UTC()
		return err
	})
}

// Recent returns the newest rows of a memory, newest first.
func (s Shown) Recent(ctx context.Context, uuid string, limit int) ([]ShownRow, error) {
	return list(ctx, s.state, qShownRecent, []any{uuid, limit}, func(rows *sql.Rows, r *ShownRow) error {
		return rows.Scan(&r.UUID, &r.At, &r.Surface, &r.Agent, &r.AgentID, &r.Log, &r.Session, &r.Path, &r.Tool, &r.Tokens, &r.Verdict, &r.Rule)
	})
}

// Sessions lists the sessions with showings, oldest first.
func (s Shown) Sessions(ctx context.Context) ([]ShownSession, error) {
	return list(ctx, s.state, qShownSessions, []any{s.state.root}, func(rows *sql.Rows, x *ShownSession) error {
		return rows.Scan(&x.Session, &x.Agent, &x.Started, &x.Over, &x.Answers, &x.Tokens, &x.Calls, &x.Rereads, &x.Prompts, &x.Corrections, &x.Failed, &x.Heeded, &x.Reentered, &x.Retry, &x.Arm, &x.Repeated, &x.Reread)
	})
}

// Settle replaces the rows before a time by their sums.
func (s Shown) Settle(ctx context.Context, before time.Time) error {
	return s.state.db.do(ctx, func(tx *sql.Tx) error { return settleShown(ctx, tx, before) })
}

func settleShown(ctx context.Context, tx *sql.Tx, before time.Time) error {
	if err := exec(ctx, tx, "sum what was shown", qSumShown, before.UnixMilli()); err != nil {
		return err
	}
	if err := exec(ctx, tx, "sum what was shown by phases", qSumPhases, before.UnixMilli()); err != nil {
		return err
	}
	if err := exec(ctx, tx, "note what is summed", qSettleLogs, before.UnixMilli()); err != nil {
		return err
	}
	return exec(ctx, tx, "drop old showings", qDropShown, before.UnixMilli())
}

// Clear removes all showings, in every workspace of the repository, from the database and from its backups: one that
// is restored has none. Nothing of them stays in the files.
func (s Shown) Clear(ctx context.Context) error {
	err := s.state.db.use(ctx, func(db *sqlfile.DB) error { return clearShown(ctx, db) })
	if err != nil {
		return err
	}
	var errs []error
	for _, b := range s.state.db.backups.list() {
		if err := clearBackup(ctx, b); err != nil {
			errs = append(errs, fmt.Errorf("remove what was shown from the backup %s: %w", filepath.Base(b), err))
		}
	}
	return errors.Join(errs...)
}

// clearBackup replaces a backup by one without showings. What is no sound database can't be restored: it is removed.
func clearBackup(ctx context.Context, backup string) (err error) {
	from, err := sqlfile.Open(ctx, sqlfile.Options{Path: backup, ReadOnly: true, Immutable: true, Busy: busyTimeout})
	if err == nil {
		err = from.Check(ctx)
	}
	if from == nil || sqlfile.IsCorrupt(err) {
		if from != nil {
			err = errors.Join(err, from.Close())
		}
		if !sqlfile.IsCorrupt(err) {
			return err
		}
		return os.Remove(backup)
	}
	copied := filepath.Join(filepath.Dir(backup), sqlfile.CopyPrefix+filepath.Base(backup)) // swept if this process is killed
	data, rerr := treefile.Read(backup, math.MaxInt64)
	if err := errors.Join(err, from.Close(), rerr); err != nil {
		return err
	}
	if err := atomicfile.Write(copied, data, 0o600); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, removeIfThere(copied))
		}
	}()
	db, err := sqlfile.Open(ctx, sqlfile.Options{Path: copied, Busy: busyTimeout})
	if err != nil {
		return err
	}
	if err = clearShown(ctx, db); err == nil {
		_, err = db.ExecContext(ctx, "PRAGMA journal_mode = DELETE") // one file, without a journal
	}
	if err := errors.Join(err, db.Close(), atomicfile.Sync(copied)); err != nil {
		return err
	}
	return os.Rename(copied, backup)
}

func removeIfThere(name string) error {
	if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// shownTables hold showings, and what is learned of them.
func shownTables() []string {
	return []string{"shown", "shown_sums", "shown_sessions", "shown_logs", "applied", "trials", "shown_phases", "learned_weights", "weights_reset"}
}

// clearShown removes all showings from one database, which may be of an earlier version without some of the tables.
func clearShown(ctx context.Context, db *sqlfile.DB) error {
	if _, err := db.ExecContext(ctx, "PRAGMA secure_delete = ON"); err != nil {
		return fmt.Errorf("overwrite what is deleted: %w", err)
	}
	err := db.Tx(ctx, func(tx *sql.Tx) error {
		have, err := names(ctx, tx, qTables)
		if err != nil {
			return err
		}
		for _, table := range shownTables() {
			if !slices.Contains(have, table) {
				continue
			}
			if err := exec(ctx, tx, "remove what was shown", fmt.Sprintf("DELETE FROM %q", table)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return compact(ctx, db)
}

// Applied counts what came of the memories that sessions followed.
func (s Shown) Applied(ctx context.Context) ([]AppliedCount, error) {
	return list(ctx, s.state, qApplied, []any{s.state.root}, func(rows *sql.Rows, c *AppliedCount) error {
		return rows.Scan(&c.UUID, &c.Agent, &c.Worked, &c.Failed)
	})
}

// AppliedOf counts what came of one memory where sessions followed it.
func (s Shown) AppliedOf(ctx context.Context, uuid string) (AppliedCount, error) {
	c := AppliedCount{UUID: uuid}
	err := s.state.db.query(ctx, qAppliedOf, []any{s.state.root, uuid}, func(rows *sql.Rows) error { return rows.Scan(&c.Worked, &c.Failed) })
	return c, err
}
