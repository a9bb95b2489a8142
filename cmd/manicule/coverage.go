package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"manicule/indexer/gitinfo"
	"manicule/memory"
	"manicule/memory/coverage"
	"manicule/memory/services"
)

// coverageCommand is `manicule coverage`.
type coverageCommand struct {
	*cli
	depth, limit int
}

func newCoverageCommand(shared *cli) *cobra.Command {
	cc := &coverageCommand{cli: shared}
	c := &cobra.Command{
		Use:   "coverage [FOLDER]",
		Short: "Show by folder what changes much and has no memory",
		Long: "Show by folder which part of the changes of the last months was in files with memories of their\n" +
			"own, from 0 to 100. Folders with the most changes in other files come first, each with those\n" +
			"files: something may be worth writing down there. Memories about the whole project, or about a\n" +
			"large part of it, such as src/**, don't count.",
		Example: "  manicule coverage\n  manicule coverage src --depth 2",
		Args:    cobra.MaximumNArgs(1),
		RunE:    cc.run,
	}
	c.Flags().IntVar(&cc.depth, "depth", 0, "count what is below a folder with it, if it is so many names deep (0: each folder for itself)")
	c.Flags().IntVarP(&cc.limit, "limit", "n", coverageLimit, "most folders to show")
	return c
}

// How much the command shows.
const (
	coverageLimit = 20
	filesShown    = 3  // of a folder
	barWidth      = 10 // characters
)

// coverageReportJSON is the shape "coverage".
type coverageReportJSON struct {
	Score   int                  `json:"score"`
	Changes int                  `json:"changes"`
	Covered int                  `json:"covered"`
	Folders []coverageFolderJSON `json:"folders"`
	Omitted int                  `json:"omitted"` // folders beyond the limit
}

type coverageFolderJSON struct {
	Folder  string          `json:"folder"`
	Score   int             `json:"score"`
	Files   int             `json:"files"`
	Changes int             `json:"changes"`
	Covered int             `json:"covered"`
	Without []coverage.File `json:"without"` // files without memories
}

func (cc *coverageCommand) run(cmd *cobra.Command, args []string) error {
	if cc.depth < 0 || cc.limit < 1 {
		return usageError("--depth must be 0 or more, and --limit 1 or more", "Leave them out for their defaults.")
	}
	return cc.with(cmd.Context(), func(w *services.Workspace) error {
		r, still, err := cc.report(cmd.Context(), w, args)
		if err != nil {
			return err
		}
		if still != "" && !cc.json {
			cc.printf("☞ %s\n", still)
			return nil
		}
		shown := r.Folders[:min(len(r.Folders), cc.limit)]
		if cc.json {
			out := coverageReportJSON{r.Score(), r.Changes, r.Covered, []coverageFolderJSON{}, len(r.Folders) - len(shown)}
			for _, f := range shown {
				out.Folders = append(out.Folders, coverageFolderJSON{f.Folder, f.Score(), f.Files, f.Changes, f.Covered, list(f.Without)})
			}
			cc.printJSON("coverage", out)
			return nil
		}
		cc.print(r, shown)
		if w.Git().Shallow() {
			cc.printf("\n  this clone is shallow, and may lack changes of the last months: `git fetch --unshallow` brings them\n")
		}
		return nil
	})
}

// report reads new commits and the memories, and counts. still says why there is nothing to count where a past is there.
func (cc *coverageCommand) report(ctx context.Context, w *services.Workspace, args []string) (r coverage.Report, still string, err error) {
	if _, err := w.Sync(ctx); err != nil {
		return r, "", err
	}
	cc.refresh(ctx, w)
	if err := w.UpdateHistory(ctx); err != nil {
		return r, "", fmt.Errorf("read the history of %s: %w", w.Root(), err)
	}
	o := services.CoverageOptions{Depth: cc.depth}
	if len(args) > 0 {
		below, inside := w.Place().Rel(cc.here(args[0]))
		if !inside {
			return r, "", usageError(fmt.Sprintf("%s is not in %s", plainPath(args[0]), w.Root()), "Name a folder of this workspace.")
		}
		if _, err := os.Stat(cc.here(args[0])); err != nil {
			return r, "", &memory.UserError{Msg: fmt.Sprintf("no folder is at %s", plainPath(args[0])), Err: memory.ErrNotFound, Hint: "`manicule coverage` shows all folders that changed."}
		}
		if below != "." {
			o.Below = below
		}
	}
	r, ok, err := services.Coverage(ctx, w, o)
	switch {
	case err != nil:
		return r, "", err
	case ok:
		return r, "", nil
	}
	switch past := services.PastOf(w); {
	case gitinfo.Unread(w.Place().GitCommonDir) != "":
		return r, "", &memory.UserError{Msg: "the history can't be read: this repository keeps " + gitinfo.Unread(w.Place().GitCommonDir), Hint: "Coverage counts which files the commits changed, and knows none here."}
	case past == services.OneShallow:
		return r, "", &memory.UserError{Msg: "there is no history: this clone is shallow, and has one commit", Hint: "`git fetch --unshallow` brings the others; coverage counts which files they changed."}
	case past == services.OneCommit:
		return r, "nothing to count yet: the only commit brought all files, and none has changed one since", nil
	case past == services.SomePast && o.Below != "":
		return r, fmt.Sprintf("nothing to count: no file in %s changed in the last months", plainPath(args[0])), nil
	case past == services.SomePast:
		return r, "nothing to count: no commit of the last months changed a file that is still there", nil
	}
	return r, "", &memory.UserError{Msg: "there is no history: nothing is committed here", Hint: "Coverage needs a git repository with commits."}
}

func (cc *coverageCommand) print(r coverage.Report, shown []coverage.Folder) {
	cc.printf("☞ %s: memories cover %d of %s of the last months\n", cc.paint(bold, fmt.Sprintf("%d of 100", r.Score())), r.Covered, count(r.Changes, "change", "changes"))
	wide := 0
	for _, f := range shown {
		wide = max(wide, len([]rune(plainPath(f.Folder))))
	}
	for _, f := range shown {
		name := plainPath(f.Folder)
		full := f.Score() * barWidth / 100
		cc.printf("  %3d %s%s  %s%s  %d of %s", f.Score(), cc.paint(green, strings.Repeat("█", full)), cc.paint(faint, strings.Repeat("░", barWidth-full)),
			name, strings.Repeat(" ", wide-len([]rune(name))), f.Covered, count(f.Changes, "change", "changes"))
		if text := withoutText(f); text != "" {
			cc.printf("  %s", cc.paint(faint, text))
		}
		cc.printf("\n")
	}
	if n := len(r.Folders) - len(shown); n > 0 {
		cc.printf("  and %s: -n %d shows all\n", count(n, "folder", "folders"), len(r.Folders))
	}
	if f := r.Bare(1); len(f) > 0 {
		cc.printf("\n  `manicule remember \"…\" --at %s` writes the first one down\n", plainPath(f[0].Without[0].Path))
	}
}

// withoutText names the files of a folder that changed most without a memory.
func withoutText(f coverage.Folder) string {
	var names []string
	for _, x := range f.Without[:min(len(f.Without), filesShown)] {
		name := x.Path
		if rel, below := strings.CutPrefix(x.Path, f.Folder+"/"); below {
			name = rel
		}
		names = append(names, fmt.Sprintf("%s %d", plainPath(name), x.Changes))
	}
	if n := len(f.Without) - len(names); n > 0 {
		names = append(names, fmt.Sprintf("%d more", n))
	}
	return strings.Join(names, ", ")
}
