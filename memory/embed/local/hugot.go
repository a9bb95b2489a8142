//go:build !nohugot

package local

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/knights-analytics/hugot"
	"github.com/knights-analytics/hugot/options"
	"github.com/knights-analytics/hugot/pipelines"

	"manicule/memory/embed"
)

// goTexts is the only batch size besides 1. The backend compiles and caches a graph for each pair
// of batch size and width.
const goTexts = 8

// goBackend is a model on hugot's pure Go backend.
type goBackend struct {
	info    embed.Info
	tk      *tokenizer
	widths  []int
	alone   bool
	session *hugot.Session
	pipe    *pipelines.FeatureExtractionPipeline
	// one call at a time: a call compiles graphs
	mu sync.Mutex
}

func openGo(ctx context.Context, o Options, tk *tokenizer) (_ embed.Embedder, err error) {
	defer recovered(&err)
	g := &goBackend{info: embed.Info{Model: o.Model, Dims: o.Dims, Backend: string(Go)}, tk: tk, widths: buckets(o.MaxTokens), alone: o.Alone}
	if g.session, err = newGoSession(ctx, g.widths); err != nil {
		return nil, err
	}
	g.pipe, err = hugot.NewPipeline(g.session, hugot.FeatureExtractionConfig{
		ModelPath: cmp.Or(o.GoDir, o.Dir), Name: o.Model, OnnxFilename: o.File,
		Options: []hugot.FeatureExtractionOption{pipelines.WithNormalization()},
	})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("load the model into the Go backend: %w", err), g.session.Destroy())
	}
	return g, nil
}

// newGoSession prepares the Go backend for batches of these widths. The session outlives the call.
func newGoSession(ctx context.Context, widths []int) (*hugot.Session, error) {
	s, err := hugot.NewGoSession(context.WithoutCancel(ctx), func(opt *options.Options) error {
		opt.GoMLXOptions.BatchBuckets, opt.GoMLXOptions.SequenceBuckets = []int{1, goTexts}, widths
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("set up the Go backend: %w", err)
	}
	return s, nil
}

// Info names the model.
func (g *goBackend) Info() embed.Info { return g.info }

// Close frees the model.
func (g *goBackend) Close() error {
	if err := g.session.Destroy(); err != nil {
		return fmt.Errorf("free the model: %w", err)
	}
	return nil
}

// Embed returns the vectors of texts. It checks ctx between batches.
func (g *goBackend) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	cut, lengths := make([]string, len(texts)), make([]int, len(texts))
	for i, t := range texts {
		cut[i], lengths[i] = g.tk.cut(t)
	}
	n := goTexts
	if g.alone {
		n = 1
	}
	out := make([][]float32, len(texts))
	for _, b := range batches(lengths, g.widths, n*g.widths[len(g.widths)-1], n) {
		step := n
		if len(b.at) < n {
			step = 1 // a batch that is not full would be padded
		}
		for from := 0; from < len(b.at); from += step {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if err := g.runFitting(ctx, b.at[from:from+step], cut, out); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// runFitting runs some texts. hugot reads each again by a tokenizer of its own, and refuses a text that
// has more tokens by that than the model takes: such a one is shortened until it fits.
func (g *goBackend) runFitting(ctx context.Context, at []int, texts []string, out [][]float32) error {
	err := g.run(ctx, at, texts, out)
	if err == nil || !strings.Contains(err.Error(), "max bucket") {
		return err
	}
	for _, a := range at {
		for err = g.run(ctx, []int{a}, texts, out); err != nil; err = g.run(ctx, []int{a}, texts, out) {
			shorter := texts[a][:wordEnd(texts[a], len(texts[a])*15/16)]
			if shorter == "" || ctx.Err() != nil {
				return err
			}
			texts[a] = shorter
		}
	}
	return nil
}

func (g *goBackend) run(ctx context.Context, at []int, texts []string, out [][]float32) (err error) {
	defer recovered(&err)
	in := make([]string, len(at))
	for i, a := range at {
		in[i] = texts[a]
	}
	r, err := g.pipe.RunPipeline(context.WithoutCancel(ctx), in) // if cancelled, it would return while a goroutine still reads what it frees
	if err != nil {
		return fmt.Errorf("run the model: %w", err)
	}
	if len(r.Embeddings) < len(at) {
		return fmt.Errorf("the model gave %d vectors for %d texts", len(r.Embeddings), len(at))
	}
	for i, a := range at {
		normalise(r.Embeddings[i]) // the library sums in float32
		out[a] = r.Embeddings[i]
	}
	return nil
}
