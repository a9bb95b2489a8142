package search

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"manicule/memory/embed"
	"manicule/memory/embed/matrix"
	"manicule/memory/retrieve"
	"manicule/memory/store"
)

const (
	// maxAwaited is the number of new memories that a search embeds before it answers, about half a
	// second of work.
	maxAwaited = 32
	// savedRows is the number of vectors from which their in-memory layout is saved, so that the
	// next process need not decode each.
	savedRows = 500
	// pageRows is how many vectors are read at once. Each is in memory twice meanwhile.
	pageRows = 2000
)

// vectorCache holds vectors by the hash of their text.
type vectorCache struct {
	file string

	mu   sync.Mutex // guards what follows
	m    *matrix.Matrix
	info embed.Info
	// absent are keys without a vector in the store. Code can have a hundred thousand, which should
	// not be looked up for each question.
	absent  map[string]bool
	others  int64    // what [store.Vectors.Others] said when absent was last empty
	whole   []string // the keys of the last call, if all had vectors
	lasts   bool     // keep absent between calls
	unsaved int      // vectors added or removed since the file was written
}

// matrix returns the vectors of the wanted keys, and the keys without one. If all is true, keys is
// complete and other vectors are dropped.
func (c *vectorCache) matrix(ctx context.Context, db *store.Vectors, info embed.Info, keys []string, all bool) (m *matrix.Matrix, missing []string, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.m == nil || c.info.Model != info.Model || c.info.Dims != info.Dims {
		c.info, c.absent, c.whole = info, map[string]bool{}, nil
		if c.m, err = matrix.Load(c.file, info.Model, info.Dims); err != nil {
			c.m = matrix.New(info.Model, info.Dims) // a cache: built again
		}
	}
	if len(keys) > 0 && len(keys) == len(c.whole) && &keys[0] == &c.whole[0] {
		return c.m, nil, nil // the same list, which is immutable
	}
	if err := c.renew(ctx, db); err != nil {
		return nil, nil, err
	}
	var ask []string
	for _, k := range keys {
		switch {
		case c.m.Has(k):
		case c.absent[k]:
			missing = append(missing, k)
		default:
			ask = append(ask, k)
		}
	}
	for page := range slices.Chunk(ask, pageRows) {
		found, err := db.Get(ctx, info.Model, info.Dims, page)
		if err != nil {
			return nil, nil, fmt.Errorf("read the vectors: %w", err)
		}
		for _, k := range page {
			v, ok := found[k]
			if !ok {
				missing = append(missing, k)
				if c.lasts {
					c.absent[k] = true
				}
				continue
			}
			if err := c.m.Set(k, v); err != nil {
				return nil, nil, fmt.Errorf("take a vector: %w", err)
			}
			c.unsaved++
		}
	}
	if all && c.m.Len() > 2*len(keys)+savedRows {
		wanted := make(map[string]bool, len(keys))
		for _, k := range keys {
			wanted[k] = true
		}
		c.m = c.m.Only(func(k string) bool { return wanted[k] }) // a copy: concurrent searches keep the old one
		c.unsaved = c.m.Len()
	}
	if c.unsaved > c.m.Len()/10 {
		c.save()
	}
	c.whole = nil
	if len(missing) == 0 {
		c.whole = keys
	}
	return c.m, missing, nil
}

// renew looks missing vectors up again if another process may have made them. c.mu is held.
func (c *vectorCache) renew(ctx context.Context, db *store.Vectors) error {
	if !c.lasts {
		return nil
	}
	n, err := db.Others(ctx)
	if err != nil {
		return err
	}
	if n != c.others {
		c.others = n
		clear(c.absent)
	}
	return nil
}

// save writes the vectors in their in-memory layout, if there are enough to make that faster than
// decoding each. c.mu is held.
func (c *vectorCache) save() {
	if c.m == nil || c.unsaved == 0 || c.m.Len() < savedRows {
		return
	}
	_ = c.m.Save(c.file) // on a full or read-only disk the next process decodes them again
	c.unsaved = 0
}

// close saves changes since the last save.
func (c *vectorCache) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.save()
	c.m, c.whole = nil, nil
}

// forget makes matrix look up missing vectors again.
func (c *vectorCache) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	clear(c.absent)
}

// set adds a new vector.
func (c *vectorCache) set(info embed.Info, key string, v []float32) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.m == nil || c.info.Model != info.Model || c.info.Dims != info.Dims {
		return nil // the next search reads it from the store
	}
	c.unsaved++
	return c.m.Set(key, v)
}

