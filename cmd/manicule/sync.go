package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"manicule/memory/exporter"
	"manicule/memory/services"
)

// syncCommand is `manicule sync`.
type syncCommand struct {
	*cli
	silent bool
}

func newSyncCommand(shared *cli) *cobra.Command {
	a := &syncCommand{cli: shared}
	c := &cobra.Command{
		Use:   "sync [import | export]",
		Short: "Bring the databases up to the memory files",
		Long: "Bring the databases up to the memory files. Every command does it by itself; the git\n" +
			"hooks call it so that the first one after a pull need not.\n\n" +
			"sync import  builds the database again from all files\n" +
			"sync export  writes back files that are missing but still known here",
		Args:      cobra.MatchAll(cobra.MaximumNArgs(1), cobra.OnlyValidArgs),
		ValidArgs: []string{"import", "export"},
		RunE:      a.run,
	}
	c.Flags().BoolVar(&a.silent, "quiet", false, "print nothing")
	return c
}

func (a *syncCommand) run(cmd *cobra.Command, args []string) (err error) {
	a.quiet = a.silent
	w, err := a.openQuietly()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	written := 0
	switch {
	case len(args) == 1 && args[0] == "import":
		if err := w.Store().Rebuild(cmd.Context()); err != nil {
			return err
		}
	case len(args) == 1:
		if err := a.onlyPeople("write back"); err != nil {
			return err
		}
		if written, err = a.writeMissing(cmd, w); err != nil {
			return err
		}
	}
	r, err := w.Refresh(cmd.Context())
	if err != nil {
		return err
	}
	a.refresh(cmd.Context(), w.Tracker()) // hooks read what is found here
	if err := w.UpdateHistory(cmd.Context()); err != nil {
		a.warn("read the history: %v", err) // without it every file counts as calm
	}
	if r.Any() {
		if err := a.renewBootstrap(cmd.Context(), w); err != nil {
			a.warn("renew the bootstrap files: %v", err)
		}
	}
	embedded := 0
	if !a.silent { // a git hook's: whoever waits for it waits for git
		if embedded, err = a.embedMissing(cmd.Context(), w); err != nil {
			a.warn("the memories can't all be found by meaning: %v", err)
		}
	}
	return a.printSync(cmd, w, synced{r.Added, r.Changed, r.Removed, written, embedded})
}

// renewBootstrap writes the bootstrap files again where somebody has exported
// them to their usual place (ADE-ST-44).
func (a *syncCommand) renewBootstrap(ctx context.Context, w *services.Workspace) error {
	dir := bootstrapDir(w)
	if !exists(filepath.Join(dir, exporter.Index)) {
		return nil
	}
	if _, err := w.Sync(ctx); err != nil {
		return err
	}
	_, err := exporter.Bootstrap(dir, activeMemories(w), exporter.Options{})
	return err
}

// writeMissing puts back what the database still knows but whose file is gone.
func (a *syncCommand) writeMissing(cmd *cobra.Command, w *services.Workspace) (int, error) {
	rows, err := w.Store().All(cmd.Context())
	if err != nil {
		return 0, err
	}
	n := 0
	for _, r := range rows {
		path := filepath.Join(w.Place().MemoriesDir(), filepath.FromSlash(r.Path))
		if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
			continue
		}
		m, err := r.Memory()
		if err != nil {
			return n, fmt.Errorf("write back %s: %w", r.Path, err)
		}
		res, err := w.WriteBack(m)
		if err != nil {
			return n, err
		}
		if !res.Accepted {
			a.warn("%s is not written back: %s", r.Path, res.Reason)
			continue
		}
		n++
	}
	return n, nil
}

// synced is what a sync did: numbers of files, and of memories with a vector.
type synced struct{ added, changed, removed, written, embedded int }

func (a *syncCommand) printSync(cmd *cobra.Command, w *services.Workspace, s synced) error {
	if a.quiet {
		return nil
	}
	faults, err := w.Store().Faults(cmd.Context())
	if err != nil {
		return err
	}
	counts, err := w.Store().Counts(cmd.Context())
	if err != nil {
		return err
	}
	total := 0
	for _, c := range counts {
		total += c.N
	}
	if a.json {
		a.printJSON("sync", struct {
			Total    int `json:"total"`
			Added    int `json:"added"`
			Changed  int `json:"changed"`
			Removed  int `json:"removed"`
			Written  int `json:"written"`
			Problems int `json:"problems"`
			Embedded int `json:"embedded"`
		}{total, s.added, s.changed, s.removed, s.written, len(faults), s.embedded})
		return nil
	}
	a.printf("%s: %d new, %d changed, %d gone", count(total, "memory", "memories"), s.added, s.changed, s.removed)
	if s.written > 0 {
		a.printf(", %s written back", count(s.written, "file", "files"))
	}
	if s.embedded > 0 {
		a.printf(", %d embedded", s.embedded)
	}
	if len(faults) > 0 {
		a.printf(", %s: see `manicule doctor`", count(len(faults), "broken file", "broken files"))
	}
	a.printf("\n")
	return nil
}
