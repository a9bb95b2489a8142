package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"manicule/indexer/extract"
	"manicule/indexer/workspace"
	"manicule/lsp"
	"manicule/lsp/wrap"
	"manicule/memory"
	"manicule/memory/config"
	"manicule/memory/follow"
	"manicule/memory/ledger"
)

func (a *app) lspCommand() *cobra.Command {
	var wrapped bool
	c := &cobra.Command{
		Use:   "lsp [--wrap SERVER [ARGUMENT]...]",
		Short: "Run the language server on standard input and output",
		Long: `Run the language server on standard input and output.

With --wrap, it runs another language server and adds hovers, code lenses,
diagnostics, code actions and commands to that one's answers, for a client that
runs one server for each kind of file. The rest of the command line is the other
server's; flags of manicule come before --wrap. See docs/wrap.md.`,
		Example: `  manicule lsp
  manicule lsp --wrap gopls
  manicule lsp --wrap typescript-language-server --stdio`,
		Args: func(_ *cobra.Command, args []string) error {
			switch {
			case wrapped && len(args) == 0:
				return errors.New("--wrap needs the command of the server to wrap: `manicule lsp --wrap gopls`")
			case !wrapped && len(args) > 0:
				return fmt.Errorf("%q is no argument; to wrap another server: `manicule lsp --wrap %s`", args[0], strings.Join(args, " "))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if wrapped {
				return a.wrap(cmd.Context(), args)
			}
			in, out := a.files()
			return lsp.Serve(cmd.Context(), stdio{in, out}, a.lspOptions())
		},
	}
	c.Flags().SetInterspersed(false) // the wrapped server's flags are its own
	c.Flags().BoolVar(&wrapped, "wrap", false, "run another language server and add to its answers; its command line follows")
	c.Flags().Bool("stdio", true, "ignored: it is the only transport (some clients always pass it)")
	c.Flags().Int("clientProcessId", 0, "ignored: initialize says it (some clients always pass it)")
	return c
}

// wrap runs another language server behind ours. The process ends with that
// one's exit code.
func (a *app) wrap(ctx context.Context, command []string) error {
	in, out := a.files()
	err := wrap.Serve(ctx, stdio{in, out}, wrap.Options{
		Command: command, Stderr: a.screen.err, Log: a.logger(),
		Own: func(ctx context.Context, conn io.ReadWriteCloser) error { return lsp.Serve(ctx, conn, a.lspOptions()) },
	})
	if ended, ok := errors.AsType[*wrap.ExitError](err); ok {
		return &codeError{ended.Code, err}
	}
	if errors.Is(err, wrap.ErrNotStarted) {
		return &memory.UserError{
			Msg: err.Error(), Err: err,
			Hint: fmt.Sprintf("Install %q or name it by its full path. `manicule lsp` alone runs without another server.", command[0]),
		}
	}
	return err
}

func (a *app) lspOptions() lsp.Options {
	log := a.logger()
	return lsp.Options{
		Version: version, Now: a.now, Log: log, Idle: settle,
		Nearest:  config.Nearest,
		Hint:     hint,
		Settings: a.editorSettings,
		Override: a.environmentSettings,
		Graph:    a.editorGraph,
		Track:    track,
		Ledger:   func(m lsp.Memories) lsp.Ledger { return a.ledgerOf(m, log) },
		Commit:   commitOf,
		Sessions: editorSessions,
		Trust:    a.editorTrust,
		Files:    editorFiles,
		Open: func(ctx context.Context, dir string) (lsp.Memories, error) {
			w, err := memory.Open(memory.Options{Dir: dir, Env: workspace.Env{Getenv: a.getenv, Random: a.random}, Now: a.now, Random: a.random, Log: log})
			if err != nil {
				return nil, err
			}
			c, warnings := config.Load(w.Place().ConfigFile(), w.Place().UserConfigFile(), a.getenv)
			for _, x := range warnings {
				log.Warn(x.String())
			}
			w.SetDefaults(c.String("user.name"), visibility(c))
			return a.lead(ctx, w, c, "lsp", nil, nil), nil
		},
	}
}

// ledgerOf is the account of what was shown of a workspace that an editor has
// opened.
func (a *app) ledgerOf(m lsp.Memories, log *slog.Logger) lsp.Ledger {
	l, ok := m.(*led)
	if !ok {
		return nil
	}
	p := l.Place()
	return ledger.NewLive(l.State(), ledger.NewRecorder(p.StateDir(), p.Below(), a.now), ledger.Hover, a.now, log)
}

// track follows the anchors of a workspace that an editor has opened.
func track(m lsp.Memories) (lsp.Tracker, error) {
	l, ok := m.(*led)
	if !ok {
		return nil, fmt.Errorf("follow anchors of %s: %T is no workspace", m.Root(), m)
	}
	return follow.Open(l.Workspace), nil
}

// editorGraph is the code graph of a folder that an editor has opened. Nobody
// asked for it by hand, so it is kept for projects only: an editor that opens a
// home folder or / must not have all of it read.
func (a *app) editorGraph(root string) (lsp.Code, error) {
	p, err := workspace.Discover(root, workspace.Env{Getenv: a.getenv, Random: a.random})
	if err != nil {
		return nil, err
	}
	if !p.IsProject() {
		return nil, fmt.Errorf("%s has no code graph: it is no git repository and has no %s folder at its root; open the folder of a project, or run `manicule init` there and start the server again", p.Root, workspace.Folder)
	}
	ix := a.graphIndex(p)
	a.graphs.Store(p.Root, ix)
	return ix, nil
}

// settle makes an idle server small: loading leaves as much garbage as it
// keeps, and what comes after is little, so it may be collected twice as often.
// It waits for a quiet moment since it would be in the way of what an editor
// asks right after it has opened a folder.
func settle() {
	debug.SetGCPercent(50)
	debug.FreeOSMemory()
	extract.Trim() // syntax trees are not on Go's heap
}

// editorSettings are the surfaces' switches from the configuration files of a
// folder; the client's own settings go over them, the environment over those.
func (a *app) editorSettings(dir string) *lsp.Settings {
	s := lsp.DefaultSettings()
	if dir == "" {
		return s
	}
	p, err := workspace.Discover(dir, workspace.Env{Getenv: a.getenv, Random: a.random})
	if err != nil {
		return s // Open says it
	}
	c, _ := config.Load(p.ConfigFile(), p.UserConfigFile(), a.getenv) // Open logs the warnings
	overlay(c, s, func(string) bool { return true })
	return s
}

// environmentSettings puts what the environment says over everything else.
func (a *app) environmentSettings(s *lsp.Settings) {
	c, _ := config.Load("", "", a.getenv) // Open logs the warnings
	overlay(c, s, func(key string) bool { return c.From(key) == config.Env })
}

func overlay(c *config.Config, s *lsp.Settings, wanted func(key string) bool) {
	for key, to := range map[string]*bool{
		"index.enabled": &s.CodeGraph, "editor.document_symbols": &s.DocumentSymbols,
		"editor.hover": &s.Hover, "editor.code_lens": &s.CodeLens, "editor.diagnostics": &s.Diagnostics, "editor.code_actions": &s.CodeActions,
		"editor.review_actions": &s.ReviewActions, "editor.seen_before": &s.SeenBefore, "editor.scope_hints": &s.ScopeHints,
	} {
		if wanted(key) {
			*to = c.Bool(key)
		}
	}
	for key, to := range map[string]*string{
		"editor.severity": &s.Severity, "editor.stale_severity": &s.StaleSeverity, "editor.drifted_severity": &s.DriftedSeverity,
		"editor.dead_end_severity": &s.DeadEndSeverity,
	} {
		if wanted(key) {
			*to = c.String(key)
		}
	}
	if wanted("editor.max_per_file") {
		s.MaxPerFile = c.Int("editor.max_per_file")
	}
	if wanted("editor.max_items") {
		s.MaxItems = c.Int("editor.max_items")
	}
}

// stdio is the connection to the editor.
type stdio struct {
	io.Reader
	io.Writer
}

// Close ends the input where it is a file. The output stays open: what the
// server has still to say goes out, and the process ends soon.
func (s stdio) Close() error {
	if c, ok := s.Reader.(io.Closer); ok {
		return c.Close()
	}
	return nil
}
