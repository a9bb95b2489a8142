// Command manicule-hook answers a coding agent's hooks as `manicule hook` does, and
// does nothing else. It is built without C and links no rules for secrets, so that
// it starts in a fraction of the time: a hook fires at every call of a tool. What
// writes memories it hands to manicule.
package main

import (
	"crypto/rand"
	"os"
	"time"

	"manicule/cmd/internal/hookcmd"
)

func main() {
	start := hookcmd.ProcessStart(time.Now())
	args := os.Args[1:]
	if len(args) > 0 && args[0] == "hook" { // as manicule takes it: a command line differs in the program alone
		args = args[1:]
	}
	p := &hookcmd.Process{In: os.Stdin, Out: os.Stdout, Getenv: os.Getenv, Now: time.Now, Random: rand.Reader, Start: start}
	p.ReadOnly(args)
	p.Run(args)
}
