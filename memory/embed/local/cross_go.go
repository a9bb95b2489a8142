//go:build !nohugot

package local

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"

	"github.com/knights-analytics/hugot"
	"github.com/knights-analytics/hugot/pipelines"

	"manicule/memory/rerank"
)

// goCross is a cross-encoder on hugot's pure Go backend.
type goCross struct {
	info    rerank.Info
	pairs   *pairer
	widths  []int
	session *hugot.Session
	pipe    *pipelines.CrossEncoderPipeline
	// one call at a time: a call compiles graphs
	mu sync.Mutex
}

func openCrossGo(ctx context.Context, o Cross, pairs *pairer) (_ rerank.Reranker, err error) {
	defer recovered(&err)
	g := &goCross{info: rerank.Info{Model: o.Model, Backend: string(Go)}, pairs: pairs, widths: buckets(o.MaxTokens)}
	if g.session, err = newGoSession(ctx, g.widths); err != nil {
		return nil, err
	}
	g.pipe, err = hugot.NewPipeline(g.session, hugot.CrossEncoderConfig{
		ModelPath: o.Dir, Name: o.Model, OnnxFilename: o.File,
		Options: []hugot.CrossEncoderOption{pipelines.WithBatchSize(goTexts)},
	})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("load the model into the Go backend: %w", err), g.session.Destroy())
	}
	return g, nil
}

// Info names the model.
func (g *goCross) Info() rerank.Info { return g.info }

// Close frees the model.
func (g *goCross) Close() error {
	if err := g.session.Destroy(); err != nil {
		return fmt.Errorf("free the model: %w", err)
	}
	return nil
}

// Rerank returns the scores of texts. It checks ctx between batches.
func (g *goCross) Rerank(ctx context.Context, query string, texts []string) ([]float64, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	in, lengths := make([]pair, len(texts)), make([]int, len(texts))
	for i, t := range texts {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		in[i] = g.pairs.cut(query, t)
		lengths[i] = in[i].tokens
	}
	out := make([]float64, len(texts))
	for _, b := range batches(lengths, g.widths, goTexts*g.widths[len(g.widths)-1], goTexts) {
		step := len(b.at)
		if step < goTexts || !sameQuery(in, b.at) {
			step = 1 // a batch that is not full would be padded, and the pipeline takes one query
		}
		for from := 0; from < len(b.at); from += step {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if err := g.run(ctx, b.at[from:from+step], in, out); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// sameQuery reports whether the query was cut equally for some texts.
func sameQuery(in []pair, at []int) bool {
	for _, a := range at {
		if in[a].query != in[at[0]].query {
			return false
		}
	}
	return true
}

func (g *goCross) run(ctx context.Context, at []int, in []pair, out []float64) (err error) {
	defer recovered(&err)
	texts := make([]string, len(at))
	for i, a := range at {
		texts[i] = in[a].text
	}
	r, err := g.pipe.RunPipeline(context.WithoutCancel(ctx), in[at[0]].query, texts) // as the embedder's
	if err != nil {
		return fmt.Errorf("run the model: %w", err)
	}
	if len(r.Results) != len(at) {
		return fmt.Errorf("the model gave %d scores for %d texts", len(r.Results), len(at))
	}
	for _, x := range r.Results { // sorted by score, which is already the sigmoid
		if math.IsNaN(float64(x.Score)) {
			return errors.New("the model gave no number")
		}
		out[at[x.Index]] = float64(x.Score)
	}
	return nil
}
