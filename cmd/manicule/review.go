package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"manicule/memory"
	"manicule/memory/file"
	"manicule/memory/gate"
	"manicule/memory/services"
	"manicule/memory/store"
	"manicule/memory/units"
)

// reviewer is shared by the commands that judge memories.
type reviewer struct{ *cli }

// reviewCommand is `manicule review`.
type reviewCommand struct {
	reviewer
	accepted, rejected []string
	reason             string
}

func newReviewCommand(shared *cli) *cobra.Command {
	rc := &reviewCommand{reviewer: reviewer{shared}}
	c := &cobra.Command{
		Use:   "review",
		Short: "Review agents' drafts, learned candidates, and memories in quarantine",
		Long: "Review drafts, which agents propose, and candidates, which Manicule learned from their\n" +
			"sessions. A terminal shows them one by one; otherwise they are listed. Agents only see\n" +
			"accepted memories. Rejected ones are not proposed again. Memories in quarantine come first:\n" +
			"their files hold a secret or read like orders to an agent.",
		Example: "  manicule review\n  manicule review accept 5b0d9a12\n  manicule review reject 5b0d9a13 --reason \"not true since v2\"",
		Args:    cobra.NoArgs,
		RunE:    rc.run,
	}
	c.Flags().StringSliceVar(&rc.accepted, "accept", nil, "ids to accept")
	c.Flags().StringSliceVar(&rc.rejected, "reject", nil, "ids to reject")
	c.Flags().StringVar(&rc.reason, "reason", "", "why they are rejected")
	hide(c, "accept", "reject", "reason") // the subcommands of these names are the way
	c.AddCommand(newReviewListCommand(shared), newReviewAcceptCommand(shared), newReviewRejectCommand(shared), newReviewEditCommand(shared), newReviewReleaseCommand(shared))
	return c
}

func (rc *reviewCommand) run(cmd *cobra.Command, _ []string) error {
	return rc.with(cmd.Context(), func(w *services.Workspace) error {
		if len(rc.accepted)+len(rc.rejected) > 0 {
			if err := rc.requirePerson("judge"); err != nil {
				return err
			}
			return rc.decide(cmd, w, rc.accepted, rc.rejected, rc.reason)
		}
		return rc.review(cmd, w, true, listLimit)
	})
}

// reviewListCommand is `manicule review list`.
type reviewListCommand struct {
	reviewer
	limit int
}

func newReviewListCommand(shared *cli) *cobra.Command {
	rlc := &reviewListCommand{reviewer: reviewer{shared}}
	c := &cobra.Command{
		Use:   "list",
		Short: "List what waits for review",
		Args:  cobra.NoArgs,
		RunE:  rlc.run,
	}
	limitFlag(c, &rlc.limit)
	return c
}

func (rlc *reviewListCommand) run(cmd *cobra.Command, _ []string) error {
	return rlc.with(cmd.Context(), func(w *services.Workspace) error { return rlc.review(cmd, w, false, rlc.limit) })
}

// reviewAcceptCommand is `manicule review accept`.
type reviewAcceptCommand struct {
	reviewer
}

func newReviewAcceptCommand(shared *cli) *cobra.Command {
	rac := &reviewAcceptCommand{reviewer: reviewer{shared}}
	return &cobra.Command{
		Use:               "accept ID...",
		Short:             "Accept drafts as memories, on your responsibility",
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: rac.completeDrafts,
		RunE:              rac.run,
	}
}

func (rac *reviewAcceptCommand) run(cmd *cobra.Command, args []string) error {
	if err := rac.requirePerson("judge"); err != nil {
		return err
	}
	return rac.with(cmd.Context(), func(w *services.Workspace) error { return rac.decide(cmd, w, args, nil, "") })
}

// reviewRejectCommand is `manicule review reject`.
type reviewRejectCommand struct {
	reviewer
	reason string
}

func newReviewRejectCommand(shared *cli) *cobra.Command {
	rrc := &reviewRejectCommand{reviewer: reviewer{shared}}
	c := &cobra.Command{
		Use:               "reject ID...",
		Short:             "Reject drafts; they are not proposed again",
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: rrc.completeDrafts,
		RunE:              rrc.run,
	}
	c.Flags().StringVar(&rrc.reason, "reason", "", "why they are rejected")
	return c
}

func (rrc *reviewRejectCommand) run(cmd *cobra.Command, args []string) error {
	if err := rrc.requirePerson("judge"); err != nil {
		return err
	}
	return rrc.with(cmd.Context(), func(w *services.Workspace) error { return rrc.decide(cmd, w, nil, args, rrc.reason) })
}

// reviewEditCommand is `manicule review edit`.
type reviewEditCommand struct {
	reviewer
	edits edits
}

