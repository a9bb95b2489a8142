package resolve

// slab hands out values of one type from chunks. What lives as long as an analysis does is allocated
// many at once.
type slab[T any] struct {
	free []T
	last int // how many the last chunk had
}

const (
	firstChunk = 8
	maxChunk   = 128
)

// add returns a place that holds v.
func (s *slab[T]) add(v T) *T {
	if len(s.free) == 0 {
		s.last = min(max(firstChunk, 2*s.last), maxChunk)
		s.free = make([]T, s.last)
	}
	p := &s.free[0]
	s.free = s.free[1:]
	*p = v
	return p
}
