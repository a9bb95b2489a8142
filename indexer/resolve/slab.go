package resolve

// slab hands out values of one type from chunks. What lives as long as an analysis does is allocated
// many at once, and the next analysis takes it over.
type slab[T any] struct {
	free   []T
	chunks [][]T
	used   int // chunks
}

const (
	firstChunk = 8
	maxChunk   = 128
	keptChunks = 64
)

// add returns a place that holds v.
func (s *slab[T]) add(v T) *T {
	if len(s.free) == 0 {
		if s.used == len(s.chunks) {
			s.chunks = append(s.chunks, make([]T, min(firstChunk<<min(s.used, 8), maxChunk)))
		}
		s.free = s.chunks[s.used]
		s.used++
	}
	p := &s.free[0]
	s.free = s.free[1:]
	*p = v
	return p
}

// reset takes back all places. Nothing may point to them any more.
func (s *slab[T]) reset() {
	for _, c := range s.chunks[:min(s.used, keptChunks)] {
		clear(c)
	}
	if len(s.chunks) > keptChunks {
		clear(s.chunks[keptChunks:])
		s.chunks = s.chunks[:keptChunks]
	}
	s.free, s.used = nil, 0
}