func newReviewEditCommand(shared *cli) *cobra.Command {
	rec := &reviewEditCommand{reviewer: reviewer{shared}}
	c := &cobra.Command{
		Use:               "edit ID",
		Short:             "Change a draft before you accept or reject it",
		Long:              "Change a draft before you accept or reject it. Without flags your editor opens its text.",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: rec.completeDrafts,
		RunE:              rec.run,
	}
	f := c.Flags()
	f.StringVar(&rec.edits.what, "what", "", "the new text")
	f.StringVar(&rec.edits.why, "why", "", "the new reason")
	f.StringVar(&rec.edits.kind, "type", "", "another type")
	f.StringArrayVar(&rec.edits.scope, "scope", nil, "other globs; \"project\" for the whole project")
	complete(c, "type", toStrings(file.Types()))
	return c
}

func (rec *reviewEditCommand) run(cmd *cobra.Command, args []string) error {
	if err := rec.requirePerson("change"); err != nil {
		return err
	}
	return rec.with(cmd.Context(), func(w *services.Workspace) error {
		r, err := rec.editDraft(cmd, w, args[0], rec.edits)
		if err != nil {
			return err
		}
		return rec.report(cmd.Context(), w, r, "changed")
	})
}

func (rec *reviewEditCommand) editDraft(cmd *cobra.Command, w *services.Workspace, id string, e edits) (memory.Result, error) {
	if len(flagsGiven(cmd)) == 0 {
		return rec.editInEditor(cmd, w, id)
	}
	flags := cmd.Flags()
	r, err := w.Drafts().Edit(cmd.Context(), id, func(m *file.Memory) error {
		if err := e.words(flags, m); err != nil {
			return err
		}
		m.Layer = m.Type.DefaultLayer(m.Scope != nil || len(m.Anchors) > 0)
		return nil
	})
	if err == nil && !r.Accepted {
		err = unchanged(r)
	}
	return r, err
}

// editInEditor opens the text of a draft in the person's editor. Nobody waits for that: what becomes of the draft meanwhile
// is found when it is closed.
func (rec *reviewEditCommand) editInEditor(cmd *cobra.Command, w *services.Workspace, id string) (memory.Result, error) {
	draft, err := w.Drafts().Waiting(cmd.Context(), id)
	if err != nil {
		return memory.Result{}, err
	}
	opened, err := draft.Text()
	if err != nil {
		return memory.Result{}, err
	}
	if !rec.hasEditor() {
		return memory.Result{}, usage(cmd, errors.New("no flag says what to change, and there is no terminal for an editor"))
	}
	text, err := rec.editText(cmd.Context(), "draft-*.txt", opened)
	if err != nil {
		return memory.Result{}, err
	}
	r, err := w.Drafts().Edit(cmd.Context(), draft.UUID(), func(m *file.Memory) error {
		if m.What != opened {
			return &codeError{exitRefused, &memory.UserError{Msg: fmt.Sprintf("draft %s was changed while your editor was open", m.ShortID()), Hint: "`manicule review list` shows it as it is now."}}
		}
		m.What = strings.TrimSpace(text)
		return nil
	})
	if err == nil && !r.Accepted {
		err = unchanged(r)
	}
	if err != nil && text != "" {
		err = saveText("draft-*.txt", text, err)
	}
	return r, err
}

// undecided is what waits for a person to decide.
type undecided struct {
	drafts    []memory.Pending
	held      []memory.Quarantined
	conflicts []memory.Hit
	waits     map[string][]*file.Memory // for the acceptance of a unit of work, by its name
	twins     [][]*file.Memory
	alike     []memory.Alike
}

func findUndecided(ctx context.Context, w *services.Workspace) (u undecided, err error) {
	if u.drafts, err = w.Drafts().Pending(ctx); err != nil {
		return u, err
	}
	if u.held, err = w.Quarantine().List(ctx); err != nil {
		return u, err
	}
	if u.conflicts, err = w.Merges().Conflicted(ctx); err != nil {
		return u, err
	}
	if u.waits, err = units.Of(w.Workspace).Held(ctx); err != nil {
		return u, err
	}
	if u.twins, err = w.Twins().List(ctx); err != nil {
		return u, err
	}
	u.alike, err = memory.FindAlike(ctx, w.Workspace)
	return u, err
}

// count is how many a person is asked about, one by one.
func (u *undecided) count() int { return len(u.drafts) + len(u.held) + len(u.conflicts) }

