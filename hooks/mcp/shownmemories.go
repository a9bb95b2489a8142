package mcp

import (
	"sync"

	"manicule/hooks/observe/wording"
	"manicule/memory"
)

// shownMemories is the set of memories that this connection was shown.
type shownMemories struct {
	mu    sync.Mutex
	order []string          // uuids in order of their first showing
	texts map[string]string // their texts
	short map[string]bool   // roots of which it was told that some can't be shown
}

func newShownMemories() *shownMemories {
	return &shownMemories{texts: map[string]string{}, short: map[string]bool{}}
}

// saysShort reports, once for each root, that it is to be told what can't be shown of it.
func (x *shownMemories) saysShort(root string) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	told := x.short[root]
	x.short[root] = true
	return !told
}

// maxShownMemories bounds the set. A session shows tens.
const maxShownMemories = 2000

func (x *shownMemories) add(hits []memory.Hit) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, h := range hits {
		if _, ok := x.texts[h.Memory.UUID]; !ok && len(x.order) < maxShownMemories {
			x.order = append(x.order, h.Memory.UUID)
			x.texts[h.Memory.UUID] = h.Memory.What
		}
	}
}

func (x *shownMemories) list() []string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return append([]string{}, x.order...)
}

// echoes is the similarity from which one text repeats another.
const echoes = 0.9

// echo finds a memory that a text repeats, because a recalled memory is nothing new.
func (x *shownMemories) echo(text string) (uuid string, ok bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, id := range x.order {
		if wording.Similarity(text, x.texts[id]) >= echoes {
			return id, true
		}
	}
	return "", false
}
