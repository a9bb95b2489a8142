package action

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"go.lsp.dev/protocol"

	"manicule/lsp/folder"
	"manicule/lsp/page"
	"manicule/lsp/render"
	"manicule/lsp/settings"
	"manicule/memory"
	"manicule/memory/file"
	"manicule/memory/scope"
	"manicule/memory/trust"
)

// offerReview offers to review the candidates about the lines, or on the first line
// about the file.
func offerReview(ctx context.Context, p *page.Page, params *protocol.CodeActionParams, s *settings.Settings, out *offers) error {
	if !s.ReviewActions || p.Rev != "" || params.Context.TriggerKind == protocol.CodeActionTriggerKindAutomatic {
		return nil
	}
	waiting, err := p.Folder.Memories.Drafts().Candidates(ctx)
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
		what := "draft “" + render.OneLine(c.Memory.What, 40) + "”"
		if out.menus {
			if err := out.add("review "+what+" …", kindActs, nil, cmdMenu, c.Memory.UUID); err != nil {
				return err
			}
			continue
		}
		for _, a := range []struct{ title, command string }{
			{"Review: accept ", cmdAccept}, {"Review: edit ", cmdEdit}, {"Review: reject ", cmdReject},
		} {
			if err := out.add(a.title+what, kindActs, nil, a.command, c.Memory.UUID); err != nil {
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
		if !at.Found || at.Body.End == 0 || !p.Holds(at.Name.Start) {
			continue
		}
		if first, last := p.LinesOf(at.Head); first <= int(rng.End.Line) && int(rng.Start.Line) <= last {
			return true
		}
	}
	return rng.Start.Line == 0 && p.ShowsFile() && memory.MatchPath(m, nil, p.Rel, false, scope.Platform()) >= memory.MatchScope
}

// The answers to OfferReview's question.
const (
	titleReview    = "Review"
	titleAcceptAll = "Accept all"
	titleLater     = "Later"
)

const cmdAcceptSession = "manicule.acceptSession"

// Taught returns the candidates of a session that wait, and how many of them need a look before
// they are accepted.
func Taught(ctx context.Context, f *folder.Folder, session string) (list []memory.Candidate, needLook int, err error) {
	if f.Sessions == nil {
		return nil, 0, nil
	}
	sum, ok, err := f.Sessions.Summary(ctx, session)
	if err != nil || !ok {
		return nil, 0, err
	}
	waiting, err := f.Memories.Drafts().Candidates(ctx)
	if err != nil {
		return nil, 0, err
	}
	for _, c := range waiting {
		if !slices.Contains(sum.Learned, c.Memory.UUID) {
			continue
		}
		list = append(list, c)
		if c.NeedsLook() {
			needLook++
		}
	}
	return list, needLook, nil
}

// sessionAccepted is the answer of manicule.acceptSession.
type sessionAccepted struct {
	Accepted int `json:"accepted"`
	Left     int `json:"left"` // they need a look, or could not be accepted
}

// acceptSession accepts what a session taught, but for what needs a look.
func acceptSession(ctx context.Context, c *call) (any, error) {
	var session string
	if err := c.args.read(0, "the id of a session", &session); err != nil {
		return nil, err
	}
	var done sessionAccepted
	for _, f := range c.env.Folders.All(ctx) {
		list, _, err := Taught(ctx, f, session)
		if err == nil && len(list) > 0 {
			err = c.env.acceptAll(ctx, f, list, &done)
		}
		if err != nil {
			return nil, err
		}
	}
	return done, nil
}

// acceptAll accepts the candidates of a list that need no look. One that somebody else decided
// meanwhile is skipped, and what can't be accepted is left.
func (e *Env) acceptAll(ctx context.Context, f *folder.Folder, list []memory.Candidate, done *sessionAccepted) error {
	defer func() {
		f.Waiting.Load(ctx)
		e.ListsChanged()
	}()
	var errs []error
	for _, c := range list {
		if c.NeedsLook() {
			done.Left++
			continue
		}
		res, err := f.Memories.Decisions().Accept(ctx, c.Memory.UUID)
		switch {
		case errors.Is(err, memory.ErrNotFound):
		case err != nil:
			errs = append(errs, fmt.Errorf("accept %s: %w", c.Memory.UUID, err))
			done.Left++
		case res.Accepted:
			done.Accepted++
		default:
			done.Left++
		}
	}
	return errors.Join(errs...)
}

// stillAsShown returns the candidates that are as they were when the person was asked: an agent may
// have changed its draft since, and nobody has agreed to that.
func stillAsShown(shown, now []memory.Candidate) []memory.Candidate {
	return slices.DeleteFunc(now, func(c memory.Candidate) bool {
		return !slices.ContainsFunc(shown, func(s memory.Candidate) bool { return reflect.DeepEqual(s.Memory, c.Memory) })
	})
}

// OfferReview asks about what a session taught, in the way of the folder's trust level.
func (e *Env) OfferReview(ctx context.Context, f *folder.Folder, ended folder.SessionEvent) {
	asks := f.Asks(ctx)
	if ended.Learned == 0 || asks == trust.None {
		return
	}
	list, needLook, err := Taught(ctx, f, ended.Session)
	if err != nil {
		e.Log.Warn("list candidates for review", "root", f.Root, "err", err)
		return
	}
	told := "" // most of them it was only told the number of
	if ended.Used > 0 {
		told = "was told of " + render.Memories(ended.Used) + " and "
	}
	question := fmt.Sprintf("Manicule: the %s session %ssuggests %s to remember.", ended.Agent, told, render.Plural(ended.Learned, "thing"))
	var titles []string
	switch {
	case asks == trust.Needed && needLook == 0:
		return
	case asks == trust.Needed:
		question = fmt.Sprintf("Manicule: %s that the %s session suggests to remember should be read before it is accepted.", render.Plural(needLook, "thing"), ended.Agent)
	case asks == trust.All && len(list) > needLook:
		titles = append(titles, titleAcceptAll)
		if needLook > 0 {
			question += fmt.Sprintf(" Of these, %d should be read first.", needLook)
		}
	}
	question = strings.TrimSpace(question + " " + ended.Balance.Sentence())
	switch e.Client.Choose(ctx, question, append(titles, titleReview, titleLater)...) {
	case titleAcceptAll:
		var done sessionAccepted
		now, _, err := Taught(ctx, f, ended.Session)
		if err == nil {
			err = e.acceptAll(ctx, f, stillAsShown(list, now), &done)
		}
		if err != nil {
			e.showError(err)
			return
		}
		done.Left += max(0, len(now)-done.Accepted-done.Left)
		text := fmt.Sprintf("Manicule: %s accepted.", render.Memories(done.Accepted))
		if done.Left > 0 {
			text += fmt.Sprintf(" %d wait for a look.", done.Left)
		}
		e.Client.Info(text)
	case titleReview:
		e.listCandidates(ctx, f, asks)
	}
}

// listCandidates shows what waits, and how to decide.
func (e *Env) listCandidates(ctx context.Context, f *folder.Folder, asks trust.Asks) {
	list, err := f.Memories.Drafts().Candidates(ctx)
	if err != nil {
		e.Log.Warn("list candidates for review", "root", f.Root, "err", err)
		return
	}
	if asks == trust.Needed {
		list = slices.DeleteFunc(list, func(c memory.Candidate) bool { return !c.NeedsLook() })
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
