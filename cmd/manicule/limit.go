package main

import (
	"github.com/spf13/cobra"
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
