package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	indexfault "manicule/indexer/fault"
	"manicule/indexer/typo"
	"manicule/memory"
	"manicule/memory/gate"
)

// The exit codes, as docs/cli.md lists them.
const (
	exitOK       = 0
	exitError    = 1 // an error; the message says what to do
	exitUsage    = 2 // invalid command line
	exitNotFound = 3 // no such memory, or an ambiguous id
	exitRefused  = 4 // the memory was not accepted: malformed, a secret, a conflict
	exitFindings = 5 // doctor found something wrong, or verify something stale
	// A run ended by a signal exits with 128 plus its number: 130 after Ctrl-C.
)

// app is one run of the program, with everything that it takes from the process.
type app struct {
	in       io.Reader
	out, err io.Writer
	getenv   func(string) string
	now      func() time.Time
	random   io.Reader
	start    time.Time
	args     []string
	probe    indexfault.Probe // nil except in tests
	tty      bool             // standard output is a terminal
	inputTTY bool
	columns  func() int // width of the terminal; nil where standard output is none

	errColumns func() int // the same of standard error

	prepareAfter time.Duration // as of services.Opener; 0 except in tests
	readOnlyHook bool          // a hook answers as manicule-hook does; false except in tests
}

// codeError is an error with an exit code of its own.
type codeError struct {
	code int
	err  error
}

func (e *codeError) Error() string { return e.err.Error() }
func (e *codeError) Unwrap() error { return e.err }

// errSilent ends the program with a code and without a message, which was printed
// already.
var errSilent = errors.New("said already")

func (a *app) run() int {
	// A hook has milliseconds, so it skips everything that parses commands.
	if len(a.args) > 0 && a.args[0] == "hook" {
		if !slices.Contains(a.args, "--help") && !slices.Contains(a.args, "-h") {
			return a.hook(a.args[1:])
		}
		a.args = []string{"help", "hook"}
	}
	ctx, stop := withSignals()
	defer stop()
	ctx = indexfault.WithProbe(ctx, a.probe)
	out, in := &output{}, &input{ctx: ctx, from: a.in}
	c := newCLI(a, in, out)
	root := newRootCommand(c)
	root.SetArgs(a.args)
	root.SetIn(c.in)
	root.SetOut(c.out)
	root.SetErr(c.err)
	err := root.ExecuteContext(ctx)
	// A program that asked for JSON gets its error as JSON, too, if a flag before --json stopped the reading.
	c.json = c.json || err != nil && slices.Contains(a.args, "--json")
	code := c.finish(ctx, err)
	if fault := out.fault(); fault != nil && !errors.Is(err, fault) {
		c.json = false // it would go where nothing arrives
		code = max(code, c.finish(ctx, errors.Join(fault, err)))
	}
	if stopped, ok := stopCode(ctx); ok && in.stopped.Load() {
		code = stopped
	}
	return code
}

// newRootCommand builds the command line.
func newRootCommand(c *cli) *cobra.Command {
	root := &cobra.Command{
		Use:                        "manicule",
		Short:                      "☞ what this codebase has taught, where it applies",
		Long:                       "Manicule keeps memories (gotchas, decisions, conventions, dead ends) as files in the\nrepository and shows them in the editor, to coding agents and here.",
		Version:                    version,
		SilenceErrors:              true,
		SuggestionsMinimumDistance: 2,
		SilenceUsage:               true,
		Args:                       noCommand,
		Run:                        func(cmd *cobra.Command, _ []string) { everyday(c, cmd) },
	}
	pf := root.PersistentFlags()
	pf.StringVar(&c.root, "root", "", "a folder of the workspace (default: the current one)")
	pf.BoolVar(&c.json, "json", false, "print JSON of a documented, stable shape")
	root.SetFlagErrorFunc(usage)
	for _, named := range commandsFor(c.args) {
		root.AddCommand(named.build(c))
	}
	if len(root.Commands()) == 1 {
		root.CompletionOptions.DisableDefaultCmd = true
	}
	root.SetOut(c.out)              // which the next line keeps
	root.InitDefaultCompletionCmd() // unless it is switched off
	root.InitDefaultHelpCmd()
	width := widthOfHelp(c.columns)
	for _, sub := range root.Commands() {
		switch sub.Name() {
		case "completion":
			describeCompletion(sub)
		case "help":
			describeHelp(sub)
		}
		ownWords(sub, width)
	}
	root.Long = fitted(root.Long, min(width, maxProseWidth))
	groupCommands(root)
	wrapUsage(root, width)
	return root
}

// namedCommand is a command that is not built yet.
type namedCommand struct {
	name  string
	build func(*cli) *cobra.Command
}

