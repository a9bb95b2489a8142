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

// The runtimes, in the order of preference.
const (
	Auto        Backend = ""
	ONNXRuntime Backend = "onnxruntime"
	Go          Backend = "go"
)

// Options say what to load.
type Options struct {
	// Model is the id to store with vectors. Dims and MaxTokens are the model's.
	Model     string
	Dims      int
	MaxTokens int
	// Dir contains tokenizer.json and File, the ONNX file.
	Dir  string
	File string
	// GoDir contains the same for the Go backend, Dir when empty. There float32 is 3 times faster
	// than float16.
	GoDir string
	// Alone embeds one text at a time, because vectors of an int8 model depend on the rest of the
	// batch.
	Alone bool
	// Library is onnxruntime's shared library, "" if there is none.
	Library string
	// Threads is the number of cores for one call, at least 1.
	Threads int
	Backend Backend
}

// Open loads the model on the first backend that loads and tells a paraphrase from an unrelated
// sentence. The second result is the error of a backend that was skipped, or nil.
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

// firstThatWorks loads a model on the first wanted backend that loads and passes the probe. The
// second result is the error of a skipped backend.
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

// Threads returns the number of cores for a model if the settings say n. 0 means half of them, at
// most 4, which leaves the others to the editor.
func Threads(n int) int {
	if n > 0 {
		return n
	}
	return min(4, max(1, goruntime.NumCPU()/2))
}

// probe embeds three short texts. It detects a runtime that loads but computes wrong results (a
// wrong library, a model for other instructions) before a search does.
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

// probeGap is the required difference in similarity between a paraphrase and an unrelated sentence.
// The models of the catalogue reach 0.5 and more.
const probeGap = 0.1

func dot(a, b []float32) float64 {
	sum := 0.0
	for i := range min(len(a), len(b)) {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

// normalise scales a vector to length one, in place. A zero vector stays.
func normalise(v []float32) {
	n := math.Sqrt(dot(v, v))
	if n == 0 {
		return
	}
	for i := range v {
		v[i] = float32(float64(v[i]) / n)
	}
}

// recovered turns a panic into an error: the library panics on what it can't compile.
func recovered(err *error) {
	if p := recover(); p != nil {
		*err = errors.Join(*err, fmt.Errorf("the Go backend: %v", p))
	}
}
