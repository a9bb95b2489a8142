package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"manicule/memory/config"
	"manicule/memory/services"
	"manicule/memory/trust"
)

// trustCommand is `manicule trust`.
type trustCommand struct {
	*cli
	keep bool
}

func newTrustCommand(shared *cli) *cobra.Command {
	tc := &trustCommand{cli: shared}
	c := &cobra.Command{
		Use:   "trust [LEVEL]",
		Short: "Show or set how much this repository's memories are trusted, from 1 to 4",
		Long: "Show the trust level of this repository, what it means, and what speaks for the next one; or set\n" +
			"it. It decides how sure a memory must be to be shown to agents unasked, and what you are asked\n" +
			"when a session has taught something:\n\n" +
			levelsHelp() + "\n" +
			"A higher level is offered, never taken; 4 is by choice only. After every third memory that you\n" +
			"call wrong a lower one is offered.",
		Example: "  manicule trust\n  manicule trust 3\n  manicule trust --keep",
		Args:    cobra.MaximumNArgs(1),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return []string{"1", "2", "3", "4"}, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: tc.run,
	}
	c.Flags().BoolVar(&tc.keep, "keep", false, "keep the level, although another one is offered")
	return c
}

func levelsHelp() (text string) {
	for level := trust.Careful; level <= trust.Autonomous; level++ {
		text += fmt.Sprintf("  %d  from %.2f: %s\n", level, trust.Least(level), trust.About(level))
	}
	return text
}

// trustJSON is the shape "trust", and what status says of the level.
type trustJSON struct {
	Level    int            `json:"level"`
	From     config.Source  `json:"from"`
	Least    float64        `json:"least_confidence"`
	Asks     trust.Asks     `json:"asks"` // each, all, needed, none
	Evidence trust.Evidence `json:"evidence"`
	// Offer is null if no other level is offered.
	Offer *trust.Offer `json:"offer"`
}

func (c *cli) trustOf(ctx context.Context, w *services.Workspace) (s trustJSON, err error) {
	t := c.opener.Trust(w.Workspace)
	level := t.Level(ctx)
	s = trustJSON{Level: level, From: t.From(), Least: trust.Least(level), Asks: trust.AsksAt(level)}
	if s.Evidence, err = t.Evidence(ctx); err != nil {
		return s, err
	}
	if o, ok := t.Higher(ctx); ok {
		s.Offer = &o
	}
	return s, nil
}

func (tc *trustCommand) run(cmd *cobra.Command, args []string) error {
	level := 0
	if len(args) > 0 {
		n, err := strconv.Atoi(args[0])
		if err != nil || n < trust.Careful || n > trust.Autonomous {
			return usage(cmd, fmt.Errorf("a trust level is a number from %d to %d, not %q", trust.Careful, trust.Autonomous, args[0]))
		}
		level = n
	}
	if level > 0 && tc.keep {
		return usage(cmd, errors.New("--keep goes without a level"))
	}
	if level > 0 || tc.keep {
		if err := tc.requirePerson("set how much memories are trusted"); err != nil {
			return err
		}
	}
	return tc.with(cmd.Context(), func(w *services.Workspace) error {
		ctx := cmd.Context()
		t := tc.opener.Trust(w.Workspace)
		var err error
		switch {
		case level > 0:
			err = t.SetLevel(ctx, level)
		case tc.keep:
			err = t.Keep(ctx)
		}
		if err != nil {
			return err
		}
		s, err := tc.trustOf(ctx, w)
		if err != nil {
			return err
		}
		if tc.json {
			tc.printJSON("trust", s)
			return nil
		}
		tc.print(s)
		return nil
	})
}

func (tc *trustCommand) print(s trustJSON) {
	tc.printf("%s of 4 (%s)\n", tc.paint(bold, fmt.Sprintf("☞ trust level %d", s.Level)), s.From)
	tc.printf("  %s\n  Agents are told memories unasked from a confidence of %.2f on.\n", trust.About(s.Level), s.Least)
	if s.Offer != nil {
		tc.printf("  offered: %s. `manicule trust %d` takes it, `manicule trust --keep` stays\n", offerText(s), s.Offer.To)
		return
	}
	if text := trust.Missing(s.Level, s.Evidence); text != "" {
		tc.printf("  %s\n", text)
	}
}

// offerText says why another level is offered.
func offerText(s trustJSON) string {
	return fmt.Sprintf("level %d, as %s", s.Offer.To, s.Offer.Why)
}
