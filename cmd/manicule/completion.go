package main

import "github.com/spf13/cobra"

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
	}
}
