package services

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"manicule/memory"
	"manicule/memory/embed"
	"manicule/memory/embed/provider"
	"manicule/memory/store"
)

// Limits for a server that makes the vectors. Somebody waits for the memory to be written, and without
// the comparison only what is said again in other words is not noticed.
const (
	serverLimit = 300 * time.Millisecond
	serverRest  = time.Minute // until it is asked again after it was too slow
)

// errSlowServer is returned once in a while for a server that does not answer in time.
var errSlowServer = fmt.Errorf("the server that makes vectors did not answer within %v: only words are compared", serverLimit)

// cosines returns a comparison of texts by the model that the settings select. Without an
// installed model it compares none.
func cosines(w *Workspace) memory.Cosines {
	var mu sync.Mutex
	var rest time.Time // the server is not asked before
	return func(ctx context.Context, text string, others []string) ([]float64, error) {
		if w.Config.String("embedding.provider") == provider.Local {
			return compareTexts(ctx, w, text, others)
		}
		mu.Lock()
		resting := w.Now().Before(rest)
		mu.Unlock()
		if resting {
			return nil, nil
		}
		short, cancel := context.WithTimeout(ctx, serverLimit)
		defer cancel()
		out, err := compareTexts(short, w, text, others)
		if err == nil || ctx.Err() != nil || short.Err() == nil {
			return out, err
		}
		mu.Lock()
		rest = w.Now().Add(serverRest)
		mu.Unlock()
		return nil, errSlowServer
	}
}

func compareTexts(ctx context.Context, w *Workspace, text string, others []string) (out []float64, err error) {
	if !w.opener.hasModel(w.Place(), w.Config) || w.Embedder() == nil {
		return nil, nil
	}
	db, err := store.OpenVectors(ctx, w.Place().VectorsDir(), w.Now)
	if err != nil {
		return nil, fmt.Errorf("open the vectors: %w", err)
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	_, v, err := embed.NewCached(w.Embedder(), db).Embed(ctx, embed.Query, w.Embeddings().Expect(), append([]string{text}, others...))
	if errors.Is(err, embed.ErrNone) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("embed the texts: %w", err)
	}
	for _, o := range v[1:] {
		out = append(out, cosine(v[0], o))
	}
	return out, nil
}

func cosine(a, b []float32) float64 {
	var ab, aa, bb float64
	for i := range a {
		x, y := float64(a[i]), float64(b[i])
		ab, aa, bb = ab+x*y, aa+x*x, bb+y*y
	}
	if aa == 0 || bb == 0 {
		return 0
	}
	return ab / math.Sqrt(aa*bb)
}
