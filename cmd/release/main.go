// Command release makes what is published: archives for each platform with their
// checksums, licences, bill of materials and signature, and the packages of package
// managers. Two runs over the same commit write the same bytes. It must not know
// how the product works: it builds and packs programs.
package main

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// commands are what the program does, by the first argument.
var commands = map[string]struct {
	usage string
	run   func([]string) error
}{
	"build":    {"[-version V] [-targets all|ID,…] [-out DIR] [-key FILE] [-snapshot]: archives, packages, manifests", build},
	"licenses": {"[-write]: compares cmd/release/DEPENDENCIES.md with the modules in use; writes it", dependencies},
	"sync":     {"[-check]: writes repository, version and publisher into the manifests of extensions", syncManifests},
	"module":   {"PATH: gives the module another path, in go.mod and in every import", renameModule},
	"targets":  {"prints the platforms", listTargets},
}

func run(args []string) error {
	if len(args) == 0 {
		return errors.New(usage())
	}
	c, ok := commands[args[0]]
	if !ok {
		return fmt.Errorf("there is no command %q\n%s", args[0], usage())
	}
	return c.run(args[1:])
}

func usage() string {
	var b strings.Builder
	b.WriteString("usage: release COMMAND")
	for _, name := range slices.Sorted(maps.Keys(commands)) {
		fmt.Fprintf(&b, "\n  %s %s", name, commands[name].usage)
	}
	return b.String()
}

// options are what a build is told.
type options struct {
	version  string
	targets  string
	out      string
	key      string
	snapshot bool
}

func parseOptions(args []string) (options, error) {
	var o options
	f := flag.NewFlagSet("build", flag.ContinueOnError)
	f.StringVar(&o.version, "version", "", "the version, as semver has it: 1.2.3 or 1.2.3-rc.1")
	f.StringVar(&o.targets, "targets", "all", "the platforms, by `ID`, with commas")
	f.StringVar(&o.out, "out", "dist", "the `folder` that is written")
	f.StringVar(&o.key, "key", "", "a minisign secret key `file` without a password; none signs nothing")
	f.BoolVar(&o.snapshot, "snapshot", false, "a version that is not tagged; the commit becomes part of it")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	return o, checkVersion(o.version)
}
