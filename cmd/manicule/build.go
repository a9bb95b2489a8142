package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"manicule/memory"
	"manicule/memory/builds"
	"manicule/memory/gate"
	"manicule/memory/plans"
	"manicule/memory/services"
)

// buildCommand is `manicule build` with its subcommands.
type buildCommand struct{ *cli }

// newBuildCommand is `manicule build`.
func newBuildCommand(base *cli) *cobra.Command {
	bc := buildCommand{base}
	show := bc.newShow()
	c := &cobra.Command{
		Use:   "build",
		Short: "Plans of work: phases, deliverables and slices, in Markdown files",
		Long: "A build is a plan of work: phases with deliverables with slices of work, each planned, in progress,\n" +
			"blocked or done. It is a Markdown file in .manicule/builds that people and agents edit alike, by\n" +
			"hand or with these commands; git carries it and knows its history. A session that starts is told of\n" +
			"the build that is worked on. Without a subcommand, that one is shown.",
		Example: "  manicule build new \"Move the queue to Postgres\"\n" +
			"  manicule build add \"Backfill the old rows\" --phase Schema --deliverable \"the tables exist\"\n" +
			"  manicule build start backfill\n  manicule build block 1 --why \"waits for the operators\"\n  manicule build done backfill",
		Args: noCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return show.RunE(cmd, nil) },
	}
	c.AddCommand(bc.newNew(), bc.newAdd(), bc.newList(), show,
		bc.newState("start", "Work on a slice begins", builds.InProgress),
		bc.newState("done", "A slice is done", builds.Done),
		bc.newState("block", "A slice can't go on; --why says what it waits for", builds.Blocked),
		bc.newState("plan", "A slice is planned again", builds.Planned),
		bc.newHistory())
	return c
}

func (bc buildCommand) newList() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the builds",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return bc.with(cmd.Context(), func(w *services.Workspace) error {
				list, err := plans.Of(w.Workspace).All()
				list = slices.DeleteFunc(list, func(b builds.Build) bool { return bc.held(&b) != nil })
				current, _ := builds.Current(list, w.Branch())
				if bc.json {
					out := buildsJSON{Builds: []buildJSON{}}
					for i := range list {
						out.Builds = append(out.Builds, buildOf(&list[i], list[i].Name == current.Name))
					}
					bc.printJSON("builds", out)
					return err
				}
				for i := range list {
					bc.line(&list[i], list[i].Name == current.Name)
				}
				if len(list) == 0 && err == nil {
					bc.printf("no builds; `manicule build new TITLE` begins one\n")
				}
				return err
			})
		},
	}
}

func (bc buildCommand) newShow() *cobra.Command {
	return &cobra.Command{
		Use:   "show [NAME]",
		Short: "Show a build, or the one that is worked on",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return bc.with(cmd.Context(), func(w *services.Workspace) error {
				b, err := plans.Of(w.Workspace).Get(strings.Join(args, ""))
				if err != nil {
					return err
				}
				if err := bc.held(&b); err != nil {
					return err
				}
				if bc.json {
					bc.printJSON("build", buildResultJSON{Build: buildOf(&b, false)})
					return nil
				}
				bc.plan(&b)
				return nil
			})
		},
	}
}

func (bc buildCommand) newNew() *cobra.Command {
	var n plans.New
	c := &cobra.Command{
		Use:   "new TITLE",
		Short: "Begin a build",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return bc.with(cmd.Context(), func(w *services.Workspace) error {
				if err := bc.requireClean(cmd, w); err != nil {
					return err
				}
				n.Title = args[0]
				b, err := plans.Of(w.Workspace).Begin(cmd.Context(), n)
				return bc.report(&b, nil, err, "begun in .manicule/builds/"+b.Name+".md")
			})
		},
	}
	f := c.Flags()
	f.StringVar(&n.Name, "name", "", "the name of its file, made from the title if not given")
	f.StringVar(&n.Brief, "brief", "", "what it is for")
	f.StringVar(&n.Technical, "context", "", "the technical context: what its builders must know")
	f.StringVar(&n.Branch, "branch", "", "the branch on which the work is done: sessions on it are told")
	return c
}

func (bc buildCommand) newAdd() *cobra.Command {
	var name, phase, deliverable, under string
	c := &cobra.Command{
		Use:   "add TEXT",
		Short: "Add a slice of work to a build",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return bc.with(cmd.Context(), func(w *services.Workspace) error {
				if err := bc.requireClean(cmd, w); err != nil {
					return err
				}
				if under != "" {
					b, s, err := plans.Of(w.Workspace).AddPart(cmd.Context(), name, under, args[0])
					return bc.report(&b, &s, err, "planned")
				}
				b, s, err := plans.Of(w.Workspace).AddSlice(cmd.Context(), name, phase, deliverable, args[0])
				return bc.report(&b, &s, err, "planned")
			})
		},
	}
	f := c.Flags()
	f.StringVar(&name, "build", "", "the build, if not the one that is worked on")
	f.StringVar(&phase, "phase", "", "its phase, made if there is none; the one that is worked on if not given")
	f.StringVar(&deliverable, "deliverable", "", "its deliverable within the phase, made if there is none")
	f.StringVar(&under, "under", "", "the slice that it is a part of: its number or words of its text")
	c.MarkFlagsMutuallyExclusive("under", "phase")
	c.MarkFlagsMutuallyExclusive("under", "deliverable")
	return c
}

