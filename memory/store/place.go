package store

import (
	"context"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	jsonv2 "github.com/go-json-experiment/json"

	"manicule/indexer/anchor"
	"manicule/indexer/hashing"
	"manicule/memory/file"
	"manicule/memory/scope"
)

// Statements about places.
const (
	qPlaces     = `SELECT uuid, places FROM memories WHERE places <> ''`
	qSetPlaces  = `UPDATE memories SET places = ?2, stale_at_ms = ?3 WHERE memory_id = ?1`
	qIDByUUID   = `SELECT memory_id, path, json, unreviewed, life FROM memories WHERE uuid = ?1 ORDER BY path LIMIT 1`
	qFound      = `SELECT anchor, seen, place FROM resolutions ORDER BY anchor, used_ms DESC`
	qFoundOf    = `SELECT anchor, seen, place FROM resolutions WHERE anchor IN (SELECT value FROM json_each(?1)) ORDER BY anchor, used_ms DESC`
	qPutFound   = `INSERT INTO resolutions (anchor, seen, place, used_ms) VALUES (?1, ?2, ?3, ?4) ON CONFLICT (anchor, seen) DO UPDATE SET place = ?3, used_ms = ?4`
	qCrowded    = `DELETE FROM resolutions WHERE anchor = ?1 AND seen NOT IN (SELECT seen FROM resolutions WHERE anchor = ?1 ORDER BY used_ms DESC, seen LIMIT ?2)`
	qLooked     = `SELECT (SELECT value FROM meta WHERE key = 'digest'), (SELECT value FROM meta WHERE key = 'looked')`
	qLongUnused = `DELETE FROM resolutions WHERE used_ms < ?1`
	qAddReach   = `INSERT OR IGNORE INTO reaches (prefix, memory_id, outline) VALUES (?1, ?2, ?3)`
)

// How many states of the files the cache of resolutions keeps for each anchor, and for how long.
const (
	foundKept = 8
	foundLife = 90 * 24 * time.Hour
)

// Place is the last known place of an anchor. Lines are 1-based. The zero value is an anchor that
// is fresh where its record says.
type Place struct {
	Key        string       `json:"key"` // of the anchor's record
	State      anchor.State `json:"state"`
	Reason     string       `json:"reason,omitempty"`
	Path       string       `json:"path"`
	Symbol     string       `json:"symbol,omitempty"`
	Ordinal    int          `json:"ordinal,omitempty"`
	Line       int          `json:"line,omitempty"`
	EndLine    int          `json:"end_line,omitempty"`
	Confidence float64      `json:"confidence"`
	Rung       anchor.Rung  `json:"rung,omitempty"`
	Suggestion *Suggestion  `json:"suggestion,omitempty"`
	Since      time.Time    `json:"since,omitzero"` // start of this state
}

// Suggestion is a possible place of an anchor that is too uncertain to follow.
type Suggestion struct {
	Path       string  `json:"path"`
	Symbol     string  `json:"symbol,omitempty"`
	Ordinal    int     `json:"ordinal,omitempty"`
	Confidence float64 `json:"confidence"`
}

// Doubtful reports whether the memory may be wrong at this place.
func (p Place) Doubtful() bool {
	return p.State == anchor.Drifted || p.State == anchor.Stale || p.State == anchor.Orphaned
}

// CachedResolution is a resolution in the cache. Seen identifies the file states on which it
// depends.
type CachedResolution struct {
	Anchor string // key of the record, and the version of the ladder
	Seen   string
	Place  Place
	raw    []byte // encoded place
}

// Decode decodes the place. ok is false if it is damaged. Decoding is lazy, because few of the rows
// that are read are used.
func (f CachedResolution) Decode() (p Place, ok bool) {
	if f.raw == nil {
		return f.Place, true
	}
	err := json.Unmarshal(f.raw, &p)
	return p, err == nil
}

// AnchorKey identifies an anchor's record by its content.
func AnchorKey(a anchor.Anchor) string {
	data, err := jsonv2.Marshal(a, jsonv2.Deterministic(true))
	if err != nil {
		data = fmt.Append(nil, a.Kind, a.Path, a.Symbol, a.Ordinal, a.Quote, a.Blob) // a name that is not UTF-8
	}
	sum := hashing.Sum256(data)
	return hex.EncodeToString(sum[:16])
}

// decodePlaces decodes the column. A damaged one yields no places.
func decodePlaces(column string) []Place {
	var places []Place
	if column == "" || json.Unmarshal([]byte(column), &places) != nil {
		return nil
	}
	return places
}

