// Package retrieve owns how a question becomes a ranked answer: which ways to
// look are asked, how their answers are merged, and when there is none. It must
// not know databases, models or who asks.
package retrieve

import (
	"context"
	"errors"
	"fmt"

	"manicule/memory"
	"manicule/memory/embed"
	"manicule/memory/embed/matrix"
)

// The ways to look.
const (
	ByWords   = "words"
	ByMeaning = "meaning"
)

// The constants of the pipeline, in one place; docs/retrieval.md says where each
// comes from.
const (
	wordCandidates    = 20 // of the keyword index
	meaningCandidates = 30 // of the vectors
	weightWords       = 1.0
	weightMeaning     = 1.0
	// minCosine is how like a memory must be to the question to be found by its
	// meaning alone. Unrelated sentences are at about 0.1 in all-MiniLM-L6-v2.
	minCosine = 0.25
)

// Engine answers questions about one workspace's memories.
type Engine struct {
	// Words searches by keywords.
	Words func(ctx context.Context, text string, limit int) ([]memory.Hit, error)
	// All lists the memories that have a meaning to compare.
	All func() []memory.Hit
	// Model makes vectors; nil where there is none, and then words alone count.
	Model *embed.Service
	// Vectors keeps them. Want is the model whose vectors are looked for.
	Vectors embed.Store
	Want    embed.Info
}

// Found is a memory with the ways by which it was found.
type Found struct {
	memory.Hit
	By []string
}

// Search answers with at most limit memories, the likeliest first, or none.
// Meaning says whether meanings were compared. A model that fails is no reason to
// answer nothing: why says what happened, and words alone count.
func (e *Engine) Search(ctx context.Context, text string, limit int) (found []Found, meaning bool, why, err error) {
	words, err := e.Words(ctx, text, max(limit, wordCandidates))
	if err != nil {
		return nil, false, nil, err
	}
	byID := map[string]memory.Hit{}
	legs := []Leg{{Name: ByWords, Weight: weightWords, List: ranked(words, byID)}}
	if e.Model != nil {
		list, err := e.meaning(ctx, text, byID)
		switch {
		case err == nil:
			legs, meaning = append(legs, Leg{Name: ByMeaning, Weight: weightMeaning, List: list}), true
		case ctx.Err() != nil:
			return nil, false, nil, ctx.Err()
		case !errors.Is(err, embed.ErrNone):
			why = err
		}
	}
	for _, f := range Fuse(legs, limit) {
		h := byID[f.ID]
		h.Score = f.Score
		found = append(found, Found{Hit: h, By: f.By})
	}
	return found, meaning, why, nil
}

func ranked(hits []memory.Hit, byID map[string]memory.Hit) []Ranked {
	list := make([]Ranked, len(hits))
	for i, h := range hits {
		list[i] = Ranked{h.Memory.UUID, h.Score}
		byID[h.Memory.UUID] = h
	}
	return list
}

// meaning ranks the memories that have a vector by how like theirs is to that of
// the question.
func (e *Engine) meaning(ctx context.Context, text string, byID map[string]memory.Hit) ([]Ranked, error) {
	info, query, err := e.Model.Embed(ctx, embed.Query, []string{text}, nil)
	if err != nil {
		return nil, fmt.Errorf("embed the question: %w", err)
	}
	all := e.All()
	keys := make([]string, len(all))
	for i, h := range all {
		keys[i] = embed.Key(embed.MemoryText(h.Memory))
	}
	vectors, err := e.Vectors.Get(ctx, info.Model, info.Dims, keys)
	if err != nil {
		return nil, fmt.Errorf("read the memories' vectors: %w", err)
	}
	m := matrix.New(info.Model, info.Dims)
	for i, h := range all {
		v, ok := vectors[keys[i]]
		if !ok {
			continue
		}
		if err := m.Set(h.Memory.UUID, v); err != nil {
			return nil, fmt.Errorf("compare the memories' vectors: %w", err)
		}
		if _, ok := byID[h.Memory.UUID]; !ok {
			byID[h.Memory.UUID] = h
		}
	}
	hits, err := m.Search(query[0], meaningCandidates)
	if err != nil {
		return nil, fmt.Errorf("compare the memories' vectors: %w", err)
	}
	var list []Ranked
	for _, h := range hits {
		if h.Score >= minCosine {
			list = append(list, Ranked{h.Key, float64(h.Score)})
		}
	}
	return list, nil
}