func (bc buildCommand) newState(verb, short string, to builds.Status) *cobra.Command {
	var name, why string
	c := &cobra.Command{
		Use:   verb + " SLICE",
		Short: short,
		Long:  short + ". SLICE is its number or words of its text.",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return bc.with(cmd.Context(), func(w *services.Workspace) error {
				if why != "" {
					if err := bc.requireClean(cmd, w); err != nil {
						return err
					}
				}
				b, s, err := plans.Of(w.Workspace).SetSlice(cmd.Context(), name, args[0], to, why)
				return bc.report(&b, &s, err, string(to))
			})
		},
	}
	c.Flags().StringVar(&name, "build", "", "the build, if not the one that is worked on")
	if to == builds.Blocked {
		c.Flags().StringVar(&why, "why", "", "what it waits for")
	}
	return c
}

func (bc buildCommand) newHistory() *cobra.Command {
	return &cobra.Command{
		Use:   "history [NAME]",
		Short: "How the slices of a build changed, newest first, as git knows it",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return bc.with(cmd.Context(), func(w *services.Workspace) error {
				b, err := plans.Of(w.Workspace).Get(strings.Join(args, ""))
				if err != nil {
					return err
				}
				if bc.caller().ID != "" { // its past was not checked
					return &memory.UserError{Msg: "an agent is not shown the history of a build: it may hold what was removed for a reason", Hint: "`manicule build show` shows it as it is."}
				}
				changes := plans.Of(w.Workspace).History(b)
				if bc.json {
					out := buildHistoryJSON{Name: b.Name, Changes: []sliceChangeJSON{}}
					for _, c := range changes {
						row := sliceChangeJSON{Slice: c.Slice, From: string(c.From), To: string(c.To), Commit: c.Commit, Author: c.Author}
						if c.Commit != "" {
							row.At = c.At.UTC().Format(time.RFC3339)
						}
						out.Changes = append(out.Changes, row)
					}
					bc.printJSON("build_history", out)
					return nil
				}
				for _, c := range changes {
					when := "not committed"
					if c.Commit != "" {
						when = c.At.Format("2006-01-02") + " " + plainLine(c.Author) + " " + c.Commit[:min(8, len(c.Commit))]
					}
					bc.printf("%s  %s  %s\n", sliceMove(c), plainLine(c.Slice), bc.paint(faint, when))
				}
				if len(changes) == 0 {
					bc.printf("%s has no slices yet\n", b.Name)
				}
				return nil
			})
		},
	}
}

// sliceMove says from which state to which a slice went.
func sliceMove(c plans.SliceChange) string {
	switch {
	case c.From == "":
		return "+ " + string(c.To)
	case c.To == "":
		return "- removed"
	}
	return string(c.From) + " → " + string(c.To)
}

// requireClean refuses text of an agent that read text from outside: a build is told to others.
func (bc buildCommand) requireClean(cmd *cobra.Command, w *services.Workspace) error {
	var as memory.Draft
	if bc.draftForAgent(cmd.Context(), w, &as); as.Tainted {
		return &codeError{exitRefused, &memory.UserError{Msg: "this session has read text from outside, and other sessions are told of a build", Hint: "Say what you would write, and a person writes it."}}
	}
	return nil
}

// held is an error if an agent asks and must not be told of a build: what came with a clone gives no agent orders.
func (bc buildCommand) held(b *builds.Build) error {
	if bc.caller().ID == "" {
		return nil
	}
	if err := b.CheckForAgents(); err != nil {
		return &memory.UserError{Msg: err.Error(), Err: err, Hint: "A person can read it with `manicule build show " + b.Name + "`."}
	}
	return nil
}

// report prints the result of a change.
func (bc buildCommand) report(b *builds.Build, s *builds.Slice, err error, verb string) error {
	if r, ok := errors.AsType[*gate.Rejection](err); ok {
		return &codeError{exitRefused, &memory.UserError{Msg: "not written: " + r.Reason, Hint: r.Hint}}
	}
	if err == nil {
		err = bc.held(b) // what was asked for is done; what else is in the file is not shown
	}
	if err != nil {
		return err
	}
	if bc.json {
		out := buildResultJSON{Build: buildOf(b, false)}
		if s != nil {
			one := sliceOf(*s)
			out.Slice = &one
		}
		bc.printJSON("build", out)
		return nil
	}
	text := plainLine(b.Title)
	if s != nil {
		text = strconv.Itoa(s.Number) + ". " + plainLine(s.Text)
	}
	bc.printf("☞ %s: %s  %s\n", verb, text, bc.paint(faint, buildProgress(b)))
	return nil
}

