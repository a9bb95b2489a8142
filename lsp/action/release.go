package action

import (
	"context"
	"fmt"

	"go.lsp.dev/protocol"

	"manicule/lsp/folder"
	"manicule/lsp/page"
	"manicule/lsp/rpc"
)

const cmdRelease = "manicule.releaseMemory"

// releaseMemory releases a memory from quarantine, or marks one that came with git as
// reviewed.
func releaseMemory(ctx context.Context, c *call) (any, error) {
	uuid, err := c.args.uuid()
	if err != nil {
		return nil, err
	}
	f, ok := c.env.held(ctx, uuid, c.args.file())
	if !ok {
		if f, _, ok = c.env.Folders.Find(ctx, uuid, c.args.file()); !ok {
			return nil, rpc.InvalidParams("there is no memory %q", uuid)
		}
	}
	res, err := f.Memories.Quarantine().Release(ctx, uuid)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.args.command, err)
	}
	return c.env.afterWrite(ctx, f, res), nil
}

// held returns the folder of the memory in quarantine that a uuid names, which is that of path unless path is "".
func (e *Env) held(ctx context.Context, uuid, path string) (*folder.Folder, bool) {
	for _, f := range e.Folders.From(ctx, path) {
		if _, ok, err := f.Memories.Quarantine().Find(ctx, uuid); err == nil && ok {
			return f, true
		}
	}
	return nil, false
}

// offerHeld offers actions on the memory in quarantine whose file is open.
func offerHeld(m *page.MemoryFile, diags []protocol.Diagnostic, out *offers) error {
	for _, pr := range m.Folder.Memories.View().Problems() {
		if pr.Held == "" || m.Folder.ClientPath(pr.Path) != m.Path {
			continue
		}
		if err := out.add("release this memory, so that agents see it as it is", kindFix, diags, cmdRelease, pr.UUID); err != nil {
			return err
		}
		return out.add("forget this memory", kindFix, diags, cmdReject, pr.UUID)
	}
	return nil
}
