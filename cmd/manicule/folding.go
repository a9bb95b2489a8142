package main

import (
	"io"
	"slices"
	"strings"

	"manicule/cmd/internal/tui/fold"
)

// folded returns a writer that folds what a command line asks for, if there is a terminal and a person reads it.
func folded(w io.Writer, columns func() int, args []string, forPrograms func() bool) io.Writer {
	if columns == nil || !folds(args) {
		return w
	}
	return &fold.Writer{To: w, Columns: columns, AsItIs: forPrograms, Copied: isExample}
}

// isExample reports whether a line is an example of a help text.
func isExample(line string) bool { return strings.HasPrefix(line, "  manicule ") }

// folds reports whether a command line asks for text for a person. What is left out writes documents, code or drawings.
func folds(args []string) bool {
	name := named(args)
	if name == "" || slices.Contains(args, "--code") || slices.ContainsFunc(args, func(arg string) bool { return strings.HasPrefix(arg, "--format") }) {
		return false
	}
	return slices.Contains([]string{
		"ask", "branch", "build", "capture", "consolidate", "core", "coverage", "dispute", "doctor", "edit", "forget", "graph", "history", "impact", "import", "init",
		"list", "model", "observe", "onboard", "purge", "recall", "record", "remember", "resolve", "restore", "review", "search", "session", "show", "skill", "stats",
		"status", "sweep", "thread", "trust", "verify", "version", "wake", "work",
	}, name)
}

// named returns the command that a command line names, which flags of all commands may precede; "" for none.
func named(args []string) string {
	for i := 0; i < len(args); i++ {
		switch arg := args[i]; {
		case arg == "--root":
			i++ // its folder
		case !strings.HasPrefix(arg, "-"):
			return arg
		}
	}
	return ""
}
