package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"sort"
	"strings"
	"time"

	"manicule/indexer/sqlfile"
	"manicule/indexer/words"
	"manicule/memory/file"
	"manicule/memory/scope"
)

// DB is the part of a database that reading needs.
type DB = *sqlfile.DB

// The statements on memories.db. A test prepares each on the migrated schema;
// the hot ones have their query plans pinned.
const (
	qDigest        = `SELECT value FROM meta WHERE key = 'digest'`
	qSetMeta       = `INSERT INTO meta (key, value) VALUES (?1, ?2) ON CONFLICT (key) DO UPDATE SET value = ?2`
	qKnown         = `SELECT path, mtime_ns, size, 0 FROM memories UNION ALL SELECT path, mtime_ns, size, 1 FROM problems`
	qKnownPath     = `SELECT path, mtime_ns, size, 0 FROM memories WHERE path = ?1 UNION ALL SELECT path, mtime_ns, size, 1 FROM problems WHERE path = ?1`
	qDeleteMemory  = `DELETE FROM memories WHERE path = ?1`
	qDeleteProblem = `DELETE FROM problems WHERE path = ?1`
	qPathByUUID    = `SELECT path FROM memories WHERE uuid = ?1 AND path <> ?2`
	qRowsOf        = `SELECT path, json, sum, places, unreviewed FROM memories WHERE uuid IN (SELECT value FROM json_each(?1)) ORDER BY path`
	qRowsAt        = `SELECT path, json, sum, places, unreviewed FROM memories WHERE path IN (SELECT value FROM json_each(?1)) ORDER BY path`
	qRowByUUID     = `SELECT path, json, sum, places, unreviewed FROM memories WHERE uuid = ?1`
	qRowsByUUID    = `SELECT path, json, sum, places, unreviewed FROM memories WHERE substr(uuid, 1, length(?1)) = ?1 OR substr(uuid, -length(?1)) = ?1 ORDER BY uuid LIMIT 10`
	qAllRows       = `SELECT path, json, sum, places, unreviewed FROM memories ORDER BY path`
	qConflicted    = `SELECT path, json, sum, places, unreviewed FROM memories WHERE instr(json, '"conflict": [') > 0 ORDER BY path`
	qPersonalRows  = `SELECT path, json, sum, places, unreviewed FROM memories WHERE visibility = 'personal' ORDER BY path`
	qByDedupeKey   = `SELECT path, json, sum, places, unreviewed FROM memories WHERE dedupe_key = ?1 ORDER BY path LIMIT 1`
	qTexts         = `SELECT what FROM memories ORDER BY path`
	qImportKeys    = `SELECT import_key FROM memories WHERE import_key <> ''`
	qDedupeKeys    = `SELECT dedupe_key FROM memories`
	qProblems      = `SELECT path, line, col, message, hint, uuid, held, vouch FROM problems ORDER BY path`
	qFolders       = `SELECT path, mtime_ns FROM folders`
	qClearFolders  = `DELETE FROM folders`
	qMoveFolder    = `INSERT INTO folders (path, mtime_ns) SELECT ?1, ?3 WHERE ?2 = 0 AND NOT EXISTS (SELECT 1 FROM folders WHERE path = ?1)
		UNION ALL SELECT ?1, ?3 WHERE EXISTS (SELECT 1 FROM folders WHERE path = ?1 AND mtime_ns = ?2)
		ON CONFLICT (path) DO UPDATE SET mtime_ns = excluded.mtime_ns`
	qAddFolder  = `INSERT INTO folders (path, mtime_ns) VALUES (?1, ?2)`
	qAddProblem = `INSERT INTO problems (path, mtime_ns, size, line, col, message, hint, uuid, held, vouch) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
		ON CONFLICT (path) DO UPDATE SET mtime_ns = ?2, size = ?3, line = ?4, col = ?5, message = ?6, hint = ?7, uuid = ?8, held = ?9, vouch = ?10`
	qPutMemory = `INSERT INTO memories (path, mtime_ns, size, uuid, type, layer, what, why, label, tags, related_files, words,
			owner_kind, owner_id, visibility, importance, confidence, pinned, tier, origin, needs_review,
			dedupe_key, import_key, created_ms, updated_ms, json, sum, unreviewed)
		VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24, ?25, ?26, ?27, ?28)
		ON CONFLICT (path) DO UPDATE SET mtime_ns = ?2, size = ?3, uuid = ?4, type = ?5, layer = ?6, what = ?7, why = ?8,
			label = ?9, tags = ?10, related_files = ?11, words = ?12, owner_kind = ?13, owner_id = ?14, visibility = ?15,
			importance = ?16, confidence = ?17, pinned = ?18, tier = ?19, origin = ?20, needs_review = ?21,
			dedupe_key = ?22, import_key = ?23, created_ms = ?24, updated_ms = ?25, json = ?26, sum = ?27, unreviewed = ?28
		RETURNING memory_id, places`
	qClearReaches = `DELETE FROM reaches WHERE memory_id = ?1`
	qAddReach     = `INSERT OR IGNORE INTO reaches (prefix, memory_id, outline) VALUES (?1, ?2, ?3)`
	qReaching     = `SELECT path, json, sum, places, unreviewed FROM memories WHERE deprecated = 0 AND memory_id IN
		(SELECT memory_id FROM reaches WHERE prefix IN (SELECT value FROM json_each(?1))) ORDER BY path`
	qReachingDir = `SELECT path, json, sum, places, unreviewed FROM memories WHERE deprecated = 0 AND memory_id IN
		(SELECT memory_id FROM reaches WHERE prefix IN (SELECT value FROM json_each(?1))
		 UNION SELECT memory_id FROM reaches WHERE prefix >= ?2 AND prefix < ?3) ORDER BY path`
	qPathsIn = `SELECT path FROM memories WHERE path >= ?1 AND path < ?2 UNION ALL SELECT path FROM problems WHERE path >= ?1 AND path < ?2`
	// The best of the word index come first and their memories after: of all that
	// have one of the words, reading them takes as long as ranking them.
	qWords = `SELECT rowid AS id, bm25(memories_fts, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0) AS rank FROM memories_fts
		WHERE memories_fts MATCH ?1 ORDER BY rank, rowid
		LIMIT ?2 + (SELECT count(*) FROM memories WHERE deprecated = 1)`
	qSearch = `SELECT m.path, m.json, m.sum, m.places, m.unreviewed, found.rank FROM (` + qWords + `) AS found
		JOIN memories m ON m.memory_id = found.id
		WHERE m.deprecated = 0 ORDER BY found.rank, m.path LIMIT ?2`
	qHaving     = `SELECT count(*) FROM (SELECT 1 FROM memories_fts WHERE memories_fts MATCH ?1 LIMIT ?2)`
	qSearchLike = `SELECT path, json, sum, places, unreviewed, -1.0 FROM memories
		WHERE deprecated = 0 AND
			(what LIKE ?1 ESCAPE '\' OR why LIKE ?1 ESCAPE '\' OR label LIKE ?1 ESCAPE '\' OR tags LIKE ?1 ESCAPE '\')
		ORDER BY path LIMIT ?2`
	qRanked = `SELECT m.uuid, found.rank FROM (` + qWords + `) AS found
		JOIN memories m ON m.memory_id = found.id
		WHERE m.deprecated = 0 ORDER BY found.rank, m.path LIMIT ?2`
	qRankedLike = `SELECT uuid, -1.0 FROM memories
		WHERE deprecated = 0 AND
			(what LIKE ?1 ESCAPE '\' OR why LIKE ?1 ESCAPE '\' OR label LIKE ?1 ESCAPE '\' OR tags LIKE ?1 ESCAPE '\')
		ORDER BY path LIMIT ?2`
	qCounts    = `SELECT layer, type, count(*) FROM memories GROUP BY layer, type ORDER BY layer, type`
	qLive      = qTotal // of all, and of the few: to look at each would read the whole table
	qDeprecate = `UPDATE memories SET deprecated = 1, deprecated_at_ms = ?1
		WHERE uuid IN (SELECT target FROM supersedes) AND deprecated = 0`
	qUndeprecate = `UPDATE memories SET deprecated = 0, deprecated_at_ms = NULL
		WHERE deprecated = 1 AND uuid NOT IN (SELECT target FROM supersedes)`
	qClearSupersedes = `DELETE FROM supersedes WHERE memory_id = ?1`
	qAddSupersedes   = `INSERT OR IGNORE INTO supersedes (target, memory_id) VALUES (?1, ?2)`
	qIntegrityFTS    = `INSERT INTO memories_fts (memories_fts, rank) VALUES ('integrity-check', 1)`
)

