package memory

import (
	"context"
	"path/filepath"
)

// Search ranks the memories by keywords. The best has the score 1.
func (k *Recaller) Search(ctx context.Context, text string, limit int) ([]Hit, error) {
	rows, err := k.rows.Search(ctx, text, limit)
	if err != nil {
		return nil, err
	}
	out := make([]Hit, 0, len(rows))
	best := 0.0
	for i, r := range rows {
		m, err := r.Memory()
		if err != nil {
			continue // reported as a problem
		}
		if i == 0 {
			best = r.Rank
		}
		h := Hit{Memory: m, Path: filepath.Join(k.place.MemoriesDir(), filepath.FromSlash(r.Path)), Score: 1, Places: r.Places(m), Use: r.Use(), Now: r.Now}
		if best < 0 {
			h.Score = min(1, r.Rank/best)
		}
		out = append(out, h)
	}
	return out, nil
}

// Ranked is a result of a keyword search.
type Ranked struct {
	UUID  string
	Score float64 // in (0, 1], 1 for the best
}

// Ranked is Search without reading the memories.
func (k *Recaller) Ranked(ctx context.Context, text string, limit int) ([]Ranked, error) {
	found, err := k.rows.Ranked(ctx, text, limit)
	if err != nil {
		return nil, err
	}
	out := make([]Ranked, len(found))
	for i, r := range found {
		out[i] = Ranked{r.UUID, 1}
		if best := found[0].Rank; best < 0 {
			out[i].Score = min(1, r.Rank/best)
		}
	}
	return out, nil
}
