//go:build !nogomodels

package local

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/gomlx/compute"
	_ "github.com/gomlx/compute/gobackend" // the backend "go"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	onnxmodel "github.com/gomlx/onnx-gomlx/onnx"
	"github.com/gomlx/onnx-gomlx/onnx/parser"

	"manicule/memory/embed/onnx"
)

// goTexts is the only batch size besides 1. The backend compiles and caches a graph for each pair
// of batch size and width.
const goTexts = 8

// goGraph is an ONNX file on GoMLX's backend in pure Go.
type goGraph struct {
	backend compute.Backend
	onnx    onnxmodel.Model
	store   *model.Store
	exec    *model.Exec
	inputs  []string
	dims    []int // of the first output; -1 if they depend on the input
	widths  []int
}

// tokens is a text as the model reads it: its tokens, and their types where it has two parts.
type tokens struct{ ids, types []int }

func openGoGraph(path string, widths []int) (_ *goGraph, err error) {
	g := &goGraph{store: model.NewStore(), widths: widths}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("load the model into the Go backend: %w", err), g.close())
		}
	}()
	if g.onnx, err = parser.ParseFile(path); err != nil {
		return nil, err
	}
	g.onnx = g.onnx.WithBaseDir(filepath.Dir(path))
	if err := g.onnx.VariablesToScope(g.store.RootScope()); err != nil {
		return nil, err
	}
	g.inputs, _ = g.onnx.Inputs()
	for _, name := range g.inputs {
		if !slices.Contains([]string{onnx.InputIDs, onnx.InputMask, onnx.InputTypes}, name) {
			return nil, fmt.Errorf("the model wants the input %q", name)
		}
	}
	outputs, shapes := g.onnx.Outputs()
	if len(outputs) == 0 {
		return nil, errors.New("the model has no output")
	}
	g.dims = shapes[0].Dimensions
	if g.backend, err = compute.NewWithConfig("go"); err != nil {
		return nil, err
	}
	g.exec, err = model.NewExec(g.backend, g.store, func(scope *model.Scope, in []*graph.Node) []*graph.Node {
		named := map[string]*graph.Node{}
		for i, name := range g.inputs {
			named[name] = in[i]
		}
		return g.onnx.CallGraph(scope, in[0].Graph(), named, outputs[0])
	})
	if err != nil {
		return nil, err
	}
	g.exec.SetMaxCache(2 * len(widths)) // the batch sizes are 1 and goTexts
	return g, nil
}

// close frees what is open.
func (g *goGraph) close() (err error) {
	defer recovered(&err)
	if g.exec != nil {
		g.exec.Finalize()
	}
	g.store.Finalize()
	if g.backend != nil {
		g.backend.Finalize()
	}
	if g.onnx != nil {
		if err := g.onnx.Close(); err != nil {
			return fmt.Errorf("free the model: %w", err)
		}
	}
	return nil
}

// run computes the first output for one text or goTexts texts, padded to one width, and passes it
// to read, which must not keep it.
func (g *goGraph) run(texts []tokens, read func(flat []float32, width int) error) (err error) {
	defer recovered(&err)
	longest := slices.MaxFunc(texts, func(a, b tokens) int { return cmp.Compare(len(a.ids), len(b.ids)) })
	width := bucket(len(longest.ids), g.widths)
	in := make([]*tensors.Tensor, len(g.inputs))
	for i, name := range g.inputs {
		in[i] = tensors.FromFlatDataAndDimensions(cells(name, texts, width), len(texts), width)
	}
	out, err := g.exec.Exec(in)
	defer func() {
		for _, t := range slices.Concat(in, out) {
			err = errors.Join(err, t.FinalizeAll())
		}
	}()
	if err != nil {
		return fmt.Errorf("run the model: %w", err)
	}
	var failed error
	if err := tensors.ConstFlatData(out[0], func(flat []float32) { failed = read(flat, width) }); err != nil {
		return fmt.Errorf("read the model's output: %w", err)
	}
	return failed
}

// cells are the values of an input for texts that are padded to one width.
func cells(input string, texts []tokens, width int) []int64 {
	out := make([]int64, len(texts)*width)
	for row, t := range texts {
		for i, id := range t.ids {
			switch at := row*width + i; {
			case input == onnx.InputIDs:
				out[at] = int64(id)
			case input == onnx.InputMask:
				out[at] = 1
			case t.types != nil:
				out[at] = int64(t.types[i])
			}
		}
	}
	return out
}
