package main

import (
	"fmt"
	"os"
	"runtime/debug"
	"slices"

	"github.com/spf13/cobra"

	"manicule/memory"
	"manicule/memory/file"
	"manicule/memory/search"
	"manicule/memory/services"
)

// listCommand is `manicule list`.
type listCommand struct {
	*cli
	types    []string
	layer    string
	personal bool
	filter   listFilter
}

func newListCommand(shared *cli) *cobra.Command {
	lc := &listCommand{cli: shared}
	c := &cobra.Command{
		Use:   "list",
		Short: "List the memories",
		Args:  cobra.NoArgs,
		RunE:  lc.run,
	}
	c.Flags().StringSliceVar(&lc.types, "type", nil, "only these types")
	c.Flags().StringVar(&lc.layer, "layer", "", "only this layer: "+join(file.Layers()))
	c.Flags().BoolVar(&lc.personal, "personal", false, "only personal ones")
	lc.filter.flags(c)
	complete(c, "type", toStrings(file.Types()))
	complete(c, "layer", toStrings(file.Layers()))
	return c
}

func (lc *listCommand) run(cmd *cobra.Command, _ []string) error {
	want, err := parseTypes(lc.types)
	if err != nil {
		return err
	}
	if lc.layer != "" && !slices.Contains(file.Layers(), file.Layer(lc.layer)) {
		return &codeError{exitUsage, &memory.UserError{Msg: fmt.Sprintf("unknown layer %q", lc.layer), Hint: "Use one of: " + join(file.Layers()) + "."}}
	}
	var filter search.Filter
	if err := lc.filter.narrow(&filter); err != nil {
		return err
	}
	growForList()
	// It shows all memories from the database, so each file is checked, but only once.
	return lc.withFresh(cmd.Context(), func(w *services.Workspace) error {
		if lc.refresh(cmd.Context(), w); w.HasView() {
			return nil
		}
		_, err := w.Sync(cmd.Context())
		return err
	}, lc.holding(func(w *services.Workspace) error {
		hits := w.View().All()
		memory.Rank(hits)
		hits = slices.DeleteFunc(hits, func(h memory.Hit) bool {
			m := h.Memory
			return (len(want) > 0 && !slices.Contains(want, m.Type)) || (lc.layer != "" && string(m.Layer) != lc.layer) ||
				(lc.personal && m.Visibility != file.Personal) || !filter.Passes(h, lc.now())
		})
		held, err := w.Quarantined(cmd.Context())
		if err != nil {
			return err
		}
		if lc.json {
			lc.printJSON("list", struct {
				Total int        `json:"total"`
				Hits  []hitJSON  `json:"memories"`
				Held  []heldJSON `json:"quarantined"`
			}{len(hits), hitsJSON(w.Root(), hits), lc.heldJSON(w.Root(), held)})
			return nil
		}
		lc.buffered(func() {
			for _, h := range hits {
				lc.hit(h)
			}
		})
		lc.heldCount(len(held))
		if len(hits)+len(held) == 0 {
			lc.printf("no memories; `manicule remember` writes one, `manicule import` reads rule files\n")
		}
		return nil
	}))
}

// listGrowth is how far the heap grows between collections, in percent: nearly all that a list
// allocates is alive until it ends.
const listGrowth = 400

func growForList() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(listGrowth)
	}
}
