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

// needsCorrection is the answer to a correction without changes. A client with a form
// starts from it. It sends Version back with the changes, so that a correction applies
// to the text that the person read.
type needsCorrection struct {
	NeedsCorrection bool      `json:"needsCorrection"`
	UUID            string    `json:"uuid"`
	Version         int       `json:"version"`
	Type            file.Type `json:"type"`
	What            string    `json:"what"`
	Why             string    `json:"why"`
	URI             string    `json:"uri"` // of the memory's file
}

// correction is the second argument of manicule.correctMemory.
type correction struct{ edits }

// correctMemory corrects a memory: the second argument has the right values, and a note
// on what was wrong. Without that argument a client with extensions gets the values to
// start from; other clients get the memory's file.
func correctMemory(ctx context.Context, c *call) (any, error) {
	f, h, err := c.memory(ctx)
	if err != nil {
		return nil, err
	}
	m := h.Memory
	if !c.args.has(1) {
		if !c.env.Client.Capabilities.Extensions {
			c.open(f, h)
			c.env.Client.Info(fmt.Sprintf("Manicule: correct the memory in its file. To keep in its history what was wrong, run in a terminal: manicule edit %s --what \"what is right\" --correct \"what was wrong\"", m.ShortID()))
		}
		return needsCorrection{true, m.UUID, m.Lineage.Version, m.Type, m.What, m.Why, string(f.URI(h.Path))}, nil
	}
	var in correction
	if err := c.args.readChanges(&in); err != nil {
		return nil, err
	}
	if in.Version < 0 {
		return nil, rpc.InvalidParams("%s: version must not be negative", c.args.command)
	}
	res, err := f.Memories.Edits().Correct(ctx, m.UUID, memory.Correction{Change: in.apply, Note: strings.TrimSpace(in.Note), Version: in.Version})
	if err != nil {
		return nil, fmt.Errorf("correct %s: %w", m.UUID, err)
	}
	if res.Accepted {
		c.env.offerLowerTrust(ctx, m.UUID) // like a dispute, a correction says that the memory was wrong
	}
	return c.written(ctx, f, res, in.Quiet), nil
}
