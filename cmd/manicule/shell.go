package main

import (
	"io"
	"os"
	"path/filepath"

	"manicule/memory/services"
)

// shell is where a command was typed, by a person or by a coding agent.
type shell struct {
	in       io.Reader
	args     []string
	inputTTY bool // standard input is a terminal
	getenv   func(string) string
	streams  streams

	root string // the flag
}

// streams are the standard streams themselves, for an editor, an agent or a
// program that is started. What a person reads passes by a terminal instead.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

// here makes a place given on the command line relative to the current folder.
func (c *shell) here(path string) string {
	wd, err := os.Getwd()
	if c.root != "" || err != nil {
		return path
	}
	return joinPath(wd, path)
}

// rooted is a path as it is meant: from where the person is, or from --root.
func (c *shell) rooted(w *services.Workspace, name string) string {
	p := c.here(name)
	if !filepath.IsAbs(p) {
		p = filepath.Join(w.Root(), p)
	}
	return p
}
