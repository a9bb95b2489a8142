package search

import (
	"slices"
	"sync"

	"manicule/memory"
	"manicule/memory/embed"
)

// viewIndex is what a search needs of all memories of a view. It is built once for each view,
// because rendering and hashing ten thousand texts takes longer than the rest of a search. It is
// immutable.
type viewIndex struct {
	view *memory.View
	all  []memory.Hit // by the path of their files
	hits map[string]memory.Hit
	ids  []string // in the order of all

	hashed func() hashes // computed on first use
}

// hashes are the keys of the memories' vectors.
type hashes struct {
	of   map[string]string   // by id
	keys []string            // distinct, in the order of all
	ids  map[string][]string // by key
}

func list(w *memory.Workspace, view *memory.View) *viewIndex {
	l := &viewIndex{view: view, all: view.Live()}
	l.all = slices.DeleteFunc(l.all, func(h memory.Hit) bool { return !w.Recaller().Recalls(h.Memory.Layer) })
	l.hits, l.ids = make(map[string]memory.Hit, len(l.all)), make([]string, len(l.all))
	for i, h := range l.all {
		l.hits[h.Memory.UUID], l.ids[i] = h, h.Memory.UUID
	}
	l.hashed = sync.OnceValue(func() hashes {
		h := hashes{of: make(map[string]string, len(l.all)), ids: make(map[string][]string, len(l.all))}
		for _, hit := range l.all {
			h.of[hit.Memory.UUID] = embed.Key(embed.MemoryText(hit.Memory))
		}
		h.keys, h.ids = byKey(h.of, l.ids)
		return h
	})
	return l
}

// byKey returns the distinct keys of some memories, and the memories of each key.
func byKey(of map[string]string, ids []string) ([]string, map[string][]string) {
	keys, have := make([]string, 0, len(ids)), make(map[string][]string, len(ids))
	for _, id := range ids {
		k := of[id]
		if have[k] == nil {
			keys = append(keys, k)
		}
		have[k] = append(have[k], id)
	}
	return keys, have
}

// currentIndex returns the index of the workspace's current view.
func (s *Searcher) currentIndex() *viewIndex {
	view := s.o.Workspace.View()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.list == nil || s.list.view != view {
		s.list = list(s.o.Workspace, view)
	}
	return s.list
}

// keys returns the vector keys of a corpus.
func (c *corpus) keys() ([]string, map[string][]string) {
	h := c.list.hashed()
	if !c.narrowed {
		return h.keys, h.ids
	}
	return byKey(h.of, c.ids)
}
