package main

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"manicule/indexer/gittree"
	"manicule/indexer/sorting"
	"manicule/memory"
	gitbranch "manicule/memory/branch"
	"manicule/memory/branches"
	"manicule/memory/services"
	"manicule/memory/threads"
)

// branchCommand is `manicule branch`.
type branchCommand struct {
	*cli
	all bool
}

func newBranchCommand(shared *cli) *cobra.Command {
	bc := &branchCommand{cli: shared}
	c := &cobra.Command{
		Use:   "branch",
		Short: "Show what was written on branches, and settle what came of it",
		Long: "Show what was written on branches: threads that wait, and personal memories about their code.\n" +
			"Both concern the whole project once the branch's work has reached the default branch, by a\n" +
			"merge, a rebase or a squash. If the branch was deleted before, threads are parked, and a week later\n" +
			"personal memories are forgotten, but for those of what failed. What failed according to memories that were\n" +
			"committed on it waits for a review. This happens by itself at the end of an agent's session and\n" +
			"while an editor is open; this command does it now.",
		Args: cobra.NoArgs,
		RunE: bc.run,
	}
	c.Flags().BoolVar(&bc.all, "all", false, "also branches on which nothing was written, and those that are gone")
	return c
}

func (bc *branchCommand) run(cmd *cobra.Command, _ []string) error {
	return bc.with(cmd.Context(), func(w *services.Workspace) error {
		if w.Place().GitDir == "" {
			return &memory.UserError{Msg: w.Root() + " is in no git repository, so it has no branches", Hint: "Run it in a git repository."}
		}
		settled, err := branches.Of(w.Workspace).Settle(cmd.Context())
		if err != nil {
			return err
		}
		rows, err := bc.rows(cmd.Context(), w)
		if err != nil {
			return err
		}
		if bc.json {
			out := branchesJSON{Branches: rows, Settled: []settledJSON{}}
			for _, s := range settled {
				out.Settled = append(out.Settled, settledJSON{s.Name, string(s.State), string(s.How), s.RenamedTo, s.Threads, s.Memories, s.Waiting, s.Kept, s.Proposals, s.Units})
			}
			bc.printJSON("branches", out)
			return nil
		}
		for _, s := range settled {
			bc.printf("☞ %s\n", settledText(s))
		}
		for _, r := range rows {
			bc.printf("%s\n", bc.rowText(r))
		}
		if len(rows)+len(settled) == 0 {
			bc.printf("nothing that was written on a branch waits\n")
		}
		return nil
	})
}

// rows lists the branches with what was written on them.
func (bc *branchCommand) rows(ctx context.Context, w *services.Workspace) ([]branchJSON, error) {
	seen, err := w.State().Branches().All(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the branches: %w", err)
	}
	open, err := threads.Of(w.Workspace).All(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the threads: %w", err)
	}
	byName := map[string]*branchJSON{}
	of := func(name string) *branchJSON {
		if byName[name] == nil {
			byName[name] = &branchJSON{Name: name, State: string(gitbranch.Live)}
		}
		return byName[name]
	}
	for _, b := range seen {
		r := of(b.Name)
		r.State, r.How, r.Tip = string(b.State), string(b.How), b.Tip
		if b.State == gitbranch.Gone {
			r.Forgotten = branches.Forgotten(b).UTC().Format(time.RFC3339)
		}
	}
	for _, t := range open {
		if t.Branch != "" && !t.State.Closed() {
			of(t.Branch).Threads++
		}
	}
	own, err := branches.Of(w.Workspace).Personal(ctx)
	if err != nil {
		return nil, err
	}
	for name, list := range own {
		of(name).Memories = len(list)
	}
	for _, r := range byName {
		if r.Memories == 0 {
			r.Forgotten = ""
		}
	}
	out, base := []branchJSON{}, threads.Of(w.Workspace).From("").Default
	for _, r := range byName {
		r.CheckedOut = r.Name == w.Branch()
		if bc.all || r.Name != base && (r.State != string(gitbranch.Gone) || r.Memories > 0) && r.Threads+r.Memories > 0 {
			out = append(out, *r)
		}
	}
	sorting.Func(out, func(a, b branchJSON) int { return strings.Compare(a.Name, b.Name) })
	return out, nil
}

