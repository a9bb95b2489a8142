// Package biencoder says how near a question in plain words is to a function, also where they share no word. It is a
// bi-encoder over bags of words: each word has a vector for questions and one for code, a text's vector is the sum of
// those of its words, and the cosine of both says how near they are. The vectors were learned from functions of public
// repositories and the first sentences of their comments, as the neural bag of words of H. Husain et al.,
// "CodeSearchNet Challenge", 2019. The package must not know where the texts come from or how results are merged.
package biencoder

import (
	_ "embed"
	"encoding/binary"
	"errors"
	"math"
	"strings"
)

// Dim is the length of a vector.
const Dim = 96

// mostTerms is how many terms of a text count: what a function is for stands in its head.
const mostTerms = 100

// learned holds the words and their vectors, in the form that [Encode] writes. `go run ./cmd/eval associations`
// makes it.
//
//go:embed model.bin
var learned string

// Vector is the direction of a text, each component a 127th of the largest one.
type Vector [Dim]int8

// Model has the vectors of words.
type Model struct {
	place map[string]int // of a word in both tables
	sides [2]table
}

// table holds one vector for each word: a scale as a 32-bit float, then a byte for each component.
type table string

// The two sides of the model, in the order of the file.
const (
	questions = iota
	functions
)

const row = 4 + Dim

// Load returns the model that this program carries.
func Load() (*Model, error) { return Parse(learned) }

// errForm is returned for data that [Encode] did not write.
var errForm = errors.New("the data is no model of words")

// Parse reads a model. The data is kept.
func Parse(data string) (*Model, error) {
	if len(data) < 4 {
		return nil, errForm
	}
	size := int(binary.LittleEndian.Uint32([]byte(data[:4])))
	data = data[4:]
	if size > len(data) {
		return nil, errForm
	}
	list := strings.Split(data[:size], "\n")
	data = data[size:]
	if len(data) != 2*row*len(list) {
		return nil, errForm
	}
	m := &Model{place: make(map[string]int, len(list)), sides: [2]table{table(data[:row*len(list)]), table(data[row*len(list):])}}
	for i, w := range list {
		m.place[w] = i
	}
	return m, nil
}

// Encode writes a model: the words, and of each its vector for questions and for functions.
func Encode(words []string, questions, functions [][Dim]float32) string {
	list := strings.Join(words, "\n")
	out := binary.LittleEndian.AppendUint32(nil, uint32(len(list))) //nolint:gosec // thousands of words
	out = append(out, list...)
	for _, side := range [][][Dim]float32{questions, functions} {
		for _, v := range side {
			whole, largest := quantize(v)
			out = binary.LittleEndian.AppendUint32(out, math.Float32bits(largest/math.MaxInt8))
			for _, x := range whole {
				out = append(out, byte(x))
			}
		}
	}
	return string(out)
}

// Question returns the vector of a question by its terms (package words), false if the model knows none of them.
func (m *Model) Question(terms []string) (Vector, bool) { return m.sum(questions, terms) }

// Function returns the vector of a function by its terms, those of its name first; false if the model knows none.
func (m *Model) Function(terms []string) (Vector, bool) { return m.sum(functions, terms) }

func (m *Model) sum(side int, terms []string) (Vector, bool) {
	var sum [Dim]float32
	known := false
	for _, t := range terms[:min(len(terms), mostTerms)] {
		i, ok := m.place[t]
		if !ok {
			continue
		}
		known = true
		of := m.sides[side][i*row : (i+1)*row]
		scale := math.Float32frombits(uint32(of[0]) | uint32(of[1])<<8 | uint32(of[2])<<16 | uint32(of[3])<<24)
		for k := range sum {
			sum[k] += scale * float32(int8(of[4+k]))
		}
	}
	v, largest := quantize(sum)
	return v, known && largest > 0
}

// Dot returns the scalar product of two vectors.
func (v *Vector) Dot(with *Vector) float32 {
	var sum int32
	for k, x := range v {
		sum += int32(x) * int32(with[k])
	}
	return float32(sum)
}

// Inverse returns 1 / the length of a vector: the cosine of two is their scalar product times the inverse of each.
func (v *Vector) Inverse() float32 { return float32(1 / math.Sqrt(float64(v.Dot(v)))) }

// quantize returns a vector in bytes, and the size of its largest component.
func quantize(v [Dim]float32) (out Vector, largest float32) {
	for _, x := range v {
		largest = max(largest, x, -x)
	}
	if largest == 0 {
		return out, 0
	}
	for k, x := range v {
		out[k] = int8(math.Round(float64(x / largest * math.MaxInt8)))
	}
	return out, largest
}
