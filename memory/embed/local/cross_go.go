//go:build !nogomodels

package local

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"

	"manicule/memory/rerank"
)

// goCross is a cross-encoder on the backend in pure Go.
type goCross struct {
	info  rerank.Info
	pairs *pairer
	graph *goGraph
	// one call at a time: a call compiles graphs
	mu sync.Mutex
}

func openCrossGo(_ context.Context, o Cross, pairs *pairer) (_ rerank.Reranker, err error) {
	defer recovered(&err)
	g, err := openGoGraph(filepath.Join(o.Dir, o.File), buckets(o.MaxTokens))
	if err != nil {
		return nil, err
	}
	return &goCross{info: rerank.Info{Model: o.Model, Backend: string(Go)}, pairs: pairs, graph: g}, nil
}

// Info names the model.
func (g *goCross) Info() rerank.Info { return g.info }

// Close frees the model.
func (g *goCross) Close() error { return g.graph.close() }

// Rerank returns the scores of texts. It checks ctx between batches.
func (g *goCross) Rerank(ctx context.Context, query string, texts []string) ([]float64, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	in, lengths := make([]tokens, len(texts)), make([]int, len(texts))
	for i, t := range texts {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		in[i].ids, in[i].types = g.pairs.ids(g.pairs.cut(query, t))
		lengths[i] = len(in[i].ids)
	}
	out := make([]float64, len(texts))
	for _, b := range batches(lengths, g.graph.widths, goTexts*g.pairs.tk.max, goTexts) {
		step := goTexts
		if len(b.at) < step {
			step = 1 // a batch that is not full would be padded
		}
		for from := 0; from < len(b.at); from += step {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if err := g.run(b.at[from:from+step], in, out); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

func (g *goCross) run(at []int, in []tokens, out []float64) error {
	some := make([]tokens, len(at))
	for i, a := range at {
		some[i] = in[a]
	}
	return g.graph.run(some, func(flat []float32, _ int) error {
		if len(flat) != len(at) {
			return fmt.Errorf("the model gave %d numbers for %d texts, want one for each", len(flat), len(at))
		}
		for i, a := range at {
			score, err := sigmoid(float64(flat[i]))
			if err != nil {
				return err
			}
			out[a] = float64(float32(score))
		}
		return nil
	})
}
