package memory

import (
	"context"
	"fmt"
	"log/slog"
	"manicule/indexer/workspace"
	"manicule/memory/store"
	"path/filepath"
	"time"
)

// Merges finds what git's merges left of memories for a person to decide, and writes into their files who deleted one where
// git only stopped. What a person decides is done by [Decisions.Resolve]. It is safe for concurrent use.
type Merges struct {
	place   *workspace.Workspace
	rows    *store.Memories
	state   *store.State
	git     *Git
	views   *Views
	history *History
	writer  *fileWriter
	get     func(ctx context.Context, id string) (h Hit, quarantined bool, err error) // see [Workspace.GetAny]
	now     func() time.Time
	log     *slog.Logger
}

// Conflicted lists the memories of which a merge kept several versions, by the path
// of their files.
func (g *Merges) Conflicted(ctx context.Context) ([]Hit, error) {
	rows, err := g.rows.Conflicted(ctx)
	if err != nil {
		return nil, fmt.Errorf("list the memories with several versions: %w", err)
	}
	var out []Hit
	for _, r := range rows {
		if m, err := r.Memory(); err == nil && len(m.Conflict) > 0 {
			out = append(out, Hit{Memory: m, Path: filepath.Join(g.place.MemoriesDir(), filepath.FromSlash(r.Path)), Places: r.Places(m)})
		}
	}
	return out, nil
}
