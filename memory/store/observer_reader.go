package store

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"manicule/indexer/sorting"
	"manicule/indexer/sqlfile"
	"manicule/memory/episode"
	"manicule/memory/file"
)

// Statements about what hooks read of earlier sessions.
const (
	qRequests     = `SELECT key, count FROM observer_signals WHERE root = ?1 AND kind = 'request' ORDER BY at_ms DESC, session, key LIMIT ?2`
	qDraftsOf     = `SELECT json FROM drafts WHERE root = ?1 AND status IN ('candidate', 'draft') AND session = ?2 ORDER BY created_ms DESC, uuid LIMIT 8`
	qDraftsBeside = `SELECT json FROM drafts WHERE root = ?1 AND status = 'draft' AND coalesce(session, '') <> ?2 ORDER BY created_ms DESC, uuid LIMIT 20`
	// qFrequent counts sessions by their end, which has an index: the rows themselves hold reports.
	qFrequent = `SELECT tool, subject, fingerprint, trigger, message, failed, fix, how, generic, count, sessions, tainted,
			(SELECT count(*) FROM observer_sessions WHERE root = ?1 AND ended_ms >= ?2),
			(SELECT count(*) FROM observer_signals AS s WHERE s.root = ?1 AND s.kind = 'ran' AND s.key = iif(trigger = '', subject, subject || char(10) || trigger) AND s.at_ms > last_ms AND tool = 'shell')
		FROM observer_errors WHERE root = ?1 AND last_ms >= ?2 AND sessions >= ?3 AND generic = 0 ORDER BY sessions DESC, subject, fingerprint, trigger LIMIT 20`
	qFailuresFor = `SELECT e.tool, e.subject, e.fingerprint, e.trigger, e.message, e.failed, e.fix, e.how, e.generic, e.count, e.sessions, e.tainted,
			coalesce(c.sessions, 0),
			(SELECT count(*) FROM observer_signals AS s WHERE s.root = ?1 AND s.kind = 'ran' AND s.key = iif(e.trigger = '', e.subject, e.subject || char(10) || e.trigger) AND s.at_ms > e.last_ms AND ?2 = 'shell')
		FROM json_each(?3) AS k CROSS JOIN observer_errors AS e ON e.root = ?1 AND e.tool = ?2 AND e.subject = k.value
		LEFT JOIN observer_commands AS c ON c.root = ?1 AND c.key = e.subject AND ?2 = 'shell' WHERE e.sessions > 0`
	qFailuresLike = `SELECT tool, subject, fingerprint, trigger, message, failed, fix, how, generic, count, sessions, tainted, 0, 0
		FROM observer_errors WHERE root = ?1 AND tool = ?2 AND fingerprint = ?3 AND sessions > 0 AND generic = 0 ORDER BY last_ms DESC, subject, trigger LIMIT 20`
	qNextOf = `SELECT * FROM (SELECT b, sessions, weight, 0 FROM observer_pairs WHERE root = ?1 AND a = ?2 ORDER BY weight DESC LIMIT ?3)
		UNION ALL SELECT * FROM (SELECT a, sessions, weight, 0 FROM observer_pairs WHERE root = ?1 AND b = ?2 ORDER BY weight DESC LIMIT ?3)`
	qNextOfKind = `SELECT * FROM (SELECT b, sessions, weight, coalesce(json_extract(kinds, '$.' || ?4), 0) FROM observer_pairs WHERE root = ?1 AND a = ?2 ORDER BY weight DESC LIMIT ?3)
		UNION ALL SELECT * FROM (SELECT a, sessions, weight, coalesce(json_extract(kinds, '$.' || ?4), 0) FROM observer_pairs WHERE root = ?1 AND b = ?2 ORDER BY weight DESC LIMIT ?3)`
	qPopular = `SELECT path, weight FROM observer_files WHERE root = ?1 ORDER BY weight DESC, path LIMIT ?2`
)

