// Command manicule keeps what people and coding agents have learned about a codebase,
// and shows it where it applies. See the README.
//
// It holds flags, wiring and printing. It must not compute answers: those come from
// the packages that it wires.
package main

import (
	"crypto/rand"
	"os"
	"time"

	"golang.org/x/term"
)

// version is set by the linker at a release.
var version = "0.1.0-dev"

func main() {
	start := processStart(time.Now())
	a := &app{
		in: os.Stdin, out: os.Stdout, err: os.Stderr, getenv: os.Getenv,
		now: time.Now, random: rand.Reader, start: start, args: os.Args[1:],
		tty:      term.IsTerminal(int(os.Stdout.Fd())),
		inputTTY: term.IsTerminal(int(os.Stdin.Fd())),
	}
	os.Exit(a.run())
}
