package code

import (
	"context"
	"fmt"
	"math"

	"manicule/indexer/code/biencoder"
	"manicule/indexer/words"
)

// alignedTerms is how many different words of a piece are compared with a question: what a function is for
// stands in its head.
const alignedTerms = 40

// Alignment says how much of one question pieces cover, word by word. It is not safe for concurrent use.
type Alignment struct {
	question *biencoder.Alignment
	stemmer  words.Stemmer
}

// Align prepares a question. Its words count by how rare they are in the index, as in BM25.
func (x *Index) Align(ctx context.Context, text string) (*Alignment, error) {
	model, err := x.biencoder()
	if err != nil {
		return nil, fmt.Errorf("load the vectors of words: %w", err)
	}
	total, err := x.Count(ctx)
	if err != nil {
		return nil, err
	}
	having := x.docFreq(ctx)
	a := &Alignment{}
	terms := a.stemmer.Terms(text)
	weights := make([]float64, len(terms))
	for i, t := range terms {
		n, err := having(`"`+t+`"`, maxRanked+1)
		if err != nil {
			return nil, err
		}
		weights[i] = math.Log1p((float64(max(total-n, 0)) + .5) / (float64(n) + .5))
	}
	a.question = model.Align(terms, weights)
	return a, nil
}

// Share returns how much of the question the first words of a piece cover, in [0, 1]: each word of the question by the
// nearest one, wholly if the piece has it.
func (a *Alignment) Share(symbol, body string) float64 {
	terms := make([]string, 0, alignedTerms)
	seen := make(map[string]bool, alignedTerms)
	for _, text := range []string{symbol, body} {
		for t := range a.stemmer.Each(text) {
			if !seen[t] {
				seen[t] = true
				terms = append(terms, t)
			}
			if len(terms) == alignedTerms {
				return a.question.Share(terms)
			}
		}
	}
	return a.question.Share(terms)
}
