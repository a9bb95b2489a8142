package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"manicule/indexer/sorting"
	"manicule/memory"
	"manicule/memory/file"
	"manicule/memory/gate"
	"manicule/memory/services"
	"manicule/memory/units"
	"manicule/memory/work"
)

// workCommand is `manicule work` with its subcommands.
type workCommand struct {
	*cli
	work units.New
	kind string
	why  string
	all  bool
	any  bool // for all branches
}

func newWorkCommand(shared *cli) *cobra.Command {
	wc := &workCommand{cli: shared}
	show := wc.newShow()
	c := &cobra.Command{
		Use:   "work",
		Short: "Units of work: issues, tickets, specifications, missions, and what is learned in them",
		Long: "A unit of work is what memories, threads and sessions belong to: an issue, a ticket, a pull request, a\n" +
			"specification, a slice of a build, a mission. It may be a part of another one, and is open, in review,\n" +
			"accepted, rejected or abandoned. The one under way is told by MANICULE_WORK, by what was begun on the\n" +
			"branch, by the branch's name (feat/ABC-123, issue-42) or by the build. What is learned in one that has\n" +
			"to be accepted waits until it is; what is learned in a mission belongs to it until it is over.\n" +
			"Without a subcommand, the one under way is shown.",
		Example: "  manicule work begin ABC-123 --title \"Retry the queue\" --acceptance\n" +
			"  manicule work begin payments --kind mission\n  manicule work begin 42 --under mission:payments\n" +
			"  manicule work complete ABC-123\n  manicule work accept ABC-123",
		Args: noCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return show.RunE(cmd, nil) },
	}
	c.AddCommand(wc.newBegin(), wc.newList(), show,
		wc.newState("complete", "The work of a unit is done; it is in review if somebody has to accept it", units.Complete),
		wc.newState("review", "A unit is in review: what was learned in it waits", work.InReview),
		wc.newState("accept", "A unit is accepted: what was learned in it is offered, and a mission's memories are the project's", work.Accepted),
		wc.newState("reject", "A unit is rejected: of what was learned in it only what went wrong is kept", work.Rejected),
		wc.newState("abandon", "A unit is given up: nothing that was learned in it is kept", work.Abandoned),
		wc.newState("reopen", "A unit is open again", work.Open))
	return c
}

func (wc *workCommand) newBegin() *cobra.Command {
	c := &cobra.Command{
		Use:   "begin ID",
		Short: "Begin a unit of work, or change its title, parent or branch",
		Long: "Begin a unit of work on the branch that is checked out, or on all of them if that is the default branch. ID is #42 or 42 for an issue, ABC-123 for a ticket,\n" +
			"!17 for a pull request, the address of one of them, or KIND:ID.",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return wc.with(cmd.Context(), func(w *services.Workspace) error {
				n := wc.work
				n.Name = args[0]
				if wc.kind != "" {
					n.Name = wc.kind + ":" + args[0]
				}
				if wc.any {
					n.Branch = work.AllBranches
				}
				as := wc.writer(cmd.Context(), w)
				n.Agent, n.Tainted = as.Tool, as.Tainted
				u, err := units.Of(w.Workspace).Begin(cmd.Context(), n)
				return wc.report(units.Settled{Unit: u}, err)
			})
		},
	}
	f := c.Flags()
	f.StringVar(&wc.kind, "kind", "", "what it is, such as issue, ticket, pull, spec, task or mission")
	f.StringVar(&wc.work.Title, "title", "", "what it is about, in a few words")
	f.StringVar(&wc.work.Under, "under", "", "the unit that it is a part of, begun if it is new")
	f.StringVar(&wc.work.Branch, "branch", "", "the branch on which it is worked on, if not the one that is checked out")
	f.BoolVar(&wc.any, "all-branches", false, "it is worked on on every branch that no other unit has")
	f.BoolVar(&wc.work.Acceptance, "acceptance", false, "somebody has to accept it: what is learned in it waits until then")
	c.MarkFlagsMutuallyExclusive("branch", "all-branches")
	return c
}

// writer names the agent that runs the command; the zero draft is a person's.
func (wc *workCommand) writer(ctx context.Context, w *services.Workspace) (as memory.Draft) {
	wc.draftForAgent(ctx, w, &as)
	return as
}