// Places returns the places of the memory's anchors, in order. It is nil if all are where their
// records say, or none was resolved yet. An anchor that changed since has a zero value.
func (r Row) Places(m *file.Memory) []Place {
	if r.outline != nil {
		return r.noted
	}
	return Align(decodePlaces(r.places), m)
}

// Align returns places in the order of a memory's anchors; nil if none is known.
func Align(places []Place, m *file.Memory) []Place {
	if len(places) == 0 {
		return nil
	}
	out := make([]Place, len(m.Anchors))
	any := false
	for i, a := range m.Anchors {
		key := AnchorKey(a)
		if at := slices.IndexFunc(places, func(p Place) bool { return p.Key == key }); at >= 0 {
			out[i], any = places[at], true
		}
	}
	if !any {
		return nil
	}
	return out
}

// putPlaces writes the reach of a memory whose row was just written. It keeps the known places, in
// column, of anchors that still exist.
func (w *rowWriter) putPlaces(ctx context.Context, tx runner, row memoryRow, column string) error {
	places := Align(decodePlaces(column), row.m)
	if column != "" {
		if err := setPlaces(ctx, tx, row.id, places); err != nil {
			return err
		}
	}
	return w.reach(ctx, tx, row, places)
}

// reach writes the paths under which a memory is found. The caller has deleted the old ones.
func (w *rowWriter) reach(ctx context.Context, tx runner, row memoryRow, places []Place) error {
	w.changed.add(row.path)
	line := outline(row.path, row.m, places, row.use)
	for _, p := range append(Reaches(row.m, w.scopes), ReachesNow(places, w.scopes)...) {
		if err := exec(ctx, tx, "store reaches", qAddReach, p, row.id, line); err != nil {
			return err
		}
	}
	return nil
}

// Elsewhere reports whether the anchor is found at Path, which may be another than its record's: it was followed, or its lines
// changed after their file moved.
func (p Place) Elsewhere() bool {
	return p.Path != "" && (p.State == anchor.Followed || p.State == anchor.Drifted || p.State == anchor.Stale)
}

// ReachesNow lists the current paths of anchors that may have moved, in the form of Reaches.
func ReachesNow(places []Place, opts scope.Options) []string {
	var out []string
	for _, p := range places {
		if p.Elsewhere() {
			out = append(out, opts.Folded(path.Clean(filepath.ToSlash(p.Path)))+"/")
		}
	}
	return out
}

func setPlaces(ctx context.Context, tx runner, id int64, places []Place) error {
	known := slices.DeleteFunc(slices.Clone(places), func(p Place) bool { return p.Key == "" })
	column := ""
	if len(known) > 0 {
		data, err := json.Marshal(known)
		if err != nil {
			return fmt.Errorf("write the places of an anchor: %w", err)
		}
		column = string(data)
	}
	return exec(ctx, tx, "note where anchors are", qSetPlaces, id, column, staleAt(known))
}

// staleAt returns when a memory became doubtful, nil if it is not.
func staleAt(places []Place) any {
	var first time.Time
	for _, p := range places {
		if p.Doubtful() && (first.IsZero() || p.Since.Before(first)) {
			first = p.Since
		}
	}
	if first.IsZero() {
		return nil
	}
	return first.UnixMilli()
}

// Places returns the known places by uuid, in no order.
func (s queries) Places(ctx context.Context) (map[string][]Place, error) {
	out := map[string][]Place{}
	err := s.read(ctx, func(db DB) error {
		clear(out)
		return scan(ctx, db, qPlaces, nil, func(rows *sql.Rows) error {
			var uuid, column string
			err := rows.Scan(&uuid, &column)
			out[uuid] = decodePlaces(column)
			return err
		})
	})
	return out, err
}

// CachedResolutions returns the cache by anchor, newest first. Without anchors it returns all.
func (s queries) CachedResolutions(ctx context.Context, anchors ...string) (map[string][]CachedResolution, error) {
	query, args := qFound, []any(nil)
	if len(anchors) > 0 {
		query, args = qFoundOf, []any{jsonList(anchors)}
	}
	out := map[string][]CachedResolution{}
	err := s.read(ctx, func(db DB) error {
		clear(out)
		return scan(ctx, db, query, args, func(rows *sql.Rows) error {
			var f CachedResolution
			err := rows.Scan(&f.Anchor, &f.Seen, &f.raw)
			out[f.Anchor] = append(out[f.Anchor], f)
			return err
		})
	})
	return out, err
}

