package onnx

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"manicule/indexer/must"
)

// tinyConfig is an encoder small enough to build in a test.
const tinyConfig = `{"hidden_act":"gelu","hidden_size":8,"num_hidden_layers":2,"num_attention_heads":2,"layer_norm_eps":1e-12}`

// tiny is a checkpoint for tinyConfig, with values that halves hold exactly.
func tiny(half bool) []byte {
	header, data := map[string]any{}, []byte{}
	n := 0
	add := func(name string, shape ...int64) {
		from := len(data)
		count := int64(1)
		for _, d := range shape {
			count *= d
		}
		for range count {
			v := float32(n%37-18) / 64
			n++
			if half {
				data = binary.LittleEndian.AppendUint16(data, toHalf(v))
			} else {
				data = binary.LittleEndian.AppendUint32(data, math.Float32bits(v))
			}
		}
		header[name] = map[string]any{"dtype": map[bool]string{true: "F16", false: "F32"}[half], "shape": shape, "data_offsets": []int{from, len(data)}}
	}
	layer := func(name string, out, in int64) { add(name+".weight", out, in); add(name+".bias", out) }
	norm := func(name string) { add(name+".weight", 8); add(name+".bias", 8) }
	add("embeddings.word_embeddings.weight", 20, 8)
	add("embeddings.position_embeddings.weight", 16, 8)
	add("embeddings.token_type_embeddings.weight", 2, 8)
	norm("embeddings.LayerNorm")
	for l := range 2 {
		p := fmt.Sprintf("encoder.layer.%d.", l)
		for _, part := range []string{"query", "key", "value"} {
			layer(p+"attention.self."+part, 8, 8)
		}
		layer(p+"attention.output.dense", 8, 8)
		norm(p + "attention.output.LayerNorm")
		layer(p+"intermediate.dense", 32, 8)
		layer(p+"output.dense", 8, 32)
		norm(p + "output.LayerNorm")
	}
	head, err := json.Marshal(header)
	if err != nil {
		panic(err)
	}
	out := binary.LittleEndian.AppendUint64(nil, uint64(len(head)))
	return append(append(out, head...), data...)
}

// TestConvertIsDeterministic: a checksum of the result can be pinned, and a
// checkpoint of halves gives the same file as the same values in full.
func TestConvertIsDeterministic(t *testing.T) {
	for _, p := range []Precision{Full, Half, Int8} {
		first, err := Convert(tiny(true), []byte(tinyConfig), p)
		must.OK(t, err)
		for range 3 {
			again, err := Convert(tiny(false), []byte(tinyConfig), p)
			if err != nil || !bytes.Equal(first, again) {
				t.Fatalf("%s: another file for the same values: %v", p, err)
			}
		}
	}
}

func TestConvertRefuses(t *testing.T) {
	tests := []struct {
		name, config string
		file         []byte
		want         string
	}{
		{"other activation", strings.Replace(tinyConfig, "gelu", "relu", 1), tiny(true), "activation"},
		{"heads that don't divide", strings.Replace(tinyConfig, `heads":2`, `heads":3`, 1), tiny(true), "not possible"},
		{"missing layer", strings.Replace(tinyConfig, `layers":2`, `layers":3`, 1), tiny(true), "has no encoder.layer.2"},
		{"no configuration", "", tiny(true), "configuration"},
		{"empty", tinyConfig, nil, "shorter"},
		{"cut off", tinyConfig, tiny(true)[:5000], "does not fit"},
		{"huge header", tinyConfig, bytes.Repeat([]byte{0xff}, 16), "not possible"},
		{"no header", tinyConfig, append(binary.LittleEndian.AppendUint64(nil, 2), "[]"...), "header"},
	}
	for _, tt := range tests {
		if _, err := Convert(tt.file, []byte(tt.config), Full); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
}

// TestHalf: every half survives the way to float32 and back; what lies between
// two halves goes to the nearer one, ties to the even one.
func TestHalf(t *testing.T) {
	for h := range 1 << 16 {
		f := fromHalf(uint16(h))
		if f != f {
			continue // payloads of NaN may change
		}
		if got := toHalf(f); got != uint16(h) {
			t.Fatalf("%#04x → %g → %#04x", h, f, got)
		}
	}
	for _, tt := range []struct {
		in   float32
		want uint16
	}{
		{1 + 1.0/2048, 0x3c00}, {1 + 3.0/2048, 0x3c02}, {1 + 1.0/2048 + 1e-6, 0x3c01},
		{65519, 0x7bff}, {65520, 0x7c00}, {float32(math.Inf(-1)), 0xfc00}, {1e-9, 0}, {6.0e-5, 0x03ef},
	} {
		if got := toHalf(tt.in); got != tt.want {
			t.Errorf("%g → %#04x, want %#04x", tt.in, got, tt.want)
		}
	}
}

func TestQuantise(t *testing.T) {
	w := tensor{[]int64{2, 3}, []float32{1, 0, -4, -0.5, 0, 2}}
	q, scales := quantiseColumns(w)
	// The sum of the magnitudes in a column is its range, unless one weight has nearly all of it.
	if want := []byte{85, 0, 0xab, 0xd6, 0, 42}; !bytes.Equal(q, want) {
		t.Errorf("quantised %v, want %v", q, want)
	}
	if scales[0] != 1.5/127 || scales[1] != 1 || scales[2] != 6.0/127 {
		t.Errorf("scales %v", scales)
	}
	q, scales = quantiseRows(w)
	if want := []byte{32, 0, 0x81, 0xe0, 0, 127}; !bytes.Equal(q, want) {
		t.Errorf("rows quantised %v, want %v", q, want)
	}
	if scales[0] != 4.0/127 || scales[1] != 2.0/127 {
		t.Errorf("scales of rows %v", scales)
	}
}

// TestPairsDoNotOverflow: x86 without VNNI adds the products of two neighbouring weights with
// activations of up to 255 in 16 bits.
func TestPairsDoNotOverflow(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 50 {
		rows, cols := 2*(1+r.IntN(20))+r.IntN(2), 1+r.IntN(9)
		w := tensor{[]int64{int64(rows), int64(cols)}, make([]float32, rows*cols)}
		for i := range w.data {
			w.data[i] = float32(math.Pow(r.NormFloat64(), 3))
		}
		q, _ := quantiseColumns(w)
		for i := range q {
			if i/cols%2 == 0 {
				continue
			}
			a, b := int(int8(q[i-cols])), int(int8(q[i]))
			if 255*(max(a, -a)+max(b, -b)) > math.MaxInt16 {
				t.Fatalf("%d and %d in a column", a, b)
			}
		}
	}
}

// TestInt8HasNoSlowNormalization: onnxruntime computes a LayerNormalization of float32
// value by value, for as long as a third of all products of 8 bits.
func TestInt8HasNoSlowNormalization(t *testing.T) {
	for p, want := range map[Precision]bool{Full: true, Half: true, Int8: false} {
		data, err := Convert(tiny(true), []byte(tinyConfig), p)
		must.OK(t, err)
		if got := bytes.Contains(data, []byte("LayerNormalization_")); got != want {
			t.Errorf("%s has a LayerNormalization: %t, want %t", p, got, want)
		}
	}
}

// FuzzConvert: no checkpoint makes it panic or ask for memory without bound.
func FuzzConvert(f *testing.F) {
	f.Add(tiny(true), tinyConfig)
	f.Add(tiny(false)[:200], tinyConfig)
	f.Fuzz(func(_ *testing.T, file []byte, config string) {
		_, _ = Convert(file, []byte(config), Int8) // an error is fine
	})
}
