package search

import (
	"sync"

	"manicule/memory"
	"manicule/memory/embed"
)

// viewIndex is what a search needs of all memories of a view. It is made once for
// each view: of ten thousand memories, to write and hash their texts took longer
// than all else that a search does. It is never changed.
type viewIndex struct {
	view *memory.View
	all  []memory.Hit // by the path of their files
	hits map[string]memory.Hit
	ids  []string // as all

	hashed func() hashes // made when meanings are first asked for
}

// hashes are the keys of the memories' vectors.
type hashes struct {
	of   map[string]string   // by id
	keys []string            // each once, as all
	ids  map[string][]string // by key
}

func list(view *memory.View) *viewIndex {
	l := &viewIndex{view: view, all: view.Live()}
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

// byKey lists the keys of some memories, each once, and the memories of each.
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

// currentIndex returns what is derived of the workspace's view as it is now.
func (s *Searcher) currentIndex() *viewIndex {
	view := s.o.Workspace.View()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.list == nil || s.list.view != view {
		s.list = list(view)
	}
	return s.list
}

// keys are those of a corpus.
func (c *corpus) keys() ([]string, map[string][]string) {
	h := c.list.hashed()
	if !c.narrowed {
		return h.keys, h.ids
	}
	return byKey(h.of, c.ids)
}
