package code

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"

	"manicule/indexer/sorting"
	"manicule/indexer/words"
)

// maxWords is how many words of a query are searched: an issue's text has more than a
// query needs.
const maxWords = 64

// maxRanked is how many pieces with any of the terms are ranked, which takes about 20
// ms. A query that matches more loses its most frequent terms.
const maxRanked = 15_000

// maxCounts is how many document frequencies are cached.
const maxCounts = 10_000

// docFreq counts the pieces that contain a term, up to most, and caches the count:
// queries repeat words.
func (x *Index) docFreq(ctx context.Context) words.DocFreq {
	return func(term string, most int) (n int, err error) {
		x.mu.Lock()
		n, ok := x.counts[term]
		x.mu.Unlock()
		if ok {
			return n, nil
		}
		err = x.each(ctx, qHaving, []any{term, most}, func(rows *sql.Rows) error { return rows.Scan(&n) })
		if err != nil {
			return 0, err
		}
		x.mu.Lock()
		defer x.mu.Unlock()
		if x.counts == nil || len(x.counts) >= maxCounts {
			x.counts = map[string]int{}
		}
		x.counts[term] = n
		return n, nil
	}
}

// Found holds the results of a search by words.
type Found struct {
	Words    []Ranked // pieces with any of the words
	Mentions []Ranked // functions that the best of these mention
}

// Search ranks pieces by the words of a query, and the functions that the best of them mention.
func (x *Index) Search(ctx context.Context, text string, limit int) (Found, error) {
	return search{x: x, statement: qSearch, limit: limit}.run(ctx, text)
}

// SearchAmong is Search restricted to the given pieces, in order.
func (x *Index) SearchAmong(ctx context.Context, text string, limit int, ids []int64) (Found, error) {
	list, err := json.Marshal(ids)
	if err != nil {
		return Found{}, fmt.Errorf("encode the ids of pieces: %w", err)
	}
	return search{x: x, statement: qAmong, args: []any{string(list)}, limit: limit, among: ids}.run(ctx, text)
}

// search is one search by words.
type search struct {
	x         *Index
	statement string // ranks the pieces
	args      []any  // of the statement, behind the words and the limit
	limit     int
	among     []int64 // the pieces that may be found, in order; all if nil
}

func (s search) run(ctx context.Context, text string) (Found, error) {
	if _, err := s.x.Renew(ctx); err != nil {
		return Found{}, err
	}
	asked := words.ParseQuery(text, maxWords)
	hits, err := s.hits(ctx, s.x.abbreviations().allow(asked))
	if err != nil || len(hits) == 0 {
		return Found{}, err
	}
	if s.x.abbreviations().knowAny(asked) {
		plain, err := s.hits(ctx, asked)
		if err != nil {
			return Found{}, err
		}
		blend(hits, plain)
	}
	mentioned, err := s.mentioned(ctx, hits)
	if err != nil {
		return Found{}, err
	}
	withFile(hits)
	return Found{ranked(hits[:min(len(hits), s.limit)]), ranked(mentioned)}, nil
}

// hits are the best pieces by the words of a query, best first.
func (s search) hits(ctx context.Context, asked words.Query) (hits []hit, err error) {
	q, err := asked.Rarest(maxRanked, s.x.docFreq(ctx))
	if err != nil || len(q) == 0 {
		return nil, err
	}
	err = s.x.each(ctx, s.statement, append([]any{q.MatchAny(), max(s.limit, minCompared)}, s.args...), func(rows *sql.Rows) error {
		var h hit
		err := rows.Scan(&h.id, &h.file, &h.score)
		h.score = -h.score // FTS5 gives better rows a smaller number
		hits = append(hits, h)
		return err
	})
	return hits, err
}

// abbreviated is the share of the score with abbreviations in that of a piece. FTS5 adds up the scores of a
// word and of its abbreviation as if they were two words that were asked for. Chosen on CoSQA, where types
// such as str stand everywhere: nDCG@10 .385 without abbreviations, .385, .375, .368, .348 at .5, .7, .8 and 1;
// and on 292 functions of seven repositories, by words: MRR@10 .146, .159, .168, –, .168.
const abbreviated = .7

// blend mixes the scores of pieces with those of the words as they were asked for, and sorts them again.
func blend(hits, plain []hit) {
	scores := make(map[int64]float64, len(plain))
	for _, h := range plain {
		scores[h.id] = h.score
	}
	for i, h := range hits {
		hits[i].score = abbreviated*h.score + (1-abbreviated)*scores[h.id]
	}
	sorting.Func(hits, func(a, b hit) int { return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.id, b.id)) })
}

// minCompared is how many of the best pieces are compared with those of their file.
const minCompared = 1000

// A piece also counts by its file, which tells apart what several functions say: half of the mean
// of the file's best five pieces is added to its score (cmd/eval/retrieval/FIGURES.md has what that gives).
const (
	shareOfFile = 0.5
	bestOfFile  = 5
)

// hit is a piece with any of a query's words.
type hit struct {
	id, file int64
	score    float64 // BM25, the larger the better
}

// withFile adds the scores of files to those of their pieces, and sorts again. The hits are sorted
// by score.
func withFile(hits []hit) {
	type mean struct {
		sum float64
		n   int
	}
	files := map[int64]mean{}
	for _, h := range hits {
		if m := files[h.file]; m.n < bestOfFile {
			files[h.file] = mean{m.sum + h.score, m.n + 1}
		}
	}
	for i := range hits {
		m := files[hits[i].file]
		hits[i].score += shareOfFile * m.sum / float64(m.n)
	}
	sorting.StableFunc(hits, func(a, b hit) int { return cmp.Compare(b.score, a.score) })
}

// ranked gives scores as shares of the best one. BM25 is no more than 0 for words that stand in
// most pieces.
func ranked(hits []hit) []Ranked {
	out := make([]Ranked, len(hits))
	for i, h := range hits {
		out[i] = Ranked{ID: h.id, Score: 1}
		if best := hits[0].score; best > 0 {
			out[i].Score = max(0, h.score/best)
		}
	}
	return out
}
