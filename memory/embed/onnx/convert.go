// Package onnx converts the checkpoint of a BERT encoder (safetensors and
// config.json), with or without a head that scores a text, to an ONNX file. The same
// input gives the same bytes on every machine, so the result has a checksum. It must
// not know where files come from or who runs the model.
package onnx

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
)

// Precision is the format of the weights.
type Precision string

// The precisions.
const (
	// Full stores float32.
	Full Precision = "fp32"
	// Half stores float16 with a cast before each use, which runtimes fold away on load. It has
	// half the size, and equals Full if the checkpoint has float16.
	Half Precision = "fp16"
	// Int8 stores 8-bit weights and quantizes activations at run time. A vector then depends
	// slightly on the rest of its batch.
	Int8 Precision = "int8"
)

// Config is the relevant part of the encoder's config.json.
type Config struct {
	Architectures []string `json:"architectures"`
	Activation    string   `json:"hidden_act"`
	Positions     string   `json:"position_embedding_type"`
	Hidden        int64    `json:"hidden_size"`
	Layers        int64    `json:"num_hidden_layers"`
	Heads         int64    `json:"num_attention_heads"`
	Epsilon       float32  `json:"layer_norm_eps"`
}

// producer is the name in the file's header.
const producer = "manicule"

// The names of the model's inputs ([batch, sequence] int64) and output ([batch, sequence, hidden]
// float32).
const (
	InputIDs   = "input_ids"
	InputMask  = "attention_mask"
	InputTypes = "token_type_ids"
	Output     = "last_hidden_state"
	// Logits is the output of a model with a head: [batch, labels] float32.
	Logits = "logits"
)

// headArchitecture is the name in config.json of a BERT encoder with a head for whole texts. Its
// tensors are below encoderRoot.
const (
	headArchitecture = "BertForSequenceClassification"
	encoderRoot      = "bert."
)

// parseConfig reads config.json and rejects what Convert does not support.
func parseConfig(data []byte) (Config, error) {
	var c Config
	if err := json.Unmarshal(data, &c); err != nil {
		return c, fmt.Errorf("read the model's configuration: %w", err)
	}
	switch {
	case c.Hidden <= 0 || c.Layers <= 0 || c.Heads <= 0 || c.Hidden%c.Heads != 0:
		return c, fmt.Errorf("the model's configuration is not possible: hidden %d, layers %d, heads %d", c.Hidden, c.Layers, c.Heads)
	case c.Activation != "gelu":
		return c, fmt.Errorf("the activation %q is not supported, only gelu", c.Activation)
	case c.Positions != "" && c.Positions != "absolute":
		return c, fmt.Errorf("positions of the kind %q are not supported, only absolute ones", c.Positions)
	}
	return c, nil
}

// Convert builds the ONNX file (opset 17) of a checkpoint.
func Convert(checkpointFile, config []byte, p Precision) ([]byte, error) {
	cfg, err := parseConfig(config)
	if err != nil {
		return nil, err
	}
	weights, err := readCheckpoint(checkpointFile)
	if err != nil {
		return nil, err
	}
	if p != Full && p != Half && p != Int8 {
		return nil, fmt.Errorf("there is no precision %q", p)
	}
	b := &builder{cfg: cfg, from: weights, precision: p}
	if slices.Contains(cfg.Architectures, headArchitecture) {
		b.root = encoderRoot
		b.head(b.build())
	} else {
		b.build()
		b.g.outputs = append(b.g.outputs, value(Output, elemFloat, "batch", "sequence", cfg.Hidden))
	}
	if b.err != nil {
		return nil, fmt.Errorf("convert the model: %w", b.err)
	}
	return b.g.encode(producer), nil
}

// builder writes the encoder into a graph. It keeps the first error.
type builder struct {
	g         graph
	cfg       Config
	from      *checkpoint
	precision Precision
	root      string // prefix of the encoder's tensor names
	err       error
}

func (b *builder) tensor(name string, dims int) tensor {
	t, err := b.from.tensor(b.root+name, dims)
	if err != nil {
		b.err = errors.Join(b.err, err)
		return tensor{make([]int64, dims), nil}
	}
	return t
}

