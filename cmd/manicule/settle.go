package main

import (
	"context"
	"strings"

	"manicule/indexer/anchor"
	"manicule/memory"
	"manicule/memory/follow"
	"manicule/memory/gate"
	"manicule/memory/services"
)

// settleJSON is the shape "settle".
type settleJSON struct {
	UUID    string       `json:"uuid"`
	Act     follow.Act   `json:"act"`
	DryRun  bool         `json:"dry_run"`
	Version int          `json:"version"` // of the memory after it, or before a dry run
	Changes []rebaseJSON `json:"changes"`
}

// rebaseJSON is one anchor's record before and after.
type rebaseJSON struct {
	Number int            `json:"number"`
	Was    *anchor.Anchor `json:"was"` // null for a new one
	Now    anchor.Anchor  `json:"now"`
}

// settle applies a person's decision about a memory's anchors, after a preview.
func (vc *verifyCommand) settle(ctx context.Context, w *services.Workspace, q follow.Request, dry bool) error {
	if q.Act == follow.Reanchor {
		q.At = vc.here(q.At)
	}
	p, err := w.Tracker().Propose(ctx, q)
	if err != nil {
		return err
	}
	out := settleJSON{UUID: p.Memory.UUID, Act: q.Act, DryRun: dry, Version: p.Memory.Lineage.Version, Changes: []rebaseJSON{}}
	for _, c := range p.Changes {
		r := rebaseJSON{Number: c.Index + 1, Now: c.Now}
		if c.Was.Path != "" {
			r.Was = &c.Was
		}
		out.Changes = append(out.Changes, r)
	}
	if !dry {
		r, err := w.Tracker().Apply(ctx, p)
		if err != nil {
			return err
		}
		if !r.Accepted {
			return unchanged(r)
		}
		out.Version = r.Memory.Lineage.Version
	}
	if vc.json {
		vc.printJSON("settle", out)
		return nil
	}
	vc.printSettled(p, out)
	return nil
}

func (vc *verifyCommand) printSettled(p follow.Proposal, out settleJSON) {
	verb := "settled"
	if out.DryRun {
		verb = "would settle"
	}
	vc.printf("☞ %s: %s  %s\n", verb, p.Memory.ShortID(), firstLine(p.Memory.What))
	for _, c := range p.Changes {
		for _, line := range c.Diff() {
			colour := red
			if strings.HasPrefix(line, "+") {
				colour = green
			}
			vc.printf("  %s\n", vc.paint(colour, unbroken(gate.Clean(line))))
		}
	}
	for _, c := range p.Changes {
		if c.Now.Path != "" && (c.Was.TokenHash != c.Now.TokenHash || c.Was.Blob != c.Now.Blob) {
			vc.printf("  the code of %s is recorded as it is now\n", plainPath(anchor.Place{Path: c.Now.Path, Symbol: c.Now.Symbol}.String()))
		}
	}
	for _, c := range p.Changes {
		if name := memory.StillSays(p.Memory, c.Was.Symbol, c.Now.Symbol); name != "" && c.Now.Symbol != "" {
			vc.printf("  its words still say %s: `manicule edit %s`\n", plainLine(name), p.Memory.ShortID())
		}
	}
	for _, r := range p.Rejects {
		vc.printf("  it is not %s\n", plainPath(anchor.Place{Path: r.Path, Symbol: r.Symbol}.String()))
	}
	if len(p.Rejects) > 0 {
		return
	}
	if len(p.Changes) == 0 {
		vc.printf("  its anchors are as they were\n")
	}
	if !out.DryRun {
		vc.printf("  version %d; commit its file to share it\n", out.Version)
	}
}
