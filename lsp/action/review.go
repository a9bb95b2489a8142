package action

import (
	"context"
	"fmt"
	"strings"

	"go.lsp.dev/protocol"

	"manicule/lsp/folder"
	"manicule/lsp/page"
	"manicule/lsp/render"
	"manicule/lsp/settings"
	"manicule/memory"
	"manicule/memory/file"
	"manicule/memory/scope"
)

// offerReview offers to review the candidates about the lines, or on the first line
// about the file.
func offerReview(ctx context.Context, p *page.Page, params *protocol.CodeActionParams, s *settings.Settings, out *offers) error {
	if !s.ReviewActions || p.Rev != "" || params.Context.TriggerKind == protocol.CodeActionTriggerKindAutomatic {
		return nil
	}
	waiting, err := p.Folder.Memories.Candidates(ctx)
	if err != nil {
		return err
	}
	n := 0
	for _, c := range waiting {
		if !concernsRange(ctx, p, c.Memory, params.Range) {
			continue
		}
		if n++; n > maxActionMemories {
			return nil
		}
		what := "candidate “" + render.OneLine(c.Memory.What, 40) + "”"
		for _, a := range []struct{ title, command string }{
			{"Review: accept ", cmdAccept}, {"Review: edit ", cmdEdit}, {"Review: reject ", cmdReject},
		} {
			if err := out.add(a.title+what, kindMemory, nil, a.command, c.Memory.UUID); err != nil {
				return err
			}
		}
	}
	return nil
}

// concernsRange reports whether a candidate is about the lines of a range, or on the
// first line about the file.
func concernsRange(ctx context.Context, p *page.Page, m *file.Memory, rng protocol.Range) bool {
	for _, a := range m.Anchors {
		if a.Path != p.Rel {
			continue
		}
		at := page.ResolveAnchor(ctx, p.Doc, a)
		if !at.Found || at.Body.End == 0 {
			continue
		}
		if first, last := p.LinesOf(at.Head); first <= int(rng.End.Line) && int(rng.Start.Line) <= last {
			return true
		}
	}
	return rng.Start.Line == 0 && memory.MatchPath(m, nil, p.Rel, false, scope.Platform()) >= memory.MatchScope
}

// The answers to OfferReview's question.
const (
	titleReview = "Review"
	titleLater  = "Later"
)

// quietTrustLevel is the trust level from which OfferReview does not ask.
const quietTrustLevel = 4

// OfferReview asks whether to look at what a session taught. It does not ask if the
// session taught nothing.
func (e *Env) OfferReview(ctx context.Context, f *folder.Folder, ended folder.SessionEvent) {
	if ended.Learned == 0 || e.Folders.TrustLevel(ctx) >= quietTrustLevel {
		return
	}
	question := fmt.Sprintf("Manicule: the %s session used %s and suggests %s to remember.", ended.Agent, render.Memories(ended.Used), render.Plural(ended.Learned, "thing"))
	if e.Client.Choose(ctx, question, titleReview, titleLater) != titleReview {
		return
	}
	list, err := f.Memories.Candidates(ctx)
	if err != nil {
		e.Log.Warn("list candidates for review", "root", f.Root, "err", err)
		return
	}
	var b strings.Builder
	b.WriteString("Manicule, to review:")
	for _, c := range list[:min(len(list), maxTitles)] {
		fmt.Fprintf(&b, "\n%s: %s (%s)", c.Memory.Type.Label(), render.OneLine(c.Memory.What, 120), c.Memory.UUID)
	}
	if n := len(list) - maxTitles; n > 0 {
		fmt.Fprintf(&b, "\n… %d more", n)
	}
	fmt.Fprintf(&b, "\nRun %s or %s with the id, or `manicule review` in a terminal.", cmdAccept, cmdReject)
	e.Client.Info(b.String())
}
