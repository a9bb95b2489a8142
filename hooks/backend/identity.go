package backend

import (
	"context"

	"manicule/indexer/workspace"
	"manicule/memory/record"
	"manicule/memory/store"
)

// identity reads what is kept of an agent; nothing if briefs are off.
func (b *Backend) identity(ctx context.Context, dir, agent string) (out []record.Record, err error) {
	err = b.observed(ctx, dir, func(o *store.ObserverReader, _ *workspace.Workspace) (err error) {
		out, err = o.Identity(ctx, agent)
		return err
	}, "hooks.brief")
	return out, err
}
