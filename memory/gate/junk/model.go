package junk

import (
	_ "embed"
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"
)

// weights is the fitted model: `go run ./cmd/eval gate fit --repos DIR` writes it.
//
//go:embed weights.txt
var weights string

var fitted = sync.OnceValue(func() *Model {
	m, err := ParseModel(weights)
	if err != nil {
		return &Model{} // a test reads the table; without it the rules of form decide alone
	}
	return m
})

// Kinds are the kinds of junk in the order of a model's weights.
var Kinds = []Kind{StackTrace, Diff, GitLog, PathList, Output, Session, Fragment}

// nKinds is the number of Kinds.
const nKinds = 7

// Model is a multinomial logistic regression: it gives each kind of junk odds against a memory by the
// sum of the weights of a text's features.
type Model struct {
	at     map[string]int32 // feature → row of weights
	rows   [][nKinds]float32
	bias   [nKinds]float32
	refuse float64 // the least probability of junk that is refused
}

// ParseModel reads a model: a line "refuse P", then a line for each feature with its weights for Kinds
// behind tabs, in tenths, none for 0. The feature "bias" counts for every text.
func ParseModel(text string) (*Model, error) {
	n := strings.Count(text, "\n")
	m := &Model{at: make(map[string]int32, n), rows: make([][nKinds]float32, 0, n)}
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if p, ok := strings.CutPrefix(line, "refuse "); ok {
			v, err := strconv.ParseFloat(p, 64)
			if err != nil {
				return nil, fmt.Errorf("the model's threshold: %w", err)
			}
			m.refuse = v
			continue
		}
		name, rest, ok := strings.Cut(line, "\t")
		if !ok {
			return nil, fmt.Errorf("the model's line %q has no weights", line)
		}
		var row [nKinds]float32
		for i := 0; ; i++ {
			var w string
			w, rest, ok = strings.Cut(rest, "\t")
			if w != "" {
				v, err := strconv.Atoi(w)
				if err != nil || i >= nKinds {
					return nil, fmt.Errorf("the model's line %q: weight %d is unusable", line, i)
				}
				row[i] = float32(v) / 10
			}
			if !ok {
				break
			}
		}
		if name == "bias" {
			m.bias = row
			continue
		}
		m.at[name] = int32(len(m.rows))
		m.rows = append(m.rows, row)
	}
	return m, nil
}

// Judge returns the probability that a text is junk, and its likeliest kind.
func (m *Model) Judge(text string) (p float64, kind Kind) {
	seen := make([]bool, len(m.rows))
	var sum [nKinds]float32
	n := 0
	Features(text, func(name []byte) {
		i, ok := m.at[string(name)]
		if !ok || seen[i] {
			return
		}
		seen[i] = true
		n++
		for k, w := range m.rows[i] {
			sum[k] += w
		}
	})
	scale := Scale(n)
	all, best := 1.0, 0
	for k := range sum {
		sum[k] = sum[k]*float32(scale) + m.bias[k]
		all += math.Exp(float64(sum[k]))
		if sum[k] > sum[best] {
			best = k
		}
	}
	kind = Kinds[best]
	if mayMean(text) {
		return 0, kind
	}
	return 1 - 1/all, kind
}

// fewWords is how many words say too little to judge them by.
const fewWords = 3

// mayMean reports whether a single line says something whatever its form: it has a rule or a reason, or so few words that
// only who writes them knows what they mean.
func mayMean(text string) bool {
	text = strings.TrimSpace(text)
	f := compiled()
	return !strings.Contains(text, "\n") && (f.because.MatchString(text) || f.reason.MatchString(text) || len(strings.Fields(text)) <= fewWords)
}

// Scale is the weight of each of n features, so that a long text doesn't count for more than a short one.
func Scale(n int) float64 { return 3 / math.Sqrt(float64(max(n, 1))) }

// Find returns what a text is, where the model takes it for junk. What is likeliest a fragment is left to the rules of
// form: it differs from what a person says in few words by its meaning, and of the labelled texts the model found none more.
func (m *Model) Find(text string) (Kind, bool) {
	if len(m.rows) == 0 {
		return "", false
	}
	if p, kind := m.Judge(text); p >= m.refuse && kind != Fragment {
		return kind, true
	}
	return "", false
}
