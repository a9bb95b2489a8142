package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"manicule/indexer/anchor"
	"manicule/indexer/workspace"
	"manicule/memory"
	"manicule/memory/core"
	"manicule/memory/exporter"
	"manicule/memory/file"
	"manicule/memory/ledger"
	"manicule/memory/services"
	"manicule/memory/store"
)

// onboardLimit is the number of memories for a newcomer.
const onboardLimit = 5

// firstJSON is a memory of the shape "onboard".
type firstJSON struct {
	hitJSON
	Worth float64       `json:"worth"`
	Uses  int           `json:"uses"`
	At    []firstAtJSON `json:"at"`
}

// firstAtJSON is the current place of an anchor.
type firstAtJSON struct {
	placeJSON
	State anchor.State `json:"state"`
}

// onboardCommand is `manicule onboard`.
type onboardCommand struct {
	*cli
	tour string
}

func newOnboardCommand(shared *cli) *cobra.Command {
	oc := &onboardCommand{cli: shared}
	c := &cobra.Command{
		Use:   "onboard",
		Short: "Show the five memories that a newcomer needs first",
		Long: "Show the core document, if there is one, and the five memories that a newcomer needs first,\n" +
			"with their places. They are ranked by type (what one must not do, and why things are so, comes\n" +
			"first), confidence, trust, pins and usage. Memories that came from outside and were not\n" +
			"confirmed, that wait for review, or that are disputed, deprecated or superseded are left out.\n" +
			"--tour writes the memories as a tour for CodeTour, an extension of VS Code, which leads from one\n" +
			"place to the next.",
		Example: "  manicule onboard\n  manicule onboard --tour .tours/manicule.tour",
		Args:    cobra.NoArgs,
		RunE:    oc.run,
	}
	c.Flags().StringVar(&oc.tour, "tour", "", "the file for a tour through their places")
	return c
}

func (oc *onboardCommand) run(cmd *cobra.Command, _ []string) error {
	return oc.with(cmd.Context(), func(w *services.Workspace) error {
		list, total, left, err := starters(cmd.Context(), oc.cli, w)
		if err != nil {
			return err
		}
		drafts, err := w.State().Drafts().Count(cmd.Context())
		if err != nil {
			return err
		}
		begin := firstSteps(total, len(list), drafts)
		if total+drafts == 0 {
			begin = toBegin(cmd.Context(), w)
		}
		if oc.tour != "" && len(list) > 0 {
			if err := oc.writeTour(w.Root(), list); err != nil {
				return err
			}
		}
		if oc.json {
			out := struct {
				Total    int         `json:"total"`
				LeftOut  int         `json:"left_out"`
				Begin    string      `json:"begin,omitzero"`
				Memories []firstJSON `json:"memories"`
			}{total, left, begin, []firstJSON{}}
			for _, f := range list {
				out.Memories = append(out.Memories, firstJSON{hitsJSON(w.Root(), []memory.Hit{f.Hit})[0], f.Score, f.Uses, currentPlaces(f.Hit)})
			}
			oc.printJSON("onboard", out)
			return nil
		}
		oc.printCore(w)
		oc.printOnboard(list, total, begin)
		if oc.tour != "" && len(list) > 0 {
			oc.printf("\n%s %s\n", oc.paint(green, "✓"), oc.tour)
		}
		return nil
	})
}

// writeTour writes the memories as a tour. Each is shown at its first place.
func (oc *onboardCommand) writeTour(root string, list []ledger.Starter) error {
	var stops []exporter.Stop
	for _, f := range list {
		s := exporter.Stop{Memory: f.Hit.Memory}
		if at := currentPlaces(f.Hit); len(at) > 0 {
			s.Path, s.Line = at[0].File, at[0].Line
		} else if len(f.Hit.Memory.Scope) == 1 {
			s.Path = strings.TrimSuffix(f.Hit.Memory.Scope[0], "/**") // a pattern that names no folder is shown without a place
		}
		if st, err := os.Stat(filepath.Join(root, filepath.FromSlash(s.Path))); err != nil || s.Path == "" {
			s.Path, s.Line = "", 0 // its code is gone
		} else {
			s.IsDir = st.IsDir()
		}
		stops = append(stops, s)
	}
	data, err := exporter.Tour(stops)
	if err != nil {
		return err
	}
	name, err := oc.fileToWrite(oc.tour)
	if err != nil {
		return err
	}
	if err = os.MkdirAll(filepath.Dir(name), 0o777); err == nil {
		err = file.WriteNamed(filepath.Join(root, workspace.Folder), name, data, 0o666)
	}
	if err != nil {
		return &memory.UserError{Msg: fmt.Sprintf("write %s: %v", oc.tour, err), Err: err, Hint: "Name a file that can be written to, such as .tours/manicule.tour."}
	}
	return nil
}

