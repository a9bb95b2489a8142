package store

import (
	"context"
	"database/sql"
	"path"
	"path/filepath"
	"sort"
	"strings"
	"time"

	"manicule/indexer/sqlfile"
	"manicule/memory/file"
	"manicule/memory/scope"
)

// DB is the database type that readers use.
type DB = *sqlfile.DB

// MaxMatches is how many rows of a short id are looked at: the LIMIT of those statements.
const MaxMatches = 10

// Statements on memories.db. A test prepares each on the migrated schema; the query plans of hot
// ones are pinned.
const (
	qDigest       = `SELECT value FROM meta WHERE key = 'digest'`
	qSetMeta      = `INSERT INTO meta (key, value) VALUES (?1, ?2) ON CONFLICT (key) DO UPDATE SET value = ?2`
	qRowsOf       = `SELECT path, json, sum, places, unreviewed, life FROM memories WHERE uuid IN (SELECT value FROM json_each(?1)) ORDER BY path`
	qRowsAt       = `SELECT path, json, sum, places, unreviewed, life FROM memories WHERE path IN (SELECT value FROM json_each(?1)) ORDER BY path`
	qRowByUUID    = `SELECT path, json, sum, places, unreviewed, life FROM memories WHERE uuid = ?1`
	qRowsByUUID   = `SELECT path, json, sum, places, unreviewed, life FROM memories WHERE substr(uuid, 1, length(?1)) = ?1 OR substr(uuid, -length(?1)) = ?1 OR substr(uuid, -8, length(?1)) = ?1 ORDER BY uuid LIMIT 10`
	qAllRows      = `SELECT path, json, sum, places, unreviewed, life FROM memories ORDER BY path`
	qConflicted   = `SELECT path, json, sum, places, unreviewed, life FROM memories WHERE instr(json, '"conflict": [') > 0 ORDER BY path`
	qPersonalRows = `SELECT path, json, sum, places, unreviewed, life FROM memories WHERE visibility = 'personal' ORDER BY path`
	qByDedupeKey  = `SELECT path, json, sum, places, unreviewed, life FROM memories WHERE dedupe_key = ?1 AND deprecated = 0 ORDER BY path LIMIT 1`
	qTexts        = `SELECT what FROM memories ORDER BY path`
	qImportKeys   = `SELECT import_key FROM memories WHERE import_key <> ''`
	qRepeated     = `SELECT uuid FROM memories WHERE dedupe_key IN (SELECT dedupe_key FROM memories GROUP BY dedupe_key HAVING count(*) > 1) ORDER BY uuid`
	qDedupeKeys   = `SELECT dedupe_key FROM memories`
	qProblems     = `SELECT path, line, col, message, hint, uuid, held, vouch FROM problems ORDER BY path`
	qFolders      = `SELECT path, mtime_ns FROM folders`
	qClearReaches = `DELETE FROM reaches WHERE memory_id = ?1`
	qReaching     = `SELECT path, json, sum, places, unreviewed, life FROM memories WHERE deprecated = 0 AND memory_id IN
		(SELECT memory_id FROM reaches WHERE prefix IN (SELECT value FROM json_each(?1))) ORDER BY path`
	qReachingDir = `SELECT path, json, sum, places, unreviewed, life FROM memories WHERE deprecated = 0 AND memory_id IN
		(SELECT memory_id FROM reaches WHERE prefix IN (SELECT value FROM json_each(?1))
		 UNION SELECT memory_id FROM reaches WHERE prefix >= ?2 AND prefix < ?3) ORDER BY path`
	// Rank in the word index first and join the memories after: reading all matching rows takes as
	// long as ranking them.
	qWords = `SELECT rowid AS id, bm25(memories_fts, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0) AS rank FROM memories_fts
		WHERE memories_fts MATCH ?1 ORDER BY rank, rowid
		LIMIT ?2 + (SELECT count(*) FROM memories WHERE deprecated = 1)`
	qSearch = `SELECT m.path, m.json, m.sum, m.places, m.unreviewed, m.life, found.rank FROM (` + qWords + `) AS found
		JOIN memories m ON m.memory_id = found.id
		WHERE m.deprecated = 0 ORDER BY found.rank, m.path LIMIT ?2`
	qSearchLike = `SELECT path, json, sum, places, unreviewed, life, -1.0 FROM memories
		WHERE deprecated = 0 AND
			(what LIKE ?1 ESCAPE '\' OR why LIKE ?1 ESCAPE '\' OR label LIKE ?1 ESCAPE '\' OR tags LIKE ?1 ESCAPE '\')
		ORDER BY path LIMIT ?2`
	qLatest = `SELECT path, json, sum, places, unreviewed, life FROM memories
		WHERE (?2 = '' OR layer = ?2) AND (?3 = '[]' OR type IN (SELECT value FROM json_each(?3))) AND (?4 = 0 OR visibility = 'personal')
			AND (?5 = '' OR owner_kind NOT IN ('agent', 'session') OR owner_id = iif(owner_kind = 'agent', ?5, ?6))
		ORDER BY updated_ms DESC, uuid DESC LIMIT ?1`
	qLatestTotal = `SELECT count(*) FROM memories
		WHERE (?1 = '' OR layer = ?1) AND (?2 = '[]' OR type IN (SELECT value FROM json_each(?2))) AND (?3 = 0 OR visibility = 'personal')
			AND (?4 = '' OR owner_kind NOT IN ('agent', 'session') OR owner_id = iif(owner_kind = 'agent', ?4, ?5))`
	qAllTotal     = `SELECT (SELECT count(*) FROM memories) - (SELECT count(*) FROM memories WHERE ?1 <> '' AND (owner_kind = 'agent' AND owner_id <> ?1 OR owner_kind = 'session' AND owner_id <> ?2))`
	qCounts       = `SELECT layer, type, count(*) FROM memories GROUP BY layer, type ORDER BY layer, type`
	qLive         = qTotal // count all minus the few: checking each would read the whole table
	qIntegrityFTS = `INSERT INTO memories_fts (memories_fts, rank) VALUES ('integrity-check', 1)`
)

