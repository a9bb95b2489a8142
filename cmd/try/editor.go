package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"manicule/cmd/internal/wire"
)

// stepTimeout bounds one step of the language server.
const stepTimeout = 10 * time.Second

// exitTimeout bounds its exit.
const exitTimeout = 2 * time.Second

// editor opens a file as an editor does and shows what it would draw.
func (s *story) editor(ctx context.Context) error {
	s.title("What an editor shows")
	const name = "unmarshaler.go"
	src, err := s.source(name)
	if err != nil {
		return err
	}
	line, err := s.lineOf(name, "func putDecoder(")
	if err != nil {
		return err
	}
	s.say("$ manicule lsp\n  (an editor starts it, and opens %s)\n\n", name)
	cmd := s.box.Manicule(ctx, s.root, "lsp")
	cmd.Stderr = os.Stderr
	c, err := wire.Start(cmd)
	if err != nil {
		return err
	}
	defer func() { s.closed(c) }()
	ctx, cancel := context.WithTimeout(ctx, stepTimeout)
	defer cancel()
	if err := c.Initialize(ctx, s.root); err != nil {
		return err
	}
	path := filepath.Join(s.root, name)
	if err := c.Open(path, "go", src); err != nil {
		return err
	}
	lines := strings.Split(src, "\n")
	if err := s.hover(ctx, c, path, lines, line-1); err != nil {
		return err
	}
	if err := s.lenses(ctx, c, path, lines); err != nil {
		return err
	}
	return s.diagnostics(ctx, c, path)
}

// closed ends the session as an editor does.
func (s *story) closed(c *wire.Client) {
	ctx, cancel := context.WithTimeout(context.Background(), exitTimeout)
	defer cancel()
	if err := c.Close(ctx); err != nil {
		s.fault("a server that exits when it is told to: %v", err)
	}
}

func (s *story) hover(ctx context.Context, c *wire.Client, path string, lines []string, line int) error {
	at := wire.Position{Line: line, Character: len("func ") + 1}
	h, err := c.Hover(ctx, path, at)
	if err != nil {
		return err
	}
	s.say("Hover on putDecoder, line %d:\n\n", line+1)
	if h == nil {
		s.fault("a hover")
		return nil
	}
	s.block(lines[line] + "\n" + strings.Repeat(" ", at.Character-1) + "^")
	s.block(h.Contents.Value)
	s.expect("the memory in the hover", h.Contents.Value, "goes back to the pool")
	s.expect("its reason", h.Contents.Value, "scratch buffers")
	none, err := c.Hover(ctx, path, wire.Position{Line: line - 1})
	s.check("no hover where nothing is known, so that other servers' are seen", err != nil || none == nil)
	return err
}

func (s *story) lenses(ctx context.Context, c *wire.Client, path string, lines []string) error {
	list, err := c.Lenses(ctx, path)
	if err != nil {
		return err
	}
	s.say("Lenses:\n\n")
	var shown strings.Builder
	for _, l := range list {
		r, err := c.Resolve(ctx, l)
		if err != nil {
			return err
		}
		line := r.Range.Start.Line
		if r.Command == nil || line >= len(lines) {
			s.fault("a title for the lens on line %d", line+1)
			continue
		}
		code := lines[line]
		indent := code[:len(code)-len(strings.TrimLeft(code, " \t"))]
		shown.WriteString(fmt.Sprintf("     │ %s%s\n%4d │ %s\n", indent, r.Command.Title, line+1, code))
	}
	s.block(shown.String())
	s.expect("the lens at the function", shown.String(), "☞ 1 memory here")
	s.check("a lens for each memory in the file", len(list) >= 2)
	return nil
}

func (s *story) diagnostics(ctx context.Context, c *wire.Client, path string) error {
	list, err := c.Diagnostics(ctx, path)
	if err != nil {
		return err
	}
	severities := []string{"?", "error", "warning", "info", "hint"}
	s.say("Problems:\n\n")
	var shown strings.Builder
	for _, d := range list {
		severity := severities[0]
		if d.Severity > 0 && d.Severity < len(severities) {
			severity = severities[d.Severity]
		}
		shown.WriteString(fmt.Sprintf("%s:%d:%d  %s  %s  [%s]\n", filepath.Base(path),
			d.Range.Start.Line+1, d.Range.Start.Character+1, severity, d.Message, d.Source))
	}
	s.block(shown.String())
	s.expect("the gotcha", shown.String(), "gotcha: A decoder goes back")
	s.expect("the dead end", shown.String(), "dead end: Deleting the counters")
	return nil
}