// starters returns the memories that a newcomer needs first, and the numbers of all memories and of
// those that are unfit for a newcomer.
func starters(ctx context.Context, c *cli, w *services.Workspace) (list []ledger.Starter, total, left int, err error) {
	c.refresh(ctx, w)
	if _, err := w.Sync(ctx); err != nil {
		return nil, 0, 0, err
	}
	accesses, err := w.State().Usage().Accesses(ctx)
	if err != nil {
		return nil, 0, 0, err
	}
	totals, err := ledger.TotalsOf(ctx, w.State())
	if err != nil {
		return nil, 0, 0, err
	}
	total = len(w.View().All())
	gone := map[string]bool{} // what is about folders that are not there is shown at no file
	for _, x := range emptiedScopes(w, nil, "") {
		gone[x.hit.Memory.UUID] = true
	}
	hits := c.refreshHits(ctx, w, slices.DeleteFunc(w.View().Live(), func(h memory.Hit) bool { return gone[h.Memory.UUID] }))
	list, left = ledger.Starters(hits, accesses, totals, onboardLimit)
	return list, total, left + total - len(hits), nil
}

// firstSteps says how to start if there are no memories for a newcomer.
func firstSteps(total, fit, drafts int) string {
	switch {
	case fit > 0:
		return ""
	case drafts > 0:
		return "`manicule review` lists the pending drafts; accepted ones can be shown here."
	case total > 0:
		return "`manicule list` lists the memories; `manicule edit ID --confirm` confirms one."
	}
	return "" // see toBegin
}

// currentPlaces returns the current places of a memory's anchors.
func currentPlaces(h memory.Hit) []firstAtJSON {
	out := []firstAtJSON{}
	for i, an := range h.Memory.Anchors {
		p := store.Place{}
		if i < len(h.Places) {
			p = h.Places[i]
		}
		if p.State == "" || p.Path == "" { // at its recorded place
			was := p
			p = store.Place{State: anchor.Fresh, Path: an.Path, Symbol: an.Symbol}
			if was.State != "" {
				p.State = was.State
			}
			if an.Lines != nil {
				p.Line, p.EndLine = an.Lines.Start, an.Lines.End
			}
		}
		out = append(out, firstAtJSON{*placeAt(p), p.State})
	}
	return out
}

// printCore prints what every session of an agent begins with: what the project is, and what nobody may miss.
func (oc *onboardCommand) printCore(w *services.Workspace) {
	d, err := core.ReadForAgents(w.Place(), "")
	if err != nil {
		oc.warn("the core document is left out: %v", err)
	}
	if err != nil || d.Empty() {
		return
	}
	oc.printf("%s\n", oc.paint(bold, "☞ the core document"))
	oc.core(d, "")
	oc.printf("\n")
}

func (oc *onboardCommand) printOnboard(list []ledger.Starter, total int, begin string) {
	if len(list) == 0 {
		if total == 0 {
			oc.printf("nothing is remembered here yet\n")
		} else {
			oc.printf("none of %s is fit for a newcomer: they are unconfirmed, disputed, personal, or temporary\n", count(total, "memory", "memories"))
		}
		oc.printf("  %s\n", begin)
		return
	}
	oc.printf("%s\n", oc.paint(bold, "☞ what to know first, of "+count(total, "memory", "memories")))
	for i, f := range list {
		m := f.Hit.Memory
		oc.printf("\n%d. %s: %s  %s\n", i+1, oc.paint(typeColour(m.Type), m.Type.Label()), firstLine(m.What), oc.paint(faint, m.ShortID()))
		if why := gist(m.Why); why != "" {
			oc.printf("   why: %s\n", why)
		}
		at := currentPlaces(f.Hit)
		for _, p := range at {
			place := anchor.Place{Path: p.File, Lines: &anchor.LineRange{Start: p.Line, End: p.Line}}
			if p.Line == 0 || p.State == anchor.Orphaned { // its code is at no line
				place.Lines = nil
			}
			text := place.String()
			if p.Symbol != "" {
				text += " " + p.Symbol
			}
			oc.printf("   at   %s, %s\n", plainPath(text), p.State)
		}
		switch {
		case len(m.Scope) > 0:
			oc.printf("   in   %s\n", plainPath(strings.Join(m.Scope, ", ")))
		case len(at) == 0:
			oc.printf("   in   the whole project\n")
		}
		oc.printf("   %s\n", oc.paint(faint, cite(f.Hit, oc.now())))
	}
}
