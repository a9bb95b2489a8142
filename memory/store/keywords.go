package store

import (
	"context"
	"database/sql"
	"strings"

	"manicule/indexer/words"
)

// Statements about the words of memories.
const (
	qHaving = `SELECT count(*) FROM (SELECT 1 FROM memories_fts WHERE memories_fts MATCH ?1 LIMIT ?2)`
	qRanked = `SELECT m.uuid, found.rank FROM (` + qWords + `) AS found
		JOIN memories m ON m.memory_id = found.id
		WHERE m.deprecated = 0 ORDER BY found.rank, m.path LIMIT ?2`
	qRankedLike = `SELECT uuid, -1.0 FROM memories
		WHERE deprecated = 0 AND
			(what LIKE ?1 ESCAPE '\' OR why LIKE ?1 ESCAPE '\' OR label LIKE ?1 ESCAPE '\' OR tags LIKE ?1 ESCAPE '\')
		ORDER BY path LIMIT ?2`
)

// maxLike is how much of a text is matched literally, in bytes. SQLite rejects patterns beyond
// 50,000.
const maxLike = 1000

// maxWords is how many words of a question are searched for.
const maxWords = 64

// Search ranks memories by keywords.
func (s queries) Search(ctx context.Context, text string, limit int) ([]Row, error) {
	return wordSearch[Row]{
		limit: limit, ranked: maxRanked, having: s.having(ctx), key: pathOf,
		ask:  func(q words.Query, all bool) ([]Row, error) { return s.rows(ctx, qSearch, match(q, all), limit) },
		like: func(pattern string) ([]Row, error) { return s.rows(ctx, qSearchLike, pattern, limit) },
	}.find(text)
}

// Ranked is a memory's rank in a search.
type Ranked struct {
	UUID string
	Rank float64 // smaller is better, as in [Row]
}

// Ranked is Search without the memories themselves.
func (s queries) Ranked(ctx context.Context, text string, limit int) ([]Ranked, error) {
	ask := func(query, match string) (out []Ranked, err error) {
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
	}
	return wordSearch[Ranked]{
		limit: limit, ranked: maxRanked, having: s.having(ctx), key: func(r Ranked) string { return r.UUID },
		ask:  func(q words.Query, all bool) ([]Ranked, error) { return ask(qRanked, match(q, all)) },
		like: func(pattern string) ([]Ranked, error) { return ask(qRankedLike, pattern) },
	}.find(text)
}

// match returns the FTS5 expression for a query.
func match(q words.Query, all bool) string {
	if all {
		return q.MatchAll()
	}
	return q.MatchAny()
}

// maxRanked is how many memories with one of the words are ranked, at 1.3 µs each in a database. If
// more match, the most common words are dropped. At 4,000 SciFact's claims lose .003 of their nDCG@10;
// that limit is for hooks, whose questions nobody asked: common words make them speak more.
const (
	maxRanked      = 10_000
	maxRankedQuick = 4000
)

// having returns a function that counts the memories with a term, up to most.
func (s queries) having(ctx context.Context) func(term string, most int) (int, error) {
	return func(term string, most int) (n int, err error) {
		err = s.read(ctx, func(db DB) (err error) {
			n, err = countHaving(ctx, db, term, most)
			return err
		})
		return n, err
	}
}

func countHaving(ctx context.Context, db DB, term string, most int) (n int, err error) {
	err = scan(ctx, db, qHaving, []any{term, most}, func(rows *sql.Rows) error { return rows.Scan(&n) })
	return n, err
}

// wordSearch searches for the words of a text in one of the indexes.
type wordSearch[T any] struct {
	limit  int
	ranked int           // how many that have one of the words are ranked
	having words.DocFreq // how many have a word
	key    func(T) string
	ask    func(q words.Query, all bool) ([]T, error) // those that have all of the words, or any
	like   func(pattern string) ([]T, error)          // those that match a pattern of LIKE; nil if none can be found so
}

// find searches for all words of a text first, then for any of them, and if none is found for
// the literal text.
func (s wordSearch[T]) find(text string) ([]T, error) {
	var out []T
	seen := map[string]bool{}
	add := func(list []T, err error) error {
		for _, x := range list {
			if k := s.key(x); !seen[k] && len(out) < s.limit {
				seen[k] = true
				out = append(out, x)
			}
		}
		return err
	}
	q := words.ParseQuery(text, maxWords)
	if len(q) > 0 {
		if err := add(s.ask(q, true)); err != nil {
			return nil, err
		}
	}
	if len(q) > 1 && len(out) < s.limit {
		q, err := q.Rarest(s.ranked, s.having)
		if err != nil {
			return nil, err
		}
		if err := add(s.ask(q, false)); err != nil {
			return nil, err
		}
	}
	text = strings.TrimSpace(text)
	if len(out) == 0 && text != "" && s.like != nil {
		if err := add(s.like("%" + likeEscape(text[:min(len(text), maxLike)]) + "%")); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func pathOf(r Row) string { return r.Path }
