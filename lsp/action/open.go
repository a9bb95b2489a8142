package action

import (
	"context"

	"manicule/lsp/folder"
	"manicule/memory"
)

const cmdOpen = "manicule.openMemory"

// opened is the answer of a command that opens a memory's file.
type opened struct {
	UUID string `json:"uuid"`
	URI  string `json:"uri"`
	Path string `json:"path"`
}

func openMemory(ctx context.Context, c *call) (any, error) {
	f, h, err := c.memory(ctx)
	if err != nil {
		return nil, err
	}
	return c.open(f, h), nil
}

func (c *call) open(f *folder.Folder, h memory.Hit) opened {
	o := opened{UUID: h.Memory.UUID, URI: string(f.URI(h.Path)), Path: f.ClientPath(h.Path)}
	c.env.Spawn(func(ctx context.Context) { c.env.show(ctx, o.URI) })
	return o
}
