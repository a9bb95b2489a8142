package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"manicule/indexer/graph"
	"manicule/indexer/workspace"
	"manicule/memory"
	"manicule/memory/file"
	"manicule/memory/search"
	"manicule/memory/services"
	"manicule/memory/store"
)

// workspaces opens the workspace of a command.
type workspaces struct {
	*console
	*shell
	opener *services.Opener
}

// place finds the workspace's folders without opening its databases.
func (c *workspaces) place() (*workspace.Workspace, error) {
	dir := c.root
	if dir == "" {
		dir = "."
	}
	return c.opener.Discover(dir)
}

// openQuietly opens the workspace without reading the files.
func (c *workspaces) openQuietly() (*services.Workspace, error) {
	dir := c.root
	if dir == "" {
		var err error
		if dir, err = os.Getwd(); err != nil {
			return nil, &memory.UserError{Msg: "the current folder is gone: " + err.Error(), Err: err, Hint: "Change to a folder, or use --root."}
		}
	} else if st, err := os.Stat(dir); err != nil || !st.IsDir() {
		return nil, &memory.UserError{Msg: "--root " + dir + " is no folder", Hint: "Name a folder of the workspace."}
	}
	w, err := c.opener.Open(dir, c.readingMemories())
	if err != nil {
		return nil, err
	}
	for _, x := range w.Warnings {
		c.warn("%s", x)
	}
	return w, nil
}

// readingMemories reports how many memory files were read, and what is done with very many of them afterwards.
func (c *workspaces) readingMemories() func(done, total int) {
	show, said := c.progress("read", "memory files"), 0
	return func(done, total int) {
		if show(done, total); done == total && total >= manyFiles && said != total && !c.quiet {
			said = total
			c.warn("read %s, and indexes their words", count(total, "memory file", "memory files"))
		}
	}
}

// manyFiles is how many memory files take seconds to index after they were read.
const manyFiles = 20_000

// with opens the workspace, updates it from the files, calls f and closes it.
func (c *workspaces) with(ctx context.Context, f func(*services.Workspace) error) error {
	return c.withFresh(ctx, func(w *services.Workspace) error { return w.RefreshIfStale(ctx) }, f)
}

// withFresh is with for a command that updates the workspace in its own way.
func (c *workspaces) withFresh(ctx context.Context, refresh, f func(*services.Workspace) error) (err error) {
	w, err := c.openQuietly()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	if err := refresh(w); err != nil {
		return err
	}
	if faults, err := w.Store().Faults(ctx); err == nil {
		c.warnUnusable(faults)
	}
	if err := f(w); err != nil {
		return err
	}
	if err := services.RenewBootstrap(ctx, w); err != nil && ctx.Err() == nil {
		c.warn("renew the bootstrap files: %v", err)
	}
	return nil
}

// withState is with for a command that ends soon: it keeps state.db open.
func (c *workspaces) withState(ctx context.Context, f func(*services.Workspace) error) error {
	return c.with(ctx, c.holding(f))
}

// holding keeps state.db open while f runs. What f prints is written after it: a pager that nobody
// scrolls would keep other processes from writing.
func (c *workspaces) holding(f func(*services.Workspace) error) func(*services.Workspace) error {
	return func(w *services.Workspace) (err error) {
		var printed bytes.Buffer
		out, release := c.out, w.State().Hold()
		c.out = &printed
		defer func() {
			c.out, err = out, errors.Join(err, release())
			_, _ = out.Write(printed.Bytes()) // output keeps its first error
		}()
		return f(w)
	}
}

// warnUnusable warns about memories that the answer leaves out.
func (c *workspaces) warnUnusable(faults []store.Fault) {
	held := 0
	for _, f := range faults {
		if f.Held != "" {
			held++
		}
	}
	if n := len(faults) - held; n > 0 {
		c.warn("%s can't be used: `manicule doctor` says why", count(n, "memory file", "memory files"))
	}
	if held > 0 && !c.reportsQuarantine() {
		c.warn("%s in quarantine: `manicule review` says why", count(held, "memory is", "memories are"))
	}
}

