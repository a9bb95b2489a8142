package main

import (
	"context"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"manicule/hooks"
	"manicule/hooks/backend"
	"manicule/hooks/install"
	"manicule/hooks/setup"
	"manicule/indexer/treefile"
	"manicule/memory"
	"manicule/memory/config"
	"manicule/memory/services"
)

// hookMemory is the heap in bytes above which a hook collects garbage after all.
const hookMemory = 128 << 20

// newHookCommand is here for the help: run sends hooks past the command line.
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
	agent := ""
	for i, arg := range args {
		switch {
		case arg == "--client" && i+1 < len(args):
			agent = args[i+1]
		case !strings.HasPrefix(arg, "-") && agent == "":
			agent = arg
		}
	}
	// The process ends before a collection would pay; the limit is for 30 MB of input.
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(hookMemory)
	opener := &services.Opener{Version: version, Getenv: a.getenv, Now: a.now, Random: a.random}
	b := &backend.Backend{Getenv: a.getenv, Now: a.now, Discover: opener.Discover, Settings: opener.Settings, Ask: services.Ask,
		Open: func(dir string) (*memory.Workspace, *config.Config, error) {
			w, err := opener.Open(dir, nil)
			if err != nil {
				return nil, nil, err
			}
			return w.Workspace, w.Config, nil
		}}
	o := hooks.Options{
		Agent: agent, Stdin: a.in, Stdout: a.out, Start: a.start, Now: a.now, Getenv: a.getenv, Random: a.random,
		Prepare: func() (hooks.Settings, bool) {
			if agent == "claude-code" && duplicated(a.getenv) {
				return hooks.Settings{}, false
			}
			return b.Personal(), true
		},
	}
	b.Answer(&o)
	hooks.Run(context.Background(), o)
	return exitOK
}

// duplicated reports whether this is the plugin's hook in a project that has its
// own: the other one answers, so that what happens is logged once. Claude Code
// tells only the hooks of plugins where their plugin is.
func duplicated(getenv func(string) string) bool {
	project := getenv("CLAUDE_PROJECT_DIR")
	if getenv("CLAUDE_PLUGIN_ROOT") == "" || project == "" {
		return false
	}
	for _, shared := range []bool{false, true} {
		where, err := install.File("claude-code", shared)
		if err != nil {
			continue
		}
		data, err := treefile.Within(project, where.Path, setup.MaxRead)
		if err == nil && len(install.Installed("claude-code", data)) > 0 {
			return true
		}
	}
	return false
}
