package main

import (
	"strings"

	"github.com/spf13/cobra"

	"manicule/indexer/graph"
	"manicule/memory/nearby"
	"manicule/memory/services"
)

// outlineCommand is `manicule outline`.
type outlineCommand struct {
	codeCommand
}

func newOutlineCommand(shared *cli) *cobra.Command {
	oc := &outlineCommand{codeCommand: codeCommand{shared}}
	return &cobra.Command{
		Use:     "outline FILE",
		Short:   "List the symbols of a file",
		Example: "  manicule outline src/auth/token.go",
		Args:    cobra.ExactArgs(1),
		RunE:    oc.run,
	}
}

func (oc *outlineCommand) run(cmd *cobra.Command, args []string) error {
	return oc.with(cmd.Context(), func(w *services.Workspace) error {
		if err := oc.updateGraph(cmd.Context(), w); err != nil {
			return err
		}
		p, err := oc.codePlace(w, args[0])
		if err != nil {
			return err
		}
		all, stale, ok, err := w.Graph().Outline(cmd.Context(), p.File)
		if err != nil {
			return services.GraphError(err)
		}
		if !ok {
			err := askGraph(cmd.Context(), w, func(g *graph.Graph) error {
				_, err := nearby.Symbols(g, nearby.Place{File: p.File})
				return err
			})
			if err != nil {
				return err
			}
		}
		all = list(all)
		if oc.json {
			oc.printJSON("outline", struct {
				File    string      `json:"file"`
				Stale   bool        `json:"stale"`
				Symbols []graph.Ref `json:"symbols"`
			}{p.File, stale, all})
			return nil
		}
		for _, s := range all {
			oc.printf("%5d  %s%s %s\n", s.Line, strings.Repeat("  ", strings.Count(s.Symbol, ".")), s.Kind, unbroken(s.Symbol))
		}
		return nil
	})
}