// KnownFailure is an error of earlier sessions.
type KnownFailure struct {
	Tool        string
	Subject     string // the command's key, or the path
	Fingerprint string
	Trigger     []string // words that a command must contain to fail like that
	Message     string   // as last printed: untrusted program output, to be fenced
	Failed      string   // the failed call
	Fix         string   // what worked afterwards, or ""
	How         Resolution
	Generic     bool // not specific to the project
	Count       int
	Sessions    int // that met it
	Tainted     int // of them, sessions that followed untrusted text
	Ran         int // sessions that ran the command at all, 0 for a path
	Since       int // sessions that ran the command, with all words of Trigger, after the last one that met the failure
}

// NextFile is a file that sessions use next.
type NextFile struct {
	Path     string
	Score    float64 // comparable within one answer
	Sessions int     // that used it together with one of the given files
	Alike    int     // of these, of the same kind of work
}

// ObserverReader reads what earlier sessions showed, within milliseconds. It is read-only, waits
// for no lock and never migrates.
type ObserverReader struct {
	db     *sqlfile.DB
	root   string
	schema int // of db
}

// quickBusy is how long a hook waits for a lock of a database, and patientBusy how long who asks for an answer does.
const (
	quickBusy   = 5 * time.Millisecond
	patientBusy = 2 * time.Second
)

// OpenObserverReader opens the state of a repository. root is the workspace's path below the
// repository's top. Without a state, or with an older schema, every answer is empty.
func OpenObserverReader(ctx context.Context, dir, root string) (*ObserverReader, error) {
	o, err := openObserverReader(ctx, dir, root, quickBusy)
	if err != nil { // a hook says nothing instead
		err = ctx.Err()
	}
	return o, err
}

// OpenPatientReader is [OpenObserverReader] for who asks and would take silence for an answer: it waits for a busy database, and
// fails if that stays busy.
func OpenPatientReader(ctx context.Context, dir, root string) (*ObserverReader, error) {
	return openObserverReader(ctx, dir, root, patientBusy)
}

// openObserverReader waits for at most busy for a lock. Its reader can be used after an error, too: its answers are empty.
func openObserverReader(ctx context.Context, dir, root string, busy time.Duration) (*ObserverReader, error) {
	o := &ObserverReader{root: root}
	path := filepath.Join(dir, "state.db")
	db, err := openReading(ctx, path, busy, false)
	if sqlfile.IsBusy(err) {
		return o, fmt.Errorf("read %s: %w", path, err)
	}
	if err != nil {
		return o, ctx.Err()
	}
	v, err := db.Version(ctx)
	if err != nil || v < observerSchema {
		return o, db.Close()
	}
	o.db, o.schema = db, v
	return o, nil
}

// observerSchema is the first version of state.db with the observer's tables.
const observerSchema = 3

// LogsNamed is [Sessions.Logs] of some logs by their names, without waiting.
func (o *ObserverReader) LogsNamed(ctx context.Context, names []string) (map[string]int64, error) {
	out := map[string]int64{}
	if o.db == nil || len(names) == 0 {
		return out, nil
	}
	return out, scan(ctx, o.db, qLogsNamed, []any{jsonList(names)}, func(rows *sql.Rows) error { return scanLog(rows, out) })
}

// Close releases the database.
func (o *ObserverReader) Close() error { return closeDB(&o.db) }

// FailuresFor returns the errors of earlier sessions with a class of tools ("shell", "read", …) on
// any of the subjects: keys of a command, or paths. The caller decides which to show.
func (o *ObserverReader) FailuresFor(ctx context.Context, tool string, subjects []string) ([]KnownFailure, error) {
	if o.db == nil || len(subjects) == 0 {
		return nil, nil
	}
	out, err := o.failures(ctx, qFailuresFor, o.root, tool, jsonList(subjects))
	sorting.Func(out, func(a, b KnownFailure) int {
		return cmp.Or(cmp.Compare(b.Sessions, a.Sessions), cmp.Compare(a.Subject, b.Subject), cmp.Compare(a.Fingerprint, b.Fingerprint), slices.Compare(a.Trigger, b.Trigger))
	})
	return out, err
}

