package main

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"manicule/hooks/install"
	"manicule/hooks/setup"
	"manicule/indexer/workspace"
	"manicule/memory/services"
)

// initCommand is `manicule init`.
type initCommand struct {
	*cli
	setup        setup.Options
	dryRun, undo bool
}

func newInitCommand(shared *cli) *cobra.Command {
	ic := &initCommand{cli: shared}
	c := &cobra.Command{
		Use:   "init",
		Short: "Set up a workspace, its git hooks and its agents",
		Long: "Set up a workspace: the .manicule folder, git hooks beside the ones you have, and the\n" +
			"agents named with --agent: their hooks, and `manicule mcp` among their MCP servers. Other\n" +
			"entries are not changed. --dry-run shows the changes, --undo reverts them (memories stay).",
		Example: "  manicule init --agent claude-code\n  manicule init --agent claude-code,cursor --dry-run\n  manicule init --undo",
		Args:    cobra.NoArgs,
		RunE:    ic.run,
	}
	c.Flags().StringSliceVar(&ic.setup.Agents, "agent", nil, "set up these agents: "+strings.Join(install.Agents(), ", "))
	c.Flags().BoolVar(&ic.setup.Shared, "shared", false, "set them up in committed files, for everybody")
	c.Flags().BoolVar(&ic.setup.NoMCP, "no-mcp", false, "only hooks and rules, no servers")
	c.Flags().BoolVar(&ic.dryRun, "dry-run", false, "only show the changes")
	c.Flags().BoolVar(&ic.undo, "undo", false, "revert all changes of init; memories stay")
	c.MarkFlagsMutuallyExclusive("undo", "agent")
	complete(c, "agent", install.Agents())
	return c
}

func (ic *initCommand) run(cmd *cobra.Command, _ []string) (err error) {
	w, err := ic.openQuietly()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	s := ic.setupOf(w.Place())
	var steps []setup.Step
	if ic.undo {
		steps, err = s.PlanUndo()
	} else {
		steps, err = s.Plan(ic.setup)
	}
	if errors.Is(err, setup.ErrUnknownAgent) {
		return &codeError{exitUsage, err}
	}
	if err != nil {
		return err
	}
	if !ic.dryRun {
		if err := setup.Apply(w.Place(), steps, ic.undo); err != nil {
			return err
		}
	}
	ic.printSteps(w, steps)
	return nil
}

func (ic *initCommand) printSteps(w *services.Workspace, steps []setup.Step) {
	type row struct {
		Action string `json:"action"`
		Path   string `json:"path"`
		What   string `json:"what"`
	}
	rows := []row{}
	for _, s := range steps {
		if s.What == "" || (s.Folder && s.Before != nil && (ic.dryRun || setup.Exists(s.Path))) {
			continue
		}
		act := "change"
		switch {
		case s.After == nil && s.Before != nil:
			act = "remove"
		case s.Before == nil:
			act = "create"
		}
		rows = append(rows, row{act, relative(w.Root(), s.Path), s.What})
	}
	if ic.json {
		ic.printJSON("init", struct {
			Root   string `json:"root"`
			DryRun bool   `json:"dry_run"`
			Steps  []row  `json:"steps"`
		}{w.Root(), ic.dryRun, rows})
		return
	}
	for _, r := range rows {
		ic.printf("%s %-8s %s (%s)\n", ic.paint(green, "✓"), r.Action, r.Path, r.What)
	}
	switch {
	case ic.dryRun:
		ic.printf("nothing was changed: this was a dry run\n")
	case ic.undo && setup.Exists(w.Place().MemoriesDir()):
		ic.printf("the memories are kept in %s; delete the folder to remove them\n", relative(w.Root(), w.Place().MemoriesDir()))
	case ic.undo:
		ic.printf("all changes reverted\n")
	default:
		ic.printf("☞ ready: `manicule remember TEXT --at FILE#Symbol` writes a memory, `manicule import` reads your rule files\n")
	}
}

// setupOf prepares the setup of a workspace.
func (c *cli) setupOf(p *workspace.Workspace) *setup.Setup {
	return &setup.Setup{Place: p, Getenv: c.getenv, Warn: c.warn}
}