func (bc *branchCommand) rowText(r branchJSON) string {
	notes := []string{count(r.Threads, "thread", "threads"), count(r.Memories, "personal memory", "personal memories")}
	if r.State != string(gitbranch.Live) {
		notes = append(notes, cmp.Or(map[string]string{string(gitbranch.Reached): "reached the default branch", string(gitbranch.Gone): "deleted"}[r.State], r.State))
	}
	if day, _, ok := strings.Cut(r.Forgotten, "T"); ok {
		notes = append(notes, "nobody is told", "forgotten on "+day)
	}
	mark := " "
	if r.CheckedOut {
		mark = "*"
	}
	return fmt.Sprintf("%s %s  %s", mark, r.Name, bc.paint(faint, strings.Join(notes, ", ")))
}

// settledText says what became of a branch and of what was written on it.
func settledText(s branches.Settled) string {
	what, now := s.Name+" was deleted before it reached "+s.Default, "retired"
	switch {
	case s.RenamedTo != "":
		what, now = s.Name+" is now "+s.RenamedTo, "moved with it"
	case s.State == gitbranch.Reached:
		what, now = s.Name+" reached "+s.Default+map[gittree.Reach]string{gittree.Rebased: " by a rebase", gittree.Squashed: " by a squash"}[s.How], "now for the whole project"
	}
	var moved []string
	if s.Threads > 0 {
		moved = append(moved, count(s.Threads, "thread", "threads"))
	}
	if s.Memories > 0 {
		moved = append(moved, count(s.Memories, "personal memory", "personal memories"))
	}
	parts := []string{what}
	if len(moved) > 0 {
		parts = append(parts, now+": "+strings.Join(moved, ", "))
	}
	if s.Waiting > 0 {
		parts = append(parts, "forgotten in a week: "+count(s.Waiting, "personal memory", "personal memories"))
	}
	if s.Kept > 0 {
		parts = append(parts, "kept, since it says what failed: "+count(s.Kept, "personal memory", "personal memories"))
	}
	if s.Units > 0 {
		act := "accepted"
		if s.State == gitbranch.Gone {
			act = "abandoned"
		}
		parts = append(parts, act+": "+count(s.Units, "unit of work", "units of work"))
	}
	if s.Proposals > 0 {
		parts = append(parts, "for review, since it says what failed: "+count(s.Proposals, "memory", "memories"))
	}
	return strings.Join(parts, "; ")
}

// branchJSON is a branch as it is printed.
type branchJSON struct {
	Name       string `json:"name"`
	State      string `json:"state"`
	How        string `json:"how,omitempty"`
	Tip        string `json:"tip,omitempty"`
	CheckedOut bool   `json:"checked_out"`
	Threads    int    `json:"threads"`
	Memories   int    `json:"memories"`
	Forgotten  string `json:"forgotten_at,omitempty"` // when the personal memories of a deleted one are
}

// settledJSON is what became of a branch.
type settledJSON struct {
	Name      string `json:"name"`
	State     string `json:"state"`
	How       string `json:"how,omitempty"`
	RenamedTo string `json:"renamed_to,omitempty"`
	Threads   int    `json:"threads"`
	Memories  int    `json:"memories"`
	Waiting   int    `json:"waiting"`
	Kept      int    `json:"kept"`
	Proposals int    `json:"proposals"`
	Units     int    `json:"units,omitzero"` // of work, accepted or abandoned with it
}

type branchesJSON struct {
	Branches []branchJSON  `json:"branches"`
	Settled  []settledJSON `json:"settled"`
}