// build adds the encoder and returns the name of its output.
func (b *builder) build() string {
	for _, name := range []string{InputIDs, InputMask, InputTypes} {
		b.g.inputs = append(b.g.inputs, value(name, elemInt64, "batch", "sequence"))
	}
	x := b.embeddings()
	mask := b.mask()
	s := shared{
		mask:  mask,
		split: b.g.ints("split", 0, 0, b.cfg.Heads, b.cfg.Hidden/b.cfg.Heads),
		merge: b.g.ints("merge", 0, 0, b.cfg.Hidden),
		scale: b.g.floats("scale", nil, float32(math.Sqrt(float64(b.cfg.Hidden/b.cfg.Heads)))),
		half:  b.g.floats("half", nil, 0.5),
		one:   b.g.floats("one", nil, 1),
		root2: b.g.floats("root2", nil, math.Sqrt2),
	}
	for l := range b.cfg.Layers {
		out := fmt.Sprintf("l%d_out", l)
		if l == b.cfg.Layers-1 {
			out = Output
		}
		x = b.layer(l, x, out, s)
	}
	return x
}

// head adds the head over the first token, [CLS]: a dense layer, tanh, and the classifier.
func (b *builder) head(hidden string) {
	b.root = ""
	first := b.g.op("Gather", "first", []string{hidden, b.g.weight("first_at", elemInt64, nil, make([]byte, 8))}, attr{"axis", int64(1)})
	pooled := b.g.op("Tanh", "pooled", []string{b.linear(b.activation(first), encoderRoot+"pooler.dense", "pooled_linear")})
	labels := int64(0)
	if w := b.tensor("classifier.weight", 2); len(w.data) > 0 {
		labels = w.shape[0]
	}
	b.linear(b.activation(pooled), "classifier", Logits)
	b.g.outputs = append(b.g.outputs, value(Logits, elemFloat, "batch", labels))
}

// embeddings sums word, type and position embeddings and normalizes them.
func (b *builder) embeddings() string {
	words := b.tensor("embeddings.word_embeddings.weight", 2)
	var word string
	if b.precision == Int8 {
		q, scales := quantiseRows(words)
		pick := func(out, table string) string {
			return b.g.op("Gather", out, []string{table, InputIDs}, attr{"axis", int64(0)})
		}
		picked := pick("word_picked", b.g.weight("word_q", elemInt8, words.shape, q))
		picked = b.g.op("Cast", "word_float", []string{picked}, attr{"to", int64(elemFloat)})
		word = b.g.op("Mul", "word", []string{picked, pick("word_scale", b.g.floats("word_scales", []int64{words.shape[0], 1}, scales...))})
	} else {
		word = b.g.op("Gather", "word", []string{b.matrix("word_table", words), InputIDs}, attr{"axis", int64(0)})
	}
	types := b.tensor("embeddings.token_type_embeddings.weight", 2)
	kind := b.g.op("Gather", "type", []string{b.g.floats("type_table", types.shape, types.data...), InputTypes}, attr{"axis", int64(0)})
	positions := b.tensor("embeddings.position_embeddings.weight", 2)
	shape := b.g.op("Shape", "ids_shape", []string{InputIDs})
	zero := b.g.ints("zero", 0)
	length := b.g.op("Slice", "length", []string{shape, b.g.ints("at1", 1), b.g.ints("at2", 2), zero})
	place := b.g.op("Slice", "place", []string{b.g.floats("position_table", positions.shape, positions.data...), zero, length, zero})
	sum := b.g.op("Add", "word_type", []string{word, kind})
	sum = b.g.op("Add", "word_type_place", []string{sum, place})
	return b.norm(sum, "embeddings.LayerNorm", "embedded")
}

// mask is 0 for tokens and very negative for padding, in a shape that adds to attention scores
// [batch, heads, sequence, sequence].
func (b *builder) mask() string {
	m := b.g.op("Cast", "mask_float", []string{InputMask}, attr{"to", int64(elemFloat)})
	m = b.g.op("Unsqueeze", "mask_wide", []string{m, b.g.ints("axes", 1, 2)})
	m = b.g.op("Sub", "mask_inverse", []string{b.g.floats("present", nil, 1), m})
	return b.g.op("Mul", "mask", []string{m, b.g.floats("absent", nil, -10000)})
}

// shared are constants of all layers.
type shared struct{ mask, split, merge, scale, half, one, root2 string }

