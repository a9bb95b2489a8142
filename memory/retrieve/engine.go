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
	// maxAwaited is how many memories without a vector a search embeds before it
	// answers: about half a second of work.
	maxAwaited = 32
)

// Engine answers questions about one workspace's memories.
type Engine struct {
	// Words searches by keywords.
	Words func(ctx context.Context, text string, limit int) ([]memory.Hit, error)
	// All lists the memories that have a meaning to compare.
	All func() []memory.Hit
	// Model makes vectors; nil where there is none, and then words alone count.
	Model *embed.Service
	// Vectors keeps them.
	Vectors embed.Store
}

// Found is a memory with the ways by which it was found.
type Found struct {
	memory.Hit
	By []string
}

// Answer is what a search found, the likeliest first.
type Answer struct {
	Found   []Found
	Meaning bool  // whether meanings were compared
	Unread  int   // memories without a vector, found by their words alone
	Fault   error // why meanings were not compared though there is a model
}

// Search answers with at most limit memories, or none. A model that fails is no
// reason to answer nothing: words alone count then.
func (e *Engine) Search(ctx context.Context, text string, limit int) (Answer, error) {
	words, err := e.Words(ctx, text, max(limit, wordCandidates))
	if err != nil {
		return Answer{}, err
	}
	var out Answer
	byID := map[string]memory.Hit{}
	legs := []Leg{{Name: ByWords, Weight: weightWords, List: ranked(words, byID)}}
	if e.Model != nil {
		list, unread, err := e.meaning(ctx, text, byID)
		switch {
		case err == nil:
			legs = append(legs, Leg{Name: ByMeaning, Weight: weightMeaning, List: list})
			out.Meaning, out.Unread = true, unread
		case ctx.Err() != nil:
			return Answer{}, ctx.Err()
		case !errors.Is(err, embed.ErrNone):
			out.Fault = err
		}
	}
	for _, f := range Fuse(legs, limit) {
		h := byID[f.ID]
		h.Score = f.Score
		out.Found = append(out.Found, Found{Hit: h, By: f.By})
	}
	return out, nil
}

func ranked(hits []memory.Hit, byID map[string]memory.Hit) []Ranked {
	list := make([]Ranked, len(hits))
	for i, h := range hits {
		list[i] = Ranked{h.Memory.UUID, h.Score}
		byID[h.Memory.UUID] = h
	}
	return list
}

// meaning ranks the memories by how like their vectors are to that of the
// question. unread is how many have none.
func (e *Engine) meaning(ctx context.Context, text string, byID map[string]memory.Hit) (list []Ranked, unread int, err error) {
	info, query, err := e.Model.Embed(ctx, embed.Query, []string{text}, nil)
	if err != nil {
		return nil, 0, fmt.Errorf("embed the question: %w", err)
	}
	m, unread, err := e.matrix(ctx, info, byID)
	if err != nil {
		return nil, 0, err
	}
	hits, err := m.Search(query[0], meaningCandidates)
	if err != nil {
		return nil, 0, fmt.Errorf("compare the memories' vectors: %w", err)
	}
	for _, h := range hits {
		if h.Score >= minCosine {
			list = append(list, Ranked{h.Key, float64(h.Score)})
		}
	}
	return list, unread, nil
}

// matrix gathers the memories' vectors. Of memories that were written since the
// last sync it makes them, unless there are too many to wait for.
func (e *Engine) matrix(ctx context.Context, info embed.Info, byID map[string]memory.Hit) (m *matrix.Matrix, unread int, err error) {
	all := e.All()
	texts, keys := make([]string, len(all)), make([]string, len(all))
	for i, h := range all {
		texts[i] = embed.MemoryText(h.Memory)
		keys[i] = embed.Key(texts[i])
	}
	vectors, err := e.Vectors.Get(ctx, info.Model, info.Dims, keys)
	if err != nil {
		return nil, 0, fmt.Errorf("read the memories' vectors: %w", err)
	}
	var missing []int
	for i, k := range keys {
		if vectors[k] == nil {
			missing = append(missing, i)
		}
	}
	if len(missing) > maxAwaited {
		unread = len(missing)
	} else if err := e.embedNew(ctx, info, missing, texts, keys, vectors); err != nil {
		return nil, 0, err
	}
	m = matrix.New(info.Model, info.Dims)
	for i, h := range all {
		v := vectors[keys[i]]
		if v == nil {
			continue
		}
		if err := m.Set(h.Memory.UUID, v); err != nil {
			return nil, 0, fmt.Errorf("compare the memories' vectors: %w", err)
		}
		if _, ok := byID[h.Memory.UUID]; !ok {
			byID[h.Memory.UUID] = h
		}
	}
	return m, unread, nil
}

// embedNew embeds some of the texts and keeps their vectors.
func (e *Engine) embedNew(ctx context.Context, info embed.Info, missing []int, texts, keys []string, vectors map[string][]float32) error {
	if len(missing) == 0 {
		return nil
	}
	var some []string
	for _, i := range missing {
		some = append(some, texts[i])
	}
	_, made, err := embed.NewCached(e.Model, e.Vectors).Embed(ctx, embed.Query, info, some)
	if err != nil {
		return fmt.Errorf("embed new memories: %w", err)
	}
	for n, i := range missing {
		vectors[keys[i]] = made[n]
	}
	return nil
}
