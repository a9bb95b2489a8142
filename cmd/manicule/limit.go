package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"manicule/hooks/install"
)

// listLimit is how much of a list is shown unless --limit says otherwise: nobody reads more, and to
// read ten thousand memories takes a quarter of a second.
const listLimit = 100

// limitFlag adds --limit to a command that lists what may be thousands.
func limitFlag(c *cobra.Command, limit *int) {
	wholeVar(c.Flags(), limit, "limit", "n", listLimit, "at most so many; 0 for all")
}

// asJSON is the limit of what is printed as JSON: all, unless the person said how much.
func asJSON(cmd *cobra.Command, limit int) int {
	if cmd.Flags().Changed("limit") {
		return limit
	}
	return 0
}

// room is how many of a list that long are shown; with a limit of 0 and less all of them.
func room(limit, long int) int {
	if limit <= 0 {
		return long
	}
	return min(limit, long)
}

// moreLeft says that a list was cut. command lists all of it with --limit; without one that is the same command again, whose other
// flags and arguments chose what is listed. It goes to standard error: who reads the list by a program gets the list only.
func moreLeft(c *cli, left int, command string) {
	if command != "" {
		command = "manicule " + command + " "
	}
	if left > 0 {
		c.warn("%s not listed: `%s--limit 0` lists all", count(left, "more is", "more are"), command)
	}
}

// withoutLimit is a command as it was given, with the flags that chose what is listed, and with all of the list.
func withoutLimit(cmd *cobra.Command, args []string) string {
	words := []string{cmd.CommandPath()}
	for _, a := range args {
		words = append(words, install.ShellQuote(a))
	}
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if f.Name == "limit" {
			return
		}
		if f.Value.Type() == "bool" {
			word := "--" + f.Name
			if f.Value.String() != "true" {
				word += "=" + f.Value.String()
			}
			words = append(words, word)
			return
		}
		values := []string{f.Value.String()}
		if several, ok := f.Value.(pflag.SliceValue); ok {
			values = slices.Clone(several.GetSlice())
		}
		for _, v := range values {
			words = append(words, "--"+f.Name+" "+install.ShellQuote(v))
		}
	})
	return strings.Join(append(words, "--limit 0"), " ")
}