// maxLike is how much of a text is looked for as it stands, in bytes; SQLite
// refuses patterns beyond 50,000.
const maxLike = 1000

// maxWords is how many words of a question are looked for.
const maxWords = 64

// Row is a memory's file as the database holds it.
type Row struct {
	Path string // below the memories folder, forward slashes
	JSON []byte
	// Rank is the keyword rank of a search, smaller is better (FTS5's bm25).
	Rank float64
	sum  int64
	// places is where its anchors are, as the database holds it.
	places string
	// outline stands in for JSON where a hook needs only what ranks a memory.
	outline *file.Memory
	noted   []Place // with an outline
	// unreviewed is [file.Trust]'s.
	unreviewed bool
	// Key is the memory's [file.Memory.TextKey] as it was judged, with an outline.
	Key string
	// Unjudged is set for a file that the database has not read yet.
	Unjudged bool
}

// Memory parses the row. What a Quick returns may be an outline: identity,
// kind, weight and places, and the beginning of the text.
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

// Reaches lists where a memory can apply, as the reaches table holds it:
// literal folders that end in "/", "" for anywhere, "path/" for an anchored
// file, "*" for the whole project.
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

// PathPrefixes lists the prefixes under which a memory for the path can be
// filed; withProject adds the project-wide ones.
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

