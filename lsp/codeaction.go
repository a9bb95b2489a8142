package lsp

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"go.lsp.dev/protocol"

	"manicule/indexer/anchor"
	"manicule/lsp/convert"
	"manicule/memory"
	"manicule/memory/scope"
)

// The kinds of our code actions. Clients ask for a kind by its prefix.
const (
	kindRemember protocol.CodeActionKind = "refactor.manicule.remember"
	kindMemory   protocol.CodeActionKind = "quickfix.manicule"
)

// maxActionMemories is for how many memories at one place the list of actions
// stays readable.
const maxActionMemories = 3

func actionKinds() []protocol.CodeActionKind {
	return []protocol.CodeActionKind{kindRemember, kindMemory}
}

// CodeAction offers to remember something about the code in the range, and
// what can be done with the memories there. Which those are follows from the
// range: some clients send diagnostics of the selection only.
func (s *server) CodeAction(ctx context.Context, p *protocol.CodeActionParams) ([]protocol.CommandOrCodeAction, error) {
	r := s.begin(ctx)
	if !r.settings.CodeActions {
		return nil, nil
	}
	var out []protocol.CommandOrCodeAction
	add := func(title string, kind protocol.CodeActionKind, diags []protocol.Diagnostic, command string, args ...any) error {
		raw, err := rawArgs(args...)
		if err != nil {
			return err
		}
		if !strings.HasPrefix(title, "☞") {
			title = "Manicule: " + title
		}
		out = append(out, r.action(title, kind, diags, command, raw))
		return nil
	}
	if path, ours := memoryFileOf(p); ours && wants(p.Context, kindMemory) {
		err := r.fileActions(ctx, p, path, add)
		return out, err
	}
	pg, ok := r.page(ctx, p.TextDocument.URI)
	if !ok || inOurFolder(pg.rel) {
		return nil, nil
	}
	if wants(p.Context, kindMemory) {
		if err := pg.seenActions(p, add); err != nil {
			return nil, err
		}
		if err := pg.stateActions(ctx, p, add); err != nil {
			return nil, err
		}
		if err := pg.memoryActions(ctx, p, add); err != nil {
			return nil, err
		}
		if err := pg.reviewActions(ctx, p, add); err != nil {
			return nil, err
		}
	}
	// Shown on every line by itself, an offer to write is a nuisance.
	if wants(p.Context, kindRemember) && p.Context.TriggerKind != protocol.CodeActionTriggerKindAutomatic {
		if err := pg.rememberActions(ctx, p.Range, add); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// wants reports whether the client asks for a kind: for all, or for a prefix.
func wants(c protocol.CodeActionContext, kind protocol.CodeActionKind) bool {
	if len(c.Only) == 0 {
		return true
	}
	return slices.ContainsFunc(c.Only, func(only protocol.CodeActionKind) bool {
		return only == "" || only == kind || strings.HasPrefix(string(kind), string(only)+".")
	})
}

// action is a code action, or the bare command for a client that knows no more.
func (r *request) action(title string, kind protocol.CodeActionKind, diags []protocol.Diagnostic, command string, args []protocol.LSPAny) protocol.CommandOrCodeAction {
	cmd := protocol.Command{Title: title, Command: command, Arguments: args}
	if !r.caps.actionLiterals {
		return &cmd
	}
	return &protocol.CodeAction{Title: title, Kind: &kind, Diagnostics: diags, Command: cmd}
}

type addAction func(title string, kind protocol.CodeActionKind, diags []protocol.Diagnostic, command string, args ...any) error

func (p *page) rememberActions(ctx context.Context, rng protocol.Range, add addAction) error {
	start, end := p.doc.Lines.Offsets(rng, p.snap.Encoding)
	first, last := p.doc.Lines.Line(start), p.doc.Lines.Line(end)
	if last > first && end == p.doc.Lines.Start(last) {
		last-- // a selection of whole lines ends before the next one
	}
	remember := func(about, place string) error {
		return add("remember something about "+about, kindRemember, nil, cmdRemember, p.doc.URI, place)
	}
	f, err := p.doc.Parsed(ctx)
	if err != nil {
		p.opts.Log.Warn("parse", "err", err)
	}
	if f != nil {
		if sym, ok := f.At(start); ok {
			if err := remember("this "+sym.Kind+" "+oneLine(sym.Path, 60), p.rel+"#"+f.Named(sym, p.lineOnDisk(p.doc.Lines.Line(sym.Start))+1)); err != nil {
				return err
			}
		}
	}
	about, place := p.linesPlace(first, last)
	if err := remember(about, place); err != nil {
		return err
	}
	if err := remember("this file", p.rel); err != nil {
		return err
	}
	dir := path.Dir(p.rel)
	if dir == "." {
		return nil
	}
	return remember("this folder "+dir+"/", dir+"/")
}

// linesPlace names lines as they are in the file: memories are tied to what is
// on disk, and the edits since may have moved the lines in the editor.
func (p *page) linesPlace(first, last int) (about, place string) {
	from, to := p.lineOnDisk(first)+1, p.lineOnDisk(last)+1
	if last == first || to <= from {
		return "this line", fmt.Sprintf("%s:%d", p.rel, from)
	}
	return "these lines", fmt.Sprintf("%s:%d-%d", p.rel, from, to)
}

// lineOnDisk is where a line of the editor is in the file. The edits lead there;
// where the text is another one (a client that replaces the whole document
// tells little), the one line of that text does.
func (p *page) lineOnDisk(line int) int {
	base, doc := p.doc.Base().Lines, p.doc.Lines
	text := func(l *convert.Lines, n int) string { return strings.TrimSpace(string(l.Text()[l.Start(n):l.End(n)])) }
	at, want := base.Line(p.doc.Original(doc.Start(line))), text(doc, line)
	if text(base, at) == want {
		return at
	}
	found, times := at, 0
	for n := range base.Count() {
		if text(base, n) == want {
			found, times = n, times+1
		}
	}
	if times != 1 {
		return at
	}
	return found
}

// memoryActions are for the memories that the range touches, on the first line
// also for the file's.
func (p *page) memoryActions(ctx context.Context, params *protocol.CodeActionParams, add addAction) error {
	hits := p.touched(ctx, params.Range)
	for _, h := range hits[:min(len(hits), maxActionMemories)] {
		if err := p.actionsFor(h, params.Context.Diagnostics, add); err != nil {
			return err
		}
	}
	return nil
}

// scopeRules are the rules by which scopes match.
func (p *page) scopeRules() scope.Options { return scope.Platform() }

func (p *page) touched(ctx context.Context, rng protocol.Range) []memory.Hit {
	var hits []memory.Hit
	seen := make(map[string]bool)
	keep := func(h memory.Hit) {
		if !seen[h.Memory.UUID] {
			seen[h.Memory.UUID] = true
			hits = append(hits, h)
		}
	}
	for _, m := range p.touchedMarks(ctx, rng) {
		if m.found {
			keep(m.hit)
		}
	}
	if rng.Start.Line == 0 {
		for m := range p.whole().marks(p) {
			keep(m.hit)
		}
	}
	return hits
}

// touchedMarks returns the marks that the range touches; on the first line also
// those that have no other place.
func (p *page) touchedMarks(ctx context.Context, rng protocol.Range) []mark {
	var out []mark
	for _, m := range p.marks(ctx) {
		first, last := p.lines(m.head)
		switch {
		case m.deleted:
		case m.found && m.body.end > 0 && first <= int(rng.End.Line) && int(rng.Start.Line) <= last,
			rng.Start.Line == 0 && (!m.found || m.anchor.Kind == anchor.KindFile):
			out = append(out, m)
		}
	}
	return out
}

func (p *page) actionsFor(h memory.Hit, diags []protocol.Diagnostic, add addAction) error {
	uuid, what := h.Memory.UUID, "“"+oneLine(h.Memory.What, 40)+"”"
	pin, pinTitle := cmdPin, "pin "
	if h.Memory.Pinned {
		pin, pinTitle = cmdUnpin, "unpin "
	}
	about := diagnosticsOf(diags, uuid)
	for _, a := range []struct{ title, command string }{
		{"open " + what, cmdOpen}, {"edit " + what, cmdEdit}, {pinTitle + what, pin},
		{"confirm " + what, cmdConfirm}, {"correct " + what, cmdCorrect}, {"dispute " + what, cmdDispute}, {"forget " + what, cmdForget},
		{"don't show " + what + " here", cmdDismiss},
	} {
		if err := add(a.title, kindMemory, about, a.command, uuid); err != nil {
			return err
		}
	}
	return nil
}

// diagnosticsOf returns those of the client's diagnostics that are about a
// memory.
func diagnosticsOf(diags []protocol.Diagnostic, uuid string) []protocol.Diagnostic {
	var out []protocol.Diagnostic
	for _, d := range diags {
		if from, ok := d.Source.Get(); ok && from == source && strings.Contains(string(d.Data), `"`+uuid+`"`) {
			out = append(out, d)
		}
	}
	return out
}
