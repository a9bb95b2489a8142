// Package matrix searches vectors exactly. It keeps all of them in one flat slice,
// computes one dot product for each, and returns the best k. On one core that takes 1
// to 2 ms for 10,000 vectors of 384 dimensions, without an index to build and
// maintain. It must not know what a vector represents.
package matrix

import (
	"cmp"
	"container/heap"
	"fmt"
	"slices"
	"sync"

	"manicule/indexer/sorting"
)

// Hit is a result of a search.
type Hit struct {
	Key   string
	Score float32 // the dot product: for unit vectors the cosine
}

// Matrix holds vectors of one model by key. It is safe for concurrent use.
type Matrix struct {
	model string
	dims  int

	mu   sync.RWMutex
	keys []string
	row  map[string]int
	data []float32 // row-major, dims to a row
}

// New makes an empty matrix for a model's vectors.
func New(model string, dims int) *Matrix {
	return &Matrix{model: model, dims: dims, row: map[string]int{}}
}

// Model returns the id of the model and the length of its vectors.
func (m *Matrix) Model() (string, int) { return m.model, m.dims }

// Len returns the number of vectors.
func (m *Matrix) Len() int {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return len(m.keys)
}

// Has reports whether a key has a vector.
func (m *Matrix) Has(key string) bool {
	m.mu.RLock()
	defer m.mu.RUnlock()
	_, ok := m.row[key]
	return ok
}

// Set adds or replaces a vector. It refuses one of another length, which belongs to another model.
func (m *Matrix) Set(key string, vector []float32) error {
	if len(vector) != m.dims {
		return fmt.Errorf("a vector of %d values among vectors of %d", len(vector), m.dims)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	i, ok := m.row[key]
	if !ok {
		i = len(m.keys)
		m.keys, m.row[key] = append(m.keys, key), i
		m.data = append(m.data, vector...)
		return nil
	}
	copy(m.data[i*m.dims:], vector)
	return nil
}

// Delete removes a vector. The last row takes its place.
func (m *Matrix) Delete(key string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	i, ok := m.row[key]
	if !ok {
		return
	}
	last := len(m.keys) - 1
	copy(m.data[i*m.dims:(i+1)*m.dims], m.data[last*m.dims:])
	m.keys[i] = m.keys[last]
	m.row[m.keys[i]] = i
	m.keys, m.data = m.keys[:last], m.data[:last*m.dims]
	delete(m.row, key)
}

// Keep deletes every vector whose key is not wanted.
func (m *Matrix) Keep(wanted func(key string) bool) {
	m.mu.RLock()
	keys := slices.Clone(m.keys)
	m.mu.RUnlock()
	for _, k := range keys {
		if !wanted(k) {
			m.Delete(k)
		}
	}
}

// Only returns a copy with the vectors whose keys are wanted.
func (m *Matrix) Only(wanted func(key string) bool) *Matrix {
	m.mu.RLock()
	defer m.mu.RUnlock()
	out := New(m.model, m.dims)
	for i, k := range m.keys {
		if wanted(k) {
			out.row[k] = len(out.keys)
			out.keys = append(out.keys, k)
			out.data = append(out.data, m.data[i*m.dims:(i+1)*m.dims]...)
		}
	}
	return out
}

// Search returns the k best rows for a query, best first. It orders ties by key.
func (m *Matrix) Search(query []float32, k int) ([]Hit, error) {
	return m.search(query, k, func(visit func(int)) {
		for i := range m.keys {
			visit(i)
		}
	})
}

// SearchAmong is Search over the rows with some keys, so that filters apply before scoring. It
// ignores unknown keys.
func (m *Matrix) SearchAmong(query []float32, k int, keys []string) ([]Hit, error) {
	return m.search(query, k, func(visit func(int)) {
		for _, key := range keys {
			if i, ok := m.row[key]; ok {
				visit(i)
			}
		}
	})
}

func (m *Matrix) search(query []float32, k int, rows func(visit func(int))) ([]Hit, error) {
	if len(query) != m.dims {
		return nil, fmt.Errorf("a query of %d values among vectors of %d", len(query), m.dims)
	}
	if k <= 0 {
		return nil, nil
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	best := top{limit: k, keys: m.keys}
	rows(func(i int) { best.offer(i, dot(query, m.data[i*m.dims:(i+1)*m.dims])) })
	return best.hits(), nil
}

// Dot returns the product of two vectors of one length.
func Dot(a, b []float32) float32 { return dot(a, b) }

// dot is unrolled with four sums, because a single one would wait for each addition.
func dot(a, b []float32) float32 {
	var s0, s1, s2, s3 float32
	b = b[:len(a)]
	i := 0
	for ; i+4 <= len(a); i += 4 {
		x, y := a[i:i+4:i+4], b[i:i+4:i+4]
		s0 += x[0] * y[0]
		s1 += x[1] * y[1]
		s2 += x[2] * y[2]
		s3 += x[3] * y[3]
	}
	for ; i < len(a); i++ {
		s0 += a[i] * b[i]
	}
	return s0 + s1 + s2 + s3
}

// top keeps the best rows in a heap whose root is the worst.
type top struct {
	limit int
	keys  []string
	list  []scored
}

type scored struct {
	row   int
	score float32
}

func (t *top) offer(row int, score float32) {
	s := scored{row, score}
	switch {
	case score != score: // NaN: a damaged vector
	case len(t.list) < t.limit:
		heap.Push(t, s)
	case score >= t.list[0].score && t.better(s, t.list[0]):
		t.list[0] = s
		heap.Fix(t, 0)
	}
}

// better orders by score, then by key, which makes ties deterministic.
func (t *top) better(a, b scored) bool {
	return a.score > b.score || (a.score == b.score && t.keys[a.row] < t.keys[b.row])
}

// Len implements heap.Interface.
func (t *top) Len() int { return len(t.list) }

// Less orders the worst first.
func (t *top) Less(i, j int) bool { return t.better(t.list[j], t.list[i]) }

// Swap implements heap.Interface.
func (t *top) Swap(i, j int) { t.list[i], t.list[j] = t.list[j], t.list[i] }

// Push implements heap.Interface.
func (t *top) Push(x any) {
	if s, ok := x.(scored); ok {
		t.list = append(t.list, s)
	}
}

// Pop implements heap.Interface.
func (t *top) Pop() any {
	last := t.list[len(t.list)-1]
	t.list = t.list[:len(t.list)-1]
	return last
}

func (t *top) hits() []Hit {
	sorting.Func(t.list, func(a, b scored) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(t.keys[a.row], t.keys[b.row]))
	})
	out := make([]Hit, len(t.list))
	for i, s := range t.list {
		out[i] = Hit{t.keys[s.row], s.score}
	}
	return out
}
