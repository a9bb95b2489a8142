package main

import (
	"bufio"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"manicule/hooks/install"
	"manicule/hooks/setup"
	"manicule/indexer/workspace"
	"manicule/memory"
)

// initCommand is `manicule init`.
type initCommand struct {
	*cli
	setup              setup.Options
	dryRun, undo       bool
	doImport, noImport bool
	answers            *bufio.Reader // of the person
}

func newInitCommand(shared *cli) *cobra.Command {
	ic := &initCommand{cli: shared}
	c := &cobra.Command{
		Use:   "init",
		Short: "Set up a workspace, its git hooks and its agents",
		Long: "Set up a workspace: the .manicule folder, git hooks beside the ones you have, and the\n" +
			"agents named with --agent: their hooks, and `manicule mcp` among their MCP servers. Other\n" +
			"entries are not changed. --dry-run shows the changes, --undo reverts them (memories stay).\n\n" +
			"On a terminal it asks whether to set up the agents that you use, to import the rule files\n" +
			"and to install the model, and shows what to know first. Scripts are asked nothing.",
		Example: "  manicule init --agent claude-code\n  manicule init --agent claude-code,cursor --dry-run\n  manicule init --undo",
		Args:    cobra.NoArgs,
		RunE:    ic.run,
	}
	c.Flags().StringSliceVar(&ic.setup.Agents, "agent", nil, "set up these agents: "+strings.Join(install.Agents(), ", "))
	c.Flags().BoolVar(&ic.setup.Shared, "shared", false, "set them up in committed files, for everybody")
	c.Flags().BoolVar(&ic.setup.NoMCP, "no-mcp", false, "only hooks and rules, no servers")
	c.Flags().BoolVar(&ic.dryRun, "dry-run", false, "only show the changes")
	c.Flags().BoolVar(&ic.undo, "undo", false, "revert all changes of init; memories stay")
	c.Flags().BoolVar(&ic.doImport, "import", false, "import the rule files without asking")
	c.Flags().BoolVar(&ic.noImport, "no-import", false, "neither import them nor ask")
	c.MarkFlagsMutuallyExclusive("undo", "agent")
	c.MarkFlagsMutuallyExclusive("undo", "import")
	c.MarkFlagsMutuallyExclusive("import", "no-import")
	complete(c, "agent", install.Agents())
	return c
}

func (ic *initCommand) run(cmd *cobra.Command, _ []string) error {
	if ic.dryRun && ic.doImport {
		return &codeError{exitUsage, &memory.UserError{Msg: "only one of --dry-run and --import can be given", Hint: "`manicule import --dry-run` shows what would be imported."}}
	}
	if ic.doImport {
		if err := ic.requirePerson("import"); err != nil {
			return err
		}
	}
	shown, err := ic.apply()
	if err != nil {
		return err
	}
	if !ic.json {
		ic.printSteps(shown)
	}
	if ic.dryRun || ic.undo {
		if ic.json {
			ic.printSetup(shown, nil)
		}
		return nil
	}
	rows, err := ic.importRules(cmd.Context())
	if err != nil {
		return err
	}
	if ic.json {
		ic.printSetup(shown, rows)
		return nil
	}
	ic.offerModel(cmd.Context())
	return ic.next(cmd.Context(), shown.place.MemoriesDir())
}

// setupSteps are the steps of a setup as they are shown.
type setupSteps struct {
	root  string
	rows  []setupStep
	place *workspace.Workspace
}

type setupStep struct {
	Action string `json:"action"`
	Path   string `json:"path"`
	What   string `json:"what"`
}

// apply changes the files of the setup, or only plans it.
func (ic *initCommand) apply() (shown setupSteps, err error) {
	w, err := ic.openQuietly()
	if err != nil {
		return shown, err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	s := ic.setupOf(w.Place())
	if err := ic.askAgents(s); err != nil {
		return shown, err
	}
	var steps []setup.Step
	if ic.undo {
		steps, err = s.PlanUndo()
	} else {
		steps, err = s.Plan(ic.setup)
	}
	if errors.Is(err, setup.ErrUnknownAgent) {
		return shown, &codeError{exitUsage, err}
	}
	if err != nil {
		return shown, err
	}
	if !ic.dryRun {
		if err := s.Apply(steps, ic.undo); err != nil {
			return shown, err
		}
	}
	shown = setupSteps{w.Root(), []setupStep{}, w.Place()}
	for _, x := range steps {
		if x.What == "" || (x.Folder && x.Before != nil && (ic.dryRun || setup.Exists(x.Path))) {
			continue
		}
		act := "change"
		switch {
		case x.After == nil && x.Before != nil:
			act = "remove"
		case x.Before == nil:
			act = "create"
		}
		shown.rows = append(shown.rows, setupStep{act, relative(w.Root(), x.Path), x.What})
	}
	return shown, nil
}

// printSetup prints the steps as JSON, with the number of memories that --import made.
func (ic *initCommand) printSetup(shown setupSteps, rows []imported) {
	out := struct {
		Root     string      `json:"root"`
		DryRun   bool        `json:"dry_run"`
		Steps    []setupStep `json:"steps"`
		Imported *int        `json:"imported,omitzero"`
	}{Root: shown.root, DryRun: ic.dryRun, Steps: shown.rows}
	if ic.doImport {
		n := countNew(rows)
		out.Imported = &n
	}
	ic.printJSON("init", out)
}

func (ic *initCommand) printSteps(shown setupSteps) {
	mark, would := ic.paint(green, "✓"), ""
	if from, err := filepath.Abs(ic.root); err == nil && workspace.RealPath(from) != shown.root {
		ic.printf("☞ the workspace is %s, in which this folder lies\n", plainPath(shown.root))
	}
	if ic.dryRun {
		mark, would = "·", "would "
	}
	for _, r := range shown.rows {
		ic.printf("%s %s%-8s %s (%s)\n", mark, would, r.Action, r.Path, r.What)
	}
	if text, _ := copyOf(shown.place); text != "" && !ic.undo {
		ic.printf("☞ %s: `manicule doctor` says how to bring them along\n", text)
	}
	switch {
	case ic.dryRun:
		ic.printf("nothing was changed: this was a dry run\n")
	case ic.undo && setup.Exists(shown.place.MemoriesDir()):
		ic.printf("the memories are kept in %s; delete the folder to remove them\n", relative(shown.root, shown.place.MemoriesDir()))
	case ic.undo:
		ic.printf("all changes reverted\n")
	default:
		if list := toCommit(shown, ic.setup.Shared); len(list) > 0 && shown.place.GitTop != "" {
			ic.printf("☞ commit %s to share %s with everybody\n", join(list), pronoun(len(list)))
		}
	}
}

// toCommit names what of a setup is for everybody: what git leaves out by itself, and what lies elsewhere, is not.
func toCommit(shown setupSteps, shared bool) (list []string) {
	for _, r := range shown.rows {
		name, mine := r.Path, strings.HasPrefix(r.Path, workspace.Folder+"/")
		if mine {
			name = workspace.Folder
		}
		if filepath.IsAbs(name) || strings.HasPrefix(name, "../") || strings.HasPrefix(name, ".git/") || !mine && (!shared || r.What == "git hook") || slices.Contains(list, plainPath(name)) {
			continue
		}
		list = append(list, plainPath(name))
	}
	return list
}

// setupOf prepares the setup of a workspace.
func (c *cli) setupOf(p *workspace.Workspace) *setup.Setup {
	return &setup.Setup{Place: p, Getenv: c.getenv, Warn: c.warn}
}
