package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"manicule/memory/episode"
)

// Statements about what earlier sessions showed.
const (
	qCountSession = `SELECT count(*) FROM observer_sessions WHERE root = ?1 AND session <> ?2`
	qPastCommands = `SELECT k.value, c.runs, c.fails FROM json_each(?2) AS k CROSS JOIN observer_commands AS c ON c.root = ?1 AND c.key = k.value`
	qPastTook     = `SELECT s.key, s.count FROM json_each(?2) AS k
		CROSS JOIN observer_signals AS s ON s.root = ?1 AND s.kind = 'took' AND s.key > k.value || char(0) AND s.key < k.value || char(1) AND s.session <> ?3`
	qJudged      = `SELECT kind, verdict, count(*) FROM observer_proposals WHERE root = ?1 AND verdict <> '' GROUP BY kind, verdict`
	qProposed    = `SELECT kind, key FROM observer_proposals WHERE root = ?1 AND kind || char(0) || key IN (SELECT value FROM json_each(?2))`
	qPastSignals = `SELECT s.kind, s.key, count(*), sum(s.count), json_group_array(s.session) FROM json_each(?2) AS k
		CROSS JOIN observer_signals AS s ON s.root = ?1 AND s.kind = json_extract(k.value, '$[0]') AND s.key = json_extract(k.value, '$[1]') AND s.session <> ?3
		GROUP BY s.kind, s.key`
	qPastPairs  = `SELECT p.a, p.b, p.edited, p.promoted_ms FROM json_each(?2) AS k CROSS JOIN observer_pairs AS p ON p.root = ?1 AND p.a = k.value`
	qDraftTexts = `SELECT json FROM drafts WHERE root = ?1`
)

// PriorSessions is what earlier sessions showed about the contents of a report. Signals are keyed
// by kind and key, pairs by their sorted paths.
type PriorSessions struct {
	Sessions int
	Signals  map[[2]string]episode.PastSignal
	Files    map[string]episode.PastFile
	Pairs    map[[2]string]episode.PastPair
	Commands map[string]episode.PastCommand
	Judged   map[string][2]int // by kind: accepted, rejected
	Drafts   [][]byte          // the JSON of all drafts, including rejected ones
}

// Prior looks up the sessions other than the report's own. It subtracts what an earlier
// report of that session added to the sums.
func (s Sessions) Prior(ctx context.Context, o Observation) (PriorSessions, error) {
	p := PriorSessions{Signals: map[[2]string]episode.PastSignal{}, Files: map[string]episode.PastFile{}, Pairs: map[[2]string]episode.PastPair{}, Commands: map[string]episode.PastCommand{}, Judged: map[string][2]int{}}
	// One transaction keeps the parts consistent.
	err := s.state.db.do(ctx, func(tx *sql.Tx) error {
		if err := tx.QueryRowContext(ctx, qCountSession, s.state.root, o.Session).Scan(&p.Sessions); err != nil {
			return fmt.Errorf("count the sessions: %w", err)
		}
		old, err := reported(ctx, tx, s.state.root, o.Session)
		if err != nil {
			return err
		}
		for _, load := range []func(context.Context, *sql.Tx, Observation, *PriorSessions) error{s.pastSignals, s.pastFiles, s.pastPairs, s.pastCommands, s.pastJudgements} {
			if err := load(ctx, tx, o, &p); err != nil {
				return err
			}
		}
		if old != nil {
			p.without(*old)
		}
		return nil
	})
	return p, err
}

// without subtracts a report from the sums.
func (p *PriorSessions) without(o Observation) {
	for _, f := range o.Files {
		if x, ok := p.Files[f.Path]; ok {
			x.Sessions--
			x.Edited -= one(f.Edits > 0)
			p.Files[f.Path] = x
		}
	}
	for _, c := range o.Commands {
		if x, ok := p.Commands[c.Key]; ok {
			x.Runs -= c.Runs
			x.Fails -= c.Fails
			p.Commands[c.Key] = x
		}
	}
	for _, pair := range o.Pairs {
		key := [2]string{min(pair.A, pair.B), max(pair.A, pair.B)}
		if x, ok := p.Pairs[key]; ok {
			x.Edited -= one(pair.Edited)
			p.Pairs[key] = x
		}
	}
}

