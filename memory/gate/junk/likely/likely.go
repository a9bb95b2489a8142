// Package likely tells by learned weights how probable it is that a short text says nothing that is worth keeping: that it is a
// part of a list, a name, or an account of what was done. It is for texts whose form says nothing, which the rules of package
// junk let pass. It has two stages: a softmax regression over hashed forms of words guesses in which place of a page a text like
// this stands, and boosted trees judge from that guess and from the text's measures. It must not know what is done with its
// answer.
package likely

import (
	_ "embed"
	"hash/fnv"
	"math"
	"slices"
	"strings"
	"unicode"

	"manicule/memory/gate/junk/named"
)

// Place is where in a repository a text stands.
type Place int

// The places that the first stage tells apart.
const (
	Heading Place = iota
	Rule          // an item or a paragraph of a page of rules
	Prose         // a paragraph of another page
	Done          // a task that is done, a change of a release
	Status        // an item of a report
	Commit        // the subject of a commit
	Task          // an open task
	Item          // an item of another page
	Places
)

// Bounds of the model.
const (
	Buckets   = 4096    // numbers that forms are hashed to
	Unit      = 1. / 20 // value of a weight of 1
	Edges     = 31      // thresholds of a measure
	LeafUnit  = 1. / 8192
	mostLines = 2 // of a text that is judged
)

// model holds the weights of the first stage, a signed byte for each bucket and place; the thresholds of each measure, as 32-bit
// floats; and the trees, each node in two bytes before its children: a measure and the number of its threshold, or 255 and a leaf's
// value in the two bytes after. `go run ./cmd/eval gate judge --to …` makes it.
//
//go:embed model.bin
var model string

// Model is a fitted model, in the form of model.bin.
type Model string

// Answer is what the model says of a text.
type Answer struct {
	Probability float64 // that it says nothing worth keeping
	Account     bool    // it stands rather where something is told than where something is named
}

// Of judges a text. The probability is 0 for texts that the model can't judge: of several lines, or in another language than
// English.
func Of(text string) Answer { return Model(model).Of(text) }

// Of judges a text as the package's Of does, with another model.
func (m Model) Of(text string) Answer {
	if !Judges(text) {
		return Answer{}
	}
	places := m.guess(text)
	p := Probability(places)
	return Answer{
		Probability: m.judge(text, places),
		Account:     isAccount(p),
	}
}

func (m Model) guess(text string) [Places]float64 {
	return Guess(text, func(bucket int, place Place) float64 {
		return Unit * float64(int8(m[bucket*int(Places)+int(place)]))
	})
}

func (m Model) judge(text string, places [Places]float64) float64 {
	x := Measure(text, places)
	return judge(string(m[Buckets*int(Places):]), x[:])
}

// isAccount reports whether a text stands where work is told of, rather than where things are listed.
func isAccount(p [Places]float64) bool {
	return p[Done]+p[Status]+p[Commit] > p[Heading]+p[Item]+p[Task]
}

// Guess returns the logits of the places where a text may stand.
func Guess(text string, weight func(bucket int, place Place) float64) (out [Places]float64) {
	at := BucketsOf(text)
	scale := Scale(len(at))
	for place := range Places {
		for _, b := range at {
			out[place] += weight(b, place)
		}
		out[place] *= scale
	}
	return out
}

// Scale is what the sum of n weights is multiplied with, so that long texts don't count for more.
func Scale(n int) float64 { return named.Scale(n) }

// Probability is the softmax of logits.
func Probability(logits [Places]float64) (out [Places]float64) {
	most, sum := slices.Max(logits[:]), 0.
	for i, x := range logits {
		out[i] = math.Exp(x - most)
		sum += out[i]
	}
	for i := range out {
		out[i] /= sum
	}
	return out
}

// BucketsOf returns the numbers of the weights of a text, each once.
func BucketsOf(text string) []int {
	forms := named.Forms(text)
	out := make([]int, 0, len(forms))
	for _, f := range forms {
		h := fnv.New32a()
		_, _ = h.Write([]byte(f)) // never fails
		out = append(out, int(h.Sum32()%Buckets))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// leaf marks a node without children.
const leaf = 255

// judge adds up the leaves that a text's measures lead to.
func judge(trees string, measures []float32) float64 {
	edges, nodes := trees[:len(measures)*Edges*4], trees[len(measures)*Edges*4:]
	sum := 0
	for at := 0; at < len(nodes); {
		end := skip(nodes, at)
		for nodes[at] != leaf {
			j := int(nodes[at])
			k := (j*Edges + int(nodes[at+1])) * 4
			edge := math.Float32frombits(number(edges[k:]) | number(edges[k+2:])<<16)
			at += 2
			if measures[j] >= edge {
				at = skip(nodes, at)
			}
		}
		sum += int(int16(number(nodes[at+1:])))
		at = end
	}
	return 1 / (1 + math.Exp(-float64(sum)*LeafUnit))
}

// number reads two bytes.
func number(s string) uint32 { return uint32(s[0]) | uint32(s[1])<<8 }

// skip returns where the node after the one at a place and its children begins.
func skip(nodes string, at int) int {
	for open := 1; open > 0; {
		if nodes[at] == leaf {
			at += 3
			open--
			continue
		}
		at += 2
		open++
	}
	return at
}

// Judges reports whether the model was fitted to texts of this kind.
func Judges(text string) bool {
	return strings.Count(strings.TrimSpace(text), "\n") < mostLines && !isForeign(text)
}

// isForeign reports whether a text has several signs of another language than English.
func isForeign(text string) bool {
	n := 0
	for _, r := range text {
		if unicode.IsLetter(r) && r > unicode.MaxASCII {
			if n++; n > 1 {
				return true
			}
		}
	}
	for _, w := range strings.Fields(text) {
		if foreign(bare(w)) {
			if n++; n > 1 {
				return true
			}
		}
	}
	return false
}
