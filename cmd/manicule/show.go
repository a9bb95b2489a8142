package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"manicule/indexer/anchor"
	"manicule/memory"
	"manicule/memory/file"
	"manicule/memory/ledger"
	"manicule/memory/life"
	"manicule/memory/services"
	"manicule/memory/store"
)

// showCommand is `manicule show`.
type showCommand struct {
	*cli
	history bool
	why     bool
	rev     string
}

func newShowCommand(shared *cli) *cobra.Command {
	sc := &showCommand{cli: shared}
	c := &cobra.Command{
		Use:   "show ID",
		Short: "Show a memory in full",
		Long: "Show a memory in full, with the current place of its code. --at REV shows both as they were\n" +
			"in a revision.",
		Example:           "  manicule show 5b0d9a12\n  manicule show 5b0d9a12 --why-this-confidence\n  manicule show 5b0d9a12 --at HEAD~10",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: sc.completeID,
		RunE:              sc.run,
	}
	c.Flags().BoolVar(&sc.history, "history", false, "also show the versions that this machine has seen")
	c.Flags().BoolVar(&sc.why, "why-this-confidence", false, "also show what the effective confidence is made of")
	c.Flags().StringVar(&sc.rev, "at", "", "as it was in a revision")
	c.MarkFlagsMutuallyExclusive("at", "history")
	return c
}

func (sc *showCommand) run(cmd *cobra.Command, args []string) error {
	return sc.withState(cmd.Context(), func(w *services.Workspace) error {
		h, err := w.Get(cmd.Context(), args[0])
		if errors.Is(err, memory.ErrQuarantined) {
			if ok, herr := sc.showHeld(cmd.Context(), w, args[0]); ok || herr != nil {
				return herr
			}
		}
		if err != nil {
			warnUnmerged(cmd.Context(), sc.cli, w, args[0])
			return err
		}
		if h.Memory.HiddenFrom(sc.agent(), sc.sessionID()) {
			return memory.NotFound(args[0])
		}
		if sc.rev != "" {
			return sc.showAt(cmd.Context(), w, h, sc.rev)
		}
		h = sc.refreshHits(cmd.Context(), w, []memory.Hit{h})[0]
		about, err := sc.find(cmd.Context(), w, h)
		if err != nil {
			return err
		}
		sc.recordShown(cmd.Context(), w, "show", "", []memory.Hit{h})
		if sc.json {
			sc.printJSON("show", struct {
				hitJSON
				aboutMemory
			}{hitsJSON(w.Root(), []memory.Hit{h})[0], about})
			return nil
		}
		sc.card(h, sc.now(), w.Root())
		printSteward(sc.console, w, h.Memory)
		sc.printAbout(h, about)
		return nil
	})
}

// aboutMemory is what is known about a memory beside its file.
type aboutMemory struct {
	Versions []*file.Memory    `json:"versions,omitempty"`
	Related  []memory.Related  `json:"related,omitempty"`
	Said     int               `json:"said_again,omitzero"`
	Ledger   ledgerJSON        `json:"ledger"`
	Why      *life.Explanation `json:"why_this_confidence,omitempty"`
	Steward  string            `json:"steward,omitzero"`
}

// find finds what the flags ask for, and what is always shown.
func (sc *showCommand) find(ctx context.Context, w *services.Workspace, h memory.Hit) (out aboutMemory, err error) {
	if sc.history {
		if out.Versions, err = sc.versions(ctx, w, h.Memory.UUID); err != nil {
			return out, err
		}
	}
	if out.Ledger, err = sc.ledgerOf(ctx, w, h.Memory.UUID); err != nil {
		return out, err
	}
	if out.Related, err = w.Relations().Of(ctx, h.Memory); err != nil {
		return out, err
	}
	if out.Said, err = w.State().Usage().SaidAgain(ctx, h.Memory.UUID); err != nil {
		return out, err
	}
	if sc.why {
		out.Why = explained(h)
	}
	out.Steward = decides(w, h.Memory)
	return out, nil
}

// printAbout prints it below the memory's card.
func (sc *showCommand) printAbout(h memory.Hit, about aboutMemory) {
	sc.related(about.Related)
	if about.Said > 0 {
		sc.printf("  %-10s %s\n", "said again", count(about.Said, "time", "times"))
	}
	if sc.why {
		sc.printConfidence(h)
	}
	sc.printLedger(about.Ledger)
	for _, v := range about.Versions {
		note := ""
		if v.Lineage.ChangeNote != "" {
			note = sc.paint(faint, " — "+plainLine(firstLine(v.Lineage.ChangeNote)))
		}
		sc.printf("  v%-3d %s  %-8s %s%s\n", v.Lineage.Version, v.VersionAt().Format("2006-01-02 15:04"), firstLine(v.Lineage.ChangeKind), firstLine(v.What), note)
	}
}

