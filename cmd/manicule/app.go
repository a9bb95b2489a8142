package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	indexfault "manicule/indexer/fault"
	"manicule/indexer/sqlfile"
	"manicule/indexer/workspace"
	"manicule/memory"
	"manicule/memory/config"
	"manicule/memory/embed"
	"manicule/memory/file"
	"manicule/memory/gate"
	"manicule/memory/store"
)

// The exit codes, as the documentation lists them.
const (
	exitOK       = 0
	exitError    = 1 // something went wrong; the message says what to do
	exitUsage    = 2 // the command line can't be understood
	exitNotFound = 3 // no such memory, or an ambiguous id
	exitRefused  = 4 // the memory was not accepted: malformed, a secret, a conflict
	exitFindings = 5 // doctor found something wrong, or verify something stale
	// A run that a signal ended has 128 and its number: 130 after Ctrl-C.
)

// app is a run of the program, with everything that it takes from the process.
type app struct {
	in       io.Reader
	out, err io.Writer
	getenv   func(string) string
	now      func() time.Time
	random   io.Reader
	start    time.Time
	args     []string
	probe    indexfault.Probe // nil but in tests
	tty      bool             // standard output is a terminal
	inputTTY bool

	root   string
	json   bool
	raw    bool                         // what is printed is JSON of another format
	screen struct{ out, err io.Writer } // the terminal itself, for programs that are started
	quiet  bool
	config *config.Config
	graphs sync.Map // by root: the code graphs that a language server keeps, *graph.Index
	loaded sharedModels
}

// codeError is an error with an exit code of its own.
type codeError struct {
	code int
	err  error
}

func (e *codeError) Error() string { return e.err.Error() }
func (e *codeError) Unwrap() error { return e.err }

// errSilent ends the program with a code and no message: it was said already.
var errSilent = errors.New("said already")

func (a *app) run() int {
	a.protected()
	// A hook has milliseconds: it passes by everything that parses commands.
	if len(a.args) > 0 && a.args[0] == "hook" {
		if !slices.Contains(a.args, "--help") && !slices.Contains(a.args, "-h") {
			return a.hook(a.args[1:])
		}
		a.args = []string{"help", "hook"}
	}
	ctx, stop := signalled()
	defer stop()
	ctx = indexfault.With(ctx, a.probe)
	out, in := &output{to: a.out}, &input{ctx: ctx, from: a.in}
	a.out, a.in = out, in
	root := a.command()
	root.SetArgs(a.args)
	root.SetIn(a.in)
	root.SetOut(a.out)
	root.SetErr(a.err)
	err := root.ExecuteContext(ctx)
	code := a.finish(ctx, err)
	if fault := out.fault(); fault != nil && !errors.Is(err, fault) {
		a.json = false // it would go where nothing arrives
		code = max(code, a.finish(ctx, errors.Join(fault, err)))
	}
	if stopped, ok := stopCode(ctx); ok && in.stopped.Load() {
		code = stopped
	}
	return code
}

// finish prints an error with its hint and chooses the exit code.
func (a *app) finish(ctx context.Context, err error) int {
	if err == nil {
		return exitOK
	}
	code := exitError
	if stopped, ok := stopCode(ctx); ok && errors.Is(err, context.Canceled) {
		code = stopped
		if _, said := errors.AsType[*memory.UserError](err); !said {
			err = errors.New("interrupted")
		}
	}
	var c *codeError
	switch {
	case errors.As(err, &c):
		code = c.code
	case errors.Is(err, memory.ErrNotFound), errors.Is(err, memory.ErrAmbiguous):
		code = exitNotFound
	}
	if errors.Is(err, errSilent) {
		return code
	}
	if a.json {
		a.printJSON("error", struct {
			Error string `json:"error"`
			Hint  string `json:"hint,omitzero"`
			Exit  int    `json:"exit"`
		}{err.Error(), hint(err), code})
		return code
	}
	_, _ = fmt.Fprintf(a.err, "manicule: %s\n", err) // nowhere left to complain
	if h := hint(err); h != "" {
		_, _ = fmt.Fprintf(a.err, "  try: %s\n", h)
	}
	return code
}

