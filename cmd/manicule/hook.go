package main

import (
	"strings"

	"github.com/spf13/cobra"

	"manicule/cmd/internal/hookcmd"
	"manicule/hooks/install"
	"manicule/memory"
	"manicule/memory/config"
	"manicule/memory/services"
)

// newHookCommand exists for the help. app.run handles hooks before the command line is
// parsed.
func newHookCommand(*cli) *cobra.Command {
	return &cobra.Command{
		Use:   "hook AGENT",
		Short: "Answer one event of a coding agent, read from standard input",
		Long: "Answer one event of a coding agent. A hook never fails: the exit code is always 0, and after\n" +
			"an error the answer is empty. `manicule doctor` shows errors. `manicule init --agent`\n" +
			"installs it. AGENT is one of:\n\n  " + strings.Join(install.Agents(), ", "),
		DisableFlagParsing: true,
		RunE:               func(*cobra.Command, []string) error { return nil },
	}
}

// hook answers one event and always succeeds.
func (a *app) hook(args []string) int {
	opener := &services.Opener{Version: version, Getenv: a.getenv, Now: a.now, Random: a.random}
	p := &hookcmd.Process{In: a.in, Out: a.out, Getenv: a.getenv, Now: a.now, Random: a.random, Start: a.start,
		Open: func(dir string) (*memory.Workspace, *config.Config, error) {
			w, err := opener.Open(dir, nil)
			if err != nil {
				return nil, nil, err
			}
			return w.Workspace, w.Config, nil
		}}
	if a.readOnlyHook {
		p.ReadOnly(args)
	}
	p.Run(args)
	return exitOK
}
