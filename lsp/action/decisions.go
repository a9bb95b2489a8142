package action

import (
	"context"
	"fmt"

	"go.lsp.dev/protocol"

	"manicule/indexer/anchor"
	"manicule/lsp/feature"
	"manicule/lsp/folder"
	"manicule/lsp/page"
	"manicule/lsp/rpc"
	"manicule/memory"
	"manicule/memory/follow"
)

// The commands about an anchor take the memory's uuid and the anchor's index, from 0.
// The index may be left out if there is only one anchor.

// decision is what a person can decide about the state of an anchor. Its command takes
// the memory's uuid and the anchor's index.
type decision struct {
	command string
	label   string // in a hover
	title   string // of a code action, with the memory's text between it and more
	more    string
}

// decisions returns the decisions that make sense in the mark's state, the likeliest
// first.
func decisions(m *page.Mark) []decision {
	still, reject, away := stillTrueDecision(), rejectDecision(), []decision{detachDecision(), archiveDecision()}
	switch {
	case m.Pasted: // wait until both files are saved
		return nil
	case m.Resolution.State == anchor.Orphaned && m.Resolution.Suggestion != nil:
		return append([]decision{followDecision(m), reject}, away...)
	case m.Resolution.State == anchor.Orphaned:
		return away
	case m.Resolution.State == anchor.Followed && feature.Unsure(m.Resolution):
		return append([]decision{still, reject}, away...)
	case m.Resolution.State == anchor.Followed:
		return []decision{still, reject}
	case feature.Doubtful(m.Resolution), feature.Unsure(m.Resolution):
		return append([]decision{still}, away...)
	default:
		return nil
	}
}

// offerDecisions offers decisions about the anchors that the range touches, and offers
// to anchor a lost one at the range.
func offerDecisions(ctx context.Context, p *page.Page, params *protocol.CodeActionParams, out *offers) error {
	if p.Folder.Tracker == nil || p.Rev != "" {
		return nil
	}
	n := 0
	for _, m := range p.MarksIn(ctx, params.Range) {
		list := decisions(&m)
		if len(list) == 0 {
			continue
		}
		if n++; n > maxActionMemories {
			return nil
		}
		if err := addDecisions(m, list, params.Context.Diagnostics, out); err != nil {
			return err
		}
	}
	if params.Context.TriggerKind == protocol.CodeActionTriggerKindAutomatic {
		return nil
	}
	return offerAnchorHere(ctx, p, params, out)
}

func addDecisions(m page.Mark, list []decision, diags []protocol.Diagnostic, out *offers) error {
	about := diagnosticsOf(diags, m.Hit.Memory.UUID)
	for _, d := range list {
		title := d.title + quoted(m.Hit) + d.more
		if err := out.add(title, kindFix, about, d.command, m.Hit.Memory.UUID, m.Index); err != nil {
			return err
		}
	}
	return nil
}

// decisionLinks returns a hover's links about the state of an anchor.
func decisionLinks(m *page.Mark) []feature.Link {
	var out []feature.Link
	for _, d := range decisions(m) {
		out = append(out, feature.Link{Label: d.label, Command: d.command, Args: []any{m.Hit.Memory.UUID, m.Index}})
	}
	return out
}

// decide proposes and applies at once: the person is looking at the code.
func (c *call) decide(ctx context.Context, act follow.Request) (any, error) {
	f, p, err := c.propose(ctx, act)
	if err != nil {
		return nil, err
	}
	return c.apply(ctx, f, p)
}

// propose asks the tracker for the next version of the anchor that the arguments name.
func (c *call) propose(ctx context.Context, act follow.Request) (*folder.Folder, follow.Proposal, error) {
	f, h, err := c.memory(ctx)
	if err != nil {
		return nil, follow.Proposal{}, err
	}
	if f.Tracker == nil {
		return nil, follow.Proposal{}, rpc.Failed(folder.ErrNoTracker)
	}
	n := len(h.Memory.Anchors)
	if !c.args.has(1) && n != 1 {
		return nil, follow.Proposal{}, rpc.InvalidParams("%s needs the index of an anchor as its second argument: this memory has %d", c.args.command, n)
	}
	if err := c.args.read(1, "the index of an anchor", &act.Index); err != nil {
		return nil, follow.Proposal{}, err
	}
	if act.Index < 0 || act.Index >= n {
		return nil, follow.Proposal{}, rpc.InvalidParams("%s: this memory has no anchor %d; it has %d, counted from 0", c.args.command, act.Index, n)
	}
	act.Memory = h.Memory.UUID
	p, err := f.Tracker.Propose(ctx, act)
	if err != nil {
		return nil, follow.Proposal{}, rpc.Failed(c.env.withHint(err))
	}
	return f, p, nil
}

func (c *call) apply(ctx context.Context, f *folder.Folder, p follow.Proposal) (memory.Result, error) {
	res, err := f.Tracker.Apply(ctx, p)
	if err != nil {
		return res, fmt.Errorf("%s: %w", c.args.command, err)
	}
	res = c.env.afterWrite(ctx, f, res)
	f.Anchors.PlacesChanged()
	f.Anchors.RefreshSoon()
	return res, nil
}
