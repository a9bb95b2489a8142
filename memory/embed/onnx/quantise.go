package onnx

import "math"

// int8Range is the largest magnitude of a quantized weight of a linear layer. It uses 7 of the 8
// bits: without VNNI instructions x86 adds pairs of products in 16 bits, which overflow silently
// with all 8 bits.
const int8Range = 64

// activations is the input of linear layers, plain or quantized at run time.
type activations struct{ plain, quantised, scale, zero string }

// activation prepares a value for linear layers.
func (b *builder) activation(x string) activations {
	if b.precision != Int8 {
		return activations{plain: x}
	}
	a := activations{x, x + "_q", x + "_scale", x + "_zero"}
	b.g.node("DynamicQuantizeLinear", []string{a.quantised, a.scale, a.zero}, []string{x})
	return a
}

// linear is x·Wᵀ + bias.
func (b *builder) linear(x activations, prefix, out string) string {
	w, bias := b.tensor(prefix+".weight", 2).transposed(), b.tensor(prefix+".bias", 1)
	addend := b.g.floats(prefix+".bias", bias.shape, bias.data...)
	var product string
	if b.precision == Int8 {
		product = b.integerProduct(x, w, prefix, out)
	} else {
		product = b.g.op("MatMul", out+"_product", []string{x.plain, b.matrix(prefix+".weight", w)})
	}
	return b.g.op("Add", out, []string{product, addend})
}

// integerProduct multiplies quantized activations by symmetrically quantized weights, with a scale
// for each output.
func (b *builder) integerProduct(x activations, w tensor, prefix, out string) string {
	q, scales := quantiseColumns(w)
	weight := b.g.weight(prefix+".weight_q", elemInt8, w.shape, q)
	scale := b.g.floats(prefix+".weight_scale", w.shape[1:], scales...)
	zero := b.g.weight(prefix+".weight_zero", elemInt8, nil, []byte{0})
	product := b.g.op("MatMulInteger", out+"_int", []string{x.quantised, weight, x.zero, zero})
	product = b.g.op("Cast", out+"_float", []string{product}, attr{"to", int64(elemFloat)})
	both := b.g.op("Mul", out+"_scale", []string{x.scale, scale})
	return b.g.op("Mul", out+"_product", []string{product, both})
}

// quantiseColumns quantizes each column of a matrix [rows, cols] with its own scale.
func quantiseColumns(w tensor) ([]byte, []float32) {
	cols := int(w.shape[1])
	q, scales := make([]byte, len(w.data)), make([]float32, cols)
	for i, v := range w.data {
		scales[i%cols] = max(scales[i%cols], abs(v))
	}
	for c := range scales {
		scales[c] = orOne(scales[c] / int8Range)
	}
	for i, v := range w.data {
		q[i] = nearest(v, scales[i%cols], int8Range)
	}
	return q, scales
}

// quantiseAll quantizes a table with one scale and all 8 bits. The table is looked up, never
// multiplied as integers.
func quantiseAll(w tensor) ([]byte, float32) {
	scale := float32(0)
	for _, v := range w.data {
		scale = max(scale, abs(v))
	}
	scale = orOne(scale / math.MaxInt8)
	q := make([]byte, len(w.data))
	for i, v := range w.data {
		q[i] = nearest(v, scale, math.MaxInt8)
	}
	return q, scale
}

func nearest(v, scale float32, limit float64) byte {
	return byte(int8(max(-limit, min(limit, math.RoundToEven(float64(v/scale))))))
}

func abs(v float32) float32 { return float32(math.Abs(float64(v))) }

// orOne prevents a division by zero for a column of zeros.
func orOne(scale float32) float32 {
	if scale == 0 {
		return 1
	}
	return scale
}