// FailuresLike returns the errors of earlier sessions with a fingerprint, whichever call met them, the newest first. It
// leaves out generic ones. How often their commands ran is not counted.
func (o *ObserverReader) FailuresLike(ctx context.Context, tool, fingerprint string) ([]KnownFailure, error) {
	if o.db == nil || fingerprint == "" {
		return nil, nil
	}
	return o.failures(ctx, qFailuresLike, o.root, tool, fingerprint)
}

// FrequentFailures returns the errors of at least so many sessions that occurred since a time, most
// sessions first. Ran is the number of all sessions since then.
func (o *ObserverReader) FrequentFailures(ctx context.Context, since time.Time, sessions int) ([]KnownFailure, error) {
	if o.db == nil {
		return nil, nil
	}
	return o.failures(ctx, qFrequent, o.root, since.UnixMilli(), sessions)
}

// DraftsOf returns the drafts of one session that wait for review, newest first, at most eight. It
// skips damaged ones.
func (o *ObserverReader) DraftsOf(ctx context.Context, session string) ([]*file.Memory, error) {
	if o.db == nil || session == "" {
		return nil, nil
	}
	return o.drafts(ctx, qDraftsOf, session)
}

// DraftsBeside returns the drafts of agents in other sessions that wait for review, newest first,
// at most twenty.
func (o *ObserverReader) DraftsBeside(ctx context.Context, session string) ([]*file.Memory, error) {
	if o.db == nil {
		return nil, nil
	}
	return o.drafts(ctx, qDraftsBeside, session)
}

func (o *ObserverReader) drafts(ctx context.Context, query, session string) ([]*file.Memory, error) {
	var out []*file.Memory
	err := scan(ctx, o.db, query, []any{o.root, session}, func(rows *sql.Rows) error {
		var data []byte
		if err := rows.Scan(&data); err != nil {
			return err
		}
		if m, err := file.Parse(data); err == nil {
			out = append(out, m)
		}
		return nil
	})
	return out, err
}

// PriorRequest is a person's request in an earlier session.
type PriorRequest struct {
	Folder string // with the most edits, or ""
	Calls  int
}

// Requests returns the last requests of earlier sessions, newest first.
func (o *ObserverReader) Requests(ctx context.Context, limit int) ([]PriorRequest, error) {
	if o.db == nil {
		return nil, nil
	}
	var out []PriorRequest
	err := scan(ctx, o.db, qRequests, []any{o.root, limit}, func(rows *sql.Rows) error {
		var r PriorRequest
		var key string
		if err := rows.Scan(&key, &r.Calls); err != nil {
			return err
		}
		_, r.Folder, _ = strings.Cut(key, "\x00")
		out = append(out, r)
		return nil
	})
	return out, err
}

func (o *ObserverReader) failures(ctx context.Context, query string, args ...any) ([]KnownFailure, error) {
	var out []KnownFailure
	err := scan(ctx, o.db, query, args, func(rows *sql.Rows) error {
		var f KnownFailure
		var trigger string
		err := rows.Scan(&f.Tool, &f.Subject, &f.Fingerprint, &trigger, &f.Message, &f.Failed, &f.Fix, &f.How, &f.Generic, &f.Count, &f.Sessions, &f.Tainted, &f.Ran, &f.Since)
		if trigger != "" {
			f.Trigger = strings.Split(trigger, "\n")
		}
		out = append(out, f)
		return err
	})
	return out, err
}

// coUse says how two files were used together.
type coUse struct {
	given, path string
	sessions    int
	weight      float64
	alike       int // of the sessions, of the same kind of work
}

