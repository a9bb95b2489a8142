package local

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"manicule/memory/embed"
	"manicule/memory/embed/matrix"
	"manicule/memory/rerank"
)

// TokenEmbedder is an embedder that also tells the vectors of a text's tokens.
type TokenEmbedder interface {
	embed.Embedder
	// Tokens returns for each text the vectors of its tokens, without the two that mark its beginning and end, each of
	// length one, one after another.
	Tokens(ctx context.Context, texts []string) ([][]float32, error)
}

// ofTokens returns the normalized vectors of the tokens between the first and the last.
func ofTokens(hidden []float32, tokens, dims int) []float32 {
	if tokens <= 2 {
		return nil
	}
	out := slices.Clone(hidden[dims : (tokens-1)*dims])
	for t := range tokens - 2 {
		normalise(out[t*dims : (t+1)*dims])
	}
	return out
}

// LateShare is how much of a result's score late interaction decides; cmd/eval/retrieval/FIGURES.md says how it was chosen.
const LateShare = 0.5

// keptTokens bounds the vectors of tokens that are kept, some 60 MB with 384 numbers each.
const keptTokens = 40_000

// late is late interaction over the tokens of an embedding model: each token of the query counts by the cosine to the nearest
// one of the text. O. Khattab, M. Zaharia, "ColBERT", SIGIR 2020.
type late struct {
	info  rerank.Info
	dims  int
	model TokenEmbedder

	mu    sync.Mutex // one call at a time; guards what follows
	kept  map[string][]float32
	order []string // the texts of kept, the earliest first
	size  int      // tokens of kept
}

// Late makes a reranker of an embedding model that tells the vectors of tokens. Closing it closes the model.
func Late(e embed.Embedder) (rerank.Reranker, error) {
	t, ok := e.(TokenEmbedder)
	if !ok {
		return nil, fmt.Errorf("compare words one by one: %s tells no vectors of words, onnxruntime does", e.Info().Backend)
	}
	i := e.Info()
	return &late{info: rerank.Info{Model: i.Model, Backend: i.Backend, Share: LateShare}, dims: i.Dims, model: t, kept: map[string][]float32{}}, nil
}

// Info names the model.
func (l *late) Info() rerank.Info { return l.info }

// Close frees the model.
func (l *late) Close() error { return l.model.Close() }

// Rerank returns for each text how near its tokens are to those of the query, from 0 to 1. The tokens of texts are kept for
// the next query.
func (l *late) Rerank(ctx context.Context, query string, texts []string) ([]float64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	ask := []string{query}
	for _, t := range texts {
		if _, ok := l.kept[t]; !ok && !slices.Contains(ask[1:], t) {
			ask = append(ask, t)
		}
	}
	vectors, err := l.model.Tokens(ctx, ask)
	if err != nil {
		return nil, err
	}
	if len(vectors) != len(ask) {
		return nil, errors.New("the model gave other vectors than it was asked for")
	}
	for i, t := range ask[1:] {
		l.keep(t, vectors[i+1])
	}
	out := make([]float64, len(texts))
	for i, t := range texts {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		out[i] = l.nearness(vectors[0], l.kept[t])
	}
	l.forget()
	return out, nil
}

// keep keeps the vectors of a text.
func (l *late) keep(text string, vectors []float32) {
	l.kept[text], l.order, l.size = vectors, append(l.order, text), l.size+len(vectors)/l.dims
}

// forget drops the earliest texts where too many are kept.
func (l *late) forget() {
	for l.size > keptTokens {
		first := l.order[0]
		l.size -= len(l.kept[first]) / l.dims
		delete(l.kept, first)
		l.order = l.order[1:]
	}
}

// sharp is the power of a cosine: one near match tells more than several half ones.
const sharp = 4

// nearness is the mean over the tokens of a query of the largest cosine to one of a text, sharpened.
func (l *late) nearness(query, text []float32) float64 {
	n, sum := len(query)/l.dims, 0.0
	for i := range n {
		q, best := query[i*l.dims:(i+1)*l.dims], float32(0)
		for j := 0; j < len(text); j += l.dims {
			best = max(best, matrix.Dot(q, text[j:j+l.dims]))
		}
		sum += math.Pow(float64(min(best, 1)), sharp)
	}
	return sum / float64(max(1, n))
}
