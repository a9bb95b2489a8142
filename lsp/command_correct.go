package lsp

import (
	"context"
	"fmt"
	"strings"

	"manicule/lsp/rpc"
	"manicule/memory"
	"manicule/memory/file"
)

// needsCorrection is the answer to a correction that says nothing to change: what
// a client that can ask a person starts from. Version goes back with the changes,
// so that nobody corrects what they have not read.
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

// correctMemory puts right what a person found wrong in a memory (V5-UX-20): its
// second argument says what, and as its note what was wrong. Without one a client
// with extensions gets what its form starts from; others get the memory's file.
func (r *request) correctMemory(ctx context.Context, args arguments) (any, error) {
	f, h, err := r.theMemory(ctx, args)
	if err != nil {
		return nil, err
	}
	m := h.Memory
	if !args.has(1) {
		if !r.client.Capabilities.Extensions {
			r.open(f, h)
			r.client.Info(fmt.Sprintf("Manicule: correct it in its file, or in a terminal, where the history keeps what was wrong: manicule edit %s --what \"what is right\" --correct \"what was wrong\"", m.ShortID()))
		}
		return needsCorrection{true, m.UUID, m.Lineage.Version, m.Type, m.What, m.Why, fileURI(f, h)}, nil
	}
	var c correction
	if err := args.read(1, "an object of what to change", &c); err != nil {
		return nil, err
	}
	if c.Version < 0 {
		return nil, rpc.InvalidParams("%s: version must not be negative", args.command)
	}
	res, err := f.Memories.Correct(ctx, m.UUID, memory.Correction{Change: c.apply, Note: strings.TrimSpace(c.Note), Version: c.Version})
	if err != nil {
		return nil, fmt.Errorf("correct %s: %w", m.UUID, err)
	}
	if res.Accepted {
		r.flagged(ctx, m.UUID) // a correction says that it was wrong, as a dispute does
	}
	return r.wrote(ctx, f, res), nil
}