func (wc *workCommand) newState(verb, short string, to work.State) *cobra.Command {
	c := &cobra.Command{
		Use:   verb + " [ID]",
		Short: short,
		Long:  short + ". Without ID it is the one under way.",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if to != units.Complete && to != work.InReview {
				if name := wc.agent(); name != "" {
					return &codeError{exitRefused, &memory.UserError{Msg: name + " may not " + verb + " a unit of work: a person decides",
						Hint: "`manicule work complete` says that its work is done."}}
				}
			}
			return wc.with(cmd.Context(), func(w *services.Workspace) error {
				as := wc.writer(cmd.Context(), w)
				r, err := units.Of(w.Workspace).Set(cmd.Context(), strings.Join(args, ""), to, wc.why, as.Tool, as.Tainted)
				if err == nil && to == units.Complete {
					wc.tasksLeft(tasksOf(w, r.Unit.Ref()))
				}
				return wc.report(r, err)
			})
		},
	}
	c.Flags().StringVar(&wc.why, "why", "", "the reason")
	return c
}

func (wc *workCommand) newList() *cobra.Command {
	c := &cobra.Command{
		Use:   "list",
		Short: "List the units of work that are not over",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return wc.with(cmd.Context(), func(w *services.Workspace) error {
				all, err := w.Work().Units(cmd.Context())
				if err != nil {
					return err
				}
				here, out := w.Work().Here(), worksJSON{Units: []unitJSON{}}
				for i := range all {
					u := &all[i]
					if u.State.Over() && !wc.all || wc.hides(u) {
						continue
					}
					x := unitOf(u)
					x.Current = here != nil && here.Key() == u.Key()
					out.Units = append(out.Units, x)
				}
				if wc.json {
					wc.printJSON("works", out)
					return nil
				}
				for _, x := range out.Units {
					wc.line(x)
				}
				if len(out.Units) == 0 {
					wc.printf("no work under way; `manicule work begin ID` begins a unit\n")
				}
				return nil
			})
		},
	}
	c.Flags().BoolVar(&wc.all, "all", false, "also those that are over")
	return c
}

// hides reports whether the caller is an agent, and a unit's words may be a stranger's.
func (wc *workCommand) hides(u *work.Unit) bool { return u.Tainted && wc.caller().ID != "" }

func (wc *workCommand) newShow() *cobra.Command {
	return &cobra.Command{
		Use:   "show [ID]",
		Short: "Show a unit of work and what belongs to it",
		Long:  "Show a unit of work: what it is a part of, its parts, memories and threads, what waits for its acceptance, and\nwhat became of its memories when it was over. Without ID it is the one under way.",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return wc.withFresh(cmd.Context(), func(w *services.Workspace) error {
				if w.Views().Loaded() {
					return nil
				}
				_, err := w.Sync(cmd.Context())
				return err
			}, wc.holding(func(w *services.Workspace) error {
				u, all, err := units.Of(w.Workspace).Get(cmd.Context(), strings.Join(args, ""))
				if errors.Is(err, memory.ErrNotFound) {
					if r, ok := work.Parse(strings.Join(args, "")); ok {
						u, err = work.Unit{Kind: r.Kind, ID: r.ID}, nil
					} else if here := w.Work().Here(); here != nil && len(args) == 0 {
						u, err = work.Unit{Kind: here.Kind, ID: here.ID, Title: here.Title}, nil
					}
				}
				if err != nil {
					return err
				}
				if wc.hides(&u) {
					return &memory.UserError{Msg: "the unit may come from outside: only a person is shown it", Hint: "Leave it."}
				}
				out, err := wc.shown(cmd.Context(), w, u, all)
				if err != nil {
					return err
				}
				if wc.json {
					wc.printJSON("work", out)
					return nil
				}
				wc.show(out)
				return nil
			}))
		},
	}
}

