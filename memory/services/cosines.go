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
	serverRest  = time.Minute // until it is asked again after it failed
	serverWarm  = time.Minute // it may take to load its model, while nobody waits
)

// errSlowServer is returned once in a while for a server that does not answer in time.
var errSlowServer = fmt.Errorf("the server that makes vectors did not answer within %v: only words are compared", serverLimit)

// cosines returns a comparison of texts by the model that the settings select. Without an
// installed model it compares none.
func cosines(w *Workspace) memory.Cosines {
	c := &comparer{w: w, compare: func(ctx context.Context, text string, others []string) ([]float64, error) {
		return compareTexts(ctx, w, text, others)
	}}
	return c.cosines
}

// comparer asks a server without waiting for long. A server that has to load its model first goes on with
// the question meanwhile: if it were cut off each time, it would never be warm.
type comparer struct {
	w       *Workspace
	compare memory.Cosines

	mu      sync.Mutex
	stop    func()    // ends the question that the server has; nil without one
	rest    time.Time // the server is not asked before
	running sync.WaitGroup
	closes  sync.Once // registers close
}

// compared is the answer of a server.
type compared struct {
	cosines []float64
	err     error
}

func (c *comparer) cosines(ctx context.Context, text string, others []string) ([]float64, error) {
	if c.w.Config.String("embedding.provider") == provider.Local {
		return c.compare(ctx, text, others)
	}
	long, stop := context.WithTimeout(context.WithoutCancel(ctx), serverWarm)
	if !c.begin(stop) {
		stop()
		return nil, nil
	}
	done := make(chan compared, 1)
	go func() {
		defer c.running.Done()
		out, err := c.compare(long, text, others)
		c.end(err)
		done <- compared{out, err}
	}()
	short, cancel := context.WithTimeout(ctx, serverLimit)
	defer cancel()
	select {
	case r := <-done:
		return r.cosines, r.err
	case <-short.Done():
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return nil, errSlowServer
}

// begin reports whether the server may be asked now. stop ends what it is asked.
func (c *comparer) begin(stop func()) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stop != nil || c.w.Now().Before(c.rest) {
		return false
	}
	c.stop = stop
	c.running.Add(1)
	c.closes.Do(func() {
		c.w.Embedder() // is closed after what it runs was ended
		c.w.onClose(c.close)
	})
	return true
}

func (c *comparer) end(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stop()
	c.stop = nil
	if err != nil {
		c.rest = c.w.Now().Add(serverRest)
	}
}

// close ends what the server is asked, and waits for it.
func (c *comparer) close() error {
	c.mu.Lock()
	if c.stop != nil {
		c.stop()
	}
	c.mu.Unlock()
	c.running.Wait()
	return nil
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
