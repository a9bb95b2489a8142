package action

import (
	"context"
	"slices"
	"strings"

	"go.lsp.dev/protocol"

	"manicule/lsp/feature"
	"manicule/lsp/folder"
	"manicule/lsp/page"
	"manicule/lsp/render"
	"manicule/lsp/session"
	"manicule/lsp/settings"
	"manicule/memory"
)

// The kinds of our code actions. Clients ask for a kind by its prefix. What can be done with a memory is
// no quick fix: nothing in it fixes the code.
const (
	kindRemember protocol.CodeActionKind = "refactor.manicule.remember"
	kindActs     protocol.CodeActionKind = "refactor.manicule.memory"
	kindFix      protocol.CodeActionKind = "quickfix.manicule"
)

// maxActionMemories is how many memories at one place get code actions of their own.
// With more the list would be too long to read.
const maxActionMemories = 3

// Kinds returns the kinds of the code actions.
func Kinds() []protocol.CodeActionKind {
	return []protocol.CodeActionKind{kindRemember, kindActs, kindFix}
}

// AsksWhatToRemember reports whether a request is not for a light bulb: an extension asks in this way what a new memory may be
// about, for its own command.
func AsksWhatToRemember(c protocol.CodeActionContext) bool {
	return len(c.Only) == 1 && c.Only[0] == kindRemember
}

// OfferOptions are what offers depend on besides the document.
type OfferOptions struct {
	Settings *settings.Settings
	Literals bool // the client supports code action literals, else commands
	Menus    bool // the client or its person can pick from a menu, else each act is an offer of its own
}

// offers collects code actions.
type offers struct {
	literals bool
	menus    bool
	list     []protocol.CommandOrCodeAction
}

// add adds a command. diags are the diagnostics that it concerns.
func (o *offers) add(title string, kind protocol.CodeActionKind, diags []protocol.Diagnostic, command string, args ...any) error {
	raw, err := feature.RawArgs(args...)
	if err != nil {
		return err
	}
	if !strings.HasPrefix(title, "☞") {
		title = "Manicule: " + title
	}
	cmd := protocol.Command{Title: title, Command: command, Arguments: raw}
	if !o.literals {
		o.list = append(o.list, &cmd)
		return nil
	}
	o.list = append(o.list, &protocol.CodeAction{Title: title, Kind: &kind, Diagnostics: diags, Command: cmd})
	return nil
}

// Offers returns the code actions for a range: to remember something about its code,
// and what can be done with its memories. The range decides which memories: some
// clients send only the diagnostics of the selection.
func Offers(ctx context.Context, pages *page.Cache, snap *session.Snapshot, params *protocol.CodeActionParams, o OfferOptions) ([]protocol.CommandOrCodeAction, error) {
	out := &offers{literals: o.Literals, menus: o.Menus}
	if m, ok := pages.OpenMemoryFile(ctx, snap, params.TextDocument.URI); ok && wantsKind(params.Context, kindFix) {
		err := offerForFile(m, params, out)
		return out.list, err
	}
	if m, ok := pages.OpenThreadFile(ctx, snap, params.TextDocument.URI); ok && wantsKind(params.Context, kindFix) {
		err := offerForThreadFile(m, params, out)
		return out.list, err
	}
	p, ok := pages.Open(ctx, snap, params.TextDocument.URI)
	if !ok || isManiculeFile(p.Rel) {
		return nil, nil
	}
	if wantsKind(params.Context, kindFix) {
		if err := offerFixes(ctx, p, params, o.Settings, out); err != nil {
			return nil, err
		}
	}
	if wantsKind(params.Context, kindActs) {
		if err := offerActs(ctx, p, params, o.Settings, out); err != nil {
			return nil, err
		}
	}
	// An unasked-for offer to write on every line is a nuisance.
	if wantsKind(params.Context, kindRemember) && params.Context.TriggerKind != protocol.CodeActionTriggerKindAutomatic {
		offer := offerRemember
		if p.Rev != "" {
			offer = func(ctx context.Context, p *page.Page, rng protocol.Range, out *offers) error {
				return offerRememberToday(ctx, pages, snap, p, rng, out)
			}
		}
		if err := offer(ctx, p, params.Range, out); err != nil {
			return nil, err
		}
	}
	return out.list, nil
}