// review lists the pending drafts, at most limit of them. On a terminal it asks about each one, if allowed.
func (r *reviewer) review(cmd *cobra.Command, w *services.Workspace, ask bool, limit int) error {
	learnEnded(cmd.Context(), r.cli, w)
	u, err := findUndecided(cmd.Context(), w)
	if err != nil {
		return err
	}
	warnUnmerged(cmd.Context(), r.cli, w, "")
	if set := w.State().Damaged(); len(set) > 0 { // what is missing from the list must not seem to be decided
		r.warn("state.db was damaged or lost and its newest backup is in use: drafts since then are missing (`manicule doctor`)")
	}
	switch {
	case r.json:
		r.printUndecided(w.Root(), &u, asJSON(cmd, limit))
		return nil
	case u.count() == 0:
		r.printf("nothing to review\n")
	case ask && r.tty && r.inputTTY:
		return r.interview(cmd, w, u.held, u.conflicts, u.drafts)
	default:
		r.listUndecided(w.Root(), &u, limit)
	}
	r.waitForWork(u.waits)
	printTwins(r.cli, u.twins)
	printAlike(r.cli, u.alike)
	return nil
}

// printUndecided prints as JSON, with at most limit drafts.
func (r *reviewer) printUndecided(root string, u *undecided, limit int) {
	out := struct {
		Drafts    []waitingItem  `json:"drafts"`
		Held      []heldJSON     `json:"quarantined"`
		Conflicts []hitJSON      `json:"conflicts"`
		Waits     map[string]int `json:"waits_for_work,omitempty"`
		Twins     [][]string     `json:"twins,omitzero"`
		Alike     []alikeJSON    `json:"alike,omitzero"`
	}{[]waitingItem{}, r.heldJSON(root, u.held), hitsJSON(root, u.conflicts), counts(u.waits), twinIDs(u.twins), alikeIDs(u.alike)}
	for _, d := range u.drafts[:room(limit, len(u.drafts))] {
		out.Drafts = append(out.Drafts, waitingItem{DraftRow: d.DraftRow, Act: actName(d.Act), Target: d.TargetID, TargetMemory: d.Target, Because: d.Why, Changes: d.Fields, For: d.For, Against: d.Against, Doubt: d.Doubt})
	}
	r.printJSON("review", out)
}

// listUndecided prints at most limit of them. What can't wait comes before drafts.
func (r *reviewer) listUndecided(root string, u *undecided, limit int) {
	first := room(limit, u.count())
	r.buffered(func() {
		for _, h := range u.conflicts[:min(first, len(u.conflicts))] {
			r.conflict(h.Memory)
		}
		first = max(0, first-len(u.conflicts))
		for _, h := range u.held[:min(first, len(u.held))] {
			r.heldLine(root, h)
		}
		first = max(0, first-len(u.held))
		for _, d := range u.drafts[:first] {
			r.waiting(d)
		}
	})
	moreLeft(r.cli, u.count()-room(limit, u.count()), "review list")
}

// counts counts lists by their names.
func counts[T any](lists map[string][]T) map[string]int {
	out := map[string]int{}
	for name, list := range lists {
		out[name] = len(list)
	}
	return out
}

// waitForWork says how many drafts wait for the acceptance of their work.
func (r *reviewer) waitForWork(waits map[string][]*file.Memory) {
	for _, key := range slices.Sorted(maps.Keys(waits)) {
		r.printf("%s\n", r.paint(faint, fmt.Sprintf("%s until %s is accepted: `manicule work show %s`", count(len(waits[key]), "draft waits", "drafts wait"), key, key)))
	}
}

// waitingItem is a draft with the effect of accepting it.
type waitingItem struct {
	store.DraftRow
	Act          string         `json:"act"` // new, changes, forget, confirm, dispute, core
	Target       string         `json:"target,omitzero"`
	TargetMemory *file.Memory   `json:"target_memory,omitzero"`
	Because      string         `json:"because,omitzero"`
	Changes      []memory.Field `json:"changes,omitzero"`
	For          string         `json:"for,omitzero"`
	Against      string         `json:"against,omitzero"`
	Doubt        string         `json:"doubt,omitzero"`
}

// actName names the effect of accepting a draft.
func actName(act memory.Act) string {
	switch act {
	case "":
		return "new"
	case memory.ActEdit:
		return "changes"
	case memory.ActForget, memory.ActConfirm, memory.ActDispute, memory.ActCore:
	}
	return string(act)
}

// waiting prints a draft, the effect of accepting it and the affected memory.
func (r *reviewer) waiting(d memory.Pending) {
	m := d.Memory
	if d.Act == "" {
		r.printf("%s  %-7s  %s  %s%s\n", r.paint(faint, m.ShortID()), actName(d.Act), r.paint(typeColour(m.Type), fmt.Sprintf("%-14s", m.Type.Label())), plainLine(m.What),
			r.paint(faint, where(memory.Hit{Memory: m})))
	} else {
		r.printf("%s  %-7s  ", r.paint(faint, m.ShortID()), actName(d.Act))
		r.target(d)
	}
	r.proposer(d)
	r.evidence(d)
	r.fromOutside(d)
}

