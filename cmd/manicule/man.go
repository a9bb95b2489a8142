package main

import (
	mango "github.com/muesli/mango-cobra"
	"github.com/muesli/roff"
	"github.com/spf13/cobra"
)

// newManCommand is `manicule man`, which is for those who make packages: it prints
// the manual page, written from the commands themselves.
func newManCommand(shared *cli) *cobra.Command {
	return &cobra.Command{
		Use:    "man",
		Short:  "Print the manual page",
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			page, err := mango.NewManPage(1, cmd.Root())
			if err != nil {
				return err
			}
			page = page.WithSection("Files", "Memories are files below .manicule/memories of a repository. docs/configuration.md lists the other places.")
			shared.printf("%s", page.Build(roff.NewDocument()))
			return nil
		},
	}
}
