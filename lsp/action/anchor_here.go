package action

import (
	"context"

	"go.lsp.dev/protocol"

	"manicule/indexer/anchor"
	"manicule/lsp/feature"
	"manicule/lsp/page"
	"manicule/lsp/render"
	"manicule/lsp/rpc"
	"manicule/memory/follow"
)

const cmdAnchorHere = "manicule.anchorMemory"

// anchorMemory anchors a memory to the place in its third argument.
func anchorMemory(ctx context.Context, c *call) (any, error) {
	act := follow.Request{Act: follow.Reanchor}
	if err := c.args.read(2, "a place", &act.At); err != nil {
		return nil, err
	}
	if _, err := anchor.ParsePlace(act.At); err != nil {
		return nil, rpc.InvalidParams("%s: argument 3: %v", c.args.command, err)
	}
	return c.decide(ctx, act)
}

// offerAnchorHere offers to anchor memories of this file to the code at the range:
// those whose anchors are lost, or were followed to a place that may be wrong.
func offerAnchorHere(ctx context.Context, p *page.Page, params *protocol.CodeActionParams, out *offers) error {
	start, end := p.Offsets(params.Range)
	first, last := p.Doc.Lines.Line(start), p.Doc.Lines.Line(end)
	about, place := linesPlace(p, first, last)
	if f := p.Parsed(ctx); f != nil {
		if sym, ok := f.AtCursor(start); ok {
			about, place = "this "+sym.Kind+" "+render.OneLine(sym.Path, 60), p.Rel+"#"+f.DisplayPath(sym, p.SavedLine(p.Doc.Lines.Line(sym.Start))+1)
		}
	}
	n := 0
	for _, m := range p.Marks(ctx) {
		astray := feature.Lost(feature.ConcernOf(m.Resolution)) || feature.Unsure(m.Resolution)
		here := m.Found && m.Body.Start <= start && start < m.Body.End
		if !astray || here || m.Deleted || m.Pasted {
			continue
		}
		if n++; n > maxActionMemories {
			return nil
		}
		diags := diagnosticsOf(params.Context.Diagnostics, m.Hit.Memory.UUID)
		if err := out.add("anchor "+quoted(m.Hit)+" to "+about, kindFix, diags, cmdAnchorHere, m.Hit.Memory.UUID, m.Index, place); err != nil {
			return err
		}
	}
	return nil
}