// Row is a memory's file in the database.
type Row struct {
	Path string // below the memories folder, forward slashes
	JSON []byte
	// Rank is the keyword rank of a search; smaller is better (FTS5's bm25).
	Rank float64
	sum  int64
	// places are the encoded places of its anchors.
	places string
	// outline replaces JSON if a hook needs only what ranks a memory.
	outline *file.Memory
	noted   []Place // with an outline
	// unreviewed is the value in [file.Trust].
	unreviewed bool
	life       string // encoded use
	// Now is when the row was read: ages count up to then.
	Now time.Time
	// Key is the judged memory's [file.Memory.TextKey], with an outline.
	Key string
	// Unjudged is true for a file that is not in the database yet.
	Unjudged bool
}

// Memory parses the row. A FastReader may return an outline: identity, kind, weight, places, and
// the beginning of the text.
func (r Row) Memory() (*file.Memory, error) {
	if r.outline != nil {
		return r.outline, nil
	}
	m, err := file.Parse(r.JSON)
	if err == nil {
		m.Trust.Unreviewed = r.unreviewed
	}
	return m, err
}

// Reaches lists where a memory can apply, in the form of the reaches table: literal folders with a
// trailing slash, "" for anywhere, "path/" for an anchored file, "*" for the whole project.
func Reaches(m *file.Memory, opts scope.Options) []string {
	var out []string
	if m.Scope != nil {
		s, err := scope.Compile(m.Scope, opts)
		if err != nil {
			return nil // a problem, never stored
		}
		out = append(out, s.Prefixes()...)
	}
	for _, a := range m.Anchors {
		out = append(out, opts.Folded(path.Clean(filepath.ToSlash(a.Path)))+"/")
	}
	if len(out) == 0 {
		out = []string{"*"}
	}
	return out
}

// PathPrefixes lists the keys in the reaches table for a path; withProject adds the project-wide
// one.
func PathPrefixes(rel string, opts scope.Options, withProject bool) []string {
	rel = opts.Folded(rel)
	out := []string{""}
	if withProject {
		out = append(out, "*")
	}
	for i := range len(rel) {
		if rel[i] == '/' {
			out = append(out, rel[:i+1])
		}
	}
	if rel != "" {
		out = append(out, rel+"/")
	}
	return out
}

// queries reads the rows of memories.db.
type queries struct{ *database }

// Reaching returns a superset of the memories that apply to a path relative to the root, by literal
// folder. For a folder it includes what lies below.
func (s queries) Reaching(ctx context.Context, rel string, isDir bool) ([]Row, error) {
	prefixes := jsonList(PathPrefixes(rel, s.writer.scopes, true))
	if !isDir {
		return s.rows(ctx, qReaching, prefixes)
	}
	low := s.writer.scopes.Folded(rel)
	if low != "" {
		low += "/"
	}
	return s.rows(ctx, qReachingDir, prefixes, low, low+"\U0010FFFF")
}

