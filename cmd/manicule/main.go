// Command manicule keeps what people and coding agents have learned about a codebase, and
// shows it where it applies. See the README.
//
// The package holds flags, wiring and printing. It must not compute answers, which come
// from the packages that it wires.
package main

import (
	"crypto/rand"
	"os"
	"time"

	"golang.org/x/term"

	"manicule/cmd/internal/hookcmd"
	_ "manicule/cmd/internal/hookexec" // `manicule hook` becomes manicule-hook
	"manicule/cmd/internal/release"
	"manicule/indexer/workspace"
)

// version is the version of the program.
var version = release.Version

func main() {
	start := hookcmd.ProcessStart(time.Now())
	a := &app{
		in: os.Stdin, out: os.Stdout, err: os.Stderr, getenv: workspace.Getenv,
		now: time.Now, random: rand.Reader, start: start, args: os.Args[1:],
		tty:      term.IsTerminal(int(os.Stdout.Fd())),
		inputTTY: term.IsTerminal(int(os.Stdin.Fd())),
	}
	a.columns, a.errColumns = columns(os.Stdout), columns(os.Stderr)
	os.Exit(a.run())
}

// columns returns what tells the width of a terminal, 0 if it can't be told; nil for a file that is no terminal.
func columns(file *os.File) func() int {
	if !term.IsTerminal(int(file.Fd())) {
		return nil
	}
	return func() int {
		width, _, err := term.GetSize(int(file.Fd()))
		if err != nil {
			return 0
		}
		return width
	}
}