// Reaching returns the memories that could apply to a path relative to the
// root: a superset, by literal folder. For a folder it includes what lies below.
func (s *Memories) Reaching(ctx context.Context, rel string, isDir bool) ([]Row, error) {
	prefixes := jsonList(PathPrefixes(rel, s.scopes, true))
	if !isDir {
		return s.rows(ctx, qReaching, prefixes)
	}
	low := s.scopes.Folded(rel)
	if low != "" {
		low += "/"
	}
	return s.rows(ctx, qReachingDir, prefixes, low, low+"\U0010FFFF")
}

// OutlinesReaching is Reaching with outlines alone (see [Row.Memory]): of many
// that apply few are shown.
func (s *Memories) OutlinesReaching(ctx context.Context, rel string, isDir bool) (out []Row, err error) {
	query, args := qQuickReaching, []any{jsonList(PathPrefixes(rel, s.scopes, true))}
	if isDir {
		low := s.scopes.Folded(rel)
		if low != "" {
			low += "/"
		}
		query, args = qQuickReachingDir, append(args, low, low+"\U0010FFFF")
	}
	err = s.read(ctx, func(db DB) (err error) {
		out, err = outlines(ctx, db, query, args)
		return err
	})
	return out, err
}

// Of returns the memories of some ids, by path.
func (s *Memories) Of(ctx context.Context, uuids []string) ([]Row, error) {
	return s.rows(ctx, qRowsOf, jsonList(uuids))
}

// At returns the memories of some files below the memories folder, by path.
func (s *Memories) At(ctx context.Context, paths []string) ([]Row, error) {
	return s.rows(ctx, qRowsAt, jsonList(paths))
}

// All returns every memory.
func (s *Memories) All(ctx context.Context) ([]Row, error) { return s.rows(ctx, qAllRows) }

// Conflicted returns the memories that may hold versions of a merge: a text of theirs
// may only look so.
func (s *Memories) Conflicted(ctx context.Context) ([]Row, error) { return s.rows(ctx, qConflicted) }

// Personal returns the personal memories.
func (s *Memories) Personal(ctx context.Context) ([]Row, error) { return s.rows(ctx, qPersonalRows) }

// ByUUID returns the memories whose uuid is, begins or ends with id, at most ten.
func (s *Memories) ByUUID(ctx context.Context, id string) ([]Row, error) {
	if len(id) == 36 {
		return s.rows(ctx, qRowByUUID, id)
	}
	return s.rows(ctx, qRowsByUUID, id)
}

// ByDedupeKey returns the memory that already says the same.
func (s *Memories) ByDedupeKey(ctx context.Context, key string) (Row, bool, error) {
	rows, err := s.rows(ctx, qByDedupeKey, key)
	if err != nil || len(rows) == 0 {
		return Row{}, false, err
	}
	return rows[0], true, nil
}

// Search ranks memories by keywords (AIDE-SRCH-01, 02).
func (s *Memories) Search(ctx context.Context, text string, limit int) ([]Row, error) {
	return byWords(text, limit, func(r Row) string { return r.Path }, maxRanked, s.having(ctx), func(like bool, match string) ([]Row, error) {
		if like {
			return s.rows(ctx, qSearchLike, match, limit)
		}
		return s.rows(ctx, qSearch, match, limit)
	})
}

