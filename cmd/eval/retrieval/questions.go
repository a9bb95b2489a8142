package retrieval

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"manicule/cmd/eval/documented"
	"manicule/cmd/internal/evalkit"
	"manicule/indexer/code"
	"manicule/indexer/graph"
	model "manicule/memory/embed"
	"manicule/memory/rerank"
	"manicule/memory/retrieve"
	"manicule/memory/search"
)

// questionFiles holds the questions about functions. They were written from what a drawn function does, before
// the first of them was asked, and in words that neither its name nor its comment has. dev.tsv decided which
// changes stay; heldout.tsv was asked at the end, and fresh.tsv after the next changes. natural.tsv, plain.tsv and
// unseen.tsv have questions as a developer would ask them, in any words, about functions drawn at random.
// plain.tsv is for looking at while building, unseen.tsv for one measurement at the end. kept.tsv asks about
// functions drawn at random without a word of their names, for one measurement at the end. A file has a line
// "@ OWNER/NAME COMMIT" for each repository and under it, for each question, FILE#SYMBOL, the question, and
// more right answers after bars.
//
//go:embed testdata/questions
var questionFiles embed.FS

// worded is a question with the functions that answer it.
type worded struct {
	text  string
	right []target
}

// target is a function, with its first line once that is known.
type target struct {
	file, symbol string
	from         int
}

// project is a repository at a commit with its questions.
type project struct {
	repo, commit string
	questions    []worded
}

// readQuestions reads a set of questions.
func readQuestions(split string) ([]project, error) {
	data, err := questionFiles.ReadFile("testdata/questions/" + split + ".tsv")
	if err != nil {
		return nil, evalkit.Missing("no questions about functions in the split %q", split)
	}
	var out []project
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		if repo, ok := strings.CutPrefix(line, "@ "); ok {
			name, commit, _ := strings.Cut(repo, " ")
			out = append(out, project{repo: name, commit: commit})
			continue
		}
		first, rest, ok := strings.Cut(line, "\t")
		if !ok || len(out) == 0 {
			return nil, fmt.Errorf("read the questions of %q: no question in %q", split, line)
		}
		parts := strings.Split(rest, "|")
		w := worded{text: parts[0]}
		for _, t := range append([]string{first}, parts[1:]...) {
			file, symbol, _ := strings.Cut(t, "#")
			w.right = append(w.right, target{file: file, symbol: symbol})
		}
		last := &out[len(out)-1]
		last.questions = append(last.questions, w)
	}
	return out, nil
}

// locate finds the lines of the right answers.
func locate(g *graph.Graph, questions []worded) error {
	for _, q := range questions {
		for i := range q.right {
			t := &q.right[i]
			for _, s := range g.Outline(t.file) {
				if s.Symbol == t.symbol {
					t.from = s.Line
				}
			}
			if t.from == 0 && i == 0 { // another right answer may be in a file that no grammar reads
				return fmt.Errorf("find %s#%s in its repository: it has no such function", t.file, t.symbol)
			}
		}
	}
	return nil
}

// answers reports whether a piece is a right answer: the function itself, or the function that it stands
// in. A class is one only if wide is true.
func answers(p code.Piece, q worded, wide bool) bool {
	return slices.ContainsFunc(q.right, func(t target) bool {
		if t.from == 0 || p.File != t.file || p.Line > t.from || p.EndLine < t.from {
			return false
		}
		return wide || p.Symbol == t.symbol || p.Kind == "function" || p.Kind == "method"
	})
}

// questionDepth is the number of results that are looked at.
const questionDepth = 50

// questionWays lists the ways in which questions are asked.
func questionWays(o options, late *rerank.Lazy) []variant {
	out := []variant{
		{name: "words", lexical: true, tune: oneLeg(retrieve.Weights{Words: 1})},
		{name: "as shipped, without a model", lexical: true},
		{name: "meaning", tune: oneLeg(retrieve.Weights{Meaning: 1})},
		{name: "as shipped"},
		{name: "words one by one (rerank.provider = late)", rerank: late.Rerank},
	}
	return slices.DeleteFunc(out, func(v variant) bool { return o.noEmbed && !v.lexical || v.name != "words" && !o.way(v.name) })
}