// hint is what a person can do about an error.
func hint(err error) string {
	if u, ok := errors.AsType[*memory.UserError](err); ok {
		return u.Hint
	}
	if f, ok := errors.AsType[*file.Error](err); ok {
		return f.Hint
	}
	switch {
	case errors.Is(err, embed.ErrNone):
		return "`manicule model install` installs one."
	case errors.Is(err, sqlfile.ErrNewer):
		return "Use the newer version of Manicule that wrote it, or move the file away to start afresh."
	case sqlfile.IsBusy(err):
		return "Another process is writing; try again."
	case sqlfile.IsFull(err), sqlfile.IsReadOnly(err):
		return "Make room on that disk and check that the folder can be written to, or name another by XDG_CACHE_HOME or XDG_STATE_HOME."
	}
	return ""
}

// command builds the command line.
func (a *app) command() *cobra.Command {
	root := &cobra.Command{
		Use:                        "manicule",
		Short:                      "☞ what this codebase has taught, where it applies",
		Long:                       "Manicule keeps memories (gotchas, decisions, conventions, dead ends) as files in the\nrepository and shows them in the editor, to coding agents and here.",
		Version:                    version,
		SilenceErrors:              true,
		SuggestionsMinimumDistance: 2,
		SilenceUsage:               true,
		Args:                       a.noCommand,
		RunE:                       func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	pf := root.PersistentFlags()
	pf.StringVar(&a.root, "root", "", "a folder of the workspace (default: the current one)")
	pf.BoolVar(&a.json, "json", false, "print JSON of a documented, stable shape")
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return a.usage(cmd, err) })
	for _, c := range []*cobra.Command{
		a.initCommand(), a.rememberCommand(), a.recallCommand(), a.searchCommand(), a.listCommand(), a.showCommand(),
		a.editCommand(), a.verifyCommand(), a.consolidateCommand(), a.forgetCommand(), a.restoreCommand(), a.reviewCommand(), a.observeCommand(), a.importCommand(), a.exportCommand(),
		a.indexCommand(), a.graphCommand(), a.impactCommand(), a.outlineCommand(), a.modelCommand(),
		a.syncCommand(), a.statusCommand(), a.statsCommand(), a.onboardCommand(), a.doctorCommand(), a.lspCommand(), a.mcpCommand(), a.hookCommand(), a.versionCommand(),
	} {
		check := c.Args
		c.Args = func(cmd *cobra.Command, args []string) error {
			err := cmd.ValidateFlagGroups()
			if err == nil && check != nil {
				err = check(cmd, args)
			}
			if err != nil {
				return a.usage(cmd, err)
			}
			return nil
		}
		root.AddCommand(c)
	}
	return root
}

// noCommand is the answer to a first word that is no command.
func (a *app) noCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	err := a.usage(cmd, fmt.Errorf("there is no command %q", args[0]))
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		return &codeError{exitUsage, &memory.UserError{Msg: err.Error(), Err: err, Hint: "Did you mean `manicule " + strings.Join(near, "` or `manicule ") + "`?"}}
	}
	return err
}

func (a *app) usage(cmd *cobra.Command, err error) error {
	return &codeError{exitUsage, &memory.UserError{Msg: err.Error(), Err: err, Hint: "`" + cmd.CommandPath() + " --help` lists what it takes."}}
}

// open opens the workspace and brings it up to its files.
func (a *app) open(ctx context.Context) (*memory.Workspace, error) {
	w, err := a.openQuietly()
	if err != nil {
		return nil, err
	}
	if err := w.Glance(ctx); err != nil {
		return nil, errors.Join(err, w.Close())
	}
	return w, nil
}

// openQuietly opens the workspace without looking at the files.
func (a *app) openQuietly() (*memory.Workspace, error) {
	dir := a.root
	if dir == "" {
		var err error
		if dir, err = os.Getwd(); err != nil {
			return nil, &memory.UserError{Msg: "the current folder is gone: " + err.Error(), Err: err, Hint: "Change to a folder, or use --root."}
		}
	} else if st, err := os.Stat(dir); err != nil || !st.IsDir() {
		return nil, &memory.UserError{Msg: "--root " + dir + " is no folder", Hint: "Name a folder of the workspace."}
	}
	w, err := memory.Open(memory.Options{Dir: dir, Env: workspace.Env{Getenv: a.getenv, Random: a.random}, Now: a.now, Random: a.random, Log: a.logger(), Progress: a.waited("read", "memory files")})
	if err != nil {
		return nil, err
	}
	var warnings []config.Warning
	a.config, warnings = config.Load(w.Place().ConfigFile(), w.Place().UserConfigFile(), a.getenv)
	for _, x := range warnings {
		a.warn("%s", x)
	}
	w.SetDefaults(a.config.String("user.name"), visibility(a.config))
	return w, nil
}

