package main

import (
	"context"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"manicule/hooks"
	"manicule/hooks/install"
	"manicule/indexer/treefile"
	"manicule/indexer/workspace"
	"manicule/memory"
	"manicule/memory/quick"
)

// hookMemory is the heap in bytes above which a hook collects garbage after all.
const hookMemory = 128 << 20

// hookCommand is here for the help: run sends hooks past the command line.
func (a *app) hookCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "hook AGENT",
		Short: "Answer one event of a coding agent, read from standard input",
		Long: "Answer one event of a coding agent. It never fails: whatever happens the exit code is 0 and the\n" +
			"answer at worst empty; `manicule doctor` shows what went wrong. `manicule init --agent`\n" +
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
	h := &hookRun{app: a, env: workspace.Env{Getenv: a.getenv, Random: a.random}}
	hooks.Run(context.Background(), hooks.Options{
		Agent: agent, Stdin: a.in, Stdout: a.out, Start: a.start, Now: a.now, Getenv: a.getenv, Random: a.random,
		Prepare: func() (hooks.Settings, bool) {
			if agent == "claude-code" && a.spare() {
				return hooks.Settings{}, false
			}
			level, flush, work := h.personal()
			return hooks.Settings{TrustLevel: level, Flush: flush, Methodology: work}, true
		},
		OpenQuick: h.open, Remember: h.remember, Learn: h.learn, Search: h.search, Failures: h.failures, FrequentFailures: h.starting, Forget: h.forget,
		Commits: h.news, Branch: h.branch, Began: h.began, Indexed: h.indexed, Drafts: h.drafts, EarlierDrafts: h.earlierDrafts, Overrun: h.usual, Shown: h.shown,
		StateDir: func(dir string) (string, error) {
			p, _, err := h.at(dir)
			if err != nil {
				return "", err
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

// spare reports whether this is the plugin's hook in a project that has its own:
// the other one answers, and what happened is logged once. Claude Code tells
// only the hooks of plugins where their plugin is.
func (a *app) spare() bool {
	project := a.getenv("CLAUDE_PROJECT_DIR")
	if a.getenv("CLAUDE_PLUGIN_ROOT") == "" || project == "" {
		return false
	}
	for _, shared := range []bool{false, true} {
		where, err := install.File("claude-code", shared)
		if err != nil {
			continue
		}
		data, err := treefile.Within(project, where.Path, maxRead)
		if err == nil && len(install.Installed("claude-code", data)) > 0 {
			return true
		}
	}
	return false
}
