package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"time"

	"manicule/memory/episode"
)

// Statements about episodes and procedures.
const (
	qPutEpisode = `INSERT INTO episodes (root, session, outcome, fallback, started_ms, ended_ms, json) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
		ON CONFLICT (root, session) DO UPDATE SET outcome = ?3, fallback = ?4, started_ms = ?5, ended_ms = ?6, json = ?7`
	qDropEpisodes   = `DELETE FROM episodes WHERE root = ?1 AND ended_ms < ?2`
	qEpisodes       = `SELECT json FROM (SELECT json, ended_ms, session FROM episodes WHERE root = ?1 ORDER BY ended_ms DESC, session DESC LIMIT ?2) ORDER BY ended_ms, session`
	qEpisodesOfWork = `SELECT json FROM episodes WHERE root = ?1 AND json_extract(json, '$.work') IN (SELECT value FROM json_each(?2)) ORDER BY ended_ms DESC, session DESC LIMIT 1000`
	qCountEpisodes  = `SELECT count(*), coalesce(sum(fallback), 0), coalesce(sum(outcome = 'success'), 0), coalesce(sum(outcome = 'partial'), 0), coalesce(sum(outcome = 'failure'), 0)
		FROM episodes WHERE root = ?1`

	qCountChecked = `SELECT coalesce(sum(ran > 0), 0), coalesce(sum(ran > 0 AND failed = 0), 0) FROM
		(SELECT count(*) AS ran, coalesce(sum(coalesce(json_extract(step.value, '$.fails'), 0) > 0), 0) AS failed
		FROM episodes AS e, json_each(e.json, '$.approach') AS step WHERE e.root = ?1 AND json_extract(step.value, '$.check') GROUP BY e.session)`

	qEpisodesBeside = `SELECT count(*) FROM episodes WHERE root = ?1 AND session <> ?2`

	qPutProcedure = `INSERT INTO procedures (uuid, root, key, confidence, successes, failures, used_ms, json, created_ms) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
		ON CONFLICT (root, key) DO NOTHING`
	qPutUse = `INSERT INTO procedure_episodes (uuid, session, source, outcome, confidence, reason, at_ms) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
		ON CONFLICT (uuid, session) DO UPDATE SET outcome = CASE WHEN source THEN outcome ELSE ?4 END, confidence = CASE WHEN source THEN confidence ELSE ?5 END,
			reason = CASE WHEN source THEN reason ELSE ?6 END, at_ms = ?7`
	qProcedures = `SELECT p.uuid, p.key, p.confidence, p.successes, p.failures, p.used_ms, p.json, coalesce((SELECT o.verdict FROM observer_proposals AS o WHERE o.uuid = p.uuid LIMIT 1), '')
		FROM procedures AS p WHERE p.root = ?1 ORDER BY p.confidence DESC, p.used_ms DESC, p.uuid`
	qUses     = `SELECT session, source, outcome, confidence, reason, at_ms FROM procedure_episodes WHERE uuid = ?1 ORDER BY at_ms, session`
	qTally    = `SELECT coalesce(sum(outcome = 'success'), 0), coalesce(sum(outcome = 'failure'), 0) FROM procedure_episodes WHERE uuid = ?1 AND session <> ?2`
	qSetTally = `UPDATE procedures SET confidence = ?2, successes = ?3, failures = ?4, used_ms = max(used_ms, ?5) WHERE uuid = ?1`
)

// episodeKept is how long an episode is kept.
const episodeKept = 365 * 24 * time.Hour

// EpisodeCounts are the numbers of a workspace's episodes.
type EpisodeCounts struct {
	All       int `json:"all"`
	Fallbacks int `json:"fallbacks"` // of sessions whose log told too little
	Success   int `json:"success"`
	Partial   int `json:"partial"`
	Failure   int `json:"failure"`
	// Checked counts those that ran a check of the code, FirstPass those of them in which none ever failed.
	Checked   int `json:"checked"`
	FirstPass int `json:"first_pass"`
}

// The verdicts of a person on a candidate.
const (
	VerdictAccepted = "accepted"
	VerdictRejected = "rejected"
)

// ProcedureRow is a procedure with its record.
type ProcedureRow struct {
	UUID       string
	Procedure  episode.Procedure
	Confidence float64
	Successes  int
	Failures   int
	Used       time.Time // when a session last went this way
	Verdict    string    // of a person on the candidate: "", accepted, rejected
}