// Ranked is a memory's place in a search.
type Ranked struct {
	UUID string
	Rank float64 // smaller is better, as in [Row]
}

// Ranked is Search without the memories themselves.
func (s *Memories) Ranked(ctx context.Context, text string, limit int) ([]Ranked, error) {
	return byWords(text, limit, func(r Ranked) string { return r.UUID }, maxRanked, s.having(ctx), func(like bool, match string) (out []Ranked, err error) {
		query := qRanked
		if like {
			query = qRankedLike
		}
		err = s.read(ctx, func(db DB) error {
			out = nil
			return scan(ctx, db, query, []any{match, limit}, func(rows *sql.Rows) error {
				var r Ranked
				err := rows.Scan(&r.UUID, &r.Rank)
				out = append(out, r)
				return err
			})
		})
		return out, err
	})
}

// maxRanked is how many memories with one of the words are ranked, 1.3 µs each. Of
// a question whose words more have, those that most of them have are left out. At
// 4,000 SciFact's claims lose .003 of their nDCG@10: that is for hooks, whose time
// is short.
const (
	maxRanked      = 10_000
	maxRankedQuick = 4000
)

// having counts the memories that a word index has a term in, up to most.
func (s *Memories) having(ctx context.Context) func(term string, most int) (int, error) {
	return func(term string, most int) (n int, err error) {
		err = s.read(ctx, func(db DB) (err error) {
			n, err = having(ctx, db, term, most)
			return err
		})
		return n, err
	}
}

func having(ctx context.Context, db DB, term string, most int) (n int, err error) {
	err = scan(ctx, db, qHaving, []any{term, most}, func(rows *sql.Rows) error { return rows.Scan(&n) })
	return n, err
}

