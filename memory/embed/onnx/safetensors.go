package onnx

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
)

// maxHeader limits the JSON header of a checkpoint in bytes. The format's limit is 100 MB; our
// models have about a hundred tensors.
const maxHeader = 1 << 20

// tensor is one weight with its shape and float32 values.
type tensor struct {
	shape []int64
	data  []float32
}

// checkpoint is a safetensors file in memory. It decodes tensors on demand.
type checkpoint struct {
	header map[string]entry
	data   []byte
}

// entry describes a tensor in the header. Offsets are relative to the end of the header.
type entry struct {
	Type    string   `json:"dtype"`
	Shape   []int64  `json:"shape"`
	Offsets [2]int64 `json:"data_offsets"`
}

// readCheckpoint reads the header and checks every offset, so that reading a tensor stays within
// bounds.
func readCheckpoint(file []byte) (*checkpoint, error) {
	if len(file) < 8 {
		return nil, errors.New("read the checkpoint: shorter than its header's length")
	}
	n := binary.LittleEndian.Uint64(file)
	if n > maxHeader || n > uint64(len(file)-8) {
		return nil, fmt.Errorf("read the checkpoint: a header of %d bytes is not possible", n)
	}
	raw := map[string]json.RawMessage{}
	if err := json.Unmarshal(file[8:8+n], &raw); err != nil {
		return nil, fmt.Errorf("read the checkpoint's header: %w", err)
	}
	delete(raw, "__metadata__")
	c := &checkpoint{header: map[string]entry{}, data: file[8+n:]}
	for name, text := range raw {
		var e entry
		if err := json.Unmarshal(text, &e); err != nil {
			return nil, fmt.Errorf("read the checkpoint's header: %s: %w", name, err)
		}
		if err := c.check(e); err != nil {
			return nil, fmt.Errorf("read the checkpoint's header: %s: %w", name, err)
		}
		c.header[name] = e
	}
	return c, nil
}

func (c *checkpoint) check(e entry) error {
	width, ok := map[string]int64{"F16": 2, "F32": 4}[e.Type]
	if !ok {
		return nil // such as position_ids: an error only if it is requested
	}
	count, limit := int64(1), int64(len(c.data))
	for _, d := range e.Shape {
		if d <= 0 || d > limit || count > limit/d {
			return fmt.Errorf("the shape %v is not possible", e.Shape)
		}
		count *= d
	}
	from, to := e.Offsets[0], e.Offsets[1]
	if from < 0 || to < from || to > limit || to-from != count*width {
		return fmt.Errorf("the place %v does not fit the shape %v", e.Offsets, e.Shape)
	}
	return nil
}

// tensor decodes a weight with this number of dimensions.
func (c *checkpoint) tensor(name string, dims int) (tensor, error) {
	e, ok := c.header[name]
	if !ok {
		return tensor{}, fmt.Errorf("the checkpoint has no %s", name)
	}
	if len(e.Shape) != dims {
		return tensor{}, fmt.Errorf("%s has the shape %v, want %d dimensions", name, e.Shape, dims)
	}
	if e.Type != "F16" && e.Type != "F32" {
		return tensor{}, fmt.Errorf("%s has values of type %q, want F16 or F32", name, e.Type)
	}
	bytes := c.data[e.Offsets[0]:e.Offsets[1]]
	if e.Type == "F16" {
		out := make([]float32, len(bytes)/2)
		for i := range out {
			out[i] = fromHalf(binary.LittleEndian.Uint16(bytes[2*i:]))
		}
		return tensor{e.Shape, out}, nil
	}
	out := make([]float32, len(bytes)/4)
	for i := range out {
		out[i] = math.Float32frombits(binary.LittleEndian.Uint32(bytes[4*i:]))
	}
	return tensor{e.Shape, out}, nil
}

// transposed swaps rows and columns. Checkpoints hold linear layers as [out, in]; ONNX multiplies
// by [in, out].
func (t tensor) transposed() tensor {
	rows, cols := t.shape[0], t.shape[1]
	out := make([]float32, len(t.data))
	for r := range rows {
		for c := range cols {
			out[c*rows+r] = t.data[r*cols+c]
		}
	}
	return tensor{[]int64{cols, rows}, out}
}
