package action

import (
	"context"
	"fmt"

	"go.lsp.dev/protocol"

	"manicule/lsp/feature"
	"manicule/lsp/folder"
	"manicule/lsp/page"
	"manicule/memory"
	"manicule/memory/thread"
)

// undecidedThread returns the shared thread with several versions that the first argument names, and its folder.
func (c *call) undecidedThread(ctx context.Context) (*folder.Folder, thread.Thread, bool) {
	uuid, err := c.args.uuid()
	if err != nil {
		return nil, thread.Thread{}, false // told by who looks for a memory
	}
	for _, f := range c.folders(ctx) {
		if t, ok := f.Threads.UndecidedOf(uuid); ok { // as the file is now
			return f, t, true
		}
	}
	return nil, thread.Thread{}, false
}

// resolveThread ends the conflict of a shared thread. version is that of the thread that the person read; 0 is any.
func (e *Env) resolveThread(ctx context.Context, f *folder.Folder, t *thread.Thread, r memory.Resolution, version int) (any, error) {
	switch {
	case r.Rest != memory.DropRest:
		return e.afterWrite(ctx, f, memory.Result{Reason: "a thread keeps one version."}), nil
	case version != 0 && version != t.Version:
		return e.afterWrite(ctx, f, memory.Result{Reason: "the thread was changed meanwhile. Look at its versions again."}), nil
	}
	if err := f.Threads.Resolve(ctx, *t, r.Version); err != nil {
		return nil, fmt.Errorf("decide between the versions of %s: %w", t.Memory.UUID, err)
	}
	f.OpenThreads.Load(ctx)
	e.Changed()
	return threadAnswer{Accepted: true, UUID: t.Memory.UUID}, nil
}

// askThread answers with the versions of a thread, and asks in a client that has no list of its own.
func (c *call) askThread(f *folder.Folder, t *thread.Thread) any {
	if !c.env.Client.Capabilities.Extensions {
		c.env.Spawn(func(ctx context.Context) {
			chosen, ok := c.env.chooseWay(ctx, t.Memory, "thread", singles(memory.Hit{Memory: t.Memory}))
			if !ok {
				return
			}
			if _, err := c.env.resolveThread(ctx, f, t, chosen.is, 0); err != nil { // refused if it changed meanwhile
				c.env.showError(err)
			}
		})
	}
	return needsResolution{true, t.Memory.UUID, t.Version, true, feature.ThreadVersions(t)}
}

// offerThreadConflicts offers the ways to decide between the versions of the threads in a range, as offerConflicts does.
func offerThreadConflicts(ctx context.Context, p *page.Page, params *protocol.CodeActionParams, out *offers) error {
	list := feature.ThreadsInConflict(ctx, p, params.Range)
	hits := make([]memory.Hit, len(list))
	for i, t := range list {
		hits[i] = memory.Hit{Memory: t.Memory}
	}
	return offerConflicts(hits, singles, params, out)
}

// offerForThreadFile offers the ways to decide about the thread whose file is open.
func offerForThreadFile(f *page.MemoryFile, params *protocol.CodeActionParams, out *offers) error {
	t, ok := feature.UndecidedAt(f)
	if !ok {
		return nil
	}
	return offerThreadConflict(&t, params.Context.Diagnostics, out)
}

func offerThreadConflict(t *thread.Thread, diags []protocol.Diagnostic, out *offers) error {
	h := memory.Hit{Memory: t.Memory}
	return offerWays(h, singles(h), diagnosticsOf(diags, t.Memory.UUID), out)
}
