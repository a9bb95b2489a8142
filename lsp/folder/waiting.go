package folder

import (
	"context"
	"strings"
	"sync"
)

// Waiting is what was last seen of the candidates that wait for a person. It can be used by several goroutines.
type Waiting struct {
	memories Memories

	mu   sync.Mutex
	seen string // guarded by mu
}

// Load looks at them, and reports whether that changed what was seen.
func (w *Waiting) Load(ctx context.Context) (changed bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	list, err := w.memories.Drafts().Candidates(ctx)
	if err != nil {
		return false
	}
	var b strings.Builder
	for _, c := range list {
		b.WriteString(c.Memory.UUID + c.Memory.UpdatedAt.String() + "\n")
	}
	changed = b.String() != w.seen
	w.seen = b.String()
	return changed
}
