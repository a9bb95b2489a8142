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
			for _, sub := range cmd.Root().Commands() {
				tellAll(sub)
			}
			page, err := mango.NewManPage(1, cmd.Root())
			if err != nil {
				return err
			}
			page = page.WithLongDescription(cmd.Root().Long)
			page = page.WithSection("Exit status", "0: done. 1: something went wrong; the message says what to do. 2: the command line can't be understood. 3: no memory, or more than one, has that id. 4: the memory was not accepted. 5: doctor or verify found something. 130: Ctrl-C.")
			page = page.WithSection("Files", "Memories are files below .manicule/memories of a repository. docs/configuration.md lists the other places.")
			shared.printf("%s", page.Build(manual{roff.NewDocument()}))
			return nil
		},
	}
	cmd.Flags().BoolVar(&markdown, "markdown", false, "print the help of all commands as one page of Markdown")
	return cmd
}

// lineEnd stands for the end of a line in what the manual says of a command: the library takes the
// line ends out.
const lineEnd = "\x1f"

// tellAll has a command and those below it described in full where the manual has the short text.
func tellAll(cmd *cobra.Command) {
	if cmd.Long != "" {
		cmd.Short = strings.ReplaceAll(strings.TrimSpace(cmd.Long), "\n", lineEnd)
	}
	for _, sub := range cmd.Commands() {
		tellAll(sub)
	}
}

// manual is a manual page in which a text has its paragraphs and its indented lines.
type manual struct{ *roff.Document }

// Text writes a text as the help lays it out.
func (m manual) Text(text string) {
	var filled []string
	flush := func() {
		if len(filled) > 0 {
			// The library takes what it writes for a format.
			m.Document.Text(strings.ReplaceAll(strings.Join(filled, " "), "%", "%%"))
			filled = nil
		}
	}
	for i, line := range strings.Split(strings.ReplaceAll(text, lineEnd, "\n"), "\n") {
		switch {
		case i > 0 && strings.TrimSpace(line) == "":
			flush()
			m.Paragraph()
		case i > 0 && strings.HasPrefix(line, "  "): // such a line stays one
			flush()
			m.EndSection()
			filled = append(filled, line)
		default:
			filled = append(filled, line)
		}
	}
	flush()
}

// TextBold writes a text in bold.
func (m manual) TextBold(text string) {
	m.Document.TextBold(strings.ReplaceAll(text, "%", "%%"))
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
