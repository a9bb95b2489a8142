package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"manicule/hooks/agent"
	"manicule/memory"
	"manicule/memory/core"
	"manicule/memory/gate"
	"manicule/memory/services"
)

func newCoreCommand(shared *cli) *cobra.Command {
	whose := ""
	show := &cobra.Command{
		Use:   "show",
		Short: "Show the core document",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return shared.with(cmd.Context(), func(w *services.Workspace) error {
				d, err := core.Read(w.Place(), whose)
				if err != nil {
					return err
				}
				shared.core(d, whose)
				return nil
			})
		},
	}
	c := &cobra.Command{
		Use:   "core",
		Short: "The few sentences with which every session begins",
		Long: "The core document: what the project is, its critical conventions, preferences, and what is\n" +
			"worked on. It leads the brief of every session. Git carries it, in .manicule/core.json.\n" +
			"With --agent it is that of one agent, whose sessions begin with both: .manicule/core.AGENT.json.",
		Args: cobra.NoArgs,
		RunE: show.RunE,
	}
	c.PersistentFlags().StringVar(&whose, "agent", "", "the document of one agent, such as claude-code")
	complete(c, "agent", agent.All().IDs())
	c.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error {
		if _, known := agent.Lookup(whose); whose != "" && !known {
			return usage(cmd, fmt.Errorf("no agent %q has hooks here: %s", whose, strings.Join(agent.All().IDs(), ", ")))
		}
		return nil
	}
	c.AddCommand(show, newCoreEditCommand(shared, &whose))
	return c
}

func newCoreEditCommand(shared *cli, whose *string) *cobra.Command {
	var in core.Document
	var dropped []string
	c := &cobra.Command{
		Use:   "edit",
		Short: "Change the core document, as a new version",
		Example: "  manicule core edit --summary 'A billing service in Go' --convention 'Amounts are integers of cents'\n" +
			"  manicule core edit --drop-convention 'integers of cents'",
		Args: cobra.NoArgs,
	}
	f := c.Flags()
	f.StringVar(&in.Summary, "summary", "", "what the project is")
	f.StringArrayVar(&in.Conventions, "convention", nil, "a rule that nobody may miss, beside the present ones; repeat for several. An empty one first removes those")
	f.StringArrayVar(&dropped, "drop-convention", nil, "remove the convention that has these words")
	f.StringVar(&in.Preferences, "preferences", "", "how the team likes to work")
	f.StringVar(&in.Focus, "focus", "", "what is worked on now")
	f.StringVar(&in.Notes, "notes", "", "anything else that every session needs")
	c.RunE = func(cmd *cobra.Command, _ []string) error {
		if !slices.ContainsFunc([]string{"summary", "convention", "drop-convention", "preferences", "focus", "notes"}, f.Changed) {
			return usage(cmd, errors.New("no flag says what to change; an empty text removes a part"))
		}
		return shared.with(cmd.Context(), func(w *services.Workspace) error {
			if shared.agent() != "" {
				if len(dropped) > 0 {
					return shared.requirePerson("remove a convention")
				}
				return proposeCore(shared, cmd, w, *whose, in)
			}
			gone, err := conventionsWith(w, *whose, dropped)
			if err != nil {
				return err
			}
			d, err := w.Core().Edit(cmd.Context(), *whose, func(d *core.Document) {
				for _, p := range core.Parts() {
					if p != core.Convention && f.Changed(string(p)) {
						d.Set(p, in.Text(p))
					}
				}
				d.Conventions = slices.DeleteFunc(d.Conventions, func(s string) bool { return slices.Contains(gone, s) })
				if slices.Contains(in.Conventions, "") {
					d.Conventions = nil
				}
				for _, text := range in.Conventions {
					d.Set(core.Convention, text)
				}
			})
			if r, ok := errors.AsType[*gate.Rejection](err); ok {
				return &codeError{exitRefused, &memory.UserError{Msg: r.Reason, Hint: r.Hint}}
			}
			if err != nil {
				return err
			}
			shared.core(d, *whose)
			return nil
		})
	}
	return c
}

// conventionsWith returns the conventions of a core document that have some words, one for each.
func conventionsWith(w *services.Workspace, agent string, words []string) (out []string, err error) {
	if len(words) == 0 {
		return nil, nil
	}
	d, err := core.Read(w.Place(), agent)
	if err != nil {
		return nil, err
	}
	for _, x := range words {
		if x = strings.TrimSpace(x); x == "" {
			return nil, &memory.UserError{Msg: "--drop-convention has no words", Hint: "`manicule core` shows the conventions."}
		}
		var found []string
		for _, c := range d.Conventions {
			if strings.EqualFold(c, x) {
				found = []string{c}
				break
			}
			if strings.Contains(strings.ToLower(c), strings.ToLower(x)) {
				found = append(found, c)
			}
		}
		switch len(found) {
		case 1:
			out = append(out, found[0])
		case 0:
			return nil, &memory.UserError{Msg: fmt.Sprintf("no convention has the words %q", x), Err: memory.ErrNotFound, Hint: "`manicule core` shows them."}
		default:
			return nil, &memory.UserError{Msg: fmt.Sprintf("%d conventions have the words %q", len(found), x), Err: memory.ErrAmbiguous, Hint: "Say more of the one; `manicule core` shows them."}
		}
	}
	return out, nil
}

// proposeCore keeps what an agent gave as drafts: only a person changes the document.
func proposeCore(c *cli, cmd *cobra.Command, w *services.Workspace, agent string, in core.Document) error {
	var d memory.Draft
	c.draftForAgent(cmd.Context(), w, &d)
	for _, f := range in.Fields() {
		part, _ := core.PartOf(f.Name)
		r, err := w.Drafts().ProposeCore(cmd.Context(), memory.CoreChange{For: agent, Part: part, Text: f.Text, Tool: d.Tool, Session: d.Session, Tainted: d.Tainted})
		if err != nil {
			return err
		}
		if err := c.report(cmd.Context(), w, r, "proposed"); err != nil {
			return err
		}
	}
	return nil
}

// core prints the core document, that of an agent if one is named.
func (c *cli) core(d core.Document, agent string) {
	if c.json {
		c.printJSON("core", d)
		return
	}
	flag := ""
	if agent != "" {
		flag = " --agent " + agent
	}
	if d.Empty() {
		c.printf("the core document is empty; `manicule core edit%s --summary TEXT` begins it\n", flag)
		return
	}
	for _, f := range d.Fields() {
		c.printf("%-12s %s\n", f.Name, plainLine(f.Text))
		for _, u := range d.Undecided {
			if string(u.Part) == f.Name {
				c.printf("  %s %s\n", c.paint(yellow, fmt.Sprintf("or, by %s, %s:", cmp.Or(plainLine(u.By), "somebody"), u.At.Format("2006-01-02 15:04"))), plainLine(u.Text))
				c.printf("    decide with `manicule core edit%s --%s TEXT`\n", flag, u.Part)
			}
		}
	}
	by := ""
	if d.UpdatedBy != "" {
		by = "by " + plainLine(d.UpdatedBy) + ", "
	}
	c.printf("%s\n", c.paint(faint, fmt.Sprintf("version %d, %s%s", d.Version, by, d.UpdatedAt.Format("2006-01-02 15:04"))))
}
