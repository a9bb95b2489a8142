package main

import (
	"context"
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"manicule/memory"
	"manicule/memory/file"
	"manicule/memory/search"
	"manicule/memory/services"
	"manicule/memory/store"
)

// listCommand is `manicule list`.
type listCommand struct {
	*cli
	types    []string
	layer    string
	personal bool
	limit    int
	noSkills bool
	filter   listFilter
}

func newListCommand(shared *cli) *cobra.Command {
	lc := &listCommand{cli: shared}
	c := &cobra.Command{
		Use:   "list",
		Short: "List the memories, those changed last first",
		Long: "List the memories, those changed last first. Of more than " + strconv.Itoa(listLimit) + " it says how many it left out;\n" +
			"--limit 0 lists all of them. With --json it lists all unless --limit says otherwise.",
		Example: "  manicule list\n  manicule list --type gotcha --newer 7d\n  manicule list --state stale\n  manicule list | fzf",
		Args:    cobra.NoArgs,
		RunE:    lc.run,

		Annotations: map[string]string{insteadOf + "since": "--newer 7d lists what was used or changed in the last seven days.", insteadOf: "`manicule recall PATH` lists what is known about a file, a folder or FILE#Symbol, `manicule search WORDS` what has to do with some words."},
	}
	c.Flags().StringSliceVar(&lc.types, "type", nil, "only these types")
	c.Flags().StringVar(&lc.layer, "layer", "", "only this layer: "+join(file.Layers()))
	c.Flags().BoolVar(&lc.personal, "personal", false, "only personal ones")
	limitFlag(c, &lc.limit)
	c.Flags().BoolVar(&lc.noSkills, "without-skills", false, "without what was exported as a skill, which manicule skill list shows")
	lc.filter.flags(c, shared.workspaces)
	complete(c, "type", toStrings(file.Types()))
	complete(c, "layer", toStrings(file.Layers()))
	return c
}

func (lc *listCommand) run(cmd *cobra.Command, _ []string) error {
	want, err := parseTypes(lc.types)
	if err != nil {
		return err
	}
	lc.layer = strings.NewReplacer(" ", "_", "-", "_").Replace(lc.layer) // as it is printed, too
	if lc.layer != "" && !slices.Contains(file.Layers(), file.Layer(lc.layer)) {
		return usageError(fmt.Sprintf("unknown layer %q", lc.layer), oneOf(lc.layer, toStrings(file.Layers())))
	}
	var filter search.Filter
	if err := lc.filter.narrow(&filter); err != nil {
		return err
	}
	filter.Agent, filter.Session = lc.agent(), lc.sessionID()
	if lc.json {
		lc.limit = asJSON(cmd, lc.limit)
	}
	if lc.limit > 0 && !lc.filter.any() && !lc.noSkills {
		of := store.Selection{Types: want, Layer: file.Layer(lc.layer), Personal: lc.personal, Agent: filter.Agent, Session: filter.Session}
		return lc.withState(cmd.Context(), func(w *services.Workspace) error {
			hits, total, err := w.Recaller().Latest(cmd.Context(), of, lc.limit)
			if err != nil {
				return err
			}
			warnUnmerged(cmd.Context(), lc.cli, w, "")
			return lc.print(cmd, w, lc.refreshHits(cmd.Context(), w, hits), total)
		})
	}
	if !lc.filter.any() {
		growForList()
	}
	// It looks at all memories, so each file is checked, but only once.
	return lc.withFresh(cmd.Context(), func(w *services.Workspace) error {
		if lc.refresh(cmd.Context(), w); w.Views().Loaded() {
			return nil
		}
		_, err := w.Sync(cmd.Context())
		return err
	}, lc.holding(func(w *services.Workspace) error {
		skills, err := lc.exported(cmd.Context(), w)
		if err != nil {
			return err
		}
		warnUnmerged(cmd.Context(), lc.cli, w, "")
		left := 0
		hits := slices.DeleteFunc(w.View().All(), func(h memory.Hit) bool {
			m := h.Memory
			if skills[m.UUID] {
				left++
				return true
			}
			return (len(want) > 0 && !slices.Contains(want, m.Type)) || (lc.layer != "" && string(m.Layer) != lc.layer) ||
				(lc.personal && m.Visibility != file.Personal) || !filter.Passes(h, lc.now())
		})
		memory.Newest(hits)
		total := len(hits)
		if lc.limit > 0 {
			hits = hits[:min(lc.limit, total)]
		}
		if left > 0 && !lc.json {
			defer lc.printf("%s: `manicule skill list`\n", count(left, "more is a skill", "more are skills"))
		}
		return lc.print(cmd, w, hits, total)
	}))
}

// exported returns the memories that are left out because they were exported as skills.
func (lc *listCommand) exported(ctx context.Context, w *services.Workspace) (map[string]bool, error) {
	out := map[string]bool{}
	if !lc.noSkills {
		return out, nil
	}
	skills, err := w.State().Episodes().Skills(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the index of skills: %w", err)
	}
	for _, s := range skills {
		if s.UUID != "" && s.Archived.IsZero() {
			out[s.UUID] = true
		}
	}
	return out, nil
}

// print shows the first memories of total.
func (lc *listCommand) print(cmd *cobra.Command, w *services.Workspace, hits []memory.Hit, total int) error {
	ctx := cmd.Context()
	if err := w.Recaller().MarkSuperseded(ctx, hits); err != nil {
		return err
	}
	if lc.json {
		held, err := w.Quarantine().List(ctx)
		if err != nil {
			return err
		}
		lc.printJSON("list", struct {
			Total int        `json:"total"`
			Hits  []hitJSON  `json:"memories"`
			Held  []heldJSON `json:"quarantined"`
		}{total, hitsJSON(w.Root(), hits), lc.heldJSON(w.Root(), held)})
		return nil
	}
	held, err := w.Quarantine().Count(ctx)
	if err != nil {
		return err
	}
	lc.buffered(func() {
		for _, h := range hits {
			lc.hit(h)
		}
	})
	if left := total - len(hits); left > 0 {
		// Not between the memories: who reads the list by a program gets memories only.
		lc.warn("%s not listed: `%s` lists all, `manicule search` finds some", count(left, "more is", "more are"), withoutLimit(cmd, nil))
	}
	warnAlike(ctx, lc.cli, w, hits)
	lc.heldCount(held)
	switch {
	case total+held > 0:
	case lc.filter.any() || lc.noSkills || lc.personal || lc.layer != "" || len(lc.types) > 0:
		lc.printf("no memory is like that; `manicule list` lists all\n")
	default:
		lc.printf("no memories; %s\n", toBegin(ctx, w))
	}
	return nil
}

// listGrowth is how far the heap grows between collections, in percent: nearly all that a list
// allocates is alive until it ends.
const listGrowth = 400

func growForList() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(listGrowth)
	}
}