// shown collects what belongs to a unit.
func (wc *workCommand) shown(ctx context.Context, w *services.Workspace, u work.Unit, all []work.Unit) (out workJSON, err error) {
	agent := wc.caller().ID != ""
	memories, threads, parts, err := units.Of(w.Workspace).PartOf(ctx, u, all)
	if err != nil {
		return out, err
	}
	out = workJSON{Unit: unitOf(&u), Within: []unitJSON{}, Parts: []unitJSON{}, Memories: []workMemoryJSON{}, Threads: []threadJSON{}, Held: []workMemoryJSON{}, Outcomes: []outcomeJSON{}, Sessions: []string{}}
	for _, x := range work.Around(all, &u) {
		out.Within = append(out.Within, unitOf(x))
	}
	for i := range parts {
		if !wc.hides(&parts[i]) {
			out.Parts = append(out.Parts, unitOf(&parts[i]))
		}
	}
	for _, h := range memories {
		out.Memories = append(out.Memories, workMemoryOf(h.Memory))
	}
	for i := range threads {
		if !agent || !threads[i].Memory.Trust.Tainted {
			out.Threads = append(out.Threads, threadOf(&threads[i]))
		}
	}
	held, err := units.Of(w.Workspace).Held(ctx)
	if err != nil {
		return out, err
	}
	for _, m := range held[u.Key()] {
		if !agent || !m.Trust.Tainted {
			out.Held = append(out.Held, workMemoryOf(m))
		}
	}
	if out.Sessions, err = w.State().Sessions().OfWork(ctx, u.Key()); err != nil {
		return out, fmt.Errorf("look for the sessions of %s: %w", u.Key(), err)
	}
	out.Tasks = tasksOf(w, u.Ref())
	if u.Lineage == "" {
		return out, nil
	}
	rows, err := units.Of(w.Workspace).Outcomes(ctx, u)
	for _, r := range rows {
		out.Outcomes = append(out.Outcomes, outcomeJSON{r.Name, r.Type, r.Text(), ""})
	}
	sortOutcomes(out.Outcomes)
	return out, err
}

func (wc *workCommand) show(x workJSON) {
	wc.line(x.Unit)
	wc.showTasks(x.Tasks)
	for _, u := range x.Within {
		wc.printf("  a part of ")
		wc.line(u)
	}
	for _, u := range x.Parts {
		wc.printf("  part      ")
		wc.line(u)
	}
	for _, m := range x.Memories {
		wc.printf("  %s  %s  %s\n", wc.paint(faint, shortUUID(m.UUID)), m.Type, firstLine(m.What))
	}
	for i := range x.Threads {
		t := &x.Threads[i]
		wc.printf("  %s  %s, %s  %s\n", wc.paint(faint, shortUUID(t.UUID)), strings.ReplaceAll(t.Kind, "_", " "), t.State, firstLine(t.Text))
	}
	for _, m := range x.Held {
		wc.printf("  %s  waits for its acceptance: %s\n", wc.paint(faint, shortUUID(m.UUID)), firstLine(m.What))
	}
	if n := len(x.Sessions); n > 0 {
		wc.printf("  %s\n", wc.paint(faint, count(n, "session", "sessions")+", the latest "+shortSession(x.Sessions[0])))
	}
	for _, o := range x.Outcomes {
		wc.printf("  %s  %s: %s\n", wc.paint(faint, shortUUID(o.Memory)), o.Act, plainLine(o.Why))
	}
}

// shortUUID is the part of an id by which people refer to what has it.
func shortUUID(id string) string { return id[max(0, len(id)-8):] }

// tasksLeft warns if a unit that is said to be complete has tasks that are not done.
func (wc *workCommand) tasksLeft(t *tasksJSON) {
	if t != nil && t.Done < t.All {
		wc.warn("%s not done yet, by %s", count(t.All-t.Done, "task is", "tasks are"), plainPath(t.File))
	}
}

// report prints the result of a change.
func (wc *workCommand) report(r units.Settled, err error) error {
	if x, ok := errors.AsType[*gate.Rejection](err); ok {
		return &codeError{exitRefused, &memory.UserError{Msg: "not kept: " + x.Reason, Hint: x.Hint}}
	}
	if err != nil {
		return err
	}
	if wc.json {
		out := workChangeJSON{Unit: unitOf(&r.Unit), Outcomes: []outcomeJSON{}, Held: r.Held, Parts: r.Parts}
		for _, o := range r.Outcomes {
			out.Outcomes = append(out.Outcomes, outcomeJSON{o.Memory.UUID, o.Act, o.Why, o.Memory.What})
		}
		wc.printJSON("work_change", out)
		return nil
	}
	wc.printf("☞ ")
	wc.line(unitOf(&r.Unit))
	for _, o := range r.Outcomes {
		wc.printf("  %-8s  %s  %s  %s\n", o.Act, wc.paint(faint, o.Memory.ShortID()), firstLine(o.Memory.What), wc.paint(faint, plainLine(o.Why)))
	}
	if r.Held > 0 {
		wc.printf("  %s for its acceptance\n", count(r.Held, "draft waits", "drafts wait"))
	}
	if r.Parts > 0 {
		wc.printf("  %s of it not over: `manicule work show %s`\n", count(r.Parts, "part", "parts"), r.Unit.Key())
	}
	return nil
}

