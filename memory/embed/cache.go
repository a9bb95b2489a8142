package embed

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"time"
)

// Keep is how long a vector stays that nobody asks for (V5-EMB-06 names 7 days
// for a cache of requests; ours also holds the vectors of all memories and
// chunks, which a project that rests for a month still has).
const Keep = 60 * 24 * time.Hour

// Store keeps vectors by model, dimensions and the hash of the text.
type Store interface {
	Get(ctx context.Context, model string, dims int, hashes []string) (map[string][]float32, error)
	Put(ctx context.Context, model string, hashes []string, vectors [][]float32) error
}

// Key is the hash under which the vector of a text is kept.
func Key(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// Cached is a service with its vectors on disk.
type Cached struct {
	service *Service
	store   Store
}

// NewCached puts a store behind a service.
func NewCached(s *Service, store Store) *Cached { return &Cached{s, store} }

// Service is the service behind.
func (c *Cached) Service() *Service { return c.service }

// pageTexts is after how many texts vectors are stored: what an interruption
// loses at most.
const pageTexts = 64

// Embed returns the vectors of texts (memories, queries), those known from the store and the
// others made now. want is the model whose vectors are looked for; where the
// service has another (it fell back, or was not loaded yet and want is empty)
// all vectors are of that one, and the first result says so.
func (c *Cached) Embed(ctx context.Context, p Priority, want Info, texts []string) (Info, [][]float32, error) {
	info, out, _, err := c.embed(ctx, p, want, texts)
	return info, out, err
}

// Report is what Fill did.
type Report struct {
	Info  Info `json:"info"`
	Known int  `json:"known"`
	Made  int  `json:"made"`
}

// Fill makes sure that the store has the vectors of texts, in the background.
// Stopped half-way, the next call resumes: stored vectors are not computed again. A
// new model is another Info, so everything is made again for it, and the old
// vectors stay until nobody asks for them. progress may be nil.
func (c *Cached) Fill(ctx context.Context, want Info, texts []string, progress func(done, total int)) (Report, error) {
	r := Report{Info: want}
	for at := 0; at < len(texts); {
		page := texts[at:min(at+pageTexts, len(texts))]
		info, _, made, err := c.embed(ctx, Background, r.Info, page)
		if err != nil {
			return r, err
		}
		if at > 0 && !same(info, r.Info) {
			r, at = Report{Info: info}, 0 // what came before is of another model
			continue
		}
		r.Info, r.Known, r.Made = info, r.Known+len(page)-made, r.Made+made
		at += len(page)
		if progress != nil {
			progress(at, len(texts))
		}
	}
	return r, nil
}

// same reports whether two embedders' vectors may be compared.
func same(a, b Info) bool { return a.Model == b.Model && a.Dims == b.Dims }

// embed also says how many vectors were made.
func (c *Cached) embed(ctx context.Context, p Priority, want Info, texts []string) (Info, [][]float32, int, error) {
	keys := make([]string, len(texts))
	for i, t := range texts {
		keys[i] = Key(t)
	}
	for {
		known := map[string][]float32{}
		if want.Model != "" {
			var err error
			if known, err = c.store.Get(ctx, want.Model, want.Dims, keys); err != nil {
				return want, nil, 0, err
			}
		}
		missing, missingKeys := withoutVector(texts, keys, known)
		if len(missing) == 0 {
			return want, collect(keys, known), 0, nil
		}
		info, made, err := c.service.Embed(ctx, p, missing, nil)
		if err != nil {
			return want, nil, 0, err
		}
		if err := c.store.Put(ctx, info.Model, missingKeys, made); err != nil {
			return info, nil, 0, err
		}
		if len(known) > 0 && !same(info, want) {
			want = info // look for the others again, under the model that there is
			continue
		}
		for i, k := range missingKeys {
			known[k] = made[i]
		}
		return info, collect(keys, known), len(made), nil
	}
}

// withoutVector are the texts that have no vector, each once.
func withoutVector(texts, keys []string, known map[string][]float32) (missing, missingKeys []string) {
	seen := map[string]bool{}
	for i, k := range keys {
		if known[k] == nil && !seen[k] {
			seen[k] = true
			missing, missingKeys = append(missing, texts[i]), append(missingKeys, k)
		}
	}
	return missing, missingKeys
}

func collect(keys []string, known map[string][]float32) [][]float32 {
	out := make([][]float32, len(keys))
	for i, k := range keys {
		out[i] = known[k]
	}
	return out
}
