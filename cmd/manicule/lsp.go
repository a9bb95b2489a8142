package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"manicule/indexer/extract"
	"manicule/lsp"
	"manicule/lsp/wrap"
	"manicule/memory"
)

// lspCommand is `manicule lsp`.
type lspCommand struct {
	*cli
	wrapped bool
}

func newLSPCommand(shared *cli) *cobra.Command {
	lc := &lspCommand{cli: shared}
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
			case lc.wrapped && len(args) == 0:
				return errors.New("--wrap needs the command of the server to wrap: `manicule lsp --wrap gopls`")
			case !lc.wrapped && len(args) > 0:
				return fmt.Errorf("%q is no argument; to wrap another server: `manicule lsp --wrap %s`", args[0], strings.Join(args, " "))
			}
			return nil
		},
		RunE: lc.run,
	}
	c.Flags().SetInterspersed(false) // the wrapped server's flags are its own
	c.Flags().BoolVar(&lc.wrapped, "wrap", false, "run another language server and add to its answers; its command line follows")
	c.Flags().Bool("stdio", true, "ignored: it is the only transport (some clients always pass it)")
	c.Flags().Int("clientProcessId", 0, "ignored: initialize says it (some clients always pass it)")
	return c
}

func (lc *lspCommand) run(cmd *cobra.Command, args []string) error {
	keepProcessorFree(lc.getenv)
	if lc.wrapped {
		return lc.wrap(cmd.Context(), args)
	}
	return lsp.Serve(cmd.Context(), lc.conn(), editorOptions(lc.opener))
}

// keepProcessorFree lets one goroutine more run at once than there are cores. Else, while
// background work and its garbage collection take all of them, a request waits until the
// scheduler interrupts one, every 10 ms; the operating system lets the request's thread
// run at once (package background). A person's own GOMAXPROCS stays.
func keepProcessorFree(getenv func(string) string) {
	if getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(runtime.GOMAXPROCS(0) + 1)
	}
}

// wrap runs another language server behind ours. The process exits with that server's
// code.
func (lc *lspCommand) wrap(ctx context.Context, command []string) error {
	err := wrap.Serve(ctx, lc.conn(), wrap.Options{
		Command: command, Stderr: lc.streams.err, Log: lc.opener.Log,
		Own: func(ctx context.Context, conn io.ReadWriteCloser) error {
			return lsp.Serve(ctx, conn, editorOptions(lc.opener))
		},
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

// conn returns the connection to the editor.
func (lc *lspCommand) conn() io.ReadWriteCloser { return stdio{lc.streams.in, lc.streams.out} }

// reduceMemory reduces the memory of an idle server. Loading leaves as much garbage as data,
// and little follows, so collections may run twice as often. It waits for a quiet moment,
// because an editor sends many requests right after it has opened a folder.
func reduceMemory() {
	debug.SetGCPercent(50)
	debug.FreeOSMemory()
	extract.Trim() // syntax trees are not on Go's heap
}

// stdio makes a connection of the standard streams.
type stdio struct {
	io.Reader
	io.Writer
}

// Input returns the input, which is waited for in its own way if it is a file.
func (s stdio) Input() io.Reader { return s.Reader }

// Close closes the input if it is a file. The output stays open so that pending messages
// go out before the process ends.
func (s stdio) Close() error {
	if c, ok := s.Reader.(io.Closer); ok {
		return c.Close()
	}
	return nil
}
