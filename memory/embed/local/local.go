// Package local runs models in this process, embedders and cross-encoders: on
// onnxruntime where its library works, else on hugot's backend in pure Go. Both
// return the same numbers. It must not know where the files come from or who its
// callers are.
package local

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	goruntime "runtime" // runtime is a model on onnxruntime here

	"manicule/memory/embed"
)

// Backend names a runtime.
type Backend string

// The runtimes, in the order they are tried.
const (
	Auto        Backend = ""
	ONNXRuntime Backend = "onnxruntime"
	Go          Backend = "go"
)

// Options say what to load.
type Options struct {
	// Model is the id to store with vectors; Dims and MaxTokens are its own.
	Model     string
	Dims      int
	MaxTokens int
	// Dir holds tokenizer.json and File, the ONNX file.
	Dir  string
	File string
	// GoDir holds the same for the Go backend, Dir when empty. There a file of
	// float32 is 3 times faster than one of halves.
	GoDir string
	// Alone embeds one text at a time: vectors of an int8 model depend on what
	// else is in the batch.
	Alone bool
	// Library is onnxruntime's shared library, "" where there is none.
	Library string
	// Threads is how many cores one call may take, at least 1.
	Threads int
	Backend Backend
}

// Open loads the model on the first backend that works: that loads, and tells
// a paraphrase from another sentence. The error of a backend that was passed
// over is in the second result; it is nil where the first choice works.
func Open(ctx context.Context, o Options) (embed.Embedder, error, error) {
	tk, err := openTokenizer(o.Dir, o.MaxTokens)
	if err != nil {
		return nil, nil, err
	}
	o.Threads = max(1, o.Threads)
	return firstThatWorks(ctx, o.Backend, "the model "+o.Model, probe,
		func(ctx context.Context) (embed.Embedder, error) { return openRuntime(ctx, o, tk) },
		func(ctx context.Context) (embed.Embedder, error) { return openGo(ctx, o, tk) })
}

// firstThatWorks loads a model on the first backend that is wanted, loads, and
// passes the probe. The error of one that was passed over is in the second result.
func firstThatWorks[M io.Closer](ctx context.Context, want Backend, what string, probe func(context.Context, M) error, onRuntime, onGo func(context.Context) (M, error)) (M, error, error) {
	var none M
	var passed error
	for _, b := range []struct {
		name Backend
		open func(context.Context) (M, error)
	}{{ONNXRuntime, onRuntime}, {Go, onGo}} {
		if want != Auto && want != b.name {
			continue
		}
		m, err := b.open(ctx)
		if err == nil {
			if err = probe(ctx, m); err == nil {
				return m, passed, nil
			}
			err = errors.Join(err, m.Close())
		}
		if ctx.Err() != nil {
			return none, nil, ctx.Err()
		}
		passed = errors.Join(passed, fmt.Errorf("%s: %w", b.name, err))
	}
	return none, nil, fmt.Errorf("load %s: %w", what, passed)
}

// Threads is how many cores a model may take where the settings say n: when
// that is 0, half of them, at most 4. The others are the editor's.
func Threads(n int) int {
	if n > 0 {
		return n
	}
	return min(4, max(1, goruntime.NumCPU()/2))
}

// probe embeds three short texts. A runtime that loads and calculates nonsense
// (a wrong library, a model for other instructions) is found here and not in
// somebody's search.
func probe(ctx context.Context, e embed.Embedder) error {
	v, err := e.Embed(ctx, []string{
		"the retry loop waits longer after each failed request",
		"failed calls are tried again with growing pauses",
		"the icon in the sidebar is blue",
	})
	if err != nil {
		return fmt.Errorf("probe: %w", err)
	}
	for _, x := range v {
		if n := dot(x, x); len(x) != e.Info().Dims || math.Abs(n-1) > 1e-3 {
			return fmt.Errorf("probe: a vector of %d values and the length %.3f, want %d and 1", len(x), math.Sqrt(n), e.Info().Dims)
		}
	}
	if same, other := dot(v[0], v[1]), dot(v[0], v[2]); same < other+probeGap {
		return fmt.Errorf("probe: a paraphrase is as far (%.2f) as another sentence (%.2f)", same, other)
	}
	return nil
}

// probeGap is what a paraphrase must be closer than another sentence. The
// models of the catalogue are at 0.5 and more.
const probeGap = 0.1

func dot(a, b []float32) float64 {
	sum := 0.0
	for i := range min(len(a), len(b)) {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

// normalise gives a vector the length one, in place. A vector of zeros stays.
func normalise(v []float32) {
	n := math.Sqrt(dot(v, v))
	if n == 0 {
		return
	}
	for i := range v {
		v[i] = float32(float64(v[i]) / n)
	}
}

// recovered turns a panic into an error: the library reports what it can't
// compile by panicking.
func recovered(err *error) {
	if p := recover(); p != nil {
		*err = errors.Join(*err, fmt.Errorf("the Go backend: %v", p))
	}
}
