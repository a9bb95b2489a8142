package onnx

import "math"

// fromHalf converts an IEEE 754 float16 exactly.
func fromHalf(h uint16) float32 {
	sign := uint32(h>>15) << 31
	exponent, fraction := uint32(h>>10)&0x1f, uint32(h)&0x3ff
	switch exponent {
	case 0: // zero and subnormals: a multiple of 2^-24
		return math.Float32frombits(math.Float32bits(float32(fraction)/(1<<24)) | sign)
	case 0x1f: // infinities and NaN
		return math.Float32frombits(sign | 0x7f800000 | fraction<<13)
	}
	return math.Float32frombits(sign | (exponent+127-15)<<23 | fraction<<13)
}

// toHalf converts a value to float16, rounding to nearest even; too large values become infinities.
// It is exact for results of fromHalf.
func toHalf(f float32) uint16 {
	bits := math.Float32bits(f)
	sign := uint16(bits>>16) & 0x8000
	switch a := math.Abs(float64(f)); {
	case a != a:
		return sign | 0x7e00
	case a >= 65520: // half of the last step above the largest float16
		return sign | 0x7c00
	case a < 1.0/(1<<14): // subnormal; rounding up to the smallest normal carries correctly
		return sign | uint16(math.RoundToEven(a*(1<<24)))
	}
	exponent := bits>>23&0xff - (127 - 15)
	half := exponent<<10 | bits>>13&0x3ff
	if rest := bits & 0x1fff; rest > 0x1000 || (rest == 0x1000 && half&1 == 1) {
		half++ // may carry into the exponent, which is correct
	}
	return sign | uint16(half)
}
