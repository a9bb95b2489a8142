package lsp

import (
	"context"
	"strings"

	"go.lsp.dev/protocol"

	"manicule/indexer/anchor"
	"manicule/lsp/convert"
)

// decision is what a person can say about the state of an anchor, as a command
// with the memory's uuid and the anchor's index as arguments.
type decision struct {
	command string
	label   string // in a hover
	title   string // of a code action, with the memory's text between it and more
	more    string
}

// decisions returns those that make sense in the mark's state, the likeliest
// first.
func (m mark) decisions() []decision {
	still := decision{command: cmdStillTrue, label: "still true", title: "still true: "}
	reject := decision{command: cmdRejectPlace, label: "not this code", title: "not this code: "}
	away := []decision{
		{command: cmdDetach, label: "detach", title: "detach ", more: " to the file"},
		{command: cmdArchive, label: "archive", title: "archive ", more: " (restorable for 30 days)"},
	}
	switch {
	case m.arrived: // nothing is kept of it yet
		return nil
	case m.res.State == anchor.Orphaned && m.res.Suggestion != nil:
		follow := decision{command: cmdFollow, label: "follow…", title: "follow ", more: " to " + oneLine(suggestedPlace(m.res.Suggestion), 60) + "…"}
		return append([]decision{follow, reject}, away...)
	case m.res.State == anchor.Orphaned:
		return away
	case m.res.State == anchor.Followed && unsure(m.res):
		return append([]decision{still, reject}, away...)
	case m.res.State == anchor.Followed:
		return []decision{still, reject}
	case doubtful(m.res), unsure(m.res):
		return append([]decision{still}, away...)
	default:
		return nil
	}
}

// stateActions are the decisions about the anchors that the range touches, and
// to anchor a lost one of this file at the range.
func (p *page) stateActions(ctx context.Context, params *protocol.CodeActionParams, add addAction) error {
	if p.folder.tracker == nil || p.rev != "" {
		return nil
	}
	n := 0
	for _, m := range p.touchedMarks(ctx, params.Range) {
		list := m.decisions()
		if len(list) == 0 {
			continue
		}
		if n++; n > maxActionMemories {
			return nil
		}
		if err := addDecisions(m, list, params.Context.Diagnostics, add); err != nil {
			return err
		}
	}
	if params.Context.TriggerKind == protocol.CodeActionTriggerKindAutomatic {
		return nil
	}
	return p.anchorHereActions(ctx, params, add)
}

func addDecisions(m mark, list []decision, diags []protocol.Diagnostic, add addAction) error {
	about := diagnosticsOf(diags, m.hit.Memory.UUID)
	for _, d := range list {
		title := d.title + quotedText(m) + d.more
		if err := add(title, kindMemory, about, d.command, m.hit.Memory.UUID, m.index); err != nil {
			return err
		}
	}
	return nil
}

func quotedText(m mark) string { return "“" + oneLine(m.hit.Memory.What, 40) + "”" }

// anchorHereActions offer the file's anchors that are lost, or were followed to
// another place that may be wrong, for the code at the range.
func (p *page) anchorHereActions(ctx context.Context, params *protocol.CodeActionParams, add addAction) error {
	start, end := p.doc.Lines.Offsets(params.Range, p.snap.Encoding)
	first, last := p.doc.Lines.Line(start), p.doc.Lines.Line(end)
	about, place := p.linesPlace(first, last)
	if f := p.parsed(ctx, p.doc); f != nil {
		if sym, ok := f.At(start); ok {
			about, place = "this "+sym.Kind+" "+oneLine(sym.Path, 60), p.rel+"#"+f.Named(sym, p.lineOnDisk(p.doc.Lines.Line(sym.Start))+1)
		}
	}
	n := 0
	for _, m := range p.marks(ctx) {
		astray := lost(concernOf(m.res)) || unsure(m.res)
		here := m.found && m.body.start <= start && start < m.body.end
		if !astray || here || m.deleted || m.arrived {
			continue
		}
		if n++; n > maxActionMemories {
			return nil
		}
		diags := diagnosticsOf(params.Context.Diagnostics, m.hit.Memory.UUID)
		if err := add("anchor "+quotedText(m)+" to "+about, kindMemory, diags, cmdAnchorHere, m.hit.Memory.UUID, m.index, place); err != nil {
			return err
		}
	}
	return nil
}

// fileActions are for the anchors of a memory's own file that the range touches.
func (r *request) fileActions(ctx context.Context, params *protocol.CodeActionParams, path string, add addAction) error {
	f, _, ok := r.folders.owner(ctx, path)
	if !ok {
		return nil
	}
	if err := r.heldActions(f, path, params.Context.Diagnostics, add); err != nil || f.tracker == nil {
		return err
	}
	h, ok := f.memoryAt(path)
	if !ok {
		return nil
	}
	doc, err := r.snap.Read(ctx, params.TextDocument.URI)
	if err != nil {
		return nil // nothing is said about a file that is gone
	}
	start, end := doc.Lines.Offsets(params.Range, r.snap.Encoding)
	for _, at := range f.anchorsIn(doc, h) {
		if at.span.end < start || end < at.span.start {
			continue
		}
		m := mark{hit: h, index: at.Index, anchor: at.Anchor, res: resolutionAt(at.Place)}
		if err := addDecisions(m, m.decisions(), params.Context.Diagnostics, add); err != nil {
			return err
		}
	}
	return nil
}

// memoryFileOf returns the path of a memory's own file.
func memoryFileOf(p *protocol.CodeActionParams) (string, bool) {
	path, ok := convert.PathFrom(p.TextDocument.URI)
	return path, ok && isMemoryFile(path)
}

// inOurFolder reports whether a file is one of ours, which nothing is remembered
// about.
func inOurFolder(rel string) bool {
	return rel == ".manicule" || strings.HasPrefix(rel, ".manicule/")
}
