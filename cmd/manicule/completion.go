package main

import (
	"bytes"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"manicule/memory/file"
)

// completionName is the command that cobra brings.
const completionName = "completion"

// describeCompletion lets `manicule completion`, which cobra brings, speak as the other commands do.
func describeCompletion(c *cobra.Command) {
	c.Short = "Print the completions for a shell"
	c.Long = "Print the script that lets a shell complete commands, flags, values of flags, ids of memories\n" +
		"(with their texts, where the shell shows them) and FILE#Symbol. Packages install it. Without\n" +
		"one, `manicule completion SHELL --help` says where it goes."
	c.Example = "  source <(manicule completion bash)\n  manicule completion zsh > \"${fpath[1]}/_manicule\"\n  manicule completion fish > ~/.config/fish/completions/manicule.fish"
	c.Args = cobra.NoArgs
	c.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	for _, shell := range c.Commands() {
		shell.Short = "Print the completions for " + shell.Name()
		if shell.Name() == "zsh" {
			shell.RunE = zshCompletion
		}
	}
}

// zshCompletion prints cobra's script with one change: the line that is completed is no pattern of
// files. In zsh's completions `#` is one, and FILE#Symbol would be taken for files that aren't there.
func zshCompletion(cmd *cobra.Command, _ []string) error {
	generate := cmd.Root().GenZshCompletion
	if short, err := cmd.Flags().GetBool("no-descriptions"); err == nil && short {
		generate = cmd.Root().GenZshCompletionNoDesc
	}
	var script bytes.Buffer
	if err := generate(&script); err != nil {
		return err
	}
	_, err := cmd.OutOrStdout().Write([]byte(strings.ReplaceAll(script.String(), "$(eval ", "$(setopt noglob; eval ")))
	return err
}

// completeWords completes a flag in shells from words of the memories that are here, such as their tags.
func completeWords(c *cobra.Command, of *workspaces, flag string, words func(*file.Memory) []string) {
	err := c.RegisterFlagCompletionFunc(flag, func(cmd *cobra.Command, _ []string, prefix string) (out []string, _ cobra.ShellCompDirective) {
		w, err := of.openQuietly()
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		defer func() { _ = w.Close() }() // nothing was written
		if _, err := w.Sync(cmd.Context()); err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		for _, h := range w.View().All() {
			for _, word := range words(h.Memory) {
				if word != "" && strings.HasPrefix(word, prefix) {
					out = append(out, word)
				}
			}
		}
		slices.Sort(out)
		return slices.Compact(out), cobra.ShellCompDirectiveNoFileComp
	})
	if err != nil {
		panic(err) // the flag is defined beside this call
	}
}

func tagsOf(m *file.Memory) []string { return m.Tags }

func authorOf(m *file.Memory) []string { return []string{m.Contributor} }