// layer adds attention and a feed-forward network, each with its residual.
func (b *builder) layer(l int64, x, out string, s shared) string {
	prefix := fmt.Sprintf("encoder.layer.%d.", l)
	name := func(n string) string { return fmt.Sprintf("l%d_%s", l, n) }
	attended := b.attention(x, prefix, name, s)
	a := b.linear(b.activation(attended), prefix+"attention.output.dense", name("projected"))
	a = b.g.op("Add", name("attended_residual"), []string{a, x})
	a = b.norm(a, prefix+"attention.output.LayerNorm", name("attended_norm"))

	h := b.linear(b.activation(a), prefix+"intermediate.dense", name("wide"))
	e := b.g.op("Div", name("gelu_div"), []string{h, s.root2})
	e = b.g.op("Erf", name("gelu_erf"), []string{e})
	e = b.g.op("Add", name("gelu_add"), []string{e, s.one})
	e = b.g.op("Mul", name("gelu_mul"), []string{h, e})
	e = b.g.op("Mul", name("gelu"), []string{e, s.half})
	o := b.linear(b.activation(e), prefix+"output.dense", name("narrow"))
	o = b.g.op("Add", name("residual"), []string{o, a})
	return b.norm(o, prefix+"output.LayerNorm", out)
}

func (b *builder) attention(x, prefix string, name func(string) string, s shared) string {
	in := b.activation(x)
	heads := func(part string, order []int64) string {
		y := b.linear(in, prefix+"attention.self."+part, name(part))
		y = b.g.op("Reshape", name(part+"_heads"), []string{y, s.split})
		return b.g.op("Transpose", name(part+"_t"), []string{y}, attr{"perm", order})
	}
	q := heads("query", []int64{0, 2, 1, 3})
	k := heads("key", []int64{0, 2, 3, 1})
	v := heads("value", []int64{0, 2, 1, 3})
	score := b.g.op("MatMul", name("score"), []string{q, k})
	score = b.g.op("Div", name("score_scaled"), []string{score, s.scale})
	score = b.g.op("Add", name("score_masked"), []string{score, s.mask})
	score = b.g.op("Softmax", name("attention"), []string{score}, attr{"axis", int64(-1)})
	c := b.g.op("MatMul", name("context"), []string{score, v})
	c = b.g.op("Transpose", name("context_t"), []string{c}, attr{"perm", []int64{0, 2, 1, 3}})
	return b.g.op("Reshape", name("context_merged"), []string{c, s.merge})
}

func (b *builder) norm(x, prefix, out string) string {
	w, bias := b.tensor(prefix+".weight", 1), b.tensor(prefix+".bias", 1)
	scale, shift := b.g.floats(prefix+".weight", w.shape, w.data...), b.g.floats(prefix+".bias", bias.shape, bias.data...)
	if b.precision == Int8 {
		return b.normByParts(x, scale, shift, out)
	}
	return b.g.op("LayerNormalization", out, []string{x, scale, shift}, attr{"axis", int64(-1)}, attr{"epsilon", b.cfg.Epsilon})
}

// normByParts is a layer normalization from operators that onnxruntime computes with vector
// instructions. Its LayerNormalization adds one value at a time, which takes a fifth of an int8
// model's time.
func (b *builder) normByParts(x, scale, shift, out string) string {
	mean := func(name, of string) string {
		return b.g.op("ReduceMean", name, []string{of}, attr{"axes", []int64{-1}}, attr{"keepdims", int64(1)})
	}
	centred := b.g.op("Sub", out+"_centred", []string{x, mean(out+"_mean", x)})
	variance := mean(out+"_variance", b.g.op("Mul", out+"_square", []string{centred, centred}))
	variance = b.g.op("Add", out+"_above_zero", []string{variance, b.g.floats(out+"_epsilon", nil, b.cfg.Epsilon)})
	unit := b.g.op("Div", out+"_unit", []string{centred, b.g.op("Sqrt", out+"_deviation", []string{variance})})
	return b.g.op("Add", out, []string{b.g.op("Mul", out+"_scaled", []string{unit, scale}), shift})
}

// matrix adds a large weight in the builder's precision. It casts float16 before each use; runtimes
// do that once, on load.
func (b *builder) matrix(name string, t tensor) string {
	if b.precision != Half {
		return b.g.floats(name, t.shape, t.data...)
	}
	raw := make([]byte, 2*len(t.data))
	for i, v := range t.data {
		h := toHalf(v)
		raw[2*i], raw[2*i+1] = byte(h), byte(h>>8)
	}
	stored := b.g.weight(name+"_half", elemHalf, t.shape, raw)
	return b.g.op("Cast", name, []string{stored}, attr{"to", int64(elemFloat)})
}
