package main

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"manicule/indexer/graph"
	"manicule/memory"
	"manicule/memory/search"
	"manicule/memory/services"
)

// indexCommand is `manicule index`.
type indexCommand struct {
	*cli
	watch, rebuild, silent, embed bool
	scip                          string
}

func newIndexCommand(shared *cli) *cobra.Command {
	ic := &indexCommand{cli: shared}
	c := &cobra.Command{
		Use:   "index",
		Short: "Update the code graph from the files",
		Long: "Update the code graph from the files. Other commands do this automatically, and a language\n" +
			"server does it continuously. An interrupted run is resumed by the next. With --scip, the\n" +
			"precise edges of a SCIP index (scip-go, scip-typescript, …) replace those found by syntax.",
		Example: "  manicule index\n  manicule index --watch\n  manicule index --scip index.scip",
		Args:    cobra.NoArgs,
		RunE:    ic.run,
	}
	c.Flags().BoolVar(&ic.watch, "watch", false, "keep running and follow the files until interrupted")
	c.Flags().BoolVar(&ic.rebuild, "rebuild", false, "discard the graph and read every file again")
	c.Flags().BoolVar(&ic.embed, "embed", false, "compute missing vectors of the code, for search --code")
	c.Flags().StringVar(&ic.scip, "scip", "", "a SCIP index whose edges replace those found by syntax")
	c.Flags().BoolVar(&ic.silent, "quiet", false, "print only errors")
	c.MarkFlagsMutuallyExclusive("embed", "watch")
	c.MarkFlagsMutuallyExclusive("embed", "scip")
	return c
}

func (ic *indexCommand) run(cmd *cobra.Command, _ []string) error {
	ic.quiet = ic.silent
	if ic.embed {
		return ic.embedCode(cmd.Context())
	}
	return ic.with(cmd.Context(), func(w *services.Workspace) (err error) {
		ix := w.Graph()
		growHeap(ix.StoredSize())
		if ic.rebuild {
			if err := ix.Discard(cmd.Context()); err != nil {
				return busyHint(err)
			}
		}
		r, err := syncGraph(cmd.Context(), ic.console, ix)
		if err != nil {
			return busyHint(err)
		}
		imported := 0
		if ic.scip != "" {
			if imported, err = ix.ImportSCIP(cmd.Context(), ic.rooted(w, ic.scip)); err != nil {
				return &memory.UserError{Msg: err.Error(), Err: err, Hint: "Give the index.scip that an indexer wrote for this workspace."}
			}
		}
		if err := ic.printIndex(cmd.Context(), ix, r, imported); err != nil || !ic.watch {
			return err
		}
		return ic.watchGraph(cmd.Context(), ix)
	})
}

func busyHint(err error) error {
	if errors.Is(err, graph.ErrBusy) {
		return &memory.UserError{Msg: err.Error(), Err: err, Hint: "A language server or another command is at it; try again in a moment."}
	}
	return services.GraphError(err)
}

// indexJSON is the shape "index".
type indexJSON struct {
	graph.Report
	TookMS   int64           `json:"took_ms"`
	Symbols  int             `json:"symbols"`
	Edges    int             `json:"edges"`
	Imported int             `json:"imported"` // edges of a SCIP index
	Skipped  []graph.Skipped `json:"skipped_files"`
	Faults   []graph.Skipped `json:"faults"`
	Alarms   []string        `json:"alarms"`
}

func (ic *indexCommand) printIndex(ctx context.Context, ix *graph.Index, r graph.Report, imported int) error {
	st, err := ix.State(ctx)
	if err != nil {
		return services.GraphError(err)
	}
	if ic.json {
		ic.printJSON("index", indexJSON{Report: r, TookMS: r.Took.Milliseconds(), Symbols: st.Symbols, Edges: st.Edges, Imported: imported, Skipped: list(st.Skipped), Faults: list(st.Faults), Alarms: list(st.Alarms)})
		return nil
	}
	if ic.quiet {
		return nil
	}
	ic.printf("☞ %s, %s, %s", count(r.Files-len(st.Skipped), "file", "files"), count(st.Symbols, "symbol", "symbols"), count(st.Edges, "edge", "edges"))
	if r.Parsed > 0 || r.Removed > 0 {
		ic.printf("; read %d, resolved %d, removed %d in %s", r.Parsed, r.Resolved, r.Removed, r.Took.Round(time.Millisecond))
	}
	ic.printf("\n")
	if imported > 0 {
		ic.printf("  %s of the SCIP index\n", count(imported, "edge", "edges"))
	}
	reasons := map[string]int{}
	var order []string
	for _, s := range st.Skipped {
		if reasons[s.Reason]++; reasons[s.Reason] == 1 {
			order = append(order, s.Reason)
		}
	}
	for _, reason := range order {
		if reason != "build file" {
			ic.printf("  left out, %s: %s\n", reason, count(reasons[reason], "file", "files"))
		}
	}
	if n := len(st.Faults); n > 0 {
		ic.printf("  not understood for a fault in Manicule: %s; `manicule doctor` names what and why\n", count(n, "file", "files"))
	}
	for _, alarm := range st.Alarms {
		ic.warn("%s", alarm)
	}
	return nil
}

// watchGraph follows the files until it is interrupted.
func (ic *indexCommand) watchGraph(ctx context.Context, ix *graph.Index) error {
	err := ix.Watch(ctx, func(r graph.Report, err error) {
		switch {
		case err != nil:
			ic.warn("index: %v", err)
		case !ic.quiet && (r.Parsed > 0 || r.Removed > 0):
			ic.printf("read %d, resolved %d, removed %d in %s\n", r.Parsed, r.Resolved, r.Removed, r.Took.Round(time.Millisecond))
		}
	})
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// embedCode computes the missing vectors of the code and prints how many there are now.
func (ic *indexCommand) embedCode(ctx context.Context) error {
	lowerPriority()
	return ic.withCode(ctx, false, func(_ *services.Workspace, s *search.Searcher) error {
		show, finish := ic.bar("embedding code", "has embedded", "pieces of code")
		r, err := s.EmbedCode(ctx, show)
		finish()
		if err != nil {
			return err
		}
		if ic.json {
			ic.printJSON("embed-code", r)
			return nil
		}
		ic.printf("☞ %s by %s, %d of them made now\n", count(r.Known+r.Made, "vector of code", "vectors of code"), r.Info.Model, r.Made)
		return nil
	})
}
