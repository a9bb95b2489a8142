package main

import (
	"context"
	"io"
	"log/slog"

	"manicule/memory"
	"manicule/memory/ledger"
	"manicule/memory/retrieve"
	"manicule/memory/services"
)

// cli is shared by the commands: the console, the place where they run, and how they open
// workspaces.
type cli struct {
	*console
	*shell
	*workspaces
	random io.Reader
}

// newCLI sends all output for a person through a [terminal].
func newCLI(a *app, in io.Reader, out *output) *cli {
	con := &console{tty: a.tty, env: a.getenv, now: a.now, columns: a.columns}
	forPrograms := func() bool { return con.json || con.raw }
	out.to = &terminal{w: folded(a.out, a.columns, a.args, forPrograms), colours: a.tty, json: forPrograms}
	con.out, con.err = out, &terminal{w: folded(a.err, a.errColumns, a.args, forPrograms), colours: a.tty}
	sh := &shell{in: in, args: a.args, inputTTY: a.inputTTY, getenv: a.getenv, streams: streams{a.in, a.out, a.err}}
	opener := &services.Opener{Version: version, Getenv: a.getenv, Now: a.now, Random: a.random, Log: newLogger(con, a.args), Warn: con.warn, PrepareAfter: a.prepareAfter}
	return &cli{console: con, shell: sh, workspaces: &workspaces{con, sh, opener}, random: a.random}
}

// newLogger logs faults beside the requested work. A person reads them as sentences; an
// editor keeps the server's as a log.
func newLogger(c *console, args []string) *slog.Logger {
	if name := named(args); name != "lsp" && name != "mcp" {
		return slog.New(&sentenceHandler{console: c})
	}
	return slog.New(slog.NewTextHandler(c.err, &slog.HandlerOptions{Level: slog.LevelWarn, ReplaceAttr: func(_ []string, at slog.Attr) slog.Attr {
		if at.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return at
	}}))
}

// recordShown records the memories that a command has shown. A failure is only logged.
func (c *cli) recordShown(ctx context.Context, w *services.Workspace, command, path string, hits []memory.Hit) {
	s := ledger.Showing{Surface: ledger.CLI, Agent: c.agent(), Tool: command, Path: path}
	for _, h := range hits {
		share := ledger.Share{UUID: h.Memory.UUID}
		if s.Agent != "" {
			share.Tokens = retrieve.Tokens(h.Memory.What) + retrieve.Tokens(h.Memory.Why)
			s.Tokens += share.Tokens
		}
		s.Memories = append(s.Memories, share)
	}
	if err := ledger.NewRecorder(w.Place().StateDir(), w.Place().GitPrefix(), c.now).Shown(ctx, s); err != nil && ctx.Err() == nil {
		c.warn("record what was shown: %v", err)
	}
}
