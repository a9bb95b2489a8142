package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"manicule/hooks"
	"manicule/hooks/event"
	"manicule/hooks/learn"
	"manicule/indexer/workspace"
	"manicule/memory"
	"manicule/memory/config"
	"manicule/memory/quick"
)

// hookMemory is the heap in bytes above which a hook collects garbage after all.
const hookMemory = 128 << 20

// hookCommand is here for the help: run sends hooks past the command line.
func (a *app) hookCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "hook AGENT",
		Short: "Answer one event of a coding agent, read from standard input",
		Long: "Answer one event of a coding agent. AGENT is claude-code, cursor, codex, gemini, copilot,\n" +
			"vscode, opencode or windsurf. It never fails: whatever happens the exit code is 0 and the\n" +
			"answer at worst empty; `manicule doctor` shows what went wrong. `manicule init --agent`\n" +
			"installs it.",
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
	env := workspace.Env{Getenv: a.getenv, Random: a.random}
	level, flush := a.hookSettings(env)
	hooks.Run(context.Background(), hooks.Options{
		TrustLevel: level, Flush: flush,
		Agent: agent, Stdin: a.in, Stdout: a.out, Start: a.start, Now: a.now, Getenv: a.getenv, Random: a.random,
		OpenQuick: func(ctx context.Context, dir string) (hooks.Memories, error) {
			m, err := quick.Open(ctx, dir, env)
			if err != nil {
				return nil, err
			}
			if !hasMemories(m.Place()) {
				return nil, errors.Join(hooks.ErrNoWorkspace, m.Close())
			}
			c, _ := config.Load(m.Place().ConfigFile(), m.Place().UserConfigFile(), a.getenv) // doctor shows the warnings
			return switched{m, c.Bool("hooks.nudge"), c.Bool("hooks.brief")}, nil
		},
		Remember: func(ctx context.Context, dir string, d memory.Draft) (memory.Result, error) {
			w, err := memory.Open(memory.Options{Dir: dir, Env: env, Now: a.now, Random: a.random})
			if err != nil {
				return memory.Result{}, err
			}
			c, _ := config.Load(w.Place().ConfigFile(), w.Place().UserConfigFile(), a.getenv) // doctor shows the warnings
			w.SetDefaults(c.String("user.name"), visibility(c))
			r, err := w.Remember(ctx, d)
			return r, errors.Join(err, w.Close())
		},
		Learn: func(ctx context.Context, dir, session string) error {
			w, err := memory.Open(memory.Options{Dir: dir, Env: env, Now: a.now, Random: a.random})
			if err != nil {
				return err
			}
			c, _ := config.Load(w.Place().ConfigFile(), w.Place().UserConfigFile(), a.getenv) // doctor shows the warnings
			if c.Bool("observer.enabled") {
				w.SetDefaults(c.String("user.name"), visibility(c))
				if session == "" {
					_, err = learn.Pending(ctx, learn.Options{Workspace: w}, 1)
				} else {
					_, err = learn.Session(ctx, learn.Options{Workspace: w}, session)
				}
			}
			return errors.Join(err, w.Close())
		},
		Search: func(ctx context.Context, dir string, q hooks.Query) ([]memory.Hit, error) {
			return a.hookSearch(ctx, dir, env, q)
		},
		Failures: func(ctx context.Context, dir string, c event.Call) ([]hooks.Warning, error) {
			return a.hookFailures(ctx, dir, env, c)
		},
		Forget: func(ctx context.Context, dir, id string) (string, error) {
			w, err := memory.Open(memory.Options{Dir: dir, Env: env, Now: a.now, Random: a.random})
			if err != nil {
				return "", err
			}
			what, err := hookForget(ctx, w, id)
			return what, errors.Join(err, w.Close())
		},
		StateDir: func(dir string) (string, error) {
			p, err := workspace.Discover(dir, env)
			if err != nil {
				return "", err
			}
			if !hasMemories(p) {
				return "", hooks.ErrNoWorkspace
			}
			return p.StateDir(), nil
		},
	})
	return exitOK
}

// hasMemories reports whether somebody has set the workspace up.
func hasMemories(p *workspace.Workspace) bool {
	_, err := os.Stat(filepath.Join(p.Root, workspace.Folder))
	return err == nil
}

// switched is a workspace whose owner may not want nudges or briefs.
type switched struct {
	*quick.Memories
	nudge, brief bool
}

// ForPath is empty where nudges are switched off.
func (s switched) ForPath(ctx context.Context, rel string, isDir bool) ([]memory.Hit, error) {
	if !s.nudge {
		return nil, nil
	}
	return s.Memories.ForPath(ctx, rel, isDir)
}

// Brief is empty where briefs are switched off.
func (s switched) Brief(ctx context.Context) ([]memory.Hit, int, error) {
	if !s.brief {
		return nil, 0, nil
	}
	return s.Memories.Brief(ctx)
}

// hookSettings are those that hold for a person, whatever the folder is: a
// repository can't set them.
func (a *app) hookSettings(env workspace.Env) (level int, flush bool) {
	p, err := workspace.Discover(".", env)
	if err != nil {
		return 0, false
	}
	c, _ := config.Load("", p.UserConfigFile(), a.getenv) // doctor shows the warnings
	return c.Int("hooks.trust_level"), c.Bool("hooks.flush")
}
