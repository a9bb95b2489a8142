package onnx

import "math"

// pairRange is the largest sum of the magnitudes of two neighbouring weights in a column of a linear
// layer. Without VNNI instructions x86 adds the products of such a pair with unsigned 8-bit
// activations in 16 bits, which overflow silently: 255 × 128 is still in their range.
const pairRange = 128

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

// quantiseColumns quantizes each column of a matrix [rows, cols] with its own scale, the finest that
// keeps each weight within 8 bits and each pair within pairRange.
func quantiseColumns(w tensor) ([]byte, []float32) {
	cols := int(w.shape[1])
	q, scales := make([]byte, len(w.data)), make([]float32, cols)
	for i, v := range w.data {
		c := i % cols
		scales[c] = max(scales[c], abs(v)/math.MaxInt8)
		if odd := i/cols%2 == 1; odd {
			// Each of the two may be rounded up by a half.
			scales[c] = max(scales[c], (abs(w.data[i-cols])+abs(v))/(pairRange-1))
		}
	}
	for c := range scales {
		scales[c] = orOne(scales[c])
	}
	for i, v := range w.data {
		q[i] = nearest(v, scales[i%cols], math.MaxInt8)
	}
	return q, scales
}

// quantiseRows quantizes each row of a table [rows, cols] with its own scale and all 8 bits. The
// table is looked up, never multiplied as integers.
func quantiseRows(w tensor) ([]byte, []float32) {
	cols := int(w.shape[1])
	q, scales := make([]byte, len(w.data)), make([]float32, w.shape[0])
	for i, v := range w.data {
		scales[i/cols] = max(scales[i/cols], abs(v)/math.MaxInt8)
	}
	for r := range scales {
		scales[r] = orOne(scales[r])
	}
	for i, v := range w.data {
		q[i] = nearest(v, scales[i/cols], math.MaxInt8)
	}
	return q, scales
}

func nearest(v, scale float32, limit float64) byte {
	return byte(int8(max(-limit, min(limit, math.RoundToEven(float64(v/scale))))))
}

func abs(v float32) float32 { return float32(math.Abs(float64(v))) }

// orOne prevents a division by zero for a row or column of zeros.
func orOne(scale float32) float32 {
	if scale == 0 {
		return 1
	}
	return scale
}
