package local

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	ort "github.com/yalue/onnxruntime_go"

	"manicule/memory/embed/onnx"
	"manicule/memory/rerank"
)

// crossRuntime is a cross-encoder on onnxruntime.
type crossRuntime struct {
	info    rerank.Info
	pairs   *pairer
	session *ort.DynamicAdvancedSession
	inputs  []string // the model's, in order
	widths  []int
}

func openCrossRuntime(_ context.Context, o Cross, pairs *pairer) (rerank.Reranker, error) {
	if o.Library == "" {
		return nil, errors.New("its library is not installed")
	}
	if err := load(o.Library); err != nil {
		return nil, err
	}
	path := filepath.Join(o.Dir, o.File)
	in, out, err := ort.GetInputOutputInfo(path)
	if err != nil {
		return nil, fmt.Errorf("load %s: %w", path, err)
	}
	c := &crossRuntime{
		info: rerank.Info{Model: o.Model, Backend: string(ONNXRuntime) + " " + ort.GetVersion()}, pairs: pairs, widths: buckets(o.MaxTokens),
	}
	for _, i := range in {
		switch i.Name { // RoBERTa has no types
		case onnx.InputIDs, onnx.InputMask, onnx.InputTypes:
			c.inputs = append(c.inputs, i.Name)
		default:
			return nil, fmt.Errorf("%s wants an input %q, which no reranker here has", path, i.Name)
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s has no output", path)
	}
	if c.session, err = newSession(path, o.Threads, c.inputs, []string{out[0].Name}); err != nil {
		return nil, err
	}
	return c, nil
}

// Info names the model and the library.
func (c *crossRuntime) Info() rerank.Info { return c.info }

// Close frees the model. The library stays, because it can't be unloaded.
func (c *crossRuntime) Close() error {
	if err := c.session.Destroy(); err != nil {
		return fmt.Errorf("free the model: %w", err)
	}
	return nil
}

// Rerank returns the scores of texts.
func (c *crossRuntime) Rerank(ctx context.Context, query string, texts []string) ([]float64, error) {
	ids, types, lengths := make([][]int, len(texts)), make([][]int, len(texts)), make([]int, len(texts))
	for i, t := range texts {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		ids[i], types[i] = c.pairs.ids(c.pairs.cut(query, t))
		lengths[i] = len(ids[i])
	}
	out := make([]float64, len(texts))
	for _, b := range batches(lengths, c.widths, runtimeCells, runtimeTexts) {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err := c.run(ctx, b, ids, types, out); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// run scores one batch and stores the results in out.
func (c *crossRuntime) run(ctx context.Context, b batch, ids, types [][]int, out []float64) (err error) {
	if len(b.at) == 1 {
		b.width = len(ids[b.at[0]]) // a single text needs no padding
	}
	n := len(b.at) * b.width
	fill := map[string][]int64{onnx.InputIDs: make([]int64, n), onnx.InputMask: make([]int64, n), onnx.InputTypes: make([]int64, n)}
	for row, at := range b.at {
		for j, id := range ids[at] {
			cell := row*b.width + j
			fill[onnx.InputIDs][cell], fill[onnx.InputMask][cell], fill[onnx.InputTypes][cell] = int64(id), 1, int64(types[at][j])
		}
	}
	var list [][]int64
	for _, name := range c.inputs {
		list = append(list, fill[name])
	}
	in, err := inputs(b, list...)
	defer func() { err = errors.Join(err, destroy(in)) }()
	if err != nil {
		return err
	}
	result := []ort.Value{nil}
	if err := stoppable(ctx, c.session, in, result); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, destroy(result)) }()
	logits, ok := result[0].(*ort.Tensor[float32])
	if !ok || len(logits.GetData()) != len(b.at) {
		return fmt.Errorf("the model's output has the shape %v, want one number for each of %d texts", result[0].GetShape(), len(b.at))
	}
	for row, at := range b.at {
		if out[at], err = sigmoid(float64(logits.GetData()[row])); err != nil {
			return err
		}
	}
	return nil
}
