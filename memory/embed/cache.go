package embed

import (
	"context"
	"encoding/hex"
	"time"

	"manicule/indexer/hashing"
)

// Keep is how long an unused vector is stored.
// This cache also holds the vectors of all memories and chunks, which a project needs after a
// month's rest.
const Keep = 60 * 24 * time.Hour

// Store stores vectors by model, dimensions and the hash of the text.
type Store interface {
	Get(ctx context.Context, model string, dims int, hashes []string) (map[string][]float32, error)
	Put(ctx context.Context, model string, hashes []string, vectors [][]float32) error
}

// Key is the hash under which a text's vector is stored.
func Key(text string) string {
	sum := hashing.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// Cached is a service with a store for its vectors.
type Cached struct {
	service *Service
	store   Store
}

// NewCached returns a service with a store.
func NewCached(s *Service, store Store) *Cached { return &Cached{s, store} }

// Service returns the underlying service.
func (c *Cached) Service() *Service { return c.service }

// pageTexts is the number of texts after which vectors are stored, the most that an interruption
// loses.
const pageTexts = 64

// Embed returns the vectors of texts, from the store or newly made. want is the expected model. If
// the service uses another (after a fallback, or if want is empty), all vectors come from that one,
// which the first result names.
func (c *Cached) Embed(ctx context.Context, p Priority, want Info, texts []string) (Info, [][]float32, error) {
	info, out, _, err := c.embed(ctx, p, want, texts)
	return info, out, err
}

// Report is the result of Fill.
type Report struct {
	Info  Info `json:"info"`
	Known int  `json:"known"`
	Made  int  `json:"made"`
}

// Fill makes missing vectors of texts in the background. After an interruption the next call
// resumes. For a new model all vectors are made again; the old ones stay until they expire.
// progress may be nil.
func (c *Cached) Fill(ctx context.Context, want Info, texts []string, progress func(done, total int)) (Report, error) {
	r := Report{Info: want}
	for at := 0; at < len(texts); {
		page := texts[at:min(at+pageTexts, len(texts))]
		info, _, made, err := c.embed(ctx, Background, r.Info, page)
		if err != nil {
			return r, err
		}
		if at > 0 && !same(info, r.Info) {
			r, at = Report{Info: info}, 0 // earlier vectors are of another model
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

// same reports whether two embedders' vectors are comparable.
func same(a, b Info) bool { return a.Model == b.Model && a.Dims == b.Dims }

// embed also returns the number of new vectors.
func (c *Cached) embed(ctx context.Context, p Priority, want Info, texts []string) (Info, [][]float32, int, error) {
	keys := make([]string, len(texts))
	for i, t := range texts {
		keys[i] = Key(t)
	}
	count := 0
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
			return want, collect(keys, known), count, nil
		}
		asks := want.Model == "" && len(missing) > 1 // only a vector tells of which model the stored ones have to be
		if asks {
			missing, missingKeys = missing[:1], missingKeys[:1]
		}
		info, made, err := c.service.Embed(ctx, p, missing, nil)
		if err != nil {
			return want, nil, 0, err
		}
		if err := c.store.Put(ctx, info.Model, missingKeys, made); err != nil {
			return info, nil, 0, err
		}
		count += len(made)
		if asks || len(known) > 0 && !same(info, want) {
			want = info // look up the others under the model in use
			continue
		}
		for i, k := range missingKeys {
			known[k] = made[i]
		}
		return info, collect(keys, known), count, nil
	}
}

// withoutVector returns the distinct texts without a vector.
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
