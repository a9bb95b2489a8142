package action

import (
	"context"
	"fmt"
	"strings"

	"manicule/lsp/rpc"
	"manicule/memory"
	"manicule/memory/file"
)

const cmdCorrect = "manicule.correctMemory"

// needsCorrection is the answer to a correction that says nothing to change: what
// a client that can ask a person starts from. Version goes back with the changes,
// so that a correction is of the text that the person has read.
type needsCorrection struct {
	NeedsCorrection bool      `json:"needsCorrection"`
	UUID            string    `json:"uuid"`
	Version         int       `json:"version"`
	Type            file.Type `json:"type"`
	What            string    `json:"what"`
	Why             string    `json:"why"`
	URI             string    `json:"uri"` // of its own file
}

// correction is the second argument of manicule.correctMemory.
type correction struct {
	edits
	Version int `json:"version"` // that the person had before them; 0 is any
}

// correctMemory puts right what a person found wrong in a memory: its
// second argument says what, and as its note what was wrong. Without one a client
// with extensions gets what its form starts from; others get the memory's file.
func correctMemory(ctx context.Context, c *call) (any, error) {
	f, h, err := c.memory(ctx)
	if err != nil {
		return nil, err
	}
	m := h.Memory
	if !c.args.has(1) {
		if !c.env.Client.Capabilities.Extensions {
			c.open(f, h)
			c.env.Client.Info(fmt.Sprintf("Manicule: correct it in its file, or in a terminal, where the history keeps what was wrong: manicule edit %s --what \"what is right\" --correct \"what was wrong\"", m.ShortID()))
		}
		return needsCorrection{true, m.UUID, m.Lineage.Version, m.Type, m.What, m.Why, string(f.URI(h.Path))}, nil
	}
	var in correction
	if err := c.args.read(1, "an object of what to change", &in); err != nil {
		return nil, err
	}
	if in.Version < 0 {
		return nil, rpc.InvalidParams("%s: version must not be negative", c.args.command)
	}
	res, err := f.Memories.Correct(ctx, m.UUID, memory.Correction{Change: in.apply, Note: strings.TrimSpace(in.Note), Version: in.Version})
	if err != nil {
		return nil, fmt.Errorf("correct %s: %w", m.UUID, err)
	}
	if res.Accepted {
		c.env.flagged(ctx, m.UUID) // a correction says that it was wrong, as a dispute does
	}
	return c.env.wrote(ctx, f, res), nil
}
