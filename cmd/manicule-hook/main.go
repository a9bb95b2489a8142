// Command manicule-hook answers a coding agent's hooks as `manicule hook` does, and
// does nothing else. It is built without C and links no rules for secrets, so that
// it starts in a fraction of the time: a hook fires at every call of a tool. What
// writes memories it hands to manicule.
package main

import (
	"crypto/rand"
	"fmt"
	"os"
	"time"

	"github.com/go-json-experiment/json"

	"manicule/cmd/internal/hookcmd"
	"manicule/cmd/internal/release"
)

func main() {
	start := hookcmd.ProcessStart(time.Now())
	args := os.Args[1:]
	if len(args) > 0 && args[0] == "version" {
		os.Exit(version())
	}
	if len(args) > 0 && args[0] == "hook" { // as manicule takes it: a command line differs in the program alone
		args = args[1:]
	}
	p := &hookcmd.Process{In: os.Stdin, Out: os.Stdout, Getenv: os.Getenv, Now: time.Now, Random: rand.Reader, Start: start}
	p.ReadOnly(args)
	p.Run(args)
}

// version prints what `manicule version --json` does, which doctor asks for.
func version() int {
	out, err := json.Marshal(struct {
		Shape string `json:"shape"`
		release.Info
	}{"manicule/version/1", release.Current()})
	if err == nil {
		_, err = fmt.Printf("%s\n", out)
	}
	if err != nil {
		return 1
	}
	return 0
}