// ProcedureUse is one session that a procedure was made from or that went its way.
type ProcedureUse struct {
	UUID       string          `json:"-"`
	Session    string          `json:"session"`
	Source     bool            `json:"source"`
	Outcome    episode.Outcome `json:"outcome"`
	Confidence float64         `json:"confidence"` // of the procedure, after it
	Reason     string          `json:"reason"`
	At         time.Time       `json:"at"`
}

// Episodes are what sessions did, and the procedures and skills made of that: the tables episodes, procedures, procedure_episodes and skills.
type Episodes struct{ state *State }

// Episodes returns the episodes of the workspace.
func (s *State) Episodes() Episodes { return Episodes{s} }

// put stores the episode of a session, and drops those that are too old.
func (s Episodes) put(ctx context.Context, tx *sql.Tx, e episode.Episode) error {
	data, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("encode an episode: %w", err)
	}
	if err := exec(ctx, tx, "store an episode", qPutEpisode, s.state.root, e.Session, e.Outcome, e.Fallback, e.Started, e.Ended, data); err != nil {
		return err
	}
	return exec(ctx, tx, "drop old episodes", qDropEpisodes, s.state.root, s.state.now().Add(-episodeKept).UnixMilli())
}

// Latest returns the latest episodes, at most limit, in the order of time.
func (s Episodes) Latest(ctx context.Context, limit int) ([]episode.Episode, error) {
	return s.list(ctx, qEpisodes, s.state.root, limit)
}

// OfWork returns the latest episodes that were about one of some units of work, newest first. It reads all episodes, whatever
// the number of keys.
func (s Episodes) OfWork(ctx context.Context, keys []string) ([]episode.Episode, error) {
	list, err := json.Marshal(keys)
	if err != nil {
		return nil, fmt.Errorf("encode the keys of units of work: %w", err)
	}
	return s.list(ctx, qEpisodesOfWork, s.state.root, string(list))
}

func (s Episodes) list(ctx context.Context, query string, args ...any) ([]episode.Episode, error) {
	var out []episode.Episode
	err := s.state.db.query(ctx, query, args, func(rows *sql.Rows) error {
		var data []byte
		if err := rows.Scan(&data); err != nil {
			return err
		}
		var e episode.Episode
		if err := json.Unmarshal(data, &e); err != nil {
			return fmt.Errorf("decode an episode: %w", err)
		}
		out = append(out, e)
		return nil
	})
	return out, err
}

// Count counts the episodes of the workspace.
func (s Episodes) Count(ctx context.Context) (n EpisodeCounts, err error) {
	err = s.state.db.query(ctx, qCountEpisodes, []any{s.state.root}, func(rows *sql.Rows) error {
		return rows.Scan(&n.All, &n.Fallbacks, &n.Success, &n.Partial, &n.Failure)
	})
	if err != nil {
		return n, err
	}
	err = s.state.db.query(ctx, qCountChecked, []any{s.state.root}, func(rows *sql.Rows) error { return rows.Scan(&n.Checked, &n.FirstPass) })
	return n, err
}

// CountBeside counts the episodes of other sessions than one.
func (s Episodes) CountBeside(ctx context.Context, session string) (int, error) {
	return value[int](ctx, s.state, qEpisodesBeside, s.state.root, session)
}

// putProcedure stores a procedure with the episodes that it is made from. One that is known stays.
func (s Episodes) putProcedure(ctx context.Context, tx *sql.Tx, uuid string, p episode.Procedure) error {
	data, err := json.Marshal(p)
	if err != nil {
		return fmt.Errorf("encode a procedure: %w", err)
	}
	now := s.state.now().UnixMilli()
	confidence := episode.Confidence(p.Successes, p.Failures)
	if err := exec(ctx, tx, "store a procedure", qPutProcedure, uuid, s.state.root, p.Key, confidence, p.Successes, p.Failures, p.LastUsed, data, now); err != nil {
		return err
	}
	for i, session := range p.Sessions {
		if err := exec(ctx, tx, "note what a procedure is made from", qPutUse, uuid, session, true, p.Outcomes[i], confidence, "it was made from this", now); err != nil {
			return err
		}
	}
	return nil
}

// recordUse counts the outcome of a session that went the way of a procedure. The same session again
// replaces what was counted.
func recordUse(ctx context.Context, tx *sql.Tx, u ProcedureUse) error {
	var successes, failures int
	if err := tx.QueryRowContext(ctx, qTally, u.UUID, u.Session).Scan(&successes, &failures); err != nil {
		return fmt.Errorf("count the uses of a procedure: %w", err)
	}
	switch u.Outcome {
	case episode.Success:
		successes++
	case episode.Failure:
		failures++
	}
	u.Confidence = episode.Confidence(successes, failures)
	if err := exec(ctx, tx, "note a use of a procedure", qPutUse, u.UUID, u.Session, false, u.Outcome, u.Confidence, u.Reason, u.At.UnixMilli()); err != nil {
		return err
	}
	return exec(ctx, tx, "count a use of a procedure", qSetTally, u.UUID, u.Confidence, successes, failures, u.At.UnixMilli())
}