// outcome is what one question gave by each way: the rank of its function, 0 if it is not found, and
// what stands before it.
type outcome struct {
	Repo, Text, Right string
	Rank, Wide        map[string]int
	First             map[string][]string
	All               []candidate // of words, mentions and meaning
	Best              []candidate // as shipped, with their texts
}

// candidate is a piece with its score by each leg.
type candidate struct {
	Piece string
	Lines int
	Right bool
	By    map[string]float64 `json:",omitempty"`
	// Of the best ones as shipped: the score, what stands before the text, and its beginning.
	Score        float64 `json:",omitempty"`
	Prefix, Text string  `json:",omitempty"`
	Kind, File   string  `json:",omitempty"`
}

// questions asks for functions in words that neither their names nor their comments have.
func questions(ctx context.Context, o options) (_ string, bad []string, err error) {
	all, err := readQuestions(o.split)
	if err != nil {
		return "", nil, err
	}
	var service *model.Service
	if !o.noEmbed {
		service = o.codeModel()
		defer func() { err = errors.Join(err, service.Close()) }()
	}
	late := o.late()
	defer func() { err = errors.Join(err, late.Close()) }()
	ways := questionWays(o, late)
	var out []outcome
	for _, p := range all {
		dir := o.history(ctx, p.repo)
		if dir == "" || !slices.ContainsFunc(o.repo, func(part string) bool { return strings.Contains(p.repo, part) }) {
			continue
		}
		found, err := o.ask(ctx, dir, p, service, ways)
		if err != nil {
			return "", nil, fmt.Errorf("%s: %w", p.repo, err)
		}
		out = append(out, found...)
	}
	if len(out) == 0 {
		return "", nil, evalkit.Missing("none of the repositories of the set, name their folder with --repos")
	}
	if o.dump != "" {
		data, err := json.MarshalIndent(out, "", " ")
		if err == nil {
			err = os.WriteFile(filepath.Join(o.dump, "questions."+o.split+".json"), data, 0o600)
		}
		if err != nil {
			return "", nil, fmt.Errorf("write what was found: %w", err)
		}
	}
	return questionTable(o, ways, out), nil, nil
}

// ripgrepWay is the way that needs no index.
const ripgrepWay = "rg -i, files with most words (the file is enough)"

func questionTable(o options, ways []variant, out []outcome) string {
	t := newTable(fmt.Sprintf("%d functions in other words (%s)", len(out), o.split), "MRR@10", "hit@1", "hit@5", "hit@10", "hit@50", "hit@5, its class is enough")
	names := []string{}
	for _, v := range ways {
		names = append(names, v.name)
	}
	for _, name := range append(names, ripgrepWay) {
		var ten, fifty, wide []float64
		for _, x := range out {
			ten, fifty, wide = append(ten, reciprocal(x.Rank[name], 10)), append(fifty, reciprocal(x.Rank[name], questionDepth)), append(wide, reciprocal(x.Wide[name], 10))
		}
		t.row(name, ten, hitsAt(1, ten), hitsAt(5, ten), hitsAt(10, ten), hitsAt(questionDepth, fifty), hitsAt(5, wide))
	}
	return t.String()
}

// reciprocal is 1/rank, 0 behind the first most.
func reciprocal(rank, most int) float64 {
	if rank == 0 || rank > most {
		return 0
	}
	return 1 / float64(rank)
}

