package retrieval

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"manicule/cmd/internal/evalkit"
	"manicule/memory/embed"
	"manicule/memory/embed/matrix"
	"manicule/memory/store"
)

// passage is a text or a query of a set in BEIR's format.
type passage struct {
	ID    string `json:"_id"`
	Title string `json:"title"`
	Text  string `json:"text"`
}

// judged is a query with its relevant texts.
type judged struct {
	id, text string
	rel      map[string]float64
}

// readJudged joins queries with their judgements, by query. Judgements are tab-separated
// (query-id, corpus-id, score) with a header.
func readJudged(queries, qrels string) ([]judged, error) {
	list, err := evalkit.ReadLines[passage](queries)
	if err != nil {
		return nil, err
	}
	texts := map[string]string{}
	for _, q := range list {
		texts[q.ID] = q.Text
	}
	byQuery := map[string]map[string]float64{}
	err = evalkit.Lines(qrels, func(line []byte) error {
		f := strings.Split(string(line), "\t")
		if len(f) != 3 {
			return fmt.Errorf("%d fields, want 3", len(f))
		}
		score, err := strconv.ParseFloat(f[2], 64)
		if err != nil || score <= 0 {
			return nil // the header, and texts judged irrelevant
		}
		if byQuery[f[0]] == nil {
			byQuery[f[0]] = map[string]float64{}
		}
		byQuery[f[0]][f[1]] = score
		return nil
	})
	if err != nil {
		return nil, err
	}
	var out []judged
	for id, rel := range byQuery {
		text, ok := texts[id]
		if !ok {
			return nil, fmt.Errorf("%s: no query %s in %s", qrels, id, queries)
		}
		out = append(out, judged{id, text, rel})
	}
	slices.SortFunc(out, func(a, b judged) int { return strings.Compare(a.id, b.id) })
	return out, nil
}

// cachedVectors embeds texts through the product's own cache in the folder of --cache and returns
// a vector for each.
func (o options) cachedVectors(ctx context.Context, model *embed.Service, texts []string) (info embed.Info, _ [][]float32, err error) {
	db, err := store.OpenVectors(ctx, filepath.Join(o.cache, "manicule", "vectors"), time.Now)
	if err != nil {
		return info, nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if info, err = infoOf(ctx, model); err != nil {
		return info, nil, err
	}
	report, err := embed.NewCached(model, db).Fill(ctx, info, texts, reportProgress())
	if err != nil {
		return info, nil, err
	}
	info = report.Info
	keys := make([]string, len(texts))
	for i, t := range texts {
		keys[i] = embed.Key(t)
	}
	byKey, err := db.Get(ctx, info.Model, info.Dims, keys)
	if err != nil {
		return info, nil, err
	}
	out := make([][]float32, len(texts))
	for i, k := range keys {
		out[i] = byKey[k]
	}
	return info, out, nil
}

// reportProgress reports progress at each thousand.
func reportProgress() func(done, total int) {
	told := 0
	return func(done, total int) {
		if done/1000 > told || done == total && told > 0 {
			told = done / 1000
			evalkit.Progress("embedded %d of %d", done, total)
		}
	}
}

// vectorsOf puts vectors into the product's exact search.
func vectorsOf(info embed.Info, ids []string, vectors [][]float32) (*matrix.Matrix, error) {
	m := matrix.New(info.Model, info.Dims)
	for i, id := range ids {
		if err := m.Set(id, vectors[i]); err != nil {
			return nil, fmt.Errorf("take the vector of %s: %w", id, err)
		}
	}
	return m, nil
}

// table is the rows of one dataset, each compared with the first.
type table struct {
	title  string
	table  *evalkit.Table
	base   []float64
	scores map[string][]float64
}

// newTable begins a table. metric is the first column, the others follow.
func newTable(title, metric string, others ...string) *table {
	return &table{title: title, table: evalkit.NewTable(append([]string{"way", metric, "95 %", "against words"}, others...)...), scores: map[string][]float64{}}
}

// String formats the table under its title.
func (t *table) String() string {
	return evalkit.Section{Title: t.title, Table: t.table}.String()
}

// row adds a variant with its score for each question.
func (t *table) row(name string, got []float64, others ...any) {
	low, high := evalkit.Interval(got)
	diff := "–"
	if t.base == nil {
		t.base = got
	} else {
		diff = evalkit.Difference(got, t.base)
	}
	t.scores[name] = got
	t.table.Add(append([]any{name, three(got), fmt.Sprintf("%.3f–%.3f", low, high), diff}, others...)...)
}

// best returns the best of some variants.
func (t *table) best(ways ...string) (least float64) {
	for _, w := range ways {
		least = max(least, evalkit.Mean(t.scores[w]))
	}
	return least
}

// requireBest reports a variant that is worse than the better of two others.
func (t *table) requireBest(set, way, one, other string) []string {
	if got, want := t.best(way), t.best(one, other); got < want {
		return []string{fmt.Sprintf("%s: %s %.3f, the better of %s and %s alone %.3f", set, way, got, one, other, want)}
	}
	return nil
}

func three(v []float64) string { return fmt.Sprintf("%.3f", evalkit.Mean(v)) }