// OutlinesReaching is Reaching with outlines only (see [Row.Memory]), for callers that show few of
// many.
func (s queries) OutlinesReaching(ctx context.Context, rel string, isDir bool) (out []Row, err error) {
	query, args := qOutlines, []any{jsonList(PathPrefixes(rel, s.writer.scopes, true))}
	if isDir {
		low := s.writer.scopes.Folded(rel)
		if low != "" {
			low += "/"
		}
		query, args = qOutlinesDir, append(args, low, low+"\U0010FFFF")
	}
	err = s.read(ctx, func(db DB) (err error) {
		out, err = outlines(ctx, db, query, args)
		return err
	})
	AsOf(out, s.now())
	return out, err
}

// Of returns the memories of some ids, by path.
func (s queries) Of(ctx context.Context, uuids []string) ([]Row, error) {
	return s.rows(ctx, qRowsOf, jsonList(uuids))
}

// At returns the memories with some paths below the memories folder, by path.
func (s queries) At(ctx context.Context, paths []string) ([]Row, error) {
	return s.rows(ctx, qRowsAt, jsonList(paths))
}

// All returns every memory.
func (s queries) All(ctx context.Context) (out []Row, err error) {
	err = eachPart(ctx, s, func() func([]Row) {
		out = nil
		return func(part []Row) { out = append(out, part...) }
	})
	return out, err
}

// rowsAtOnce is how many rows a part has.
const rowsAtOnce = 500

// EachPart reads what [Memories.All] returns in parts, for who keeps less than the rows: those of a large workspace take hundreds of MB.
// It calls start before the first part, and again where it has to begin anew, as with a database that was repaired.
func EachPart(ctx context.Context, m *Memories, start func() (take func([]Row))) error {
	return eachPart(ctx, m.queries, start)
}

func eachPart(ctx context.Context, s queries, start func() (take func([]Row))) error {
	now := s.now()
	return s.read(ctx, func(db DB) error {
		take := start()
		var part []Row
		err := eachRow(ctx, db, qAllRows, func(r Row) {
			if r.Now = now; part == nil {
				part = make([]Row, 0, rowsAtOnce)
			}
			if part = append(part, r); len(part) == rowsAtOnce {
				take(part)
				part = nil
			}
		})
		if err == nil && len(part) > 0 {
			take(part)
		}
		return err
	})
}

// Selection narrows a list of memories. The zero value is all of them.
type Selection struct {
	Types    []file.Type
	Layer    file.Layer
	Personal bool
	// Agent is the agent that asks, "" for a person: what belongs to another one is left out.
	Agent string
	// Session is the one in which it asks, "" if that is unknown.
	Session string
}

// Latest returns the memories that were changed last, at most limit, and how many there are.
func (s queries) Latest(ctx context.Context, of Selection, limit int) (rows []Row, total int, err error) {
	types := make([]string, len(of.Types))
	for i, t := range of.Types {
		types[i] = string(t)
	}
	narrow := []any{string(of.Layer), jsonList(types), of.Personal, of.Agent, of.Session}
	if rows, err = s.rows(ctx, qLatest, append([]any{limit}, narrow...)...); err != nil {
		return nil, 0, err
	}
	query := qLatestTotal
	if len(of.Types) == 0 && of.Layer == "" && !of.Personal {
		query, narrow = qAllTotal, []any{of.Agent, of.Session} // it reads few rows
	}
	err = s.read(ctx, func(db DB) error {
		return scan(ctx, db, query, narrow, func(r *sql.Rows) error { return r.Scan(&total) })
	})
	return rows, total, err
}

// Conflicted returns the memories that may hold versions of a merge: a text of theirs
// may only look so.
func (s queries) Conflicted(ctx context.Context) ([]Row, error) { return s.rows(ctx, qConflicted) }

// Personal returns the personal memories.
func (s queries) Personal(ctx context.Context) ([]Row, error) { return s.rows(ctx, qPersonalRows) }

// ByUUID returns the memories that id is short for, at most ten.
func (s queries) ByUUID(ctx context.Context, id string) ([]Row, error) {
	if len(id) == 36 {
		return s.rows(ctx, qRowByUUID, id)
	}
	return s.rows(ctx, qRowsByUUID, id)
}