// ask asks the questions about one repository.
func (o options) ask(ctx context.Context, dir string, p project, service *model.Service, ways []variant) (_ []outcome, err error) {
	s, err := newSpace(ctx, nil, func(root string) error {
		return documented.Tracked(ctx, dir, p.commit, func(name string, data []byte) error {
			to := filepath.Join(root, filepath.FromSlash(name))
			return errors.Join(os.MkdirAll(filepath.Dir(to), 0o700), os.WriteFile(to, data, 0o600))
		})
	}, service, o.cache)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	pieces, err := s.embedCode(ctx)
	if err != nil {
		return nil, err
	}
	g, err := s.index.Graph(ctx)
	if err != nil {
		return nil, err
	}
	if err := locate(g, p.questions); err != nil {
		return nil, err
	}
	evalkit.Progress("%s: %d questions about %d pieces", p.repo, len(p.questions), pieces)
	out := make([]outcome, len(p.questions))
	for i, q := range p.questions {
		out[i] = outcome{p.repo, q.text, q.right[0].file + "#" + q.right[0].symbol, map[string]int{}, map[string]int{}, map[string][]string{}, nil, nil}
	}
	for _, v := range ways {
		if err := s.askBy(ctx, v, p.questions, out); err != nil {
			return nil, err
		}
	}
	if o.dump != "" {
		if err := errors.Join(s.candidates(ctx, o.noEmbed, p.questions, out), s.best(ctx, o.noEmbed, p.questions, out)); err != nil {
			return nil, err
		}
	}
	for i, q := range p.questions {
		rank, err := ripgrep(ctx, s.root, function{file: q.right[0].file, text: q.text})
		if err != nil {
			return nil, err
		}
		if rank > 0 {
			out[i].Rank[ripgrepWay] = int(1/rank + .5)
			out[i].Wide[ripgrepWay] = out[i].Rank[ripgrepWay]
		}
	}
	return out, nil
}

// askBy asks all questions in one way.
func (s *space) askBy(ctx context.Context, v variant, questions []worded, out []outcome) (err error) {
	searcher := s.searcher(v, true)
	defer func() { err = errors.Join(err, searcher.Close()) }()
	for i, q := range questions {
		answer, got, err := searcher.Code(ctx, search.Question{Text: q.text, Limit: questionDepth, Lexical: v.lexical, Explicit: true})
		if err != nil {
			return err
		}
		if answer.Fault != "" {
			return errors.New(answer.Fault)
		}
		for at, p := range got {
			if at < 6 {
				out[i].First[v.name] = append(out[i].First[v.name], p.File+"#"+p.Symbol+" "+p.Kind)
			}
			if answers(p, q, true) && out[i].Wide[v.name] == 0 {
				out[i].Wide[v.name] = at + 1
			}
			if answers(p, q, false) && out[i].Rank[v.name] == 0 {
				out[i].Rank[v.name] = at + 1
			}
		}
	}
	return nil
}

// candidates notes what each leg found for each question, so that weights can be chosen from it.
func (s *space) candidates(ctx context.Context, lexical bool, questions []worded, out []outcome) (err error) {
	searcher := s.searcher(variant{lexical: lexical, tune: func(t *retrieve.Tuning) {
		plain(t)
		t.CodeCandidates = 2 * dumpDepth
	}}, true)
	defer func() { err = errors.Join(err, searcher.Close()) }()
	for i, q := range questions {
		answer, got, err := searcher.Code(ctx, search.Question{Text: q.text, Limit: 6 * dumpDepth, Lexical: lexical, Explicit: true})
		if err != nil {
			return err
		}
		for at, p := range got {
			c := candidate{Piece: p.File + "#" + p.Symbol + " " + p.Kind, Lines: p.EndLine - p.Line + 1, Right: answers(p, q, false), By: map[string]float64{}}
			for _, by := range answer.Results[at].By {
				c.By[by.Leg] = by.Score
			}
			out[i].All = append(out[i].All, c)
		}
	}
	return nil
}

// writtenText bounds the text of a candidate that is written: no model reads more of it.
const writtenText = 2000

// best notes what is found first as shipped, with the texts, so that ways to rank it again can be compared.
func (s *space) best(ctx context.Context, lexical bool, questions []worded, out []outcome) (err error) {
	searcher := s.searcher(variant{lexical: lexical}, true)
	defer func() { err = errors.Join(err, searcher.Close()) }()
	for i, q := range questions {
		answer, got, err := searcher.Code(ctx, search.Question{Text: q.text, Limit: questionDepth, Lexical: lexical, Explicit: true})
		if err != nil {
			return err
		}
		for at, p := range got {
			text, err := os.ReadFile(filepath.Join(s.root, filepath.FromSlash(p.File)))
			if err != nil {
				return fmt.Errorf("read what was found: %w", err)
			}
			own := p.Text(text)
			out[i].Best = append(out[i].Best, candidate{
				Piece: p.File + "#" + p.Symbol, Right: answers(p, q, false), Score: answer.Results[at].Score,
				Prefix: p.Prefix, Text: own[:min(len(own), writtenText)], Kind: p.Kind, File: p.File,
			})
		}
	}
	return nil
}
