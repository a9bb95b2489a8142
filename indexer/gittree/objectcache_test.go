package gittree

import (
	"testing"

	"github.com/go-git/go-git/v5/plumbing"
)

// sized is an object that says how large it is.
type sized struct {
	plumbing.MemoryObject
	id   plumbing.Hash
	size int64
}

func (s *sized) Hash() plumbing.Hash { return s.id }
func (s *sized) Size() int64         { return s.size }

// TestObjectCacheGrows: of the trees of a large folder more are kept than of small ones, up to a limit.
func TestObjectCacheGrows(t *testing.T) {
	for _, tt := range []struct {
		size        int64
		count, kept int
	}{{1 << 10, 100, 100}, {1 << 20, 40, 32}, {8 << 20, 14, 12}, {1 << 40, 3, 0}} {
		c := newObjectCache()
		for i := range tt.count {
			c.Put(&sized{id: plumbing.Hash{byte(i)}, size: tt.size})
		}
		kept := 0
		for i := range tt.count {
			if _, ok := c.Get(plumbing.Hash{byte(i)}); ok {
				kept++
			}
		}
		if kept != tt.kept {
			t.Errorf("of %d objects of %d bytes %d are kept, want %d", tt.count, tt.size, kept, tt.kept)
		}
	}
}
