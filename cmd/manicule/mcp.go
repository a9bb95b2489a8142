package main

import (
	"context"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"manicule/hooks"
	"manicule/hooks/mcp"
	"manicule/memory"
	"manicule/memory/services"
)

// mcpCommand is `manicule mcp`.
type mcpCommand struct {
	*cli
	structured bool
}

func newMCPCommand(shared *cli) *cobra.Command {
	mc := &mcpCommand{cli: shared}
	c := &cobra.Command{
		Use:   "mcp",
		Short: "Run the MCP server on standard input and output",
		Long: "Run the MCP (Model Context Protocol) server on standard input and output. Its tools find\n" +
			"memories, propose new ones and show what a change may break. The workspace is --root, the\n" +
			"client's roots, or the current folder. The server exits with its client.",
		Example: "  claude mcp add manicule -- manicule mcp\n  manicule mcp --root path/to/repository",
		Args:    cobra.NoArgs,
		RunE:    mc.run,
	}
	c.Flags().BoolVar(&mc.structured, "structured", false, "answer with data and their schemas too, for programs; the data are no longer than the text")
	return c
}

func (mc *mcpCommand) run(cmd *cobra.Command, _ []string) error {
	cwd, err := os.Getwd()
	if err != nil {
		return &memory.UserError{Msg: "the current folder is gone: " + err.Error(), Err: err, Hint: "Change to a folder, or use --root."}
	}
	dir := mc.root
	if dir != "" && !filepath.IsAbs(dir) {
		dir = filepath.Join(cwd, dir)
	}
	keepProcessorFree(mc.getenv)
	return mcp.Serve(cmd.Context(), mc.streams.in, mc.streams.out, mcp.Options{
		Version: version, Dir: dir, Cwd: cwd, Getenv: mc.getenv, Now: mc.now, Log: mc.opener.Log, Parent: os.Getppid, Idle: reduceMemory,
		Open: mc.open, Structured: mc.structured,
	})
}

// open opens a workspace for an agent and competes for its lease.
func (mc *mcpCommand) open(ctx context.Context, dir string) (*mcp.Space, error) {
	if st, err := os.Stat(dir); err != nil || !st.IsDir() {
		return nil, &memory.UserError{Msg: dir + " is no folder", Hint: "Name a folder of the workspace, as a root of the client or by --root."}
	}
	w, err := mc.opener.Open(dir, nil)
	if err != nil {
		return nil, err
	}
	for _, x := range w.Warnings {
		mc.opener.Log.Warn(x.String())
	}
	s := w.ServeAgent(ctx, "mcp")
	stop := mc.catchUp(ctx, w)
	return &mcp.Space{
		Memories: w.Workspace, Find: s.Find, Look: s.Locate, Fresh: s.Fresh, Opening: mc.opening(w),
		Describe: s.Code.Describe, Module: s.Code.Module, Impact: s.Code.Impact, Change: s.Code.Change, Code: s.Code.Search,
		Indexing: s.Indexing, Readiness: s.Readiness, Close: func() error { stop(); return s.Close() },
	}, nil
}

// opening returns a function that composes what a session in a workspace is told at its start.
func (mc *mcpCommand) opening(w *services.Workspace) func(ctx context.Context, agent, session, purpose string) (mcp.Opening, error) {
	return func(ctx context.Context, agent, session, purpose string) (mcp.Opening, error) {
		o, err := preview(ctx, mc.cli, hooks.Start{Dir: w.Root(), Agent: agent, Session: session, Purpose: purpose}, nil)
		out := mcp.Opening{Text: o.Text, Memories: o.Memories}
		for _, t := range o.Waiting.Threads {
			if slices.Contains(o.Threads, t.Memory.ShortID()) {
				out.Threads = append(out.Threads, t)
			}
		}
		return out, err
	}
}
