package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"manicule/memory"
	"manicule/memory/file"
	"manicule/memory/services"
)

// edits are the changes that flags ask for; a nil field stays.
type edits struct {
	what, why, kind, importance, label, note string
	scope, tags                              []string
	pin, unpin, confirm                      bool
	dispute, correct                         string
	anyway                                   bool
}

// editCommand is `manicule edit`.
type editCommand struct {
	*cli
	edits edits
}

func newEditCommand(shared *cli) *cobra.Command {
	a := &editCommand{cli: shared}
	c := &cobra.Command{
		Use:   "edit ID",
		Short: "Change a memory, as a new version",
		Long: "Change a memory. Without flags your editor opens its JSON; what is saved is checked\n" +
			"before anything is replaced. Every change is a new version that names its parent.",
		Example: "  manicule edit 0198f0c2 --what \"A better sentence\" --note \"was too broad\"\n" +
			"  manicule edit 0198f0c2 --what \"What is right\" --correct \"what was wrong\"\n  manicule edit 0198f0c2 --confirm",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: a.completeIDs,
		RunE:              a.run,
	}
	f := c.Flags()
	f.StringVar(&a.edits.what, "what", "", "the new text")
	f.StringVar(&a.edits.why, "why", "", "the new reason")
	f.StringVar(&a.edits.kind, "type", "", "another type")
	f.StringVar(&a.edits.importance, "importance", "", "low, medium or high")
	f.StringVar(&a.edits.label, "label", "", "another context label")
	f.StringArrayVar(&a.edits.scope, "scope", nil, "other globs; \"project\" for the whole project")
	f.StringArrayVar(&a.edits.tags, "tag", nil, "other tags")
	f.StringVar(&a.edits.note, "note", "", "why it is changed")
	f.BoolVar(&a.edits.pin, "pin", false, "pin it")
	f.BoolVar(&a.edits.unpin, "unpin", false, "remove the pin")
	f.BoolVar(&a.edits.confirm, "confirm", false, "you found it true")
	f.StringVar(&a.edits.dispute, "dispute", "", "you found it wrong: say why")
	f.BoolVar(&a.edits.anyway, "anyway", false, "keep it though it reads like orders to an agent: you mean it")
	f.StringVar(&a.edits.correct, "correct", "", "you found it wrong and put it right: say what was wrong")
	complete(c, "type", toStrings(file.Types()))
	complete(c, "importance", toStrings(file.Importances()))
	c.MarkFlagsMutuallyExclusive("pin", "unpin")
	c.MarkFlagsMutuallyExclusive("confirm", "dispute", "correct")
	c.MarkFlagsMutuallyExclusive("note", "correct")
	return c
}

func (a *editCommand) run(cmd *cobra.Command, args []string) error {
	if err := a.onlyPeople("change"); err != nil {
		return err
	}
	for _, flag := range []string{"dispute", "correct"} {
		if f := cmd.Flags().Lookup(flag); f.Changed && strings.TrimSpace(f.Value.String()) == "" {
			return usage(cmd, fmt.Errorf("--%s says what is wrong: give it a text", flag))
		}
	}
	return a.with(cmd.Context(), func(w *services.Workspace) error {
		r, err := a.edit(cmd, w, args[0], a.edits)
		if err != nil {
			return err
		}
		return a.report(w, r, "changed")
	})
}

func (a *editCommand) edit(cmd *cobra.Command, w *services.Workspace, id string, e edits) (memory.Result, error) {
	ctx, flags := cmd.Context(), cmd.Flags()
	given := flagsGiven(cmd)
	switch {
	case e.confirm:
		return w.Confirm(ctx, id)
	case flags.Changed("dispute"):
		return w.Dispute(ctx, id, e.dispute)
	case (e.pin || e.unpin) && len(given) == 1:
		return w.Pin(ctx, id, e.pin)
	case len(given) == 0 || (len(given) == 1 && (given[0] == "note" || given[0] == "correct")):
		if !a.hasEditor() {
			return memory.Result{}, usage(cmd, errors.New("nothing says what to change, and there is no terminal for an editor"))
		}
		return a.editJSON(cmd, w, id, e)
	}
	return e.write(cmd, w, id, func(m *file.Memory) error {
		set := func(flag string, to *string, v string) {
			if flags.Changed(flag) {
				*to = v
			}
		}
		set("what", &m.What, e.what)
		set("why", &m.Why, e.why)
		set("label", &m.ContextLabel, e.label)
		set("importance", (*string)(&m.Importance), e.importance)
		if flags.Changed("scope") {
			m.Scope = e.scope
		}
		if flags.Changed("tag") {
			m.Tags = e.tags
		}
		if flags.Changed("type") {
			m.Type = file.Type(e.kind)
			m.Layer = m.Type.DefaultLayer(m.Scope != nil || len(m.Anchors) > 0)
		}
		if e.pin || e.unpin {
			m.Pinned = e.pin
		}
		return nil
	})
}

// write changes a memory: as an edit, or as the correction of what was wrong.
func (e edits) write(cmd *cobra.Command, w *services.Workspace, id string, change func(*file.Memory) error) (memory.Result, error) {
	if cmd.Flags().Changed("correct") {
		return w.Correct(cmd.Context(), id, memory.Correction{Change: change, Note: e.correct, Insist: e.anyway})
	}
	return w.EditInsisting(cmd.Context(), id, change, "edit", e.note, e.anyway)
}