// with opens the workspace for f and closes it after.
func (a *app) with(ctx context.Context, f func(*memory.Workspace) error) (err error) {
	w, err := a.open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	if faults, err := w.Store().Faults(ctx); err == nil {
		a.tellFaults(faults)
	}
	return f(w)
}

// tellFaults says beside any answer that there are memories which it leaves out.
func (a *app) tellFaults(faults []store.Fault) {
	held := 0
	for _, f := range faults {
		if f.Held != "" {
			held++
		}
	}
	if n := len(faults) - held; n > 0 {
		a.warn("%s can't be used: `manicule doctor` says why", count(n, "memory file", "memory files"))
	}
	if held > 0 && !a.saysHeld() {
		a.warn("%s in quarantine: `manicule review` says why", count(held, "memory is", "memories are"))
	}
}

// saysHeld reports whether the command itself speaks of memories in quarantine.
func (a *app) saysHeld() bool {
	for _, arg := range a.args {
		if !strings.HasPrefix(arg, "-") {
			return slices.Contains([]string{"review", "list", "show", "edit", "forget", "doctor"}, arg)
		}
	}
	return false
}

// logger is for what goes wrong beside what was asked for. A person reads it
// as a sentence; an editor keeps the server's as a log.
func (a *app) logger() *slog.Logger {
	opts := &slog.HandlerOptions{Level: slog.LevelWarn, ReplaceAttr: func(_ []string, at slog.Attr) slog.Attr {
		if at.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return at
	}}
	if len(a.args) > 0 && (a.args[0] == "lsp" || a.args[0] == "mcp") {
		return slog.New(slog.NewTextHandler(a.err, opts))
	}
	return slog.New(&sentences{a: a})
}

// sentences writes records for a person: the act that failed and why.
type sentences struct {
	a     *app
	attrs []slog.Attr
}

func (s *sentences) Enabled(_ context.Context, l slog.Level) bool { return l >= slog.LevelWarn }

// Handle writes one record as one line.
func (s *sentences) Handle(_ context.Context, r slog.Record) error {
	var why, about []string
	each := func(at slog.Attr) bool {
		if at.Key == "err" {
			why = append(why, at.Value.String())
		} else {
			about = append(about, fmt.Sprintf("%s %s", at.Key, at.Value))
		}
		return true
	}
	for _, at := range s.attrs {
		each(at)
	}
	r.Attrs(each)
	text := r.Message
	if len(about) > 0 {
		text += " (" + strings.Join(about, ", ") + ")"
	}
	if len(why) > 0 {
		text += ": " + strings.Join(why, "; ")
	}
	s.a.warn("warning: %s", text)
	return nil
}

// WithAttrs returns a handler that says them with each record.
func (s *sentences) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &sentences{a: s.a, attrs: append(slices.Clone(s.attrs), attrs...)}
}

// WithGroup leaves groups out: a sentence has none.
func (s *sentences) WithGroup(string) slog.Handler { return s }

func (a *app) warn(format string, args ...any) {
	if !a.quiet {
		_, _ = fmt.Fprintf(a.err, "manicule: "+format+"\n", args...) // nowhere left to complain
	}
}

// printf writes to standard output, which keeps what goes wrong for the end.
func (a *app) printf(format string, args ...any) { _, _ = fmt.Fprintf(a.out, format, args...) }

// refused turns a result that was not accepted into an error.
func refused(r memory.Result) error {
	reason, hint, _ := strings.Cut(r.Reason, ". ")
	if r.Code == string(gate.Injection) || r.Code == string(gate.Repeated) {
		hint += " Where a person means it so, --anyway keeps it."
	}
	return &codeError{exitRefused, &memory.UserError{Msg: "not remembered: " + reason, Hint: hint}}
}
