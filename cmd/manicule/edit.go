package main

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"manicule/memory"
	"manicule/memory/file"
	"manicule/memory/services"
)

// edits are the changes that flags request. A nil field stays unchanged.
type edits struct {
	what, why, kind, importance, label, cite, note, visibility string
	scope, tags                                                []string
	pin, unpin, confirm                                        bool
	dispute, correct, deprecate                                string
	undeprecate                                                bool
	anyway, file                                               bool
	relations                                                  relationFlags
	unrelate                                                   []string
	details                                                    detailFlags
	halfLife                                                   float64
}

// editCommand is `manicule edit`.
type editCommand struct {
	*cli
	edits edits
}

func newEditCommand(shared *cli) *cobra.Command {
	ec := &editCommand{cli: shared}
	c := &cobra.Command{
		Use:   "edit ID",
		Short: "Change a memory, as a new version",
		Long: "Change a memory. Without flags your editor opens it as `manicule remember` does, and the result is\n" +
			"checked before it replaces anything. Every change is a new version that names its parent. To tie it to other\n" +
			"code, use `manicule verify ID --anchor PLACE`.",
		Example: "  manicule edit 5b0d9a12 --what \"A better sentence\" --note \"was too broad\"\n" +
			"  manicule edit 5b0d9a12 --what \"What is right\" --correct \"what was wrong\"\n  manicule edit 5b0d9a12 --confirm",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: ec.completeID,
		Annotations:       map[string]string{insteadOf + "at": "`manicule verify ID --anchor PLACE` ties a memory to other code."},
		RunE:              ec.run,
	}
	f := c.Flags()
	f.StringVar(&ec.edits.what, "what", "", "the new text")
	f.StringVar(&ec.edits.why, "why", "", "the new reason")
	f.StringVar(&ec.edits.kind, "type", "", "another type")
	f.StringVar(&ec.edits.importance, "importance", "", "low, medium or high")
	f.StringVar(&ec.edits.visibility, "visibility", "", "who it is for: personal (git ignores it), project, team or org")
	f.StringVar(&ec.edits.cite, "cite", "", "where it was said or seen, in up to 40 characters")
	f.Float64Var(&ec.edits.halfLife, "half-life", 0, "after how many days without use it counts half; 0 for what its type has")
	f.StringVar(&ec.edits.label, "label", "", "another context label")
	f.StringArrayVar(&ec.edits.scope, "scope", nil, "other globs; \"project\" for the whole project")
	f.StringArrayVar(&ec.edits.tags, "tag", nil, "other tags")
	f.StringVar(&ec.edits.note, "note", "", "why it is changed")
	f.BoolVar(&ec.edits.pin, "pin", false, "pin it")
	f.BoolVar(&ec.edits.unpin, "unpin", false, "remove the pin")
	f.BoolVar(&ec.edits.confirm, "confirm", false, "you verified that it is true")
	f.StringVar(&ec.edits.dispute, "dispute", "", "mark it as disputed: say why")
	f.StringVar(&ec.edits.deprecate, "deprecate", "", "it no longer holds, and nothing takes its place: say why. It stays as history, and nobody is told of it")
	f.BoolVar(&ec.edits.undeprecate, "undeprecate", false, "it holds again")
	f.BoolVar(&ec.edits.anyway, "anyway", false, "keep it although it reads like orders to an agent, or like no memory")
	f.BoolVar(&ec.edits.file, "file", false, "open all that its file has, as JSON")
	f.StringVar(&ec.edits.correct, "correct", "", "correct it: say what was wrong")
	hide(c, "dispute") // the command of this name is the way
	ec.edits.details.flags(f)
	ec.edits.relations.add(f)
	f.StringArrayVar(&ec.edits.unrelate, "unrelate", nil, "the id of a memory to which it is no longer related; repeat for several")
	complete(c, "type", toStrings(file.Types()))
	completeWords(c, shared.workspaces, "tag", tagsOf)
	complete(c, "importance", toStrings(file.Importances()))
	complete(c, "visibility", toStrings(file.Visibilities()))
	c.MarkFlagsMutuallyExclusive("pin", "unpin")
	c.MarkFlagsMutuallyExclusive("confirm", "dispute", "correct", "deprecate", "undeprecate")
	c.MarkFlagsMutuallyExclusive("note", "correct")
	return c
}

func (ec *editCommand) run(cmd *cobra.Command, args []string) error {
	if err := ec.requirePerson("change"); err != nil {
		return err
	}
	for _, flag := range []string{"dispute", "correct", "deprecate"} {
		if f := cmd.Flags().Lookup(flag); f.Changed && strings.TrimSpace(f.Value.String()) == "" {
			return usage(cmd, fmt.Errorf("--%s needs a text that says why", flag))
		}
	}
	if err := standsAlone(cmd, args[0]); err != nil {
		return err
	}
	if given := slices.DeleteFunc(changingFlags(cmd), func(flag string) bool { return flag == "file" }); ec.edits.file && len(given) > 0 {
		return usage(cmd, fmt.Errorf("--file opens an editor: it would leave out --%s", given[0]))
	}
	return ec.with(cmd.Context(), func(w *services.Workspace) error {
		if err := ec.edits.relations.resolve(cmd.Context(), w); err != nil {
			return err
		}
		r, err := ec.edit(cmd, w, args[0], ec.edits)
		if err != nil {
			return err
		}
		return ec.report(cmd.Context(), w, r, "changed")
	})
}

