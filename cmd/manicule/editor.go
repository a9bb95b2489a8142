package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"manicule/memory"
	"manicule/memory/services"
)

// hasEditor reports whether an editor can be opened: a configured one, or the default one
// on a terminal.
func (c *shell) hasEditor() bool {
	return c.inputTTY || c.getenv("EDITOR") != "" || c.getenv("VISUAL") != ""
}

// editor is the person's editor, with its arguments.
func (c *shell) editor() string {
	for _, name := range []string{"VISUAL", "EDITOR"} {
		if editor := c.getenv(name); editor != "" {
			return editor
		}
	}
	return "vi"
}

// editText opens the person's editor on a temporary file and returns the saved text.
func (c *shell) editText(ctx context.Context, pattern, text string) (_ string, err error) {
	f, err := os.CreateTemp("", pattern)
	if err != nil {
		return "", fmt.Errorf("make a file to edit: %w", err)
	}
	keep := false
	defer func() {
		if !keep {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	if _, werr := f.WriteString(text); werr != nil || f.Close() != nil {
		return "", fmt.Errorf("write %s: %w", f.Name(), werr)
	}
	editor := c.editor()
	// As in git, the variable may contain arguments, so a shell splits it.
	cmd := exec.CommandContext(ctx, "sh", "-c", editor+` "$1"`, "sh", f.Name())
	cmd.Stdin, cmd.Stdout, cmd.Stderr = c.streams.in, c.streams.out, c.streams.err
	if err := cmd.Run(); err != nil {
		keep = true
		return "", &memory.UserError{Msg: fmt.Sprintf("the editor %q ended with: %v", editor, err), Err: err,
			Hint: "What you wrote is in " + f.Name() + "; set $EDITOR to an editor that works."}
	}
	data, err := os.ReadFile(f.Name())
	if err != nil {
		return "", fmt.Errorf("read what was edited: %w", err)
	}
	return string(data), nil
}

// saveText saves the text of a person whose edit failed, and says where.
func saveText(pattern, text string, err error) error {
	f, ferr := os.CreateTemp("", pattern)
	if ferr != nil {
		return errors.Join(err, ferr)
	}
	_, werr := f.WriteString(text)
	if werr := errors.Join(werr, f.Close()); werr != nil {
		return errors.Join(err, werr)
	}
	return &memory.UserError{Msg: err.Error(), Err: err, Hint: strings.TrimSpace(services.Hint(err) + " What you wrote is in " + f.Name() + ".")}
}