// flagsGiven names the command's own flags that are on the command line.
func flagsGiven(cmd *cobra.Command) []string {
	var names []string
	cmd.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
		if f.Changed {
			names = append(names, f.Name)
		}
	})
	return names
}

// editJSON lets the person edit the file's form of a memory.
func (a *editCommand) editJSON(cmd *cobra.Command, w *services.Workspace, id string, e edits) (memory.Result, error) {
	h, _, err := w.Any(cmd.Context(), id)
	if err != nil {
		return memory.Result{}, err
	}
	before, err := h.Memory.Marshal()
	if err != nil {
		return memory.Result{}, err
	}
	opened, err := h.Memory.Hash()
	if err != nil {
		return memory.Result{}, err
	}
	text, err := a.editText(cmd.Context(), "memory-*.json", string(before))
	if err != nil {
		return memory.Result{}, err
	}
	if text == string(before) {
		return memory.Result{}, &memory.UserError{Msg: "nothing was changed", Hint: "Save the file in the editor after a change."}
	}
	edited, err := file.Parse([]byte(text))
	if err != nil {
		return memory.Result{}, keepText("memory-*.json", text, fmt.Errorf("the edited memory can't be used: %w", located(err)))
	}
	r, err := e.write(cmd, w, h.Memory.UUID, func(m *file.Memory) error {
		if m.Lineage.Parent != opened { // an edit by hand has no version of its own: the number would not tell
			return &codeError{exitRefused, &memory.UserError{Msg: fmt.Sprintf("memory %s was changed while your editor was open", m.ShortID()),
				Hint: fmt.Sprintf("`manicule show %s` shows it as it is now.", m.ShortID())}}
		}
		lineage, updated := m.Lineage, m.UpdatedAt
		*m = *edited
		m.Lineage, m.UpdatedAt = lineage, updated
		return nil
	})
	if err == nil && !r.Accepted {
		err = refused(r)
	}
	if err != nil {
		return r, keepText("memory-*.json", text, err)
	}
	return r, nil
}

// located puts the place of a fault before its message.
func located(err error) error {
	if e, ok := errors.AsType[*file.Error](err); ok && e.Line > 0 {
		return fmt.Errorf("line %d, column %d: %w", e.Line, e.Column, err)
	}
	return err
}

// forgetCommand is `manicule forget`.
type forgetCommand struct {
	*cli
}

func newForgetCommand(shared *cli) *cobra.Command {
	a := &forgetCommand{cli: shared}
	return &cobra.Command{
		Use:               "forget ID...",
		Short:             "Remove memories; they can be restored for 30 days",
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: a.completeIDs,
		RunE:              a.run,
	}
}

func (a *forgetCommand) run(cmd *cobra.Command, args []string) error {
	if err := a.onlyPeople("remove"); err != nil {
		return err
	}
	return a.with(cmd.Context(), func(w *services.Workspace) error {
		var gone []hitJSON
		for _, id := range args {
			h, _, err := w.Any(cmd.Context(), id)
			if err != nil {
				return err
			}
			if err := w.Forget(cmd.Context(), h.Memory.UUID); err != nil {
				return err
			}
			gone = append(gone, hitsJSON(w.Root(), []memory.Hit{h})...)
			if !a.json {
				a.printf("☞ forgotten: ")
				a.line(h.Memory)
				a.printf("  `manicule restore %s` brings it back, until %s\n", h.Memory.ShortID(), a.now().AddDate(0, 0, 30).Format("2006-01-02"))
			}
		}
		if a.json {
			a.printJSON("forget", struct {
				Forgotten []hitJSON `json:"forgotten"`
			}{gone})
		}
		return nil
	})
}

// restoreCommand is `manicule restore`.
type restoreCommand struct {
	*cli
}

func newRestoreCommand(shared *cli) *cobra.Command {
	a := &restoreCommand{cli: shared}
	return &cobra.Command{
		Use:   "restore [ID]",
		Short: "Bring a forgotten memory back; without an id, list them",
		Args:  cobra.MaximumNArgs(1),
		RunE:  a.run,
	}
}

func (a *restoreCommand) run(cmd *cobra.Command, args []string) error {
	return a.with(cmd.Context(), func(w *services.Workspace) error {
		if len(args) == 1 {
			if err := a.onlyPeople("restore"); err != nil {
				return err
			}
			r, err := w.Restore(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			return a.report(w, r, "restored")
		}
		list, err := w.State().Tombstones(cmd.Context())
		if err != nil {
			return err
		}
		type row struct {
			UUID    string `json:"uuid"`
			What    string `json:"what"`
			Reason  string `json:"reason"`
			Deleted string `json:"deleted_at"`
		}
		rows := []row{}
		for _, t := range list {
			r := row{UUID: t.UUID, Reason: t.Reason, Deleted: t.Deleted.Format("2006-01-02T15:04:05Z")}
			if m, err := file.Parse(t.JSON); err == nil {
				r.What = m.What
			}
			rows = append(rows, r)
			if !a.json {
				a.printf("%s  %s  %s\n", a.paint(faint, t.UUID[28:]), firstLine(r.What), a.paint(faint, t.Reason+" "+t.Deleted.Format("2006-01-02")))
			}
		}
		if a.json {
			a.printJSON("restore", struct {
				Forgotten []row `json:"forgotten"`
			}{rows})
		} else if len(rows) == 0 {
			a.printf("nothing to restore\n")
		}
		return nil
	})
}