// Procedures lists the procedures with their records, those that work best first.
func (s Episodes) Procedures(ctx context.Context) ([]ProcedureRow, error) {
	return list(ctx, s.state, qProcedures, []any{s.state.root}, func(rows *sql.Rows, r *ProcedureRow) error {
		var key string
		var used int64
		var data []byte
		if err := rows.Scan(&r.UUID, &key, &r.Confidence, &r.Successes, &r.Failures, &used, &data, &r.Verdict); err != nil {
			return err
		}
		if err := json.Unmarshal(data, &r.Procedure); err != nil {
			return fmt.Errorf("decode a procedure: %w", err)
		}
		r.Used = time.UnixMilli(used).UTC()
		return nil
	})
}

// ProcedureUses lists the sessions of a procedure in the order of time.
func (s Episodes) ProcedureUses(ctx context.Context, uuid string) ([]ProcedureUse, error) {
	var out []ProcedureUse
	err := s.state.db.query(ctx, qUses, []any{uuid}, func(rows *sql.Rows) error {
		u := ProcedureUse{UUID: uuid}
		var at int64
		if err := rows.Scan(&u.Session, &u.Source, &u.Outcome, &u.Confidence, &u.Reason, &at); err != nil {
			return err
		}
		u.At = time.UnixMilli(at).UTC()
		out = append(out, u)
		return nil
	})
	return out, err
}

// Skill is a skill or command file of an agent.
type Skill struct {
	Path        string    `json:"path"` // below the root
	Kind        string    `json:"kind"` // skill or command
	Name        string    `json:"name"`
	Description string    `json:"description"`
	Hash        string    `json:"-"`
	Written     string    `json:"-"`               // hash of what was exported there, "" for a person's
	UUID        string    `json:"uuid,omitzero"`   // of the procedure that was exported
	Archived    time.Time `json:"gone,omitzero"`   // since when the file is gone
	Edited      bool      `json:"edited,omitzero"` // a person changed what was exported
}

const (
	qSkills   = `SELECT path, kind, name, description, hash, written, uuid, archived_ms FROM skills WHERE root = ?1 ORDER BY path`
	qPutSkill = `INSERT INTO skills (root, path, kind, name, description, hash, written, uuid, seen_ms) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
		ON CONFLICT (root, path) DO UPDATE SET kind = ?3, name = ?4, description = ?5, hash = ?6, written = CASE WHEN ?7 <> '' THEN ?7 ELSE written END,
			uuid = CASE WHEN ?8 <> '' THEN ?8 ELSE uuid END, seen_ms = ?9, archived_ms = 0`
	qGoneSkill = `UPDATE skills SET archived_ms = ?3 WHERE root = ?1 AND path = ?2 AND archived_ms = 0`
)

// Skills lists the indexed skills and commands.
func (s Episodes) Skills(ctx context.Context) ([]Skill, error) {
	return list(ctx, s.state, qSkills, []any{s.state.root}, func(rows *sql.Rows, k *Skill) error {
		var gone int64
		if err := rows.Scan(&k.Path, &k.Kind, &k.Name, &k.Description, &k.Hash, &k.Written, &k.UUID, &gone); err != nil {
			return err
		}
		if gone > 0 {
			k.Archived = time.UnixMilli(gone).UTC()
		}
		k.Edited = k.Written != "" && k.Hash != k.Written
		return nil
	})
}

// PutSkills stores what is in the folders of skills now, and marks those that are gone.
func (s Episodes) PutSkills(ctx context.Context, found []Skill, gone []string) error {
	return s.state.db.do(ctx, func(tx *sql.Tx) error {
		now := s.state.now().UnixMilli()
		for _, k := range found {
			if err := exec(ctx, tx, "index a skill", qPutSkill, s.state.root, k.Path, k.Kind, k.Name, k.Description, k.Hash, k.Written, k.UUID, now); err != nil {
				return err
			}
		}
		for _, p := range gone {
			if err := exec(ctx, tx, "mark a skill as gone", qGoneSkill, s.state.root, p, now); err != nil {
				return err
			}
		}
		return nil
	})
}