// allCommands lists the commands below the root, without the two that cobra makes.
func allCommands() []namedCommand {
	return []namedCommand{
		{"init", newInitCommand},
		{"remember", newRememberCommand},
		{"recall", newRecallCommand},
		{"search", newSearchCommand},
		{"ask", newAskCommand},
		{"list", newListCommand},
		{"show", newShowCommand},
		{"edit", newEditCommand},
		{"dispute", newDisputeCommand},
		{"verify", newVerifyCommand},
		{"consolidate", newConsolidateCommand},
		{"forget", newForgetCommand},
		{"restore", newRestoreCommand},
		{"sweep", newSweepCommand},
		{"trust", newTrustCommand},
		{"resolve", newResolveCommand},
		{"history", newHistoryCommand},
		{"diff", newDiffCommand},
		{"revert", newRevertCommand},
		{"core", newCoreCommand},
		{"merge-file", newMergeFileCommand},
		{"review", newReviewCommand},
		{"tui", newTUICommand},
		{"observe", newObserveCommand},
		{"import", newImportCommand},
		{"export", newExportCommand},
		{"purge", newPurgeCommand},
		{"map", newMapCommand},
		{"coverage", newCoverageCommand},
		{"index", newIndexCommand},
		{"graph", newGraphCommand},
		{"impact", newImpactCommand},
		{"outline", newOutlineCommand},
		{"model", newModelCommand},
		{"thread", newThreadCommand},
		{"build", newBuildCommand},
		{"work", newWorkCommand},
		{"record", newRecordCommand},
		{"branch", newBranchCommand},
		{"wake", newWakeCommand},
		{"session", newSessionCommand},
		{"skill", newSkillCommand},
		{"capture", newCaptureCommand},
		{"sync", newSyncCommand},
		{"status", newStatusCommand},
		{"stats", newStatsCommand},
		{"onboard", newOnboardCommand},
		{"doctor", newDoctorCommand},
		{"lsp", newLSPCommand},
		{"mcp", newMCPCommand},
		{"hook", newHookCommand},
		{"version", newVersionCommand},
		{"man", newManCommand},
	}
}

// commandsFor returns the commands that arguments may need: one alone if they begin with its name, since to build all takes
// longer than many a command. Help, completions and the hint for a misspelled name need all.
func commandsFor(args []string) []namedCommand {
	all := allCommands()
	if len(args) > 0 && args[0] != "man" {
		if i := slices.IndexFunc(all, func(n namedCommand) bool { return n.name == args[0] }); i >= 0 {
			return all[i : i+1]
		}
	}
	return all
}

// describeHelp gives the command "help" the product's words, and an error for what is no command.
func describeHelp(help *cobra.Command) {
	help.Short = "Show the help of a command"
	help.Long = "Show the help of a command, as `manicule COMMAND --help` does. Without one, list the commands."
	help.Use = "help [COMMAND]..."
	help.Example = "  manicule help remember\n  manicule help review accept"
	help.Args = func(cmd *cobra.Command, args []string) error {
		found, rest, err := cmd.Root().Find(args)
		if err == nil && len(rest) == 0 {
			return nil
		}
		if found == nil || len(rest) == 0 {
			found, rest = cmd.Root(), args
		}
		return noCommand(found, rest)
	}
}

// ownWords lets a command and those below it complain in the product's words about a command line
// that they can't understand, and describe themselves in lines that fit.
func ownWords(c *cobra.Command, width int) {
	check := c.Args
	c.SuggestionsMinimumDistance = 2
	if c.Long == "" {
		c.Long = c.Short // as cobra would show it
	}
	c.Long = fitted(c.Long, min(width, maxProseWidth))
	c.Args = func(cmd *cobra.Command, args []string) error {
		err := swallowed(cmd)
		if err == nil {
			err = cmd.ValidateFlagGroups()
		}
		if takesIDs(cmd) {
			ids := args // with which the command runs
			if !strings.HasSuffix(cmd.Use, "...") {
				ids = args[:min(1, len(args))]
			}
			for i, arg := range ids {
				ids[i] = typedID(arg)
			}
		}
		if err == nil && check != nil {
			switch err = check(cmd, args); {
			case err == nil:
			case errors.As(err, new(*codeError)): // in the product's words already
				return err
			case cmd.HasAvailableSubCommands() && check(cmd, nil) == nil: // it takes a command, and no arguments
				return noCommand(cmd, args)
			default:
				if quote, ok := unquoted(cmd, args, check); ok {
					return quote
				}
				err = argWords(cmd, args, check, err)
			}
		}
		if err != nil {
			return usage(cmd, err)
		}
		return nil
	}
	for _, sub := range c.Commands() {
		if sub.Example == "" {
			sub.Example = exampleFrom(c, sub)
		}
		ownWords(sub, width)
	}
}

