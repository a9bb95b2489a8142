package main

import (
	"fmt"
	"sync"

	"github.com/spf13/cobra"
)

// The groups of the help: what a person uses every day comes first, what editors, agents
// and git start comes last.
const (
	groupEveryday = "everyday"
	groupCare     = "memories"
	groupWork     = "work"
	groupCode     = "code"
	groupMachine  = "machine"
	groupPlumbing = "plumbing"
)

// groupOf returns the group of each command.
func groupOf() map[string][]string {
	return map[string][]string{
		groupEveryday: {"init", "import", "remember", "recall", "search", "review", "verify", "edit", "forget", "impact"},
		groupCare:     {"tui", "ask", "list", "show", "history", "diff", "revert", "dispute", "onboard", "restore", "resolve", "consolidate", "sweep", "capture", "stats", "export", "purge"},
		groupWork:     {"core", "wake", "thread", "session", "observe", "trust", "branch", "work", "build", "record", "skill"},
		groupCode:     {"map", "coverage", "graph", "outline", "index"},
		groupMachine:  {"status", "doctor", "model", "completion", "man", "version", "help"},
		groupPlumbing: {"lsp", "mcp", "hook", "sync", "merge-file"},
	}
}

// keepOrder makes the help list commands as they were added: the order of the groups is that
// of a person's way through them.
var keepOrder = sync.OnceFunc(func() { cobra.EnableCommandSorting = false })

// groupCommands sorts the commands of the help into groups. A command without one is listed
// after them.
func groupCommands(root *cobra.Command) {
	for _, g := range []cobra.Group{
		{ID: groupEveryday, Title: "Every day:"},
		{ID: groupCare, Title: "More about memories:"},
		{ID: groupWork, Title: "Agents' sessions and longer work:"},
		{ID: groupCode, Title: "The code:"},
		{ID: groupMachine, Title: "This machine:"},
		{ID: groupPlumbing, Title: "Plumbing, which editors, agents and git start:"},
	} {
		root.AddGroup(&g)
	}
	root.SetHelpCommandGroupID(groupMachine)
	root.SetCompletionCommandGroupID(groupMachine)
	keepOrder()
	at := map[string]int{}
	for id, names := range groupOf() {
		for i, name := range names {
			at[name] = i + 1
			for _, c := range root.Commands() {
				if c.Name() == name {
					c.GroupID = id
				}
			}
		}
	}
	sortCommands(root, at)
}

// sortCommands puts the commands into the order of their groups; those without a place in
// one come last, as they were added.
func sortCommands(root *cobra.Command, at map[string]int) {
	all := root.Commands()
	root.RemoveCommand(all...)
	for i := 1; i <= len(at); i++ {
		for _, c := range all {
			if at[c.Name()] == i {
				root.AddCommand(c)
			}
		}
	}
	for _, c := range all {
		if at[c.Name()] == 0 {
			root.AddCommand(c)
		}
	}
}

// everyday says what the program is for, with the commands of every day. The whole help is longer than a screen.
func everyday(c *cli, root *cobra.Command) {
	width := widthOfHelp(c.columns)
	c.printf("%s\n\nEvery day:\n", root.Long)
	for _, sub := range root.Commands() {
		if sub.GroupID == groupEveryday {
			row := fmt.Sprintf("  %-*s ", sub.NamePadding(), sub.Name())
			c.printf("%s%s\n", row, hanging(sub.Short, len(row), width))
		}
	}
	c.printf("\n`manicule init` begins. `manicule help` lists all commands.\n")
}
