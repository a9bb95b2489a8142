package retrieval

import (
	"context"
	"errors"
	"fmt"
	"manicule/memory/embed"
	"os"
	"path/filepath"
	"strings"

	"manicule/cmd/internal/evalkit"
	"manicule/memory/retrieve"
	"manicule/memory/search"
)

// cosqa finds Python functions by questions that people typed into a search engine. It
// uses the product's code search over a workspace with one file for each function.
func cosqa(ctx context.Context, o options) (_ string, bad []string, err error) {
	name, err := o.data.Path("cosqa", "corpus.jsonl")
	if err != nil {
		return "", nil, err
	}
	docs, err := evalkit.ReadLines[passage](name)
	if err != nil {
		return "", nil, err
	}
	half := filepath.Join(filepath.Dir(name), o.split)
	questions, err := readJudged(filepath.Join(half, "queries.jsonl"), filepath.Join(half, "qrels.tsv"))
	if err != nil {
		return "", nil, err
	}
	var model *embed.Service
	if !o.noEmbed {
		model = o.codeModel()
		defer func() { err = errors.Join(err, model.Close()) }()
	}
	s, err := newSpace(ctx, nil, func(root string) error {
		if err := os.MkdirAll(root, 0o700); err != nil {
			return err
		}
		for _, d := range docs {
			if err := os.WriteFile(filepath.Join(root, "f"+d.ID+".py"), []byte(d.Text+"\n"), 0o600); err != nil {
				return err
			}
		}
		return nil
	}, model, o.cache)
	if err != nil {
		return "", nil, err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	pieces, err := s.embedCode(ctx)
	if err != nil {
		return "", nil, err
	}
	t := newTable(fmt.Sprintf("CoSQA %s, %d questions over %d functions (%d pieces embedded)", o.split, len(questions), len(docs), pieces), "nDCG@10", "MRR@10", "R@100, 100 of each way")
	for _, v := range append(legs(), likeMemories()) {
		if v.name != "words" && (o.noEmbed || !o.way(v.name)) {
			continue
		}
		if err := s.cosqaRow(ctx, t, v, questions); err != nil {
			return "", nil, err
		}
	}
	if o.noEmbed {
		return t.String(), nil, nil
	}
	return t.String(), t.requireBest("CoSQA dev", "words + meaning", "words", "meaning"), nil
}

func (s *space) cosqaRow(ctx context.Context, t *table, v variant, questions []judged) error {
	shallow, err := s.codeFiles(ctx, v, questions, 10)
	if err != nil {
		return err
	}
	deep := v
	deep.tune = func(t *retrieve.Tuning) {
		if v.tune != nil {
			v.tune(t)
		}
		t.Words, t.Meaning = 100, 100
	}
	more, err := s.codeFiles(ctx, deep, questions, 100)
	if err != nil {
		return err
	}
	var got, first, at100 []float64
	for i, q := range questions {
		got, first = append(got, ndcg(shallow[i], q.rel)), append(first, firstAt(10, shallow[i], q.rel))
		at100 = append(at100, recallAt(100, more[i], q.rel))
	}
	t.row(v.name, got, three(first), three(at100))
	return nil
}

// likeMemories weighs code like memories.
func likeMemories() variant {
	return variant{name: "words + meaning, weighed as memories", tune: func(t *retrieve.Tuning) {
		plain(t)
		t.Code = nil
	}}
}

// codeFiles runs the product's code search and names the files of the results as CoSQA
// does, best first.
func (s *space) codeFiles(ctx context.Context, v variant, questions []judged, limit int) (_ [][]string, err error) {
	searcher := s.searcher(v, true)
	defer func() { err = errors.Join(err, searcher.Close()) }()
	var out [][]string
	for _, q := range questions {
		files, _, err := rankedFiles(ctx, searcher, search.Question{Text: q.text, Limit: limit, Lexical: v.lexical, Explicit: true})
		if err != nil {
			return nil, err
		}
		for i, f := range files {
			files[i] = strings.TrimSuffix(strings.TrimPrefix(f, "f"), ".py")
		}
		out = append(out, files)
	}
	return out, nil
}

// rankedFiles ranks files by their best piece. unread is the number of pieces without a
// vector.
func rankedFiles(ctx context.Context, s *search.Searcher, q search.Question) (files []string, unread int, err error) {
	answer, pieces, err := s.Code(ctx, q)
	if err == nil && answer.Fault != "" {
		err = errors.New(answer.Fault)
	}
	if err != nil {
		return nil, 0, err
	}
	seen := map[string]bool{}
	for _, p := range pieces {
		if !seen[p.File] {
			seen[p.File] = true
			files = append(files, p.File)
		}
	}
	return files, answer.Index.Unread, nil
}