// versions returns those of a memory that this machine has seen, as far as whoever asks may be told them.
func (sc *showCommand) versions(ctx context.Context, w *services.Workspace, uuid string) (out []*file.Memory, err error) {
	all, err := w.State().Versions().Of(ctx, uuid)
	if err != nil {
		return nil, err
	}
	line := make([]memory.Past, len(all))
	for i, m := range all {
		line[i].Memory = m
	}
	told, held, err := tellable(ctx, sc.cli, w, line)
	if err != nil {
		return nil, err
	}
	warnHeld(sc.cli, held)
	for _, p := range told {
		out = append(out, p.Memory)
	}
	return out, nil
}

// showAt shows a memory as it was in a revision.
func (sc *showCommand) showAt(ctx context.Context, w *services.Workspace, h memory.Hit, rev string) error {
	commit, _, err := sc.revision(ctx, w, rev, nil)
	if err != nil {
		return err
	}
	m, places, err := w.Tracker().At(ctx, h.Memory, commit)
	if err != nil {
		return err
	}
	inRevision := m != h.Memory
	if inRevision { // it is judged as it was
		if _, held, err := tellable(ctx, sc.cli, w, []memory.Past{{Memory: m}}); err != nil || held > 0 {
			return cmp.Or(err, sc.requirePerson("read quarantined"))
		}
	}
	h.Memory, h.Places = m, nil
	for _, p := range places {
		h.Places = append(h.Places, p.Place)
	}
	if sc.json {
		then := []anchorJSON{}
		for i, p := range h.Places {
			x := anchorJSON{Number: i + 1, State: p.State, Reason: p.Reason, Confidence: p.Confidence, Suggestion: p.Suggestion}
			if p.State != anchor.Orphaned {
				x.At = placeAt(p)
			}
			then = append(then, x)
		}
		sc.printJSON("show", struct {
			hitJSON
			Revision   string       `json:"revision"`
			InRevision bool         `json:"in_revision"` // false: the memory is shown as it is now
			Then       []anchorJSON `json:"then"`
		}{hitsJSON(w.Root(), []memory.Hit{h})[0], commit, inRevision, then})
		return nil
	}
	sc.card(h, sc.now(), w.Root())
	sc.printf("  %-10s %s\n", "revision", commit)
	if !inRevision {
		sc.printf("  %-10s %s\n", "", "the memory is not in it: its text is today's")
	}
	for i, p := range h.Places {
		if p.State == anchor.Fresh {
			sc.printf("  %-10s %s\n", fmt.Sprintf("anchor %d", i+1), plainPath(placeNow(p)))
		}
	}
	return nil
}

// placeNow formats a place for a person.
func placeNow(p store.Place) string {
	at := anchor.Place{Path: p.Path, Lines: &anchor.LineRange{Start: p.Line, End: p.EndLine}}
	if p.Line == 0 {
		at.Lines = nil
	}
	text := at.String()
	if p.Symbol != "" {
		text += " " + p.Symbol
	}
	return text
}

// ledgerJSON is the ledger of one memory.
type ledgerJSON struct {
	ledger.Summary
	Recent []shownJSON `json:"recent"`
}

// shownJSON is one showing of a memory.
type shownJSON struct {
	At      time.Time `json:"at"`
	Surface string    `json:"surface"`
	Agent   string    `json:"agent"` // "" for a person
	Session string    `json:"session,omitzero"`
	Path    string    `json:"path,omitzero"`
	Tool    string    `json:"tool,omitzero"`
	Tokens  int       `json:"tokens"`
	Verdict string    `json:"verdict,omitzero"`
	Rule    string    `json:"rule,omitzero"`
}

// maxShowings is the number of newest showings that `show` lists.
const maxShowings = 5

// ledgerOf reads the ledger of a memory.
func (sc *showCommand) ledgerOf(ctx context.Context, w *services.Workspace, uuid string) (out ledgerJSON, err error) {
	sc.updateLedger(ctx, w)
	out.Recent = []shownJSON{}
	if out.Summary, err = ledger.Of(ctx, w.State(), uuid); err != nil {
		return out, err
	}
	recent, err := ledger.Recent(ctx, w.State(), uuid, maxShowings)
	for _, r := range recent {
		out.Recent = append(out.Recent, shownJSON{r.At, string(r.Surface), r.Agent, r.Session, r.Path, r.Tool, r.Tokens, string(r.Verdict), r.Rule})
	}
	return out, err
}

func (sc *showCommand) printLedger(l ledgerJSON) {
	if s := l.Sentence(sc.now()); s != "" {
		sc.printf("  %-10s %s\n", "ledger", s)
	}
	label, before := "shown", ""
	for _, r := range l.Recent {
		who := r.Agent
		if who == "" {
			who = "a person"
		}
		text := humanize.RelTime(r.At, sc.now(), "ago", "from now") + ", " + r.Surface + ", to " + who
		if r.Path != "" {
			text += ", at " + r.Path
		}
		if r.Verdict != "" {
			text += ": " + r.Verdict
			if r.Rule != "" {
				text += " (" + r.Rule + ")"
			}
		}
		if text != before { // once is enough of what was at the same time
			sc.printf("  %-10s %s\n", label, sc.paint(faint, plainLine(text)))
		}
		label, before = "", text
	}
}
