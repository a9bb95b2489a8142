package main

import (
	"strings"

	mango "github.com/muesli/mango-cobra"
	"github.com/muesli/roff"
	"github.com/spf13/cobra"
)

// newManCommand is `manicule man`, which is for those who make packages and the site: it
// prints the manual, written from the commands themselves.
func newManCommand(shared *cli) *cobra.Command {
	var markdown bool
	cmd := &cobra.Command{
		Use:    "man",
		Short:  "Print the manual page",
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if markdown {
				shared.printf("# Commands\n\nWhat `manicule COMMAND --help` prints. [The command line](cli.md) says what the commands share.\n")
				return printMarkdown(shared, cmd.Root())
			}
			page, err := mango.NewManPage(1, cmd.Root())
			if err != nil {
				return err
			}
			// A line of the help would be a paragraph.
			page = page.WithLongDescription(strings.ReplaceAll(cmd.Root().Long, "\n", " ") + " `manicule COMMAND --help` says more of a command, with examples.")
			page = page.WithSection("Exit status", "0: done. 1: something went wrong; the message says what to do. 2: the command line can't be understood. 3: no memory, or more than one, has that id. 4: the memory was not accepted. 5: doctor or verify found something. 130: Ctrl-C.")
			page = page.WithSection("Files", "Memories are files below .manicule/memories of a repository. docs/configuration.md lists the other places.")
			shared.printf("%s", page.Build(roff.NewDocument()))
			return nil
		},
	}
	cmd.Flags().BoolVar(&markdown, "markdown", false, "print the help of all commands as one page of Markdown")
	return cmd
}

// printMarkdown prints the help of a command and of those below it, by name.
func printMarkdown(shared *cli, cmd *cobra.Command) error {
	var help strings.Builder
	cmd.SetOut(&help)
	defer cmd.SetOut(nil)
	if err := cmd.Help(); err != nil {
		return err
	}
	shared.printf("\n## %s\n\n```text\n%s\n```\n", cmd.CommandPath(), strings.TrimSpace(help.String()))
	for _, sub := range cmd.Commands() {
		if !sub.IsAvailableCommand() || sub.Name() == "help" {
			continue
		}
		if err := printMarkdown(shared, sub); err != nil {
			return err
		}
	}
	return nil
}
