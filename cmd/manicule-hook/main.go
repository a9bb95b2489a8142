// Command manicule-hook answers a coding agent's hooks like `manicule hook`, and does
// nothing else. Hooks run at every tool call, so it is built without C and without the
// secret rules to start in a fraction of the time. It hands writes to manicule.
package main

import (
	"crypto/rand"
	"fmt"
	"os"
	"time"

	"github.com/go-json-experiment/json"

	"manicule/cmd/internal/hookcmd"
	"manicule/cmd/internal/release"
	"manicule/indexer/workspace"
)

func main() {
	start := hookcmd.ProcessStart(time.Now())
	args := os.Args[1:]
	if len(args) > 0 && args[0] == "version" {
		os.Exit(version())
	}
	if len(args) > 0 && args[0] == "hook" { // accept the same arguments as manicule, so that command lines differ only in the program
		args = args[1:]
	}
	p := &hookcmd.Process{In: os.Stdin, Out: os.Stdout, Getenv: workspace.Getenv, Now: time.Now, Random: rand.Reader, Start: start}
	p.ReadOnly(args)
	p.Run(args)
}

// version prints the output of `manicule version --json`, which doctor reads.
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
