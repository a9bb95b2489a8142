package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"manicule/memory"
	"manicule/memory/file"
	"manicule/memory/services"
)

// forgetCommand is `manicule forget`.
type forgetCommand struct {
	*cli
}

func newForgetCommand(shared *cli) *cobra.Command {
	fc := &forgetCommand{cli: shared}
	return &cobra.Command{
		Use:               "forget ID...",
		Short:             "Remove memories; they can be restored for 30 days",
		Example:           "  manicule forget 5b0d9a12\n  manicule restore 5b0d9a12",
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: fc.completeIDs,
		RunE:              fc.run,
	}
}

func (fc *forgetCommand) run(cmd *cobra.Command, args []string) error {
	if err := fc.requirePerson("remove"); err != nil {
		return err
	}
	return fc.with(cmd.Context(), func(w *services.Workspace) error {
		var gone []hitJSON
		for _, id := range args {
			h, _, err := w.GetAny(cmd.Context(), id)
			if err != nil {
				return err
			}
			if err := w.Forgotten().Forget(cmd.Context(), h.Memory.UUID); err != nil {
				return err
			}
			gone = append(gone, hitsJSON(w.Root(), []memory.Hit{h})...)
			if !fc.json {
				fc.printf("☞ forgotten: ")
				fc.line(h.Memory)
				when := "until " + fc.now().AddDate(0, 0, 30).Format("2006-01-02")
				if h.Memory.Trust.VerifiedBy != "" {
					when = "at any time, as a person confirmed it"
				}
				fc.printf("  `manicule restore %s` brings it back, %s\n", h.Memory.ShortID(), when)
			}
		}
		if fc.json {
			fc.printJSON("forget", struct {
				Forgotten []hitJSON `json:"forgotten"`
			}{gone})
		}
		return nil
	})
}

// restoreCommand is `manicule restore`.
type restoreCommand struct {
	*cli
	dismiss bool
	limit   int
}

func newRestoreCommand(shared *cli) *cobra.Command {
	rc := &restoreCommand{cli: shared}
	c := &cobra.Command{
		Use:   "restore [ID]",
		Short: "Restore a forgotten memory; without an id, list them",
		Long: "Restore a forgotten memory, one whose file vanished before a commit had it (git clean,\n" +
			"git reset --hard, git worktree remove), or what was written while git waited in the middle\n" +
			"of a merge and git dropped then. Without an id all are listed. A core document and the\n" +
			"plan of a build are named by their files.",
		Example:           "  manicule restore\n  manicule restore 5b0d9a12\n  manicule restore .manicule/core.json\n  manicule restore --dismiss 5b0d9a12",
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: rc.completeForgotten,
		RunE:              rc.run,
	}
	limitFlag(c, &rc.limit)
	c.Flags().BoolVar(&rc.dismiss, "dismiss", false, "what git dropped is meant to be gone: its copy is deleted, and nobody is told any more")
	return c
}

func (rc *restoreCommand) run(cmd *cobra.Command, args []string) error {
	return rc.with(cmd.Context(), func(w *services.Workspace) error {
		if len(args) == 0 {
			if rc.dismiss {
				return usage(cmd, errors.New("say which: `manicule restore` lists what git dropped"))
			}
			return rc.list(cmd.Context(), w, asJSON(cmd, rc.limit))
		}
		if err := rc.requirePerson("restore"); err != nil {
			return err
		}
		if rc.dismiss {
			return rc.dismissDropped(cmd.Context(), w, args[0])
		}
		if f, ok, err := w.Stopped().RestoreFile(args[0]); ok || err != nil {
			if err == nil {
				rc.restoredFile(f)
			}
			return err
		}
		r, d, ok, err := w.Stopped().Restore(cmd.Context(), args[0])
		if err == nil && !ok {
			r, err = w.Forgotten().Restore(cmd.Context(), args[0])
		}
		switch {
		case err != nil:
			return err
		case d.Thread:
			rc.restoredThread(r)
			return nil
		}
		return rc.report(cmd.Context(), w, r, "restored")
	})
}

// forgottenText returns what a forgotten memory says. It may have been in quarantine: then an agent is not told.
func (rc *restoreCommand) forgottenText(ctx context.Context, w *services.Workspace, m *file.Memory) (string, error) {
	if rc.agent() == "" {
		return m.What, nil
	}
	_, held, err := w.Quarantine().Tellable(ctx, []memory.Past{{Memory: m}})
	if err != nil || held > 0 {
		return "(in quarantine, not shown to agents)", err
	}
	return m.What, nil
}

// list prints what can be restored, as JSON at most inJSON memories that were forgotten.
func (rc *restoreCommand) list(ctx context.Context, w *services.Workspace, inJSON int) error {
	list, err := w.Forgotten().List(ctx)
	if err != nil {
		return err
	}
	lost, err := w.Stopped().Dropped(ctx)
	if err != nil {
		return err
	}
	shown := room(rc.limit, len(list))
	if rc.json {
		shown = room(inJSON, len(list))
	}
	rows := []forgottenJSON{}
	for _, t := range list[:shown] {
		r := forgottenJSON{UUID: t.UUID, Reason: t.Reason, Deleted: t.Deleted.Format("2006-01-02T15:04:05Z")}
		if m, err := file.Parse(t.JSON); err == nil {
			if r.What, err = rc.forgottenText(ctx, w, m); err != nil {
				return err
			}
		}
		rows = append(rows, r)
		if !rc.json {
			rc.printf("%s  %s  %s\n", rc.paint(faint, t.UUID[28:]), firstLine(r.What), rc.paint(faint, t.Reason+" "+t.Deleted.Format("2006-01-02")))
		}
	}
	if !rc.json {
		moreLeft(rc.cli, len(list)-shown, "restore")
	}
	files, err := w.Stopped().DroppedFiles()
	if err != nil {
		return err
	}
	drops, named := rc.dropped(lost, files)
	if rc.json {
		rc.printJSON("restore", restoreJSON{Forgotten: rows, Dropped: drops, Files: named})
	} else if len(list)+len(drops)+len(named) == 0 {
		rc.printf("nothing to restore\n")
	}
	return nil
}