// vectorOf embeds a question.
func vectorOf(ctx context.Context, model *embed.Service, text string) (embed.Info, []float32, error) {
	info, v, err := model.Embed(ctx, embed.Query, []string{text}, nil)
	if errors.Is(err, embed.ErrNone) {
		return info, nil, fmt.Errorf("%w: %w", retrieve.ErrNoMeaning, err)
	}
	if err != nil {
		return info, nil, fmt.Errorf("embed the question: %w", err)
	}
	return info, v[0], nil
}

// queryVector is a question's vector.
type queryVector struct {
	info   embed.Info
	vector []float32
	err    error
}

// embedAhead starts to embed a question and returns a function that waits for the result. Meanwhile
// the caller checks the files.
func (s *Searcher) embedAhead(ctx context.Context, text string) func() queryVector {
	done := make(chan queryVector, 1)
	go func() {
		info, v, err := vectorOf(ctx, s.o.Model, text)
		done <- queryVector{info, v, err}
	}()
	return sync.OnceValue(func() queryVector { return <-done })
}

// meaning ranks the memories of a corpus by the similarity of their vectors to that of a text.
func (s *Searcher) meaning(ctx context.Context, c *corpus, ask func() queryVector, limit int, st *State) ([]retrieve.Ranked, error) {
	db, err := s.store(ctx)
	if err != nil {
		return nil, err
	}
	keys, ids := c.keys()
	q := ask()
	if q.err != nil {
		return nil, q.err
	}
	info := q.info
	m, missing, err := s.memories.matrix(ctx, db, info, keys, !c.narrowed)
	if err != nil {
		return nil, err
	}
	if len(missing) > maxAwaited || !c.canWait && len(missing) > 0 {
		st.Unread = len(missing)
	} else if err := s.embedNow(ctx, db, &s.memories, info, missing, func(key string) string { return embed.MemoryText(c.hits[ids[key][0]].Memory) }); err != nil {
		return nil, err
	}
	st.Vectors, st.Model, st.Backend = len(keys)-st.Unread, info.Model, info.Backend
	var hits []matrix.Hit
	if m.Len() == len(keys) && st.Unread == 0 {
		hits, err = m.Search(q.vector, limit) // all of them
	} else {
		hits, err = m.SearchAmong(q.vector, limit, keys)
	}
	if err != nil {
		return nil, fmt.Errorf("compare the memories' vectors: %w", err)
	}
	var out []retrieve.Ranked
	for _, h := range hits {
		for _, id := range ids[h.Key] {
			out = append(out, retrieve.Ranked{ID: id, Score: float64(h.Score)})
		}
	}
	return out[:min(limit, len(out))], nil
}

// expectedInfo returns the id of the vectors, or zero if only loading the model tells. A person may
// have selected another model since.
func (s *Searcher) expectedInfo() embed.Info {
	if s.o.Expect == nil {
		return embed.Info{}
	}
	return s.o.Expect()
}

// EmbedMemories makes the missing vectors of the memories, with background priority. progress may
// be nil.
func (s *Searcher) EmbedMemories(ctx context.Context, progress func(done, total int)) (embed.Report, error) {
	if s.o.Model == nil {
		return embed.Report{}, embed.ErrNone
	}
	if _, err := s.o.Workspace.Sync(ctx); err != nil {
		return embed.Report{}, err
	}
	var texts []string
	for _, h := range s.o.Workspace.View().Live() {
		texts = append(texts, embed.MemoryText(h.Memory))
	}
	if len(texts) == 0 {
		return embed.Report{}, nil
	}
	db, err := s.store(ctx)
	if err != nil {
		return embed.Report{}, err
	}
	r, err := embed.NewCached(s.o.Model, db).Fill(ctx, s.expectedInfo(), texts, progress)
	if err != nil {
		return r, err
	}
	return r, db.Evict(ctx, s.o.Workspace.Now().Add(-embed.Keep))
}

// embedNow makes and stores the vectors of a few texts.
func (s *Searcher) embedNow(ctx context.Context, db *store.Vectors, c *vectorCache, info embed.Info, keys []string, text func(key string) string) error {
	if len(keys) == 0 {
		return nil
	}
	some := make([]string, len(keys))
	for i, k := range keys {
		some[i] = text(k)
	}
	got, made, err := embed.NewCached(s.o.Model, db).Embed(ctx, embed.Query, info, some)
	if err != nil {
		return fmt.Errorf("embed what is new: %w", err)
	}
	for i, k := range keys {
		if err := c.set(got, k, made[i]); err != nil {
			return err
		}
	}
	return nil
}
