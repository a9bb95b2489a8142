package lsp

import (
	"context"

	"go.lsp.dev/protocol"

	"manicule/indexer/anchor"
	"manicule/lsp/render"
	"manicule/lsp/rpc"
	"manicule/memory/follow"
)

const cmdAnchorHere = "manicule.anchorMemory"

// anchorMemory ties an anchor to the place that its third argument names.
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

// offerAnchorHere offers the file's anchors that are lost, or were followed to
// another place that may be wrong, for the code at the range.
func offerAnchorHere(ctx context.Context, p *page, params *protocol.CodeActionParams, out *offers) error {
	start, end := p.Offsets(params.Range)
	first, last := p.doc.Lines.Line(start), p.doc.Lines.Line(end)
	about, place := linesPlace(p, first, last)
	if f := p.Parsed(ctx); f != nil {
		if sym, ok := f.At(start); ok {
			about, place = "this "+sym.Kind+" "+render.OneLine(sym.Path, 60), p.rel+"#"+sym.Path
		}
	}
	n := 0
	for _, m := range p.Marks(ctx) {
		astray := lost(concernOf(m.res)) || unsure(m.res)
		here := m.found && m.body.start <= start && start < m.body.end
		if !astray || here || m.deleted || m.pasted {
			continue
		}
		if n++; n > maxActionMemories {
			return nil
		}
		diags := diagnosticsOf(params.Context.Diagnostics, m.hit.Memory.UUID)
		if err := out.add("anchor "+quoted(m.hit)+" to "+about, kindMemory, diags, cmdAnchorHere, m.hit.Memory.UUID, m.index, place); err != nil {
			return err
		}
	}
	return nil
}