// standsAlone refuses a flag that says whether a memory holds together with one that changes it: the change would be left
// out, and nothing would say so.
func standsAlone(cmd *cobra.Command, id string) error {
	given := flagsGiven(cmd)
	for _, alone := range []string{"confirm", "dispute", "deprecate", "undeprecate"} {
		if !slices.Contains(given, alone) {
			continue
		}
		others := slices.DeleteFunc(slices.Clone(given), func(name string) bool { return name == alone || name == "anyway" })
		if len(others) > 0 {
			return usageError(fmt.Sprintf("--%s stands alone: it would leave out --%s", alone, others[0]),
				fmt.Sprintf("`manicule edit %s --%s …` changes it; another `manicule edit %s --%s` says whether it holds.", id, others[0], id, alone))
		}
	}
	return nil
}

// setChanged sets a text to the value of a flag that was given.
func setChanged(flags *pflag.FlagSet, flag string, to *string, value string) {
	if flags.Changed(flag) {
		*to = value
	}
}

// words changes what a memory or a draft says, of what kind it is and where it applies.
func (e edits) words(flags *pflag.FlagSet, m *file.Memory) (err error) {
	setChanged(flags, "what", &m.What, e.what)
	setChanged(flags, "why", &m.Why, e.why)
	if flags.Changed("scope") {
		m.Scope = e.scope
	}
	if flags.Changed("type") {
		m.Type, err = typeOf(e.kind)
	}
	return err
}

func (ec *editCommand) edit(cmd *cobra.Command, w *services.Workspace, id string, e edits) (memory.Result, error) {
	ctx, flags := cmd.Context(), cmd.Flags()
	given := flagsGiven(cmd)
	switch {
	case e.confirm:
		return w.Edits().Confirm(ctx, id)
	case flags.Changed("dispute"):
		return w.Edits().Dispute(ctx, id, e.dispute)
	case flags.Changed("deprecate"):
		return w.Edits().Deprecate(ctx, id, e.deprecate)
	case e.undeprecate:
		return w.Edits().Undeprecate(ctx, id)
	case (e.pin || e.unpin) && len(given) == 1:
		return w.Edits().Pin(ctx, id, e.pin)
	case e.file || len(changingFlags(cmd)) == 0:
		if !ec.hasEditor() {
			if flags.Changed("correct") {
				return memory.Result{}, usageError("--correct says what was wrong, and no flag says what is right", fmt.Sprintf("`manicule edit %s --what \"The corrected sentence\" --correct \"what was wrong\"`", id))
			}
			return memory.Result{}, usage(cmd, errors.New("no flag says what to change, and there is no terminal for an editor"))
		}
		return ec.editInEditor(cmd, w, id, e)
	}
	return e.write(cmd, w, id, func(m *file.Memory) error {
		if err := e.words(flags, m); err != nil {
			return err
		}
		setChanged(flags, "cite", &m.Trust.Citation, e.cite)
		setChanged(flags, "label", &m.ContextLabel, e.label)
		setChanged(flags, "importance", (*string)(&m.Importance), e.importance)
		setChanged(flags, "visibility", (*string)(&m.Visibility), e.visibility)
		if flags.Changed("tag") {
			m.Tags = e.tags
		}
		if flags.Changed("type") {
			m.Layer = m.Type.DefaultLayer(m.Scope != nil || len(m.Anchors) > 0)
		}
		if e.pin || e.unpin {
			m.Pinned = e.pin
		}
		if flags.Changed("half-life") {
			if e.halfLife < 0 || math.IsNaN(e.halfLife) || math.IsInf(e.halfLife, 0) {
				return &codeError{exitRefused, &memory.UserError{Msg: fmt.Sprintf("a half-life of %v days", e.halfLife), Hint: "Name a number of days, such as 30, or 0 for what the type has."}}
			}
			m.HalfLifeDays = nil
			if e.halfLife > 0 {
				m.HalfLifeDays = &e.halfLife
			}
		}
		if slices.ContainsFunc(detailNames(), flags.Changed) {
			had, err := m.ReadDetails()
			if err != nil {
				return err
			}
			if err := m.SetDetails(e.details.change(had, flags.Changed)); err != nil {
				return &codeError{exitRefused, &memory.UserError{Msg: err.Error(), Err: err, Hint: "--instead is of a dead end, --step of a recipe, --task of a lesson: a gotcha, a dead end, an error pattern or a recipe; --forbid and --must-have are of a convention, requirement, decision, pattern, gotcha or dead end, --proof of these, an error pattern, a module insight or a recipe."}}
			}
		}
		if err := memory.RemoveRelations(m, e.unrelate); err != nil {
			return err
		}
		return memory.AddRelations(m, e.relations.list)
	})
}

// write changes a memory, as an edit or as a correction.
func (e edits) write(cmd *cobra.Command, w *services.Workspace, id string, change func(*file.Memory) error) (memory.Result, error) {
	if cmd.Flags().Changed("correct") {
		return w.Edits().Correct(cmd.Context(), id, memory.Correction{Change: change, Note: e.correct, Insist: e.anyway})
	}
	return w.Edits().ChangeInsisting(cmd.Context(), id, change, "edit", e.note, e.anyway)
}

// flagsGiven lists the command's own flags on the command line.
func flagsGiven(cmd *cobra.Command) []string {
	var names []string
	cmd.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
		if f.Changed {
			names = append(names, f.Name)
		}
	})
	return names
}

// changingFlags lists the given flags that say what to change, not why or that the person means it.
func changingFlags(cmd *cobra.Command) []string {
	return slices.DeleteFunc(flagsGiven(cmd), func(flag string) bool { return flag == "note" || flag == "correct" || flag == "anyway" })
}

// located prefixes an error with its place.
func located(err error) error {
	if e, ok := errors.AsType[*file.Error](err); ok && e.Line > 0 {
		return fmt.Errorf("line %d, column %d: %w", e.Line, e.Column, err)
	}
	return err
}