// NotePlaces stores the current places of anchors, by uuid, and new entries of the cache. It skips
// memories that were removed.
func (s *Memories) NotePlaces(ctx context.Context, places map[string][]Place, found []CachedResolution) error {
	if len(places)+len(found) == 0 {
		return nil
	}
	return s.write(ctx, func(tx *sql.Tx) (err error) {
		prep := prepareOnce(tx)
		defer func() { err = errors.Join(err, prep.close()) }()
		for uuid, list := range places {
			if err := s.writer.notePlaces(ctx, prep, uuid, list); err != nil {
				return err
			}
		}
		return s.writer.noteFound(ctx, prep, found)
	})
}

// storedMemory reads the row of a memory by a statement that returns its id, path, text, whether it is unreviewed, and one
// more value. ok is false if there is none, or its text can't be read, which is reported as a problem.
func storedMemory(ctx context.Context, tx runner, query, uuid string) (row memoryRow, more string, ok bool, err error) {
	var data []byte
	var unreviewed bool
	err = tx.QueryRowContext(ctx, query, uuid).Scan(&row.id, &row.path, &data, &unreviewed, &more)
	if errors.Is(err, sql.ErrNoRows) {
		return row, "", false, nil
	}
	if err != nil {
		return row, "", false, fmt.Errorf("look for the memory %s: %w", uuid, err)
	}
	if row.m, err = file.Parse(data); err != nil {
		return row, "", false, nil
	}
	row.m.Trust.Unreviewed = unreviewed
	return row, more, true, nil
}

func (w *rowWriter) notePlaces(ctx context.Context, tx runner, uuid string, list []Place) error {
	row, use, ok, err := storedMemory(ctx, tx, qIDByUUID, uuid)
	if err != nil || !ok {
		return err
	}
	row.use = use
	aligned := Align(list, row.m)
	if err := setPlaces(ctx, tx, row.id, aligned); err != nil {
		return err
	}
	if err := exec(ctx, tx, "drop reaches", qClearReaches, row.id); err != nil {
		return err
	}
	return w.reach(ctx, tx, row, aligned)
}

func (w *rowWriter) noteFound(ctx context.Context, tx runner, found []CachedResolution) error {
	now := w.now()
	for _, f := range found {
		data, err := json.Marshal(f.Place)
		if err != nil {
			return fmt.Errorf("write a resolution: %w", err)
		}
		if err := exec(ctx, tx, "keep a resolution", qPutFound, f.Anchor, f.Seen, data, now.UnixMilli()); err != nil {
			return err
		}
		if err := exec(ctx, tx, "drop old resolutions", qCrowded, f.Anchor, foundKept); err != nil {
			return err
		}
	}
	if len(found) == 0 {
		return nil
	}
	return exec(ctx, tx, "drop old resolutions", qLongUnused, now.Add(-foundLife).UnixMilli())
}

// The members of a place in an outline.
const (
	placeSep     = "\x1d"
	placeMembers = 5
)

// outlinePlaces encodes the places that are not fresh, for hooks.
func outlinePlaces(places []Place) string {
	var out []string
	for i, p := range places {
		if p.State != anchor.Fresh && p.State != "" {
			out = append(out, strings.Join([]string{fmt.Sprint(i), string(p.State), p.Path, fmt.Sprint(p.Line), p.Reason}, placeSep))
		}
	}
	return strings.Join(out, itemSep)
}

// placesOf decodes outlinePlaces for a memory with n anchors.
func placesOf(field string, n int) []Place {
	if field == "" {
		return nil
	}
	out := make([]Place, n)
	for item := range strings.SplitSeq(field, itemSep) {
		f := strings.Split(item, placeSep)
		var i, line int
		if len(f) != placeMembers {
			return nil
		}
		if _, err := fmt.Sscan(f[0], &i); err != nil || i < 0 || i >= n {
			return nil
		}
		_, _ = fmt.Sscan(f[3], &line) // 0 if it is no number
		out[i] = Place{State: anchor.State(f[1]), Path: f[2], Line: line, Reason: f[4]}
	}
	return out
}

// ScanStamp returns the state of the memory folders in the database, "" if uncertain, and the stamp
// of the last resolution of all anchors.
func (s queries) ScanStamp(ctx context.Context) (folders, stamp string, err error) {
	err = s.read(ctx, func(db DB) error {
		var a, b sql.NullString
		err := db.QueryRowContext(ctx, qLooked).Scan(&a, &b)
		folders, stamp = a.String, b.String
		return err
	})
	return folders, stamp, err
}

// SetScanStamp stores the stamp of a resolution of all anchors.
func (s *Memories) SetScanStamp(ctx context.Context, stamp string) error {
	return s.write(ctx, func(tx *sql.Tx) error { return exec(ctx, tx, "note a look at the anchors", qSetMeta, "looked", stamp) })
}