// proposer names the agent that proposed a draft, or in whose sessions it was learned, where that is known.
func (r *reviewer) proposer(d memory.Pending) {
	tool := plainLine(d.Tool)
	switch {
	case tool == "" || tool == file.OwnTool:
	case d.Status == store.StatusCandidate:
		r.printf("          learned from sessions of %s\n", tool)
	default:
		r.printf("          proposed by %s\n", tool)
	}
}

// evidence prints the evidence of all sessions for and against a candidate.
func (r *reviewer) evidence(d memory.Pending) {
	if d.Doubt != "" {
		r.printf("          may be no memory: %s\n", plainLine(d.Doubt))
	}
	if d.For != "" {
		r.printf("          for it: %s\n", plainLine(d.For))
	}
	if d.Against != "" {
		r.printf("          against it: %s\n", plainLine(d.Against))
	}
}

// fromOutside marks a draft whose text may come from strangers.
func (r *reviewer) fromOutside(d memory.Pending) {
	if d.Memory.Trust.Tainted {
		r.printf("          tainted: it may repeat text from outside\n")
	}
}

// target prints the affected memory and the proposed change.
func (r *reviewer) target(d memory.Pending) {
	switch {
	case d.Act == memory.ActCore:
		if _, agent, own := strings.Cut(d.TargetID, ":"); own {
			r.printf("the document that every session of %s begins with\n", plainLine(agent))
			break
		}
		r.printf("the document that every session begins with\n")
	case d.Target == nil:
		r.printf("%s, which is gone\n", d.TargetID[max(0, len(d.TargetID)-8):])
	default:
		r.line(d.Target)
		if d.Act == memory.ActDispute {
			r.printf("          says: %s, %s\n", plainLine(author(d.Target)), plainLine(d.Target.What))
			printViews(r.console, d.Target)
		}
	}
	for _, f := range d.Fields {
		r.printf("          %s: %s → %s\n", f.Name, side(f.Old), side(f.New))
	}
	if d.Why != "" {
		r.printf("          because: %s\n", plainLine(d.Why))
	}
}

// side formats one side of a change.
func side(text string) string {
	if text == "" {
		return "(none)"
	}
	return plainLine(text)
}

// plainLine removes control characters and line breaks from a text.
func plainLine(text string) string { return strings.Join(strings.Fields(gate.Clean(text)), " ") }

// plainPath is plainLine for a path or a place, which a person copies: spaces in a row are part of it.
func plainPath(path string) string { return unbroken(gate.Clean(path)) }

// unbroken is a text as it is, with a space for each line break.
func unbroken(text string) string {
	return strings.Map(func(r rune) rune {
		switch r {
		case '\n', '\r', '\v', '\f', 0x85, 0x2028, 0x2029:
			return ' '
		}
		return r
	}, text)
}

// doneVerb describes what happened to the memory of an accepted draft.
func doneVerb(act memory.Act) string {
	switch act {
	case memory.ActEdit:
		return "changed"
	case memory.ActForget:
		return "forgotten"
	case memory.ActConfirm:
		return "confirmed"
	case memory.ActDispute:
		return "disputed"
	case memory.ActCore:
		return "in the core document"
	}
	return "accepted"
}

func (r *reviewer) decide(cmd *cobra.Command, w *services.Workspace, accept, reject []string, reason string) error {
	for _, id := range accept {
		accepted, err := w.Decisions().Accept(cmd.Context(), id)
		if err != nil {
			return err
		}
		if !accepted.Accepted && !r.json {
			return notDone("not accepted: ", accepted)
		}
		if err := r.report(cmd.Context(), w, accepted, doneVerb(accepted.Act)); err != nil {
			return err
		}
	}
	for _, id := range reject {
		if err := w.Drafts().Reject(cmd.Context(), id, reason); err != nil {
			return err
		}
		if r.json {
			r.printJSON("rejected", struct {
				ID     string `json:"id"`
				Reason string `json:"reason"`
			}{id, reason})
			continue
		}
		r.printf("☞ rejected: %s\n", id)
	}
	return nil
}

// promptEdit asks for a new text of a draft and shows it. An empty answer keeps the text.
func (r *reviewer) promptEdit(cmd *cobra.Command, w *services.Workspace, m *file.Memory, in *answers) error {
	r.printf("  text (empty to keep it): ")
	line, err := in.line()
	if errors.Is(err, context.Canceled) {
		r.printf("\n")
		return err // an incomplete line is no text
	}
	if line == "" {
		return err
	}
	edited, err := w.Drafts().Edit(cmd.Context(), m.UUID, func(d *file.Memory) error {
		d.What = line
		return nil
	})
	if err != nil {
		return err
	}
	if !edited.Accepted {
		r.printf("  %s\n", edited.Reason)
		return nil
	}
	*m = *edited.Memory
	r.printf("  %s\n", r.paint(bold, plainLine(m.What)))
	return nil
}
