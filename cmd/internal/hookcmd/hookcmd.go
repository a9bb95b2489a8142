// Package hookcmd holds the parts that all programs answering hooks share: the arguments,
// the garbage collector settings, the start time of the process, and the check for a
// duplicate hook. It must not know how memories are written: a caller that can write
// passes a function, one that can't hands the event over.
package hookcmd

import (
	"context"
	"io"
	"runtime/debug"
	"strings"
	"time"

	"manicule/hooks"
	"manicule/hooks/backend"
	"manicule/hooks/install"
	"manicule/indexer/treefile"
	"manicule/indexer/workspace"
	"manicule/memory"
	"manicule/memory/config"
	"manicule/memory/search"
)

// hookMemory is the heap size in bytes from which a hook collects garbage.
const hookMemory = 128 << 20

// maxSettings is the largest settings file of a project that is read, in bytes.
const maxSettings = 64 << 20

// Process holds the inputs of one hook process.
type Process struct {
	In     io.Reader
	Out    io.Writer
	Getenv func(string) string
	Now    func() time.Time
	Random io.Reader
	Start  time.Time
	// Open opens the memories of a folder for writing.
	Open func(dir string) (*memory.Workspace, *config.Config, error)
	// Asked is set if somebody asks for what sessions are told: the settings that keep sessions from being told it unasked don't count.
	Asked bool
	// HandOver is as in [hooks.Options].
	HandOver func(ctx context.Context, input []byte) (answer []byte, err error)
}

// Run answers one event. args are the arguments after "hook".
func (p *Process) Run(args []string) {
	agent := agentOf(args)
	// The process ends before a collection pays off. The limit is for 30 MB of input.
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(hookMemory)
	o, _ := p.Options(agent)
	hooks.Run(context.Background(), o)
}

// Options are the inputs of a hook of an agent in this process. done closes what answering opened, where the process goes on.
func (p *Process) Options(agent string) (o hooks.Options, done func() error) {
	env := workspace.Env{Getenv: p.Getenv, Random: p.Random}
	b := backend.New(backend.Options{Getenv: p.Getenv, Now: p.Now, Open: p.Open, HandOver: p.HandOver, Ask: search.Ask,
		Discover: func(dir string) (*workspace.Workspace, error) { return workspace.Discover(dir, env) },
		Settings: func(w *workspace.Workspace) (*config.Config, []config.Warning) {
			c, warnings := config.Load(config.FilesOf(w), p.Getenv)
			if p.Asked {
				for _, key := range []string{"hooks.brief", "hooks.search"} {
					if err := c.Set(key, true, config.Flag); err != nil {
						warnings = append(warnings, config.Warning{Where: key, Msg: err.Error()})
					}
				}
			}
			return c, warnings
		}})
	o = hooks.Options{
		Agent: agent, Stdin: p.In, Stdout: p.Out, Start: p.started(), Now: p.Now, Getenv: p.Getenv, Random: p.Random,
		Prepare: func() (hooks.Settings, bool) {
			if agent == "claude-code" && duplicated(p.Getenv) {
				return hooks.Settings{}, false
			}
			return b.Personal(), true
		},
	}
	b.Answer(&o)
	return o, b.Close
}

// agentOf returns the agent that the arguments after "hook" name.
func agentOf(args []string) string {
	agent := ""
	for i, arg := range args {
		switch {
		case arg == "--client" && i+1 < len(args):
			agent = args[i+1]
		case !strings.HasPrefix(arg, "-") && agent == "":
			agent = arg
		}
	}
	return agent
}

// duplicated reports whether this is the plugin's hook in a project with a hook of its
// own. The project's hook answers, so that an event is logged once. Claude Code sets the
// plugin's variable only for hooks of plugins.
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
		data, err := treefile.ReadWithin(project, where.Path, maxSettings)
		if err == nil && len(install.Installed("claude-code", data)) > 0 {
			return true
		}
	}
	return false
}