// ByDedupeKey returns the memory that says the same.
func (s queries) ByDedupeKey(ctx context.Context, key string) (Row, bool, error) {
	rows, err := s.rows(ctx, qByDedupeKey, key)
	if err != nil || len(rows) == 0 {
		return Row{}, false, err
	}
	return rows[0], true, nil
}

// Repeated returns the uuids of the memories whose dedupe key another one has, too.
func (s queries) Repeated(ctx context.Context) (uuids []string, err error) {
	err = s.read(ctx, func(db DB) error {
		uuids = nil
		return scan(ctx, db, qRepeated, nil, func(rows *sql.Rows) error {
			var uuid string
			err := rows.Scan(&uuid)
			uuids = append(uuids, uuid)
			return err
		})
	})
	return uuids, err
}

// Texts returns the text of each memory, without reading the rest of it.
func (s queries) Texts(ctx context.Context) ([]string, error) {
	var out []string
	err := s.read(ctx, func(db DB) error {
		out = nil
		return scan(ctx, db, qTexts, nil, func(rows *sql.Rows) error {
			var what string
			err := rows.Scan(&what)
			out = append(out, what)
			return err
		})
	})
	return out, err
}

// ImportKeys returns the keys of all imported chunks.
func (s queries) ImportKeys(ctx context.Context) (map[string]bool, error) {
	return s.keys(ctx, qImportKeys)
}

// DedupeKeys returns the keys that identify duplicates.
func (s queries) DedupeKeys(ctx context.Context) (map[string]bool, error) {
	return s.keys(ctx, qDedupeKeys)
}

func (s queries) keys(ctx context.Context, query string) (map[string]bool, error) {
	keys := map[string]bool{}
	err := s.read(ctx, func(db DB) error {
		clear(keys)
		return scan(ctx, db, query, nil, func(rows *sql.Rows) error {
			var k string
			err := rows.Scan(&k)
			keys[k] = true
			return err
		})
	})
	return keys, err
}

// Fault is a memory file that can't be used.
type Fault struct {
	Path         string // below the memories folder
	Line, Column int
	Message      string
	Hint         string
	// UUID and Held describe a memory in quarantine. Held is the machine-readable reason. Both are
	// "" for an unreadable file.
	UUID, Held string
	Keys       []string // to vouch for, to release it
}

// Faults returns the memory files that can't be used, by path.
func (s queries) Faults(ctx context.Context) ([]Fault, error) {
	var out []Fault
	err := s.read(ctx, func(db DB) error {
		out = nil
		return scan(ctx, db, qProblems, nil, func(rows *sql.Rows) error {
			var f Fault
			var keys string
			err := rows.Scan(&f.Path, &f.Line, &f.Column, &f.Message, &f.Hint, &f.UUID, &f.Held, &keys)
			f.Keys = strings.Fields(keys)
			out = append(out, f)
			return err
		})
	})
	return out, err
}

// Count is the number of memories of a type in a layer.
type Count struct {
	Layer file.Layer `json:"layer"`
	Type  file.Type  `json:"type"`
	N     int        `json:"count"`
}

// Counts returns the numbers of memories by layer and type.
func (s queries) Counts(ctx context.Context) ([]Count, error) {
	var out []Count
	err := s.read(ctx, func(db DB) error {
		out = nil
		return scan(ctx, db, qCounts, nil, func(rows *sql.Rows) error {
			var c Count
			err := rows.Scan(&c.Layer, &c.Type, &c.N)
			out = append(out, c)
			return err
		})
	})
	sort.SliceStable(out, func(i, j int) bool { return out[i].Layer.Rank() < out[j].Layer.Rank() })
	return out, err
}

// Total returns the number of memories that are not superseded.
func (s queries) Total(ctx context.Context) (n int, err error) {
	err = s.read(ctx, func(db DB) error {
		return scan(ctx, db, qLive, nil, func(rows *sql.Rows) error { return rows.Scan(&n) })
	})
	return n, err
}

// Check verifies the whole database. The next read repairs damage.
func (s *Memories) Check(ctx context.Context) error {
	if err := s.read(ctx, func(db DB) error { return db.Check(ctx) }); err != nil {
		return err
	}
	return s.write(ctx, func(tx *sql.Tx) error { return exec(ctx, tx, "check the text index", qIntegrityFTS) })
}
