package retrieval

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"manicule/cmd/internal/evalkit"
	"manicule/indexer/code"
	"manicule/memory/embed/local"
	"manicule/memory/embed/matrix"
	"manicule/memory/embed/models"
)

// lateCodeChoice is a way to rank the best pieces of code again by the vectors of tokens.
type lateCodeChoice struct {
	text  string  // what is read of a piece
	power string  // what a token's nearest cosine becomes
	depth int     // how many pieces are ranked again
	share float64 // how much of the score it decides
}

// String formats it.
func (c lateCodeChoice) String() string {
	if c.share == 0 {
		return "as shipped"
	}
	return fmt.Sprintf("%s, %s, %d, %.1f", c.text, c.power, c.depth, c.share)
}

// lateCodeTexts are what is read of a piece, as --ways selects.
func lateCodeTexts(o options) []lateCodeText {
	const head = 170 // bytes, as many as are embedded as they are
	beginning := func(c candidate) string { return c.Text[:min(head, len(c.Text))] }
	out := []lateCodeText{
		{"embedded", 50, func(c candidate) string { return code.EmbeddingText(c.File, c.Kind, c.Prefix, c.Text) }},
		{"beginning, identifiers split", 50, func(c candidate) string { return code.EmbeddingText(c.File, c.Kind, c.Prefix, beginning(c)) }},
		{"beginning", 20, func(c candidate) string { return c.Prefix + "\n" + beginning(c) }},
		{"whole", 20, func(c candidate) string { return c.Prefix + "\n" + c.Text }},
	}
	return slices.DeleteFunc(out, func(t lateCodeText) bool { return !o.way(t.name) })
}

// lateCodeText is one of them, with the number of pieces that it is tried with.
type lateCodeText struct {
	name string
	most int
	of   func(candidate) string
}

// lateCodeChoices lists what is compared, the first of which is none of it.
func lateCodeChoices(texts []lateCodeText) []lateCodeChoice {
	out := []lateCodeChoice{{}}
	for _, t := range texts {
		for depth := 20; depth <= t.most; depth += 30 {
			for _, p := range []string{"power 1", "power 4", "power 8", "above the mean"} {
				for _, s := range []float64{.1, .2, .3, .5, .7, 1} {
					out = append(out, lateCodeChoice{t.name, p, depth, s})
				}
			}
		}
	}
	return out
}

// sharpened makes one number of each candidate of the cosines of a question's tokens to the nearest ones of it.
func sharpened(near [][]float64, power string) []float64 {
	out := make([]float64, len(near))
	if len(near) == 0 {
		return out
	}
	for t := range near[0] {
		mean := 0.0
		for i := range near {
			mean += near[i][t] / float64(len(near))
		}
		for i := range near {
			x := near[i][t]
			switch power {
			case "power 4":
				x = math.Pow(x, 4)
			case "power 8":
				x = math.Pow(x, 8)
			case "above the mean":
				x = max(0, x-mean)
			}
			out[i] += x
		}
	}
	return out
}

// nearest is for each token of a question the largest cosine to one of a text.
func nearest(question, text []float32, dims int) []float64 {
	out := make([]float64, len(question)/dims)
	for i := range out {
		best := float32(0)
		for j := 0; j < len(text); j += dims {
			best = max(best, matrix.Dot(question[i*dims:(i+1)*dims], text[j:j+dims]))
		}
		out[i] = float64(min(best, 1))
	}
	return out
}

// rankOf is the rank of the first right candidate by a choice, 0 without one.
func rankOf(c lateCodeChoice, best []candidate, near map[string][][]float64) int {
	order := slices.Clone(best)
	if n := min(c.depth, len(best)); n > 0 {
		first := make([]float64, n)
		for i := range first {
			first[i] = best[i].Score
		}
		for to, from := range mixed(first, sharpened(near[c.text][:n], c.power), c.share) {
			order[to] = best[from]
		}
	}
	return 1 + slices.IndexFunc(order, func(c candidate) bool { return c.Right })
}

// lateCode compares ways to rank the best pieces of code again by the vectors of tokens, from what questions writes with
// --dump, one folder for each repository.
func lateCode(ctx context.Context, o options) (_ string, _ []string, err error) {
	names, err := filepath.Glob(filepath.Join(o.dump, "*", "questions."+o.split+".json"))
	if err != nil || o.dump == "" || len(names) == 0 {
		return "", nil, evalkit.Missing("no answers of the split %q below %q: questions writes them with --dump", o.split, o.dump)
	}
	e, err := o.open(ctx, configuration{models.Default, local.ONNXRuntime})
	if err != nil {
		return "", nil, err
	}
	defer func() { err = errors.Join(err, e.Close()) }()
	m, ok := e.(local.TokenEmbedder)
	if !ok {
		return "", nil, fmt.Errorf("compare tokens: %s tells no vectors of tokens", e.Info().Backend)
	}
	texts := lateCodeTexts(o)
	choices := lateCodeChoices(texts)
	ranks := map[lateCodeChoice][]float64{}
	each := map[string]map[lateCodeChoice][]float64{} // by repository
	total := 0
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			return "", nil, fmt.Errorf("read what was found: %w", err)
		}
		var list []outcome
		if err := json.Unmarshal(data, &list); err != nil {
			return "", nil, fmt.Errorf("read %s: %w", name, err)
		}
		for _, q := range list {
			near, err := lateCodeNear(ctx, m, texts, q)
			if err != nil {
				return "", nil, err
			}
			if each[q.Repo] == nil {
				each[q.Repo] = map[lateCodeChoice][]float64{}
			}
			for _, c := range choices {
				r := reciprocal(rankOf(c, q.Best, near), 10)
				ranks[c], each[q.Repo][c] = append(ranks[c], r), append(each[q.Repo][c], r)
			}
			total++
		}
		evalkit.Progress("%s: %d questions", name, total)
	}
	return lateCodeTable(fmt.Sprintf("%d functions, the best ranked again (%s)", total, o.split), choices, ranks, each), nil, nil
}

// lateCodeNear compares a question with its best candidates, by each text.
func lateCodeNear(ctx context.Context, m local.TokenEmbedder, read []lateCodeText, q outcome) (map[string][][]float64, error) {
	dims := m.Info().Dims
	out := map[string][][]float64{}
	for _, t := range read {
		texts := []string{q.Text}
		for _, c := range q.Best[:min(t.most, len(q.Best))] {
			texts = append(texts, t.of(c))
		}
		vectors, err := m.Tokens(ctx, texts)
		if err != nil {
			return nil, err
		}
		for _, v := range vectors[1:] {
			out[t.name] = append(out[t.name], nearest(vectors[0], v, dims))
		}
	}
	return out, nil
}

// lateCodeTable has a row for each choice. Gain and lose count repositories by those among the first five.
func lateCodeTable(title string, choices []lateCodeChoice, ranks map[lateCodeChoice][]float64, each map[string]map[lateCodeChoice][]float64) string {
	t := evalkit.NewTable("choice", "first", "first five", "MRR@10", "difference", "gain", "lose")
	for _, c := range choices {
		up, down := 0, 0
		for _, of := range each {
			switch with, without := hitsAt(5, of[c]), hitsAt(5, of[lateCodeChoice{}]); {
			case with > without:
				up++
			case with < without:
				down++
			}
		}
		t.Add(c, hitsAt(1, ranks[c]), hitsAt(5, ranks[c]), three(ranks[c]), strings.TrimSpace(evalkit.Difference(ranks[c], ranks[lateCodeChoice{}])), up, down)
	}
	return evalkit.Section{Title: title, Table: t}.String()
}
