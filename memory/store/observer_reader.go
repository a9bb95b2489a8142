package store

import (
	"cmp"
	"context"
	"database/sql"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"manicule/indexer/sqlfile"
	"manicule/memory/file"
)

// KnownFailure is an error that earlier sessions met.
type KnownFailure struct {
	Tool        string
	Subject     string // the command's key, or the path
	Fingerprint string
	Trigger     []string // words that a command must have to fail so again
	Message     string   // as it was last printed: text of a program, to be fenced
	Failed      string   // the call as it was
	Fix         string   // what then worked, "" where nothing is known to
	How         string   // changed, edited, again, or ""
	Generic     bool     // it says nothing about the project
	Count       int
	Sessions    int // that met it
	Tainted     int // of them those in which it followed text of strangers
	Ran         int // sessions that ran the command at all, 0 for a path
	RanFailed   int // of them those in which it failed in any way
	Last        time.Time
}

// NextFile is a file that sessions go on to.
type NextFile struct {
	Path     string
	Score    float64 // comparable within one answer
	Sessions int     // that used it together with one of the given files
}

// ObserverReader is a look at what earlier sessions have shown, for who has only
// milliseconds: read-only, waiting for nobody, never migrating.
type ObserverReader struct {
	db   *sqlfile.DB
	root string
}

// OpenObserverReader opens the state of a repository for looking; root is the
// workspace below the repository's top. Where there is no state, or one of an
// older schema, every answer is empty.
func OpenObserverReader(ctx context.Context, dir, root string) (*ObserverReader, error) {
	o := &ObserverReader{root: root}
	db, err := openReading(ctx, filepath.Join(dir, "state.db"), quickBusy)
	if err != nil {
		return o, ctx.Err()
	}
	if v, err := db.Version(ctx); err != nil || v < observerSchema {
		return o, db.Close()
	}
	o.db = db
	return o, nil
}

// observerSchema is the version of state.db that has what the observer keeps.
const observerSchema = 3

// ObservedLogs is [State.ObservedLogs], without waiting for anybody.
func (o *ObserverReader) ObservedLogs(ctx context.Context) (map[string]int64, error) {
	out := map[string]int64{}
	if o.db == nil {
		return out, nil
	}
	return out, scan(ctx, o.db, qSessionLogs, nil, func(rows *sql.Rows) error { return scanLog(rows, out) })
}

// Close releases the database.
func (o *ObserverReader) Close() error { return closeDB(&o.db) }

// FailuresFor returns the errors that earlier sessions met with a class of
// tool ("shell", "read", …) on any of the subjects: the keys of a command, or
// paths. What is worth telling, and when, is the caller's to judge.
func (o *ObserverReader) FailuresFor(ctx context.Context, tool string, subjects []string) ([]KnownFailure, error) {
	if o.db == nil || len(subjects) == 0 {
		return nil, nil
	}
	out, err := o.failures(ctx, qFailuresFor, o.root, tool, jsonList(subjects))
	slices.SortFunc(out, func(a, b KnownFailure) int {
		return cmp.Or(cmp.Compare(b.Sessions, a.Sessions), cmp.Compare(a.Subject, b.Subject), cmp.Compare(a.Fingerprint, b.Fingerprint), slices.Compare(a.Trigger, b.Trigger))
	})
	return out, err
}

// FrequentFailures returns the errors that at least so many sessions met, most
// sessions first, of those that were met again since a time. Ran is here the
// number of all sessions since then.
func (o *ObserverReader) FrequentFailures(ctx context.Context, since time.Time, sessions int) ([]KnownFailure, error) {
	if o.db == nil {
		return nil, nil
	}
	return o.failures(ctx, qFrequent, o.root, since.UnixMilli(), sessions)
}

// DraftsOf returns what waits for a person of one session, newest first, at most
// eight. What can't be parsed is left out.
func (o *ObserverReader) DraftsOf(ctx context.Context, session string) ([]*file.Memory, error) {
	if o.db == nil || session == "" {
		return nil, nil
	}
	return o.drafts(ctx, qDraftsOf, session)
}

// DraftsBeside returns what agents wrote in other sessions than one and waits for a
// person, newest first, at most twenty.
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

// PriorRequest is what a person asked for in an earlier session.
type PriorRequest struct {
	Folder string // in which most was edited, "" where nothing was
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
		var last int64
		err := rows.Scan(&f.Tool, &f.Subject, &f.Fingerprint, &trigger, &f.Message, &f.Failed, &f.Fix, &f.How, &f.Generic, &f.Count, &f.Sessions, &f.Tainted, &last, &f.Ran, &f.RanFailed)
		if trigger != "" {
			f.Trigger = strings.Split(trigger, "\n")
		}
		f.Last = time.UnixMilli(last).UTC()
		out = append(out, f)
		return err
	})
	return out, err
}

// coUse is how two files have been used.
type coUse struct {
	given, path string
	sessions    int
	weight      float64
}

// The limits of what NextFiles looks at: hooks have 2 ms.
const (
	maxGiven   = 5
	maxPairs   = 60 // of each given file, on either side
	maxPopular = 40
)

// NextFiles returns the files that sessions with the given ones have gone on
// to, best first, at most limit. The given ones are left out; of many the last
// five are looked at.
func (o *ObserverReader) NextFiles(ctx context.Context, files []string, limit int) ([]NextFile, error) {
	if o.db == nil || len(files) == 0 {
		return nil, nil
	}
	var pairs, popular []coUse
	for _, f := range files[max(0, len(files)-maxGiven):] {
		err := scan(ctx, o.db, qNextOf, []any{o.root, f, maxPairs}, func(rows *sql.Rows) error {
			t := coUse{given: f}
			err := rows.Scan(&t.path, &t.sessions, &t.weight)
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

// The weights of rankNext, tuned on the development sessions (docs/observer.md).
const (
	nextPrior    = 2.0  // sessions that a pair's share is smoothed by
	nextPopular  = 0.15 // for files that many sessions use
	nextSameName = 0.6  // for the test of a given file, and the like
	nextSameDir  = 0.1
)

// rankNext scores each file by how surely the given ones lead to it, with how
// usual it is, and how near by name and folder it lies.
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
		n.Sessions = max(n.Sessions, p.sessions)
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
	slices.SortFunc(out, func(a, b NextFile) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), strings.Compare(a.Path, b.Path))
	})
	return out[:min(limit, len(out))]
}

// stem is the name of a file without its ending and what marks a test.
func stem(p string) string {
	base := strings.ToLower(path.Base(p))
	base = strings.TrimSuffix(base, path.Ext(base))
	for _, mark := range []string{"_test", ".test", ".spec", "_spec"} {
		base = strings.TrimSuffix(base, mark)
	}
	return strings.TrimPrefix(base, "test_")
}
