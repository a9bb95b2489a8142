package retrieval

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"time"

	"manicule/cmd/internal/evalkit"
	"manicule/memory/embed"
	"manicule/memory/file"
	"manicule/memory/retrieve"
)

// Published figures on the test part of BEIR's SciFact, as nDCG@10, and our tolerance:
// all-MiniLM-L6-v2 and BM25 of bm25s, both from embeddings-benchmark/results.
const (
	scifactDense    = 0.64508
	scifactDenseOff = 0.005
	scifactWords    = 0.687
	scifactWordsOff = 0.01
)

// scifact finds abstracts by claims. It measures the model alone, the keyword index of
// memories, and both in the product's pipeline. The texts are embedded as in the
// published figure (title, blank, text); a memory has its type and places in front.
func scifact(ctx context.Context, o options) (_ string, bad []string, err error) {
	name, err := o.data.Path("beir-scifact", "corpus.jsonl")
	if err != nil {
		return "", nil, err
	}
	docs, err := evalkit.ReadLines[passage](name)
	if err != nil {
		return "", nil, err
	}
	model := o.defaultModel()
	defer func() { err = errors.Join(err, model.Close()) }()
	ids, texts, entries := make([]string, len(docs)), make([]string, len(docs)), make([]entry, len(docs))
	byID := map[string]retrieve.Item{}
	for i, d := range docs {
		ids[i], texts[i] = d.ID, d.Title+" "+d.Text
		entries[i] = entry{id: d.ID, kind: file.ModuleInsight, what: d.Title, why: d.Text, created: time.Unix(0, 0).UTC()}
		byID[d.ID] = retrieve.Item{Text: texts[i], Volatility: -1, Confidence: 1}
	}
	info, vectors, err := o.cachedVectors(ctx, model, texts)
	if err != nil {
		return "", nil, err
	}
	m, err := vectorsOf(info, ids, vectors)
	if err != nil {
		return "", nil, err
	}
	s, err := newSpace(ctx, entries, nil, nil, "")
	if err != nil {
		return "", nil, err
	}
	defer func() { err = errors.Join(err, s.close()) }()

	asked := map[string][]float32{}
	engine := &retrieve.Engine{
		Now:  time.Now,
		Item: func(id string) (retrieve.Item, bool) { it, ok := byID[id]; return it, ok },
		Words: func(ctx context.Context, text string, limit int) ([]retrieve.Ranked, error) {
			found, err := s.mem.Recaller().Ranked(ctx, text, limit)
			out := make([]retrieve.Ranked, len(found))
			for i, r := range found {
				out[i] = retrieve.Ranked{ID: s.ids[r.UUID], Score: r.Score}
			}
			return out, err
		},
		Meaning: func(_ context.Context, text string, limit int) ([]retrieve.Ranked, error) {
			hits, err := m.Search(asked[text], limit)
			out := make([]retrieve.Ranked, len(hits))
			for i, h := range hits {
				out[i] = retrieve.Ranked{ID: h.Key, Score: float64(h.Score)}
			}
			return out, err
		},
	}
	text := ""
	for _, part := range []string{"train", "test"} {
		questions, err := readJudged(filepath.Join(filepath.Dir(name), "queries.jsonl"), filepath.Join(filepath.Dir(name), "qrels", part+".tsv"))
		if err != nil {
			return "", nil, err
		}
		t, err := scifactPart(ctx, o, model, engine, asked, part, questions)
		if err != nil {
			return "", nil, err
		}
		text += t.String() + "\n"
		if part == "train" {
			bad = append(bad, t.requireBest("SciFact train", "words + meaning", "words", "meaning")...)
			continue
		}
		for _, x := range []struct {
			way       string
			want, off float64
		}{{"meaning", scifactDense, scifactDenseOff}, {"words", scifactWords, scifactWordsOff}} {
			if got := evalkit.Mean(t.scores[x.way]); math.Abs(got-x.want) > x.off {
				bad = append(bad, fmt.Sprintf("SciFact test by %s: nDCG@10 %.4f, published %.4f", x.way, got, x.want))
			}
		}
	}
	return text, bad, nil
}

func scifactPart(ctx context.Context, o options, model *embed.Service, engine *retrieve.Engine, asked map[string][]float32, part string, questions []judged) (*table, error) {
	texts := make([]string, len(questions))
	for i, q := range questions {
		texts[i] = q.text
	}
	_, vectors, err := o.cachedVectors(ctx, model, texts)
	if err != nil {
		return nil, err
	}
	for i, q := range texts {
		asked[q] = vectors[i]
	}
	t := newTable(fmt.Sprintf("SciFact %s, %d claims over 5,183 abstracts", part, len(questions)), "nDCG@10", "R@5", "MRR@10")
	for _, v := range legs() {
		tune := retrieve.Default()
		if v.tune != nil {
			v.tune(&tune)
		}
		engine.Tuning = &tune
		var got, at5, first []float64
		for _, q := range questions {
			answer, err := engine.Search(ctx, retrieve.Question{Explicit: true, Text: q.text, Limit: 10})
			if err != nil {
				return nil, err
			}
			var ranked []string
			for _, r := range answer.Results {
				ranked = append(ranked, r.ID)
			}
			got, at5, first = append(got, ndcg(ranked, q.rel)), append(at5, recallAt(5, ranked, q.rel)), append(first, firstAt(10, ranked, q.rel))
		}
		t.row(v.name, got, three(at5), three(first))
	}
	return t, nil
}

// legs lists both kinds of search, their combination, and the default pipeline.
func legs() []variant {
	return []variant{
		{name: "words", lexical: true, tune: oneLeg(retrieve.Weights{Words: 1})},
		{name: "meaning", tune: oneLeg(retrieve.Weights{Meaning: 1})},
		{name: "words + meaning", tune: plain},
		{name: "as shipped"},
	}
}
