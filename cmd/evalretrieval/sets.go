package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"manicule/memory/embed"
	"manicule/memory/embed/matrix"
	"manicule/memory/store"
)

// passage is a text of a set in BEIR's form, or a query.
type passage struct {
	ID    string `json:"_id"`
	Title string `json:"title"`
	Text  string `json:"text"`
}

// judged is a query with what people found relevant to it.
type judged struct {
	id, text string
	rel      map[string]float64
}

// readJudged joins queries with their judgements (query-id, corpus-id, score,
// with tabs between and a head), by query.
func readJudged(queries, qrels string) ([]judged, error) {
	list, err := readLines[passage](queries)
	if err != nil {
		return nil, err
	}
	texts := map[string]string{}
	for _, q := range list {
		texts[q.ID] = q.Text
	}
	data, err := os.ReadFile(qrels)
	if err != nil {
		return nil, fmt.Errorf("read the judgements: %w", err)
	}
	byQuery := map[string]map[string]float64{}
	lines := bufio.NewScanner(strings.NewReader(string(data)))
	for lines.Scan() {
		f := strings.Split(lines.Text(), "\t")
		if len(f) != 3 {
			return nil, fmt.Errorf("%s: a line of %d fields, want 3", qrels, len(f))
		}
		score, err := strconv.ParseFloat(f[2], 64)
		if err != nil || score <= 0 {
			continue // the head, and what was judged irrelevant
		}
		if byQuery[f[0]] == nil {
			byQuery[f[0]] = map[string]float64{}
		}
		byQuery[f[0]][f[1]] = score
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

// kept embeds texts by the product's own cache, in the folder of -cache, and
// returns a vector for each.
func (o options) kept(ctx context.Context, model *embed.Service, texts []string) (info embed.Info, _ [][]float32, err error) {
	db, err := store.OpenVectors(ctx, filepath.Join(o.cache, "manicule", "vectors"), time.Now)
	if err != nil {
		return info, nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if info, err = infoOf(ctx, model); err != nil {
		return info, nil, err
	}
	report, err := embed.NewCached(model, db).Fill(ctx, info, texts, say("embedded"))
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

// say tells who waits how far something is, each thousand.
func say(what string) func(done, total int) {
	told := 0
	return func(done, total int) {
		if done/1000 > told || done == total && told > 0 {
			told = done / 1000
			_, _ = fmt.Fprintf(os.Stderr, "evalretrieval: %s %d of %d\n", what, done, total) // only for who waits
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

// table is the rows of one set, each compared with the first.
type table struct {
	b      strings.Builder
	base   []float64
	scores map[string][]float64
}

// newTable begins a table. metric is the first column, others come behind.
func newTable(title, metric string, others ...string) *table {
	t := &table{scores: map[string][]float64{}}
	fmt.Fprintf(&t.b, "### %s\n\n| way | %s | 95 %% | against words |", title, metric)
	for _, o := range others {
		fmt.Fprintf(&t.b, " %s |", o)
	}
	t.b.WriteString("\n|---|---:|---|---|" + strings.Repeat("---:|", len(others)) + "\n")
	return t
}

// row adds a way with its score for each question.
func (t *table) row(name string, got []float64, others ...string) {
	low, high := interval(got)
	diff := "–"
	if t.base == nil {
		t.base = got
	} else {
		diff = against(got, t.base)
	}
	t.scores[name] = got
	fmt.Fprintf(&t.b, "| %s | %.3f | %.3f–%.3f | %s |", name, mean(got), low, high, diff)
	for _, o := range others {
		fmt.Fprintf(&t.b, " %s |", o)
	}
	t.b.WriteByte('\n')
}

// below complains when a way is worse than the better of two.
func (t *table) below(set, way, one, other string) []string {
	if got, want := mean(t.scores[way]), max(mean(t.scores[one]), mean(t.scores[other])); got < want {
		return []string{fmt.Sprintf("%s: %s %.3f, the better of %s and %s alone %.3f", set, way, got, one, other, want)}
	}
	return nil
}

func three(v []float64) string { return fmt.Sprintf("%.3f", mean(v)) }
