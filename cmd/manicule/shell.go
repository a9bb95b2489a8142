package main

import (
	"io"
	"os"
	"path/filepath"

	"manicule/memory/services"
)

// shell is the environment in which a person or a coding agent typed a command.
type shell struct {
	in       io.Reader
	args     []string
	inputTTY bool // standard input is a terminal
	getenv   func(string) string
	streams  streams

	root string // the flag
}

// streams are the standard streams themselves, for an editor, an agent or a child
// process. Output for a person goes through a terminal instead.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

// here makes a place on the command line relative to the current folder.
func (c *shell) here(path string) string {
	wd, err := os.Getwd()
	if c.root != "" || err != nil {
		return path
	}
	return joinPlace(wd, path)
}

// rooted resolves a path relative to the current folder, or to --root.
func (c *shell) rooted(w *services.Workspace, name string) string {
	p := c.here(name)
	if !filepath.IsAbs(p) {
		p = filepath.Join(w.Root(), p)
	}
	return p
}

// fileToWrite returns the file that a person named for what a command writes. A link to one stays a link.
func (c *shell) fileToWrite(named string) (string, error) {
	name := c.here(named)
	if err := regularOrAbsent(name); err != nil {
		return "", err
	}
	if real, err := filepath.EvalSymlinks(name); err == nil {
		return real, nil
	}
	if to, err := os.Readlink(name); err == nil { // to a file that is not there yet
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(name), to)
		}
		return to, nil
	}
	return name, nil
}
