package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"

	"github.com/spf13/cobra"

	"manicule/memory"
	"manicule/memory/file"
)

func (a *app) rememberCommand() *cobra.Command {
	var d memory.Draft
	var kind, importance string
	var agent bool
	c := &cobra.Command{
		Use:   "remember [TEXT | -]",
		Short: "Write a memory",
		Long: "Write a memory. Without TEXT your editor opens with a template; with - the text is read\n" +
			"from standard input, its first paragraph as the memory and the rest as the reason.",
		Example: "  manicule remember \"Token refresh fails silently when Redis is down\" --type gotcha --at src/auth/token.go#Validate\n" +
			"  manicule remember \"Handlers never return raw errors\" --scope 'internal/api/**' --tag errors",
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			d.Type, d.Importance, d.Agent = file.Type(kind), file.Importance(importance), agent
			return a.with(cmd.Context(), func(w *memory.Workspace) error {
				switch {
				case len(args) == 0 && !a.hasEditor():
					return a.usage(cmd, errors.New("there is no text to remember, and no terminal for an editor"))
				case len(args) == 0:
					text, err := a.compose(cmd.Context(), &d)
					if err != nil {
						return err
					}
					if err := a.remember(cmd.Context(), w, d); err != nil {
						return keepText("memory-*.txt", text, err)
					}
					return nil
				case args[0] == "-":
					text, err := io.ReadAll(io.LimitReader(a.in, file.MaxSize))
					if err != nil {
						return fmt.Errorf("read standard input: %w", err)
					}
					d.What, d.Why = paragraphs(string(text), d.Why)
				default:
					d.What = args[0]
				}
				return a.remember(cmd.Context(), w, d)
			})
		},
	}
	f := c.Flags()
	f.StringVar(&d.Why, "why", "", "the reason, or how it was learned")
	f.StringVar(&kind, "type", "", "what kind of memory: "+join(file.Types())+" (default: gotcha for a place, else convention)")
	f.StringArrayVar(&d.Scope, "scope", nil, "a glob of the paths it is about; repeat for several, !GLOB excludes")
	f.StringArrayVar(&d.At, "at", nil, "a place it is about: FILE, FILE:LINE, FILE:LINE-LINE or FILE#Symbol; repeat for several")
	f.StringArrayVar(&d.Tags, "tag", nil, "a tag; repeat for several")
	f.StringVar(&d.Label, "label", "", "a few words for the context")
	f.BoolVar(&d.Personal, "personal", false, "only for you: the file is git-ignored")
	f.StringVar(&importance, "importance", "", "low, medium or high")
	f.BoolVar(&d.Pin, "pin", false, "pin it: it never fades, and leads the briefs")
	f.BoolVar(&d.Insist, "anyway", false, "keep it though it reads like orders to an agent: you mean it")
	f.BoolVar(&agent, "draft", false, "only a draft, to be reviewed (what agents should use)")
	a.complete(c, "type", toStrings(file.Types()))
	a.complete(c, "importance", toStrings(file.Importances()))
	return c
}

func (a *app) remember(ctx context.Context, w *memory.Workspace, d memory.Draft) error {
	a.byAgent(w, &d)
	for i, at := range d.At {
		d.At[i] = a.here(at)
	}
	r, err := w.Remember(ctx, d)
	if err != nil {
		return err
	}
	return a.report(w, r, "remembered")
}

// here makes a place given on the command line relative to the current folder.
func (a *app) here(path string) string {
	wd, err := os.Getwd()
	if a.root != "" || err != nil {
		return path
	}
	return joinPath(wd, path)
}

// report prints the result of a write.
func (a *app) report(w *memory.Workspace, r memory.Result, verb string) error {
	if a.json {
		out := r
		out.Path = relative(w.Root(), r.Path)
		a.printJSON("result", out)
		if !r.Accepted {
			return &codeError{exitRefused, errSilent}
		}
		return nil
	}
	switch {
	case !r.Accepted:
		return refused(r)
	case r.Deduped:
		a.printf("☞ already there, and left as it is (`manicule edit %s` changes it): ", r.Memory.ShortID())
	case r.Draft:
		a.printf("☞ kept as a draft: ")
	default:
		a.printf("☞ %s: ", verb)
	}
	a.line(r.Memory)
	return nil
}

const template = `
# What was learned, in a sentence or two, above this line or here.
# After an empty line: why, or how it was learned. Lines with # are left out.
# These lines may be changed:
# type: %s
# scope:
# at:
# tags:
`

// compose has the person write the memory in an editor, and returns the text
// as it was saved.
func (a *app) compose(ctx context.Context, d *memory.Draft) (string, error) {
	kind := d.Type
	if kind == "" {
		kind = file.Gotcha
	}
	text, err := a.editText(ctx, "memory-*.txt", fmt.Sprintf(template, kind))
	if err != nil {
		return "", err
	}
	var kept []string
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		rest, comment := strings.CutPrefix(line, "#")
		if !comment {
			kept = append(kept, line)
			continue
		}
		key, value, ok := strings.Cut(strings.TrimSpace(rest), ":")
		if value = strings.TrimSpace(value); !ok || value == "" {
			continue
		}
		switch key {
		case "type":
			d.Type = file.Type(value)
		case "scope":
			d.Scope = append(d.Scope, strings.Fields(value)...)
		case "at":
			d.At = append(d.At, strings.Fields(value)...)
		case "tags":
			d.Tags = append(d.Tags, strings.FieldsFunc(value, func(r rune) bool { return r == ',' || r == ' ' })...)
		}
	}
	d.What, d.Why = paragraphs(strings.Join(kept, "\n"), d.Why)
	if d.What == "" {
		return "", &memory.UserError{Msg: "nothing was written, so nothing is remembered", Hint: "Write the memory and save the file, or give it as TEXT."}
	}
	return text, nil
}

// paragraphs splits a text into the memory and the reason.
func paragraphs(text, why string) (string, string) {
	what, rest, _ := strings.Cut(strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n")), "\n\n")
	if rest = strings.TrimSpace(rest); rest != "" {
		why = rest
	}
	return strings.TrimSpace(what), why
}

// keepText saves what a person wrote in vain, and says where.
func keepText(pattern, text string, err error) error {
	f, ferr := os.CreateTemp("", pattern)
	if ferr != nil {
		return errors.Join(err, ferr)
	}
	_, werr := f.WriteString(text)
	if werr := errors.Join(werr, f.Close()); werr != nil {
		return errors.Join(err, werr)
	}
	return &memory.UserError{Msg: err.Error(), Err: err, Hint: strings.TrimSpace(hint(err) + " What you wrote is in " + f.Name() + ".")}
}

// hasEditor reports whether an editor can be opened: one that is named, or the
// usual one on a terminal.
func (a *app) hasEditor() bool {
	return a.inputTTY || a.getenv("EDITOR") != "" || a.getenv("VISUAL") != ""
}

// editText opens the person's editor on a temporary file and returns what was
// saved.
func (a *app) editText(ctx context.Context, pattern, text string) (_ string, err error) {
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
	editor := a.getenv("VISUAL")
	if editor == "" {
		editor = a.getenv("EDITOR")
	}
	if editor == "" {
		editor = "vi"
	}
	// As git does: the variable may hold arguments, so a shell splits it.
	cmd := exec.CommandContext(ctx, "sh", "-c", editor+` "$1"`, "sh", f.Name())
	cmd.Stdin, cmd.Stdout = a.files()
	cmd.Stderr = a.screen.err
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
