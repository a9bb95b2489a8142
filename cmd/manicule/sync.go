package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"manicule/memory"
	"manicule/memory/services"
)

// syncCommand is `manicule sync`.
type syncCommand struct {
	*cli
	silent bool
}

func newSyncCommand(shared *cli) *cobra.Command {
	sc := &syncCommand{cli: shared}
	c := &cobra.Command{
		Use:   "sync [import | export]",
		Short: "Update the databases from the memory files",
		Long: "Update the databases from the memory files. Every command does this automatically; git hooks\n" +
			"call it so that the first command after a pull is fast.\n\n" +
			"sync import  rebuilds the database from all files\n" +
			"sync export  writes back files that are missing but still known here",
		Args:      cobra.MatchAll(cobra.MaximumNArgs(1), cobra.OnlyValidArgs),
		ValidArgs: []string{"import", "export"},
		RunE:      sc.run,
	}
	c.Flags().BoolVar(&sc.silent, "quiet", false, "print nothing, and do nothing if another waits to do it")
	return c
}

func (sc *syncCommand) run(cmd *cobra.Command, args []string) (err error) {
	sc.quiet = sc.silent
	w, err := sc.openQuietly()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	if sc.silent && len(args) == 0 { // called by a git hook
		done, ok := memory.SyncTurn(cmd.Context(), w.Place())
		if !ok {
			return nil
		}
		defer done()
	}
	written := 0
	switch {
	case len(args) == 1 && args[0] == "import":
		if err := w.Store().Rebuild(cmd.Context()); err != nil {
			return err
		}
	case len(args) == 1:
		if err := sc.requirePerson("write back"); err != nil {
			return err
		}
		if written, err = sc.writeMissing(cmd, w); err != nil {
			return err
		}
	}
	r, err := w.Refresh(cmd.Context())
	if err != nil {
		return err
	}
	sc.refresh(cmd.Context(), w) // hooks read the history found here
	if err := w.UpdateHistory(cmd.Context()); err != nil {
		sc.warn("read the history: %v", err) // without it every file counts as calm
	}
	embedded := 0
	if !sc.silent { // do not make git wait
		if embedded, err = sc.embedMissing(cmd.Context(), w); err != nil {
			sc.warn("the memories can't all be found by meaning: %v", err)
		}
	}
	return sc.printSync(cmd, w, synced{r.Added, r.Changed, r.Removed, written, embedded})
}

// writeMissing restores missing files from the database.
func (sc *syncCommand) writeMissing(cmd *cobra.Command, w *services.Workspace) (int, error) {
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
		res, err := w.Forgotten().RestoreFile(m)
		if err != nil {
			return n, err
		}
		if !res.Accepted {
			sc.warn("%s is not written back: %s", r.Path, res.Reason)
			continue
		}
		n++
	}
	return n, nil
}

// synced is the result of a sync: numbers of files, and of embedded memories.
type synced struct{ added, changed, removed, written, embedded int }

func (sc *syncCommand) printSync(cmd *cobra.Command, w *services.Workspace, s synced) error {
	if sc.quiet {
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
	if sc.json {
		sc.printJSON("sync", struct {
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
	sc.printf("%s: %d new, %d changed, %d gone", count(total, "memory", "memories"), s.added, s.changed, s.removed)
	if s.written > 0 {
		sc.printf(", %s written back", count(s.written, "file", "files"))
	}
	if s.embedded > 0 {
		sc.printf(", %d embedded", s.embedded)
	}
	if len(faults) > 0 {
		sc.printf(", %s: see `manicule doctor`", count(len(faults), "broken file", "broken files"))
	}
	sc.printf("\n")
	return nil
}