// byWords asks for all words of a text first, then for any of them, and only
// where none is found for the text as it stands within another.
func byWords[T any](text string, limit int, key func(T) string, ranked int, having words.Having, ask func(like bool, match string) ([]T, error)) ([]T, error) {
	var out []T
	seen := map[string]bool{}
	add := func(like bool, match string) error {
		list, err := ask(like, match)
		for _, x := range list {
			if k := key(x); !seen[k] && len(out) < limit {
				seen[k] = true
				out = append(out, x)
			}
		}
		return err
	}
	q := words.Ask(text, maxWords)
	if len(q) > 0 {
		if err := add(false, q.All()); err != nil {
			return nil, err
		}
	}
	if len(q) > 1 && len(out) < limit {
		q, err := q.Rarest(ranked, having)
		if err != nil {
			return nil, err
		}
		if err := add(false, q.Any()); err != nil {
			return nil, err
		}
	}
	text = strings.TrimSpace(text)
	if len(out) == 0 && text != "" {
		if err := add(true, "%"+likeEscape(text[:min(len(text), maxLike)])+"%"); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Texts returns what each memory says, without reading the rest of it.
func (s *Memories) Texts(ctx context.Context) ([]string, error) {
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
func (s *Memories) ImportKeys(ctx context.Context) (map[string]bool, error) {
	return s.keys(ctx, qImportKeys)
}

// DedupeKeys returns the keys by which memories that say the same are found.
func (s *Memories) DedupeKeys(ctx context.Context) (map[string]bool, error) {
	return s.keys(ctx, qDedupeKeys)
}

func (s *Memories) keys(ctx context.Context, query string) (map[string]bool, error) {
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
	// UUID and Held are of a memory in quarantine: whose it is and the machine's form of
	// why, "" of both for a file that can't be read.
	UUID, Held string
	Keys       []string // what has to be vouched for to let it out
}

// Faults returns the memory files that can't be used, by path.
func (s *Memories) Faults(ctx context.Context) ([]Fault, error) {
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

// Count is how many memories of a type there are in a layer.
type Count struct {
	Layer file.Layer `json:"layer"`
	Type  file.Type  `json:"type"`
	N     int        `json:"count"`
}

// Counts returns the numbers of memories by layer and type.
func (s *Memories) Counts(ctx context.Context) ([]Count, error) {
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

// Total is how many memories there are that none supersedes.
func (s *Memories) Total(ctx context.Context) (n int, err error) {
	err = s.read(ctx, func(db DB) error {
		return scan(ctx, db, qLive, nil, func(rows *sql.Rows) error { return rows.Scan(&n) })
	})
	return n, err
}

// Check looks through the whole database; damage is mended by the next read.
func (s *Memories) Check(ctx context.Context) error {
	if err := s.read(ctx, func(db DB) error { return db.Check(ctx) }); err != nil {
		return err
	}
	return s.write(ctx, func(tx *sql.Tx) error { return exec(ctx, tx, "check the text index", qIntegrityFTS) })
}

func exec(ctx context.Context, tx runner, act, query string, args ...any) error {
	if _, err := tx.ExecContext(ctx, query, args...); err != nil {
		return fmt.Errorf("%s: %w", act, err)
	}
	return nil
}

func loadKnown(ctx context.Context, tx *sql.Tx, only ...string) (out map[string]known, err error) {
	query, args := qKnown, []any(nil)
	if len(only) == 1 {
		query, args = qKnownPath, []any{only[0]}
	}
	rows, err := tx.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, fmt.Errorf("read known files: %w", err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	out = map[string]known{}
	for rows.Next() {
		var p string
		var k known
		if err := rows.Scan(&p, &k.mtimeNS, &k.size, &k.problem); err != nil {
			return nil, fmt.Errorf("read known files: %w", err)
		}
		out[p] = k
	}
	return out, rows.Err()
}

func saveFolders(ctx context.Context, tx *sql.Tx, l listing) error {
	if err := exec(ctx, tx, "note folders", qClearFolders); err != nil {
		return err
	}
	for p, mtime := range l.folders {
		if err := exec(ctx, tx, "note folders", qAddFolder, p, mtime); err != nil {
			return err
		}
	}
	return nil
}

func saveProblem(ctx context.Context, tx runner, path string, mtime, size int64, err error) error {
	f := &file.Error{Line: 1, Column: 1, Msg: err.Error(), Hint: "Check that the file can be read."}
	if e, ok := errors.AsType[*file.Error](err); ok {
		f = e
	}
	uuid, code, keys := heldOf(err)
	return exec(ctx, tx, "note a problem", qAddProblem, path, mtime, size, f.Line, f.Column, f.Error(), f.Hint, uuid, code, keys)
}

// put writes a memory's row and where it reaches. fresh is set where there was no
// row of its file.
func (s *Memories) put(ctx context.Context, tx runner, path string, mtime, size int64, fresh bool, p prepared) error {
	m := p.m
	ownerKind, ownerID, importKey, tier := "project", "", "", 2
	if m.Owner != nil {
		ownerKind, ownerID = m.Owner.Kind, m.Owner.ID
	}
	if m.Provenance != nil && m.Provenance.Import != nil {
		importKey = m.Provenance.Import.Key
	}
	if m.Pinned {
		tier = 1
	}
	var id int64
	var places string
	err := tx.QueryRowContext(ctx, qPutMemory, path, mtime, size, m.UUID, m.Type, m.Layer, m.What, m.Why, m.ContextLabel, p.tags, p.files,
		p.words, ownerKind, ownerID, m.Visibility, m.Importance, m.Confidence, m.Pinned, tier,
		m.Trust.Origin, m.Trust.NeedsReview, p.dedupe, importKey, m.CreatedAt.UnixMilli(), m.UpdatedAt.UnixMilli(),
		p.data, checksum(path, p.data), m.Trust.Unreviewed).Scan(&id, &places)
	if err != nil {
		return fmt.Errorf("store memory %s: %w", m.UUID, err)
	}
	if !fresh {
		if err := exec(ctx, tx, "drop reaches", qClearReaches, id); err != nil {
			return err
		}
		if err := exec(ctx, tx, "drop relations", qClearSupersedes, id); err != nil {
			return err
		}
	}
	if err := s.putPlaces(ctx, tx, id, path, places, m); err != nil {
		return err
	}
	for _, r := range m.Relations {
		if r.Type != "supersedes" || r.Memory == "" {
			continue
		}
		if err := exec(ctx, tx, "store relations", qAddSupersedes, r.Memory, id); err != nil {
			return err
		}
	}
	return nil
}

func deprecate(ctx context.Context, tx *sql.Tx, now time.Time) error {
	if err := exec(ctx, tx, "mark superseded memories", qDeprecate, now.UnixMilli()); err != nil {
		return err
	}
	return exec(ctx, tx, "unmark superseded memories", qUndeprecate)
}