// offerFixes offers what mends a problem: the remedy for an error that was seen before, decisions about
// anchors, and the versions of a memory in conflict.
func offerFixes(ctx context.Context, p *page.Page, params *protocol.CodeActionParams, s *settings.Settings, out *offers) error {
	if err := offerSeenBefore(p, params, s, out); err != nil {
		return err
	}
	if err := offerDecisions(ctx, p, params, out); err != nil {
		return err
	}
	if err := offerThreadConflicts(ctx, p, params, out); err != nil {
		return err
	}
	hits := p.HitsIn(ctx, params.Range)
	if err := offerRelations(p, hits[:min(len(hits), maxActionMemories)], params, out); err != nil {
		return err
	}
	return offerConflicts(slices.DeleteFunc(slices.Clone(hits), decided), resolutions, params, out)
}

// offerActs offers what can be done with the memories and candidates of a range, the most specific first.
func offerActs(ctx context.Context, p *page.Page, params *protocol.CodeActionParams, s *settings.Settings, out *offers) error {
	hits := p.HitsIn(ctx, params.Range)
	if out.menus {
		if err := offerMenus(params, hits, out); err != nil {
			return err
		}
		return offerReview(ctx, p, params, s, out)
	}
	for _, h := range hits[:min(len(hits), maxActionMemories)] {
		if err := offerEachAct(p.Folder, h, out); err != nil {
			return err
		}
	}
	return offerReview(ctx, p, params, s, out)
}

// offerEachAct offers the commands that apply to a memory.
func offerEachAct(f *folder.Folder, h memory.Hit, out *offers) error {
	for _, a := range commands() {
		if a.offer.title == "" || !a.offer.applies(f, h) {
			continue
		}
		title := a.offer.title + quoted(h) + a.offer.after
		if err := out.add(title, kindActs, nil, a.name, h.Memory.UUID); err != nil {
			return err
		}
	}
	return nil
}

// quoted returns a memory's text for a title.
func quoted(h memory.Hit) string { return "“" + render.OneLine(h.Memory.What, 40) + "”" }

// wantsKind reports whether the client asks for a kind of action: for all, or for a
// prefix.
func wantsKind(c protocol.CodeActionContext, kind protocol.CodeActionKind) bool {
	if len(c.Only) == 0 {
		return true
	}
	return slices.ContainsFunc(c.Only, func(only protocol.CodeActionKind) bool {
		return only == "" || only == kind || strings.HasPrefix(string(kind), string(only)+".")
	})
}

// offerForFile offers actions on the memory whose own file is open: on its quarantine, on
// its versions, and on the anchors that the range touches.
func offerForFile(m *page.MemoryFile, params *protocol.CodeActionParams, out *offers) error {
	if m.Folder == nil {
		return nil
	}
	if err := offerHeld(m, params.Context.Diagnostics, out); err != nil {
		return err
	}
	h, ok := m.Memory()
	if !ok {
		return nil
	}
	if err := offerResolutions(h, diagnosticsOf(params.Context.Diagnostics, h.Memory.UUID), out); err != nil {
		return err
	}
	start, end := m.Offsets(params.Range)
	for _, at := range m.Anchors() {
		if at.Span.End < start || end < at.Span.Start {
			continue
		}
		x := page.Mark{Hit: h, Index: at.Index, Anchor: at.Anchor, Resolution: page.ResolutionOf(at.Place)}
		if err := addDecisions(x, decisions(&x), params.Context.Diagnostics, out); err != nil {
			return err
		}
	}
	return nil
}

// diagnosticsOf returns the client's diagnostics that concern a memory.
func diagnosticsOf(diags []protocol.Diagnostic, uuid string) []protocol.Diagnostic {
	var out []protocol.Diagnostic
	for _, d := range diags {
		if from, ok := d.Source.Get(); ok && from == feature.Source && strings.Contains(string(d.Data), `"`+uuid+`"`) {
			out = append(out, d)
		}
	}
	return out
}