// exampleFrom returns the examples of a command that are of one below it; of one that takes ids, with an id.
func exampleFrom(c, sub *cobra.Command) string {
	var own []string
	for line := range strings.Lines(c.Example) {
		if strings.HasPrefix(strings.TrimSpace(line), sub.CommandPath()+" ") {
			own = append(own, strings.TrimRight(line, "\n"))
		}
	}
	if len(own) == 0 && takesIDs(sub) {
		own = append(own, "  "+sub.CommandPath()+" 5b0d9a12")
	}
	return strings.Join(own, "\n")
}

// noCommand is the error for a first word that is no command.
func noCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	path := cmd.CommandPath() + " "
	_, below, _ := strings.Cut(path+args[0], " ")
	err := usage(cmd, fmt.Errorf("unknown command %q", below))
	if cmd.Name() == completionName {
		var shells []string
		for _, c := range cmd.Commands() {
			shells = append(shells, c.Name())
		}
		slices.Sort(shells)
		err = usage(cmd, fmt.Errorf("there are no completions for %q, but for %s", args[0], strings.Join(shells, ", ")))
	}
	near := nearCommands(cmd, args[0])
	if meant := otherWord(args[0]); cmd.Parent() == nil && meant != "" {
		near = []string{meant}
	}
	if len(near) > 0 {
		return &codeError{exitUsage, &memory.UserError{Msg: err.Error(), Err: err, Hint: "Did you mean `" + path + strings.Join(near, "` or `"+path) + "`?"}}
	}
	return err
}

// onlyBelow runs a command that only has commands below it: a person sees its help, a program is told that it named none.
func onlyBelow(shared *cli) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, _ []string) error {
		if !shared.json {
			return cmd.Help()
		}
		var below []string
		for _, c := range cmd.Commands() {
			if !c.Hidden {
				below = append(below, "`"+c.CommandPath()+"`")
			}
		}
		return usageError("`"+cmd.CommandPath()+"` needs a command", "Use one of: "+strings.Join(below, ", ")+".")
	}
}

// otherWord returns the command that other programs call by a word, or "".
func otherWord(word string) string {
	return map[string]string{
		"add": "remember", "new": "remember", "create": "remember", "note": "remember", "save": "remember", "write": "remember",
		"ls": "list", "all": "list", "get": "show", "cat": "show", "view": "show", "open": "show", "find": "search", "grep": "search", "query": "search",
		"rm": "forget", "remove": "forget", "delete": "forget", "del": "forget", "update": "edit", "change": "edit", "modify": "edit",
		"log": "history", "versions": "history", "undo": "restore", "check": "verify", "lint": "verify", "callers": "graph", "refs": "graph",
		"symbols": "outline", "install": "init", "setup": "init", "health": "doctor", "info": "status", "todo": "thread", "todos": "thread", "next": "thread",
		"server": "lsp", "reindex": "index", "mv": "verify", "move": "verify",
	}[strings.ToLower(word)]
}

// nearCommands names up to two commands below cmd that a misspelled one may be, the nearest first, and
// plumbing last.
func nearCommands(cmd *cobra.Command, word string) []string {
	const most = 2
	near := slices.DeleteFunc(cmd.SuggestionsFor(word), func(name string) bool { // cobra takes two slips in any word
		_, ok := typo.Meant(name, word)
		return !ok && !strings.HasPrefix(name, word)
	})
	far := func(name string) int {
		distance, ok := typo.Meant(name, word)
		if !ok {
			distance = len(name) // only its beginning is the same
		}
		if slices.Contains(groupOf()[groupPlumbing], name) {
			distance++
		}
		return distance
	}
	slices.SortStableFunc(near, func(a, b string) int { return cmp.Compare(far(a), far(b)) })
	return near[:min(most, len(near))]
}

// refused turns a result that was not accepted into an error.
func refused(r memory.Result) error {
	reason, hint, _ := strings.Cut(r.Reason, ". ")
	if r.Code == string(gate.Injection) || r.Code == string(gate.Repeated) {
		hint += " Where a person means it so, --anyway keeps it."
	}
	return &codeError{exitRefused, &memory.UserError{Msg: "not remembered: " + reason, Hint: hint}}
}

// unchanged turns the result of a change that was not accepted into an error.
func unchanged(r memory.Result) error { return notDone("not changed: ", r) }

// notDone is refused for an act that is not to remember something.
func notDone(act string, r memory.Result) error {
	err := refused(r)
	if told, ok := errors.AsType[*memory.UserError](err); ok {
		told.Msg = act + strings.TrimPrefix(told.Msg, "not remembered: ")
	}
	return err
}
