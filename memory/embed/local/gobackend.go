//go:build !nogomodels

package local

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"path/filepath"
	"sync"

	"manicule/memory/embed"
)

// goBackend is an embedding model on the backend in pure Go.
type goBackend struct {
	info  embed.Info
	tk    *tokenizer
	alone bool
	graph *goGraph
	// one call at a time: a call compiles graphs
	mu sync.Mutex
}

func openGo(_ context.Context, o Options, tk *tokenizer) (_ embed.Embedder, err error) {
	defer recovered(&err)
	g, err := openGoGraph(filepath.Join(cmp.Or(o.GoDir, o.Dir), o.File), buckets(o.MaxTokens))
	if err != nil {
		return nil, err
	}
	return &goBackend{info: embed.Info{Model: o.Model, Dims: o.Dims, Backend: string(Go)}, tk: tk, alone: o.Alone, graph: g}, nil
}

// Info names the model.
func (g *goBackend) Info() embed.Info { return g.info }

// Close frees the model.
func (g *goBackend) Close() error { return g.graph.close() }

// Embed returns the vectors of texts. It checks ctx between batches.
func (g *goBackend) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	in, lengths := make([]tokens, len(texts)), make([]int, len(texts))
	for i, t := range texts {
		in[i].ids = g.tk.wholeWords(t)
		lengths[i] = len(in[i].ids)
	}
	n := goTexts
	if g.alone {
		n = 1
	}
	out := make([][]float32, len(texts))
	for _, b := range batches(lengths, g.graph.widths, n*g.tk.max, n) {
		step := n
		if len(b.at) < n {
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

func (g *goBackend) run(at []int, in []tokens, out [][]float32) error {
	some := make([]tokens, len(at))
	for i, a := range at {
		some[i] = in[a]
	}
	return g.graph.run(some, func(flat []float32, width int) error {
		rows := 1 // a vector for the text
		if len(g.graph.dims) == 3 {
			rows = width // one for each token
		}
		dims := g.info.Dims
		if len(flat) != len(at)*rows*dims {
			return fmt.Errorf("the model gave %d numbers for %d texts, want %d for each", len(flat), len(at), rows*dims)
		}
		for i, a := range at {
			vector := flat[i*rows*dims : (i+1)*rows*dims]
			out[a] = mean(vector[:min(rows, len(in[a].ids))*dims], dims)
			scale(out[a])
			normalise(out[a]) // scale divides by a norm of float32
		}
		return nil
	})
}

// mean returns the mean of vectors that lie one after the other.
func mean(flat []float32, dims int) []float32 {
	out := make([]float32, dims)
	for i, v := range flat {
		out[i%dims] += v
	}
	n := float32(len(flat) / dims)
	for i := range out {
		out[i] /= n
	}
	return out
}

// scale divides a vector by its length as torch.nn.functional.normalize does, in place.
func scale(v []float32) {
	sum := 0.0
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	n := max(float32(math.Sqrt(sum)), 1e-12)
	for i := range v {
		v[i] /= n
	}
}
