package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"manicule/memory"
	"manicule/memory/purge"
	"manicule/memory/store"
)

// purgeCommand is `manicule purge`.
type purgeCommand struct {
	*cli
	personal, workspace, all bool
	memories, yes, dryRun    bool
}

func newPurgeCommand(shared *cli) *cobra.Command {
	pc := &purgeCommand{cli: shared}
	c := &cobra.Command{
		Use:   "purge --personal | --workspace | --all",
		Short: "Delete for good what Manicule keeps on this machine",
		Long: "Delete for good what Manicule keeps on this machine: files, drafts, versions, tombstones, logs,\n" +
			"caches, vectors, backups. It lists all of it first and asks, and afterwards searches what is\n" +
			"left for the texts. What git may carry stays unless --memories is given. Nothing can\n" +
			"be restored; `manicule export --all` makes a copy. docs/privacy.md says more.",
		Example: "  manicule purge --personal\n  manicule purge --workspace --dry-run\n  manicule purge --workspace --memories --yes\n  manicule purge --all",
		Args:    cobra.NoArgs,
		RunE:    pc.run,
	}
	f := c.Flags()
	f.BoolVar(&pc.personal, "personal", false, "personal memories, and every trace of their texts")
	f.BoolVar(&pc.workspace, "workspace", false, "all that this machine keeps about the repository")
	f.BoolVar(&pc.all, "all", false, "all that this machine keeps, also models and your settings")
	f.BoolVar(&pc.memories, "memories", false, "with --workspace: also what git carries: memory files, core documents, plans of work, shared threads")
	f.BoolVar(&pc.yes, "yes", false, "do not ask")
	f.BoolVar(&pc.dryRun, "dry-run", false, "only list what would be deleted")
	c.MarkFlagsMutuallyExclusive("personal", "workspace", "all")
	c.MarkFlagsOneRequired("personal", "workspace", "all")
	return c
}

// flag is the flag that says what is purged.
func (pc *purgeCommand) flag() string {
	switch pc.scope() {
	case purge.Personal:
		return " --personal"
	case purge.All:
		return " --all"
	}
	return " --workspace"
}

func (pc *purgeCommand) scope() purge.Scope {
	switch {
	case pc.personal:
		return purge.Personal
	case pc.all:
		return purge.All
	}
	return purge.Repository
}

func (pc *purgeCommand) run(cmd *cobra.Command, _ []string) error {
	if pc.memories && !pc.workspace {
		return usage(cmd, errors.New("--memories needs --workspace"))
	}
	if err := pc.requirePerson("purge"); err != nil {
		return err
	}
	if !pc.yes && !pc.dryRun && (pc.json || !pc.inputTTY) {
		return usageError("there is no terminal to ask on: purge needs --yes, or --dry-run to list", "`"+cmd.CommandPath()+pc.flag()+" --dry-run` lists what would be deleted.")
	}
	place, err := pc.place()
	if err != nil {
		return err
	}
	plan, err := purge.Prepare(cmd.Context(), purge.Options{Scope: pc.scope(), Memories: pc.memories, Place: place, Env: pc.opener.Env(),
		State: store.OpenState(place.StateDir(), place.GitPrefix(), pc.now), Now: pc.now})
	if err != nil {
		return err
	}
	if !pc.json {
		pc.printPlan(plan)
	}
	if pc.dryRun {
		pc.printDryRun(plan)
		return nil
	}
	if len(plan.Items) > 0 && !pc.yes && !pc.confirmed() {
		pc.printf("nothing was deleted\n")
		return nil
	}
	r, err := plan.Run(cmd.Context())
	if err != nil {
		return pc.halfway(plan, r, err)
	}
	return pc.report(plan, r)
}

// halfway says what a purge did that failed or was interrupted, and what to do after it. r is nil if it began nothing.
func (pc *purgeCommand) halfway(p *purge.Plan, r *purge.Result, err error) error {
	if _, said := errors.AsType[*memory.UserError](err); said {
		return err
	}
	what := err.Error()
	if errors.Is(err, context.Canceled) {
		what = "interrupted"
	}
	if r != nil {
		if !pc.json {
			for _, it := range r.Removed {
				pc.printf("  deleted  %s\n", it.Path)
			}
		}
		what += fmt.Sprintf("; %d of %s deleted", len(r.Removed), count(len(p.Items), "item is", "items are"))
	}
	return &memory.UserError{Msg: "purge: " + what, Err: err, Hint: "Run the command again: it continues with what is left."}
}

func (pc *purgeCommand) printPlan(p *purge.Plan) {
	if len(p.Items) == 0 {
		return
	}
	var sum int64
	for _, it := range p.Items {
		pc.printf("  %8s  %s  %s\n", humanize.Bytes(uint64(max(it.Bytes, 0))), it.Path, pc.paint(faint, it.What))
		sum += it.Bytes
	}
	pc.printf("  %8s  in all\n", humanize.Bytes(uint64(max(sum, 0))))
	for _, n := range p.Notes {
		pc.printf("  %s\n", pc.paint(yellow, n))
	}
}

func (pc *purgeCommand) printDryRun(p *purge.Plan) {
	if pc.json {
		pc.printJSON("purge_plan", struct {
			Scope purge.Scope  `json:"scope"`
			Items []purge.Item `json:"items"`
			Notes []string     `json:"notes"`
		}{pc.scope(), append([]purge.Item{}, p.Items...), append([]string{}, p.Notes...)})
	} else if len(p.Items) == 0 {
		pc.printf("there is nothing to delete\n")
	}
}

func (pc *purgeCommand) confirmed() bool {
	pc.printf("This can't be undone. Type yes to delete it: ")
	line, err := bufio.NewReader(pc.in).ReadString('\n')
	return (err == nil || line != "") && strings.EqualFold(strings.TrimSpace(line), "yes")
}

// report says what was deleted, and whether anything of it was found afterwards.
func (pc *purgeCommand) report(p *purge.Plan, r *purge.Result) error {
	if pc.json {
		pc.printJSON("purge", struct {
			Scope purge.Scope `json:"scope"`
			*purge.Result
			Notes []string `json:"notes"`
		}{pc.scope(), r, slices.Concat([]string{}, p.Notes, r.Notes)})
	} else {
		pc.printf("%s deleted: %s; %s of state.db, %s of logs, %s\n", pc.paint(green, "✓"), count(len(r.Removed), "item", "items"),
			count(r.Rows, "row", "rows"), count(r.Lines, "line", "lines"), count(r.Vectors, "shared vector", "shared vectors"))
		for _, n := range r.Notes {
			pc.printf("  %s\n", pc.paint(yellow, n))
		}
		if len(r.Left) == 0 {
			pc.printf("%s searched what is left: no text or id of the deleted memories is there\n", pc.paint(green, "✓"))
		}
	}
	if len(r.Left) == 0 {
		return nil
	}
	for _, name := range r.Left {
		if !pc.json {
			pc.printf("%s still has something of it: %s\n", pc.paint(red, "✗"), name)
		}
	}
	if !pc.json {
		pc.printf("  try: look at these files and delete them yourself, or run the command again\n")
	}
	return &codeError{exitFindings, errSilent}
}
