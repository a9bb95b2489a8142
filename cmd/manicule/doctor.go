package main

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"manicule/memory/gate"
	"manicule/memory/services"
)

// finding is the result of one check.
type finding struct {
	Check  string `json:"check"`
	Status string `json:"status"` // ok, note, problem
	Text   string `json:"text"`
	Hint   string `json:"hint,omitzero"`
}

// The statuses of a finding. A note is worth knowing, but no problem.
const (
	statusOK      = "ok"
	statusNote    = "note"
	statusProblem = "problem"
)

// doctorCommand is `manicule doctor`.
type doctorCommand struct {
	doctor
	mender     mender
	mend, undo bool
	verbose    bool
	tell       func([]finding) // of each check when it is done; nil to be told at the end
}

// doctor is shared by the commands that check the setup.
type doctor struct{ *cli }

func newDoctorCommand(shared *cli) *cobra.Command {
	dc := &doctorCommand{doctor: doctor{shared}, mender: mender{cli: shared}}
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Check the setup, and say how to fix what is wrong",
		Long: "Check the setup, and say how to fix what is wrong. --fix mends what needs no decision of a\n" +
			"person: memory files in the wrong place, with the id or the words of another one, in a form that\n" +
			"is nearly right, cut off or with times that can't be; what editors left beside them; missing git\n" +
			"hooks; a damaged cache. What the files were is kept, and --undo takes it back.",
		Example: "  manicule doctor\n  manicule doctor --fix --dry-run\n  manicule doctor --fix\n  manicule doctor --undo",
		Args:    cobra.NoArgs,
		RunE:    dc.run,
	}
	c.Flags().BoolVar(&dc.mend, "fix", false, "mend what needs no decision")
	c.Flags().BoolVar(&dc.undo, "undo", false, "take the last --fix of memory files back")
	c.Flags().BoolVar(&dc.mender.dryRun, "dry-run", false, "with --fix: only show what would be done")
	c.Flags().BoolVarP(&dc.verbose, "verbose", "v", false, "show all memories in quarantine and all files that can't be read")
	c.MarkFlagsMutuallyExclusive("fix", "undo")
	c.MarkFlagsMutuallyExclusive("dry-run", "undo")
	c.AddCommand(newDoctorHooksCommand(shared), newDoctorAgentsCommand(shared))
	return c
}

func (dc *doctorCommand) run(cmd *cobra.Command, _ []string) error {
	if dc.mender.dryRun && !dc.mend {
		return usage(cmd, errors.New("--dry-run needs --fix"))
	}
	if dc.undo || dc.mend && !dc.mender.dryRun {
		if err := dc.requirePerson("repair"); err != nil {
			return err
		}
	}
	return dc.examined(func(w *services.Workspace) (bool, error) {
		if dc.undo {
			return false, dc.mender.takeBack(cmd.Context(), w)
		}
		var mended []mendedJSON
		var list []finding
		if dc.mend {
			mended, list = dc.mender.fix(cmd.Context(), w)
			if err := cmd.Context().Err(); err != nil {
				return false, err
			}
			if !dc.json && (len(mended) > 0 || len(list) == 0) {
				dc.mender.printMended(mended)
			}
		}
		if !dc.json {
			dc.printFindings(list)
			dc.tell = dc.printFindings // as they are found: in a large workspace some take seconds
		}
		list = append(list, dc.examine(cmd.Context(), w)...)
		if err := cmd.Context().Err(); err != nil {
			return false, err
		}
		bad := anyProblem(list)
		if dc.json {
			dc.printJSON("doctor", struct {
				OK       bool         `json:"ok"`
				Mended   []mendedJSON `json:"mended,omitzero"`
				DryRun   bool         `json:"dry_run,omitzero"`
				Findings []finding    `json:"findings"`
			}{!bad, mended, dc.mender.dryRun, list})
		}
		return bad, nil
	})
}

// examined opens the workspace for checks that report faults themselves. The exit code
// says whether there was a problem.
func (d *doctor) examined(look func(*services.Workspace) (bad bool, err error)) (err error) {
	d.quiet = true // the findings report it
	w, err := d.openQuietly()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	bad, err := look(w)
	if err == nil && bad {
		err = &codeError{exitFindings, errSilent}
	}
	return err
}

func anyProblem(list []finding) bool {
	return slices.ContainsFunc(list, func(f finding) bool { return f.Status == statusProblem })
}

func (d *doctor) printFindings(list []finding) {
	for _, f := range list {
		mark := d.paint(green, "✓")
		switch f.Status {
		case statusNote:
			mark = d.paint(yellow, "•")
		case statusProblem:
			mark = d.paint(red, "✗")
		}
		d.printf("%s %-12s %s\n", mark, f.Check, strings.ReplaceAll(gate.Clean(f.Text), "\n", "\n               "))
		if f.Hint != "" && f.Status != statusOK {
			d.printf("  %-12s try: %s\n", "", f.Hint)
		}
	}
}

func (dc *doctorCommand) examine(ctx context.Context, w *services.Workspace) []finding {
	var out []finding
	for _, check := range []func(context.Context, *services.Workspace) []finding{
		checkWorkspace, checkCopy, checkHome, dc.checkConfig, fileCheck{all: dc.verbose || dc.json}.run, dc.mender.checkForm, dc.checkAlike, checkAnchors, dc.checkConsolidation,
		checkDatabases, dc.checkGit, dc.checkAgents, dc.checkEditors, dc.checkHooks, checkLeader, checkGrammars, checkModel,
	} {
		if ctx.Err() != nil {
			break
		}
		found := check(ctx, w)
		if dc.tell != nil {
			dc.tell(found)
		}
		out = append(out, found...)
	}
	return out
}

func (dc *doctorCommand) checkConfig(_ context.Context, w *services.Workspace) []finding {
	_, warnings := dc.opener.Settings(w.Place())
	if len(warnings) == 0 {
		return []finding{{Check: "settings", Status: statusOK, Text: "understood"}}
	}
	var out []finding
	for _, x := range warnings {
		out = append(out, finding{"settings", statusProblem, x.String(), "docs/configuration.md lists the settings."})
	}
	return out
}