// Limits of NextFiles. Hooks have 2 ms.
const (
	maxGiven   = 5
	maxPairs   = 60 // of each given file, in each direction
	maxPopular = 40
)

// kindsSchema is the first version of state.db that counts pairs by the kind of work.
const kindsSchema = 19

// NextFiles returns the files that sessions used after the given ones, best first, at most limit. It counts the sessions of the
// same kind of work ("" if unknown), but does not rank by them: that has shown nothing (docs/observer-figures.md).
// It excludes the given files, and considers only the last five of many.
func (o *ObserverReader) NextFiles(ctx context.Context, files []string, kind episode.Kind, limit int) ([]NextFile, error) {
	if o.db == nil || len(files) == 0 {
		return nil, nil
	}
	query, args := qNextOf, []any{o.root, "", maxPairs}
	if kind != "" && o.schema >= kindsSchema {
		query, args = qNextOfKind, append(args, string(kind))
	}
	var pairs, popular []coUse
	for _, f := range files[max(0, len(files)-maxGiven):] {
		args[1] = f
		err := scan(ctx, o.db, query, args, func(rows *sql.Rows) error {
			t := coUse{given: f}
			err := rows.Scan(&t.path, &t.sessions, &t.weight, &t.alike)
			pairs = append(pairs, t)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	err := scan(ctx, o.db, qPopular, []any{o.root, maxPopular}, func(rows *sql.Rows) error {
		var t coUse
		err := rows.Scan(&t.path, &t.weight)
		popular = append(popular, t)
		return err
	})
	if err != nil {
		return nil, err
	}
	return rankNext(files, pairs, popular, limit), nil
}

// Weights of rankNext, tuned on the development sessions (cmd/eval/observer/FIGURES.md).
const (
	nextPrior    = 2.0  // sessions that smooth a pair's share
	nextPopular  = 0.15 // for files that many sessions use
	nextSameName = 0.6  // for the test of a given file, and similar
	nextSameDir  = 0.1
)

// rankNext scores each file by how reliably the given ones lead to it, its popularity, and how
// similar its name and folder are.
func rankNext(files []string, pairs, popular []coUse, limit int) []NextFile {
	scores := map[string]*NextFile{}
	at := func(p string) *NextFile {
		n := scores[p]
		if n == nil {
			n = &NextFile{Path: p}
			scores[p] = n
		}
		return n
	}
	most := 0.0
	for _, p := range popular {
		most = max(most, p.weight)
	}
	for _, p := range popular {
		at(p.path).Score += nextPopular * p.weight / most
	}
	top := map[string]float64{}
	for _, p := range pairs {
		top[p.given] = max(top[p.given], p.weight)
	}
	for _, p := range pairs {
		n := at(p.path)
		share := p.weight / (top[p.given] + 1e-9)
		sure := float64(p.sessions) / (float64(p.sessions) + nextPrior)
		n.Score += share * sure / float64(len(files))
		if p.sessions > n.Sessions {
			n.Sessions, n.Alike = p.sessions, p.alike
		}
	}
	for _, f := range files {
		delete(scores, f)
	}
	out := make([]NextFile, 0, len(scores))
	for p, n := range scores {
		for _, f := range files {
			if stem(f) == stem(p) {
				n.Score += nextSameName / float64(len(files))
			}
			if path.Dir(f) == path.Dir(p) {
				n.Score += nextSameDir / float64(len(files))
			}
		}
		out = append(out, *n)
	}
	sorting.Func(out, func(a, b NextFile) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), strings.Compare(a.Path, b.Path))
	})
	return out[:min(limit, len(out))]
}

// stem is a file's name without extension and test suffix.
func stem(p string) string {
	base := strings.ToLower(path.Base(p))
	base = strings.TrimSuffix(base, path.Ext(base))
	for _, mark := range []string{"_test", ".test", ".spec", "_spec"} {
		base = strings.TrimSuffix(base, mark)
	}
	return strings.TrimPrefix(base, "test_")
}
