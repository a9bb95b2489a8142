package backend

import (
	"context"

	"manicule/indexer/workspace"
	"manicule/memory/store"
	"manicule/memory/thread"
)

// wake returns what earlier sessions have left open for one that starts; nothing if briefs
// are off.
func (b *Backend) wake(ctx context.Context, dir, session, agent string) (out thread.Bundle, err error) {
	err = b.observed(ctx, dir, func(o *store.ObserverReader, p *workspace.Workspace) (err error) {
		shared, _ := thread.Shared(p) // a damaged one hides no other; `manicule doctor` names it
		out, err = o.Wake(ctx, func() thread.From { return thread.FromPlace(p, b.Getenv, dir, b.author(dir), agent) }, session, shared, false)
		return err
	}, "hooks.brief")
	return out, err
}