func (s Sessions) pastSignals(ctx context.Context, tx *sql.Tx, o Observation, p *PriorSessions) error {
	keys := make([][2]string, 0, len(o.Signals))
	joined := make([]string, 0, len(o.Signals))
	for _, x := range o.Signals {
		keys = append(keys, [2]string{x.Kind, x.Key})
		joined = append(joined, x.Kind+"\x00"+x.Key)
	}
	for _, f := range o.Files { // memories made from files have no signal
		joined = append(joined, "file_access\x00"+f.Path, "co_access\x00"+f.Path)
	}
	list, err := json.Marshal(keys)
	if err != nil {
		return fmt.Errorf("encode the signals: %w", err)
	}
	err = each(ctx, tx, "look up signals", qPastSignals, []any{s.state.root, string(list), o.Session}, func(rows *sql.Rows) error {
		var kind, key, names string
		var x episode.PastSignal
		if err := rows.Scan(&kind, &key, &x.Sessions, &x.Count, &names); err != nil {
			return err
		}
		if err := json.Unmarshal([]byte(names), &x.Names); err != nil {
			return err
		}
		slices.Sort(x.Names)
		x.Names = x.Names[:min(8, len(x.Names))]
		p.Signals[[2]string{kind, key}] = x
		return nil
	})
	if err != nil {
		return err
	}
	return each(ctx, tx, "look up proposals", qProposed, []any{s.state.root, jsonList(joined)}, func(rows *sql.Rows) error {
		var kind, key string
		if err := rows.Scan(&kind, &key); err != nil {
			return err
		}
		x := p.Signals[[2]string{kind, key}]
		x.Proposed = true
		p.Signals[[2]string{kind, key}] = x
		return nil
	})
}

func (s Sessions) pastFiles(ctx context.Context, tx *sql.Tx, o Observation, p *PriorSessions) error {
	paths := make([]string, 0, len(o.Files))
	for _, f := range o.Files {
		paths = append(paths, f.Path)
	}
	return each(ctx, tx, "look up files", qPastFiles, []any{s.state.root, jsonList(paths)}, func(rows *sql.Rows) error {
		var path string
		var x episode.PastFile
		err := rows.Scan(&path, &x.Sessions, &x.Edited)
		p.Files[path] = x
		return err
	})
}

func (s Sessions) pastPairs(ctx context.Context, tx *sql.Tx, o Observation, p *PriorSessions) error {
	paths := map[string]bool{}
	for _, f := range o.Files {
		paths[f.Path] = true
	}
	list := make([]string, 0, len(paths))
	for x := range paths {
		list = append(list, x)
	}
	slices.Sort(list)
	return each(ctx, tx, "look up pairs", qPastPairs, []any{s.state.root, jsonList(list)}, func(rows *sql.Rows) error {
		var key [2]string
		var x episode.PastPair
		var promoted int64
		if err := rows.Scan(&key[0], &key[1], &x.Edited, &promoted); err != nil {
			return err
		}
		if paths[key[1]] {
			x.Proposed = promoted > 0
			p.Pairs[key] = x
		}
		return nil
	})
}

func (s Sessions) pastCommands(ctx context.Context, tx *sql.Tx, o Observation, p *PriorSessions) error {
	keys, timed := make([]string, 0, len(o.Commands)), []string{}
	for _, c := range o.Commands {
		keys = append(keys, c.Key)
	}
	for _, x := range o.Took {
		if !slices.Contains(timed, x.Key) {
			timed = append(timed, x.Key)
		}
	}
	for _, e := range o.Errors {
		if e.Tool == "shell" && !slices.Contains(keys, e.Subject) {
			keys = append(keys, e.Subject)
		}
	}
	err := each(ctx, tx, "look up commands", qPastCommands, []any{s.state.root, jsonList(keys)}, func(rows *sql.Rows) error {
		var key string
		var c episode.PastCommand
		err := rows.Scan(&key, &c.Runs, &c.Fails)
		p.Commands[key] = c
		return err
	})
	if err != nil {
		return err
	}
	return each(ctx, tx, "look up what commands took", qPastTook, []any{s.state.root, jsonList(timed), o.Session}, func(rows *sql.Rows) error {
		var name string
		var n int
		if err := rows.Scan(&name, &n); err != nil {
			return err
		}
		key, millis, _ := strings.Cut(name, "\x00")
		ms, err := strconv.ParseInt(millis, 10, 64)
		if err != nil {
			return nil // of another version
		}
		c := p.Commands[key]
		if c.Took == nil {
			c.Took = map[int64]int{}
		}
		c.Took[ms] += n
		p.Commands[key] = c
		return nil
	})
}

func (s Sessions) pastJudgements(ctx context.Context, tx *sql.Tx, _ Observation, p *PriorSessions) error {
	err := each(ctx, tx, "count the judgements", qJudged, []any{s.state.root}, func(rows *sql.Rows) error {
		var kind, verdict string
		var n int
		if err := rows.Scan(&kind, &verdict, &n); err != nil {
			return err
		}
		x := p.Judged[kind]
		if verdict == "accepted" {
			x[0] = n
		} else {
			x[1] = n
		}
		p.Judged[kind] = x
		return nil
	})
	if err != nil {
		return err
	}
	return each(ctx, tx, "read the drafts", qDraftTexts, []any{s.state.root}, func(rows *sql.Rows) error {
		var data []byte
		err := rows.Scan(&data)
		p.Drafts = append(p.Drafts, data)
		return err
	})
}

// each is scan, and says in an error what the query was for.
func each(ctx context.Context, tx *sql.Tx, act, query string, args []any, row func(*sql.Rows) error) error {
	if err := scan(ctx, tx, query, args, row); err != nil {
		return fmt.Errorf("%s: %w", act, err)
	}
	return nil
}