// reportsQuarantine reports whether the command itself reports quarantined memories.
func (c *workspaces) reportsQuarantine() bool {
	for _, arg := range c.args {
		if !strings.HasPrefix(arg, "-") {
			return slices.Contains([]string{"review", "tui", "list", "show", "edit", "forget", "doctor"}, arg)
		}
	}
	return false
}

// askGraph calls f with what it needs of the code graph, which updateGraph has updated.
func askGraph(ctx context.Context, w *services.Workspace, f func(*graph.Graph) error) error {
	if !w.Graph().Loaded() {
		growHeapLess()
	}
	return services.AskGraph(ctx, w.Graph(), f)
}

// firstIndexPoll is how often is looked whether another process has read the code, and firstIndexWait how long.
const (
	firstIndexPoll = 250 * time.Millisecond
	firstIndexWait = 5 * time.Minute
)

// updateGraph updates the code graph from the files. While another process does, what is known stands; but while that reads
// the code for the first time, it waits: what is not in the half of a graph may be there.
func (c *workspaces) updateGraph(ctx context.Context, w *services.Workspace) error {
	growHeap(w.Graph().StoredSize())
	var began time.Time
	for {
		_, err := syncGraph(ctx, c.console, w.Graph())
		if err == nil {
			return nil
		}
		if !errors.Is(err, graph.ErrBusy) {
			return services.GraphError(err)
		}
		built, berr := w.Graph().Built(ctx)
		if berr != nil {
			return services.GraphError(berr)
		}
		if built {
			return nil
		}
		if began.IsZero() {
			began = time.Now()
			c.warn("another process is reading the code for the first time: the answer waits for it")
		}
		if time.Since(began) > firstIndexWait {
			return busyHint(err)
		}
		select {
		case <-time.After(firstIndexPoll):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// withCode opens the workspace with the keyword index of its code, both updated from the
// files.
func (c *workspaces) withCode(ctx context.Context, lexical bool, f func(*services.Workspace, *search.Searcher) error) error {
	return c.with(ctx, func(w *services.Workspace) error {
		if err := c.updateGraph(ctx, w); err != nil {
			return err
		}
		growHeapLess() // words are read file by file, and little of a file stays
		s := w.Searcher(lexical)
		show, finish := c.bar("words", "has read the words of", "files")
		err := s.SyncCode(ctx, show)
		finish()
		if err != nil {
			return err
		}
		return f(w, s)
	})
}

// completeID completes the id of a memory in shells, as the first argument.
func (c *workspaces) completeID(cmd *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return c.completeIDs(cmd, args, prefix)
}

// completeIDs completes the ids of memories in shells.
func (c *workspaces) completeIDs(cmd *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
	return c.completeFrom(args, prefix, func(w *services.Workspace) (all []*file.Memory, err error) {
		if _, err := w.Sync(cmd.Context()); err != nil {
			return nil, err
		}
		for _, h := range w.View().All() {
			all = append(all, h.Memory)
		}
		return all, nil
	})
}

// completeDrafts completes the ids of what waits for review in shells.
func (c *workspaces) completeDrafts(cmd *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
	return c.completeFrom(args, prefix, func(w *services.Workspace) (all []*file.Memory, err error) {
		waiting, err := w.Drafts().Pending(cmd.Context())
		for _, d := range waiting {
			all = append(all, d.Memory)
		}
		return all, err
	})
}

// completeForgotten completes the id of a forgotten memory in shells.
func (c *workspaces) completeForgotten(cmd *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return c.completeFrom(args, prefix, func(w *services.Workspace) (all []*file.Memory, err error) {
		gone, err := w.State().Tombstones().List(cmd.Context())
		for _, t := range gone {
			if m, err := file.Parse(t.JSON); err == nil {
				all = append(all, m)
			}
		}
		return all, err
	})
}

// completeFrom completes the ids of memories that the command line doesn't have yet, with their texts.
func (c *workspaces) completeFrom(args []string, prefix string, list func(*services.Workspace) ([]*file.Memory, error)) ([]string, cobra.ShellCompDirective) {
	w, err := c.openQuietly()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	defer func() { _ = w.Close() }() // nothing was written
	all, err := list(w)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var out []string
	for _, m := range all {
		if id := m.ShortID(); strings.HasPrefix(id, prefix) && !slices.Contains(args, id) {
			out = append(out, id+"\t"+firstLine(m.What))
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}