func buildProgress(b *builds.Build) string {
	done, all := b.Progress()
	return fmt.Sprintf("%s: %d of %d done", b.Name, done, all)
}

// line prints a build on a line.
func (bc buildCommand) line(b *builds.Build, current bool) {
	mark := " "
	if current {
		mark = "*"
	}
	done, all := b.Progress()
	notes := []string{string(b.Status()), fmt.Sprintf("%d of %d done", done, all)}
	if b.Branch != "" {
		notes = append(notes, "on "+plainLine(b.Branch))
	}
	bc.printf("%s %s  %s  %s\n", mark, b.Name, plainLine(b.Title), bc.paint(faint, strings.Join(notes, ", ")))
}

// build prints a build with its slices.
func (bc buildCommand) plan(b *builds.Build) {
	bc.line(b, false)
	depth := map[int]int{} // by the number of a slice
	for _, p := range b.Phases {
		if p.Title != "" {
			bc.printf("\n%s  %s\n", plainLine(p.Title), bc.paint(faint, string(builds.StatusOf(p.Slices()))))
		}
		for _, d := range p.Deliverables {
			if d.Title != "" {
				bc.printf("  %s  %s\n", plainLine(d.Title), bc.paint(faint, string(builds.StatusOf(d.Slices))))
			}
			for _, s := range d.Slices {
				note := ""
				if s.Status != builds.Planned && s.Status != builds.Done {
					note = "  " + bc.paint(faint, strings.TrimSuffix(string(s.Status)+": "+plainLine(s.Why), ": "))
				}
				box := " "
				if s.Status == builds.Done {
					box = "x"
				}
				depth[s.Number] = depth[s.Parent] + 1
				bc.printf("%5d %s[%s] %s%s\n", s.Number, strings.Repeat("  ", depth[s.Parent]), box, plainLine(s.Text), note)
			}
		}
	}
}

// buildJSON is a build as it is printed.
type buildJSON struct {
	Name      string      `json:"name"`
	Title     string      `json:"title"`
	Status    string      `json:"status"`
	Branch    string      `json:"branch,omitempty"`
	Current   bool        `json:"current,omitzero"`
	Done      int         `json:"done"`
	All       int         `json:"all"`
	Brief     string      `json:"brief,omitempty"`
	Technical string      `json:"technical_context,omitempty"`
	Phases    []phaseJSON `json:"phases"`
}

type phaseJSON struct {
	Title        string            `json:"title"`
	Status       string            `json:"status"`
	Deliverables []deliverableJSON `json:"deliverables"`
}

type deliverableJSON struct {
	Title  string      `json:"title"`
	Status string      `json:"status"`
	Slices []sliceJSON `json:"slices"`
}

type sliceJSON struct {
	Number int    `json:"number"`
	Text   string `json:"text"`
	Status string `json:"status"`
	Why    string `json:"why,omitempty"`
	Line   int    `json:"line"` // in the file, from 1 on
	Parent int    `json:"parent,omitzero"`
}

type buildsJSON struct {
	Builds []buildJSON `json:"builds"`
}

type buildResultJSON struct {
	Build buildJSON  `json:"build"`
	Slice *sliceJSON `json:"slice,omitempty"`
}

type buildHistoryJSON struct {
	Name    string            `json:"name"`
	Changes []sliceChangeJSON `json:"changes"`
}

type sliceChangeJSON struct {
	Slice  string `json:"slice"`
	From   string `json:"from,omitempty"`
	To     string `json:"to,omitempty"`
	At     string `json:"at,omitempty"`
	Commit string `json:"commit,omitempty"`
	Author string `json:"author,omitempty"`
}

func sliceOf(s builds.Slice) sliceJSON {
	return sliceJSON{s.Number, s.Text, string(s.Status), s.Why, s.Line + 1, s.Parent}
}

func buildOf(b *builds.Build, current bool) buildJSON {
	done, all := b.Progress()
	out := buildJSON{Name: b.Name, Title: b.Title, Status: string(b.Status()), Branch: b.Branch, Current: current, Done: done, All: all, Brief: b.Brief, Technical: b.Technical, Phases: []phaseJSON{}}
	for _, p := range b.Phases {
		ph := phaseJSON{p.Title, string(builds.StatusOf(p.Slices())), []deliverableJSON{}}
		for _, d := range p.Deliverables {
			del := deliverableJSON{d.Title, string(builds.StatusOf(d.Slices)), []sliceJSON{}}
			for _, s := range d.Slices {
				del.Slices = append(del.Slices, sliceOf(s))
			}
			ph.Deliverables = append(ph.Deliverables, del)
		}
		out.Phases = append(out.Phases, ph)
	}
	return out
}
