package store

import (
	"context"
	"database/sql"
	"strings"

	"manicule/indexer/words"
)

// maxLike is how much of a text is matched literally, in bytes. SQLite rejects patterns beyond
// 50,000.
const maxLike = 1000

// maxWords is how many words of a question are searched for.
const maxWords = 64

// Search ranks memories by keywords.
func (s *Memories) Search(ctx context.Context, text string, limit int) ([]Row, error) {
	return byWords(text, limit, func(r Row) string { return r.Path }, maxRanked, s.having(ctx), func(like bool, match string) ([]Row, error) {
		if like {
			return s.rows(ctx, qSearchLike, match, limit)
		}
		return s.rows(ctx, qSearch, match, limit)
	})
}

// Ranked is a memory's rank in a search.
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

// maxRanked is how many memories with one of the words are ranked, at 1.3 µs each. If more match,
// the most common words are dropped. At 4,000 SciFact's claims lose .003 of their nDCG@10; that
// limit is for hooks, which have little time.
const (
	maxRanked      = 10_000
	maxRankedQuick = 4000
)

// having returns a function that counts the memories with a term, up to most.
func (s *Memories) having(ctx context.Context) func(term string, most int) (int, error) {
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

// byWords searches for all words of a text first, then for any of them, and if none is found for
// the literal text.
func byWords[T any](text string, limit int, key func(T) string, ranked int, having words.DocFreq, ask func(like bool, match string) ([]T, error)) ([]T, error) {
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
	q := words.ParseQuery(text, maxWords)
	if len(q) > 0 {
		if err := add(false, q.MatchAll()); err != nil {
			return nil, err
		}
	}
	if len(q) > 1 && len(out) < limit {
		q, err := q.Rarest(ranked, having)
		if err != nil {
			return nil, err
		}
		if err := add(false, q.MatchAny()); err != nil {
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