// line prints a unit on a line.
func (wc *workCommand) line(u unitJSON) {
	notes := []string{cmp.Or(u.State, "not begun")}
	add := func(label, text string) {
		if text != "" {
			notes = append(notes, label+plainLine(text))
		}
	}
	add("", u.Why)
	if u.Acceptance && u.State == string(work.Open) {
		add("", "has to be accepted")
	}
	if u.Branch == work.AllBranches {
		add("", "on all branches")
	} else {
		add("on ", u.Branch)
	}
	add("a part of ", u.Parent)
	if u.Current {
		add("", "under way here")
	}
	title := plainLine(u.Title)
	if title != "" {
		title = "  " + title
	}
	wc.printf("%s %s%s  %s\n", u.Kind, plainLine(u.ID), title, wc.paint(faint, strings.Join(notes, ", ")))
}

// unitJSON is a unit of work as it is printed.
type unitJSON struct {
	Kind       string `json:"kind"`
	ID         string `json:"id"`
	Title      string `json:"title,omitzero"`
	State      string `json:"state,omitzero"` // "" for one that was not begun
	Why        string `json:"why,omitzero"`
	Parent     string `json:"parent,omitzero"`
	Branch     string `json:"branch,omitzero"`
	Acceptance bool   `json:"acceptance,omitzero"`
	Version    int    `json:"version,omitzero"`
	Author     string `json:"author,omitzero"`
	At         string `json:"at,omitzero"`
	Current    bool   `json:"current,omitzero"`
}

func unitOf(u *work.Unit) unitJSON {
	x := unitJSON{Kind: u.Kind, ID: u.ID, Title: u.Title, State: string(u.State), Why: u.Why, Parent: u.Parent, Branch: u.Branch, Acceptance: u.Acceptance, Version: u.Version, Author: u.Author}
	if !u.At.IsZero() {
		x.At = u.At.UTC().Format(time.RFC3339)
	}
	return x
}

type worksJSON struct {
	Units []unitJSON `json:"units"`
}

type workJSON struct {
	Unit     unitJSON         `json:"unit"`
	Within   []unitJSON       `json:"within"` // the nearest first
	Parts    []unitJSON       `json:"parts"`
	Memories []workMemoryJSON `json:"memories"`
	Threads  []threadJSON     `json:"threads"`
	Held     []workMemoryJSON `json:"held"` // drafts that wait for its acceptance
	Sessions []string         `json:"sessions"`
	Outcomes []outcomeJSON    `json:"outcomes"`
	Tasks    *tasksJSON       `json:"tasks,omitzero"` // of a specification
}

// tasksJSON is how far a specification is carried out, by its own list.
type tasksJSON struct {
	File string `json:"file"`
	Done int    `json:"done"`
	All  int    `json:"all"`
	Next string `json:"next,omitzero"`
}

// tasksOf returns how far a unit is carried out, nil without a list of its tasks.
func tasksOf(w *services.Workspace, r file.WorkRef) *tasksJSON {
	list := w.Work().Method().Tasks
	if list == nil {
		return nil
	}
	t, ok := list(r)
	if !ok {
		return nil
	}
	return &tasksJSON{t.File, t.Done, t.All, t.Next}
}

// showTasks says how far a unit is carried out.
func (wc *workCommand) showTasks(t *tasksJSON) {
	if t == nil {
		return
	}
	next := ""
	if t.Next != "" {
		next = ", next: " + plainLine(t.Next)
	}
	wc.printf("  %d of %s in %s done%s\n", t.Done, count(t.All, "task", "tasks"), plainPath(t.File), next)
}

type workMemoryJSON struct {
	UUID string `json:"uuid"`
	Type string `json:"type"`
	What string `json:"what"`
}

func workMemoryOf(m *file.Memory) workMemoryJSON {
	return workMemoryJSON{m.UUID, string(m.Type), m.What}
}

// outcomeJSON is what became of a memory when its unit was over.
type outcomeJSON struct {
	Memory string `json:"memory"`
	Act    string `json:"act"` // promoted, archived, offered, retired
	Why    string `json:"why"`
	What   string `json:"what,omitzero"`
}

func sortOutcomes(list []outcomeJSON) {
	sorting.Func(list, func(a, b outcomeJSON) int {
		return cmp.Or(strings.Compare(a.Act, b.Act), strings.Compare(a.Memory, b.Memory))
	})
}

type workChangeJSON struct {
	Unit     unitJSON      `json:"unit"`
	Outcomes []outcomeJSON `json:"outcomes"`
	Held     int           `json:"held"`
	Parts    int           `json:"parts"` // units below it that are not over
}
