package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Statements about the sums over sessions.
const (
	qSumFile = `INSERT INTO observer_files (root, path, sessions, edited, reads, edits, weight, first_ms, last_ms) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?8)
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
	qPutRan = `INSERT INTO observer_signals (root, kind, key, session, count, tainted, at_ms)
		SELECT ?1, 'ran', ?2, ?3, ?4, 0, ?5 WHERE EXISTS (SELECT 1 FROM observer_errors WHERE root = ?1 AND tool = 'shell' AND subject = substr(?2, 1, instr(?2 || char(10), char(10)) - 1))
		ON CONFLICT (root, kind, key, session) DO UPDATE SET count = ?4, at_ms = ?5`
	qTriggers  = `SELECT DISTINCT trigger FROM observer_errors WHERE root = ?1 AND tool = 'shell' AND subject = ?2 AND trigger <> ''`
	qSumModule = `INSERT INTO observer_modules (root, module, sessions) VALUES (?1, ?2, ?3) ON CONFLICT (root, module) DO UPDATE SET sessions = sessions + ?3`
)

// weightHalf is the age at which a session counts half for predictions. Weights grow with time
// instead of shrinking, so that sums need no maintenance. A REAL holds them for 500 years.
const weightHalf = 30 * 24 * time.Hour

func weightAt(ms int64) float64 {
	zero := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).UnixMilli()
	return math.Exp2(float64(ms-zero) / float64(weightHalf.Milliseconds()))
}

// The kinds of signals under which requests and the times of commands are stored. A third, "ran",
// has the runs of a command that has failed before, and under the words of a failure those that had them all.
const (
	requestKind = "request"
	tookKind    = "took"
)

// sums changes the sums of a workspace by one session's report.
type sums struct {
	tx   runner
	root string
	o    Observation
	sign int // 1 adds the report, -1 subtracts it
}

// addToSums adds a report to the sums.
func (s Sessions) addToSums(ctx context.Context, tx *sql.Tx, o Observation) (err error) {
	if err := s.state.db.failures.expect(ctx, tx, s.state.root, o.Errors); err != nil {
		return err
	}
	once := prepareOnce(tx)
	defer func() { err = errors.Join(err, once.close()) }()
	x := sums{tx: once, root: s.state.root, o: o, sign: 1}
	return inTurn(ctx, x.files, x.pairs, x.errors, x.commands, x.folders, x.runs, x.signals, x.requests, x.times)
}

// takeFromSums subtracts a report that was added before. What is no more stays until [Sessions.dropEmptySums].
func (s Sessions) takeFromSums(ctx context.Context, tx *sql.Tx, o Observation) (err error) {
	once := prepareOnce(tx)
	defer func() { err = errors.Join(err, once.close()) }()
	x := sums{tx: once, root: s.state.root, o: o, sign: -1}
	return inTurn(ctx, x.files, x.pairs, x.errors, x.commands, x.folders, x.forgetSignals)
}

// dropEmptySums deletes the rows that no session is left in. Only subtracting makes some, and to look through all rows takes long.
func (s Sessions) dropEmptySums(ctx context.Context, tx *sql.Tx) error {
	for _, q := range []string{qNoFiles, qNoPairs, qNoErrors} {
		if err := exec(ctx, tx, "drop what is no more", q, s.state.root); err != nil {
			return err
		}
	}
	return nil
}

// inTurn runs steps until one fails.
func inTurn(ctx context.Context, steps ...func(context.Context) error) error {
	for _, step := range steps {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// weight is what the session counts for predictions.
func (x sums) weight() float64 { return float64(x.sign) * weightAt(x.o.Started) }

func (x sums) files(ctx context.Context) error {
	for _, f := range x.o.Files {
		if err := exec(ctx, x.tx, "sum the files", qSumFile, x.root, f.Path, x.sign, x.sign*one(f.Edits > 0), x.sign*f.Reads, x.sign*f.Edits, x.weight(), f.At); err != nil {
			return err
		}
	}
	return nil
}

func (x sums) pairs(ctx context.Context) error {
	for _, p := range x.o.Pairs {
		a, b, forward := p.A, p.B, 1
		if a > b {
			a, b, forward = b, a, 0
		}
		if err := exec(ctx, x.tx, "sum the pairs", qSumPair, x.root, a, b, x.sign, x.sign*one(p.Near), x.sign*one(p.Edited), x.sign*forward, int64(x.sign)*p.Delta,
			x.weight(), x.o.Ended, string(x.o.Task)); err != nil {
			return err
		}
	}
	return nil
}

func (x sums) errors(ctx context.Context) error {
	for _, e := range x.o.Errors {
		if err := exec(ctx, x.tx, "sum the errors", qSumError, x.root, e.Tool, e.Subject, e.Fingerprint, strings.Join(e.Trigger, "\n"), e.Message, e.Failed, e.Fix, e.How,
			e.Generic, x.sign*e.Count, x.sign, x.sign*one(e.Tainted), x.o.Ended); err != nil {
			return err
		}
	}
	return nil
}

func (x sums) commands(ctx context.Context) error {
	for _, c := range x.o.Commands {
		if err := exec(ctx, x.tx, "sum the commands", qSumCommand, x.root, c.Key, x.sign*c.Runs, x.sign*c.Fails, x.sign, x.sign*one(c.Fails > 0)); err != nil {
			return err
		}
	}
	return nil
}

func (x sums) folders(ctx context.Context) error {
	summed := map[string]bool{}
	for _, f := range x.o.Files {
		folder := path.Dir(f.Path)
		if summed[folder] {
			continue
		}
		summed[folder] = true
		if err := exec(ctx, x.tx, "sum the folders", qSumModule, x.root, folder, x.sign); err != nil {
			return err
		}
	}
	return nil
}

func (x sums) forgetSignals(ctx context.Context) error {
	return exec(ctx, x.tx, "take out the signals", qNoSignals, x.root, x.o.Session)
}

// runs keeps the runs of the commands that have failed, because nothing else asks for them.
func (x sums) runs(ctx context.Context) error {
	for _, c := range x.o.Commands {
		triggers, err := x.triggers(ctx, c)
		if err != nil {
			return err
		}
		keys := []string{c.Key}
		for _, t := range triggers {
			keys = append(keys, c.Key+"\n"+t)
		}
		for _, key := range keys {
			if err := exec(ctx, x.tx, "keep the runs", qPutRan, x.root, key, x.o.Session, c.Runs, x.o.Ended); err != nil {
				return err
			}
		}
	}
	return nil
}

// triggers returns the words, joined as they are stored, with which a command has failed, of failures that the given runs could have
// met again.
func (x sums) triggers(ctx context.Context, c ObservedCommand) (out []string, err error) {
	if len(c.Words) == 0 {
		return nil, nil
	}
	err = scan(ctx, x.tx, qTriggers, []any{x.root, c.Key}, func(rows *sql.Rows) error {
		var trigger string
		err := rows.Scan(&trigger)
		if !slices.ContainsFunc(strings.Split(trigger, "\n"), func(w string) bool { return !c.Words[w] }) {
			out = append(out, trigger)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read the words of failures: %w", err)
	}
	return out, nil
}

func (x sums) signals(ctx context.Context) error {
	for _, s := range x.o.Signals {
		if err := x.signal(ctx, s.Kind, s.Key, s.Count, s.Tainted, x.o.Ended); err != nil {
			return err
		}
	}
	return nil
}

func (x sums) requests(ctx context.Context) error {
	for _, r := range x.o.Requests {
		if err := x.signal(ctx, requestKind, strconv.Itoa(r.N)+"\x00"+r.Folder, r.Calls, x.o.Tainted, r.At); err != nil {
			return err
		}
	}
	return nil
}

func (x sums) times(ctx context.Context) error {
	for _, t := range x.o.Took {
		if err := x.signal(ctx, tookKind, t.Key+"\x00"+strconv.FormatInt(t.Millis, 10), t.Runs, x.o.Tainted, x.o.Ended); err != nil {
			return err
		}
	}
	return nil
}

func (x sums) signal(ctx context.Context, kind, key string, count int, tainted bool, at int64) error {
	return exec(ctx, x.tx, "keep the signals", qPutSignal, x.root, kind, key, x.o.Session, count, tainted, at)
}

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}
