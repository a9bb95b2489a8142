package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"manicule/cmd/internal/sandbox"
)

// story is a run: its output, its programs, and the missing results so far.
type story struct {
	out     io.Writer
	box     *sandbox.Sandbox
	root    string
	missing int
}

func (s *story) say(format string, args ...any) {
	_, _ = fmt.Fprintf(s.out, format, args...) // nowhere left to report
}

func (s *story) title(text string) { s.say("\n── %s ──\n\n", text) }

// shown prints a command as a person types it, and its output.
func (s *story) shown(command, out string) {
	s.say("$ %s\n", command)
	s.block(out)
}

// block prints a text indented.
func (s *story) block(text string) {
	for line := range strings.Lines(strings.TrimRight(s.short(text), "\n") + "\n") {
		s.say("  %s", line)
	}
	s.say("\n")
}

// short removes the temporary folder from paths.
func (s *story) short(text string) string {
	return strings.ReplaceAll(text, filepath.ToSlash(s.box.Dir), "…")
}

// manicule runs a command and shows it.
func (s *story) manicule(ctx context.Context, args ...string) (string, error) {
	cmd := s.box.Manicule(ctx, s.root, args...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	s.shown("manicule "+quoted(args), out.String())
	if err != nil {
		return out.String(), fmt.Errorf("manicule %s: %w", args[0], err)
	}
	return out.String(), nil
}

// quoted quotes arguments for a shell.
func quoted(args []string) string {
	out := make([]string, len(args))
	for i, a := range args {
		if out[i] = a; a == "" || strings.ContainsAny(a, " *'\"<>;&|()$`") {
			out[i] = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
	}
	return strings.Join(out, " ")
}

// expect checks that a text contains one of some strings.
func (s *story) expect(what, text string, wants ...string) {
	for _, w := range wants {
		if strings.Contains(text, w) {
			return
		}
	}
	s.fault("%s: none of %q", what, wants)
}

// check records an expectation that is not about text.
func (s *story) check(what string, ok bool) {
	if !ok {
		s.fault("%s", what)
	}
}

func (s *story) fault(format string, args ...any) {
	s.missing++
	s.say("✗ expected "+format+"\n\n", args...)
}

// source returns a file of the tree.
func (s *story) source(name string) (string, error) {
	data, err := os.ReadFile(filepath.Join(s.root, filepath.FromSlash(name)))
	if err != nil {
		return "", fmt.Errorf("read the source tree: %w", err)
	}
	return string(data), nil
}

// lineOf returns the 1-based line of a file that contains a text.
func (s *story) lineOf(name, text string) (int, error) {
	src, err := s.source(name)
	if err != nil {
		return 0, err
	}
	before, _, found := strings.Cut(src, text)
	if !found {
		return 0, fmt.Errorf("find %q in %s: it is another version", text, name)
	}
	return 1 + strings.Count(before, "\n"), nil
}
