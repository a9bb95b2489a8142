package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"manicule/memory"
	"manicule/memory/services"
)

// console is what commands print on.
type console struct {
	out, err io.Writer
	tty      bool       // standard output is a terminal
	columns  func() int // width of the terminal; nil where there is none
	env      func(string) string
	now      func() time.Time

	json  bool // JSON requested
	raw   bool // output is JSON of another format, without an envelope
	quiet bool

	warning sync.Mutex // a server warns from several goroutines
	tried   string     // guarded by warning; the hint of the last one
}

// withOutput returns a console with another output.
func withOutput(c *console, out io.Writer) *console {
	return &console{out: out, err: c.err, tty: c.tty, columns: c.columns, env: c.env, now: c.now, json: c.json, raw: c.raw, quiet: c.quiet}
}

// finish prints an error with its hint and returns the exit code.
func (c *console) finish(ctx context.Context, err error) int {
	if err == nil {
		return exitOK
	}
	code := exitError
	if stopped, ok := stopCode(ctx); ok && errors.Is(err, context.Canceled) {
		code = stopped
		if _, said := errors.AsType[*memory.UserError](err); !said {
			err = errors.New("interrupted")
		}
	}
	var coded *codeError
	switch {
	case errors.As(err, &coded):
		code = coded.code
	case errors.Is(err, memory.ErrNotFound), errors.Is(err, memory.ErrAmbiguous):
		code = exitNotFound
	}
	if errors.Is(err, errSilent) {
		return code
	}
	if c.json {
		c.printJSON("error", struct {
			Error string `json:"error"`
			Hint  string `json:"hint,omitzero"`
			Exit  int    `json:"exit"`
		}{err.Error(), services.Hint(err), code})
		return code
	}
	_, _ = fmt.Fprintf(c.err, "manicule: %s\n", err) // nowhere left to report
	if h := services.Hint(err); h != "" {
		_, _ = fmt.Fprintf(c.err, "  try: %s\n", strings.ReplaceAll(h, "\n", "\n         "))
	}
	return code
}

// warn prints a warning, with the hint of an error in it unless the warning before had the same.
func (c *console) warn(format string, args ...any) {
	if c.quiet {
		return
	}
	var hints []string
	for _, arg := range args {
		if err, ok := arg.(error); ok {
			hints = append(hints, services.Hint(err))
		}
	}
	printWarning(c, fmt.Sprintf(format, args...), hints...)
}

// printWarning prints a warning, and what a person can do about it.
func printWarning(c *console, text string, hints ...string) {
	c.warning.Lock()
	defer c.warning.Unlock()
	_, _ = fmt.Fprintf(c.err, "manicule: %s\n", text) // nowhere left to report
	for _, hint := range hints {
		if hint != "" && hint != c.tried {
			_, _ = fmt.Fprintf(c.err, "  try: %s\n", strings.ReplaceAll(hint, "\n", "\n         "))
		}
		c.tried = hint
	}
}

// printf writes to standard output, which keeps its first error for the end.
func (c *console) printf(format string, args ...any) { _, _ = fmt.Fprintf(c.out, format, args...) }

// outputBuffer is how much a long list writes at once, in bytes.
const outputBuffer = 64 << 10

// buffered collects what f prints, for a long list: a write for each line takes longer than the line.
func (c *console) buffered(f func()) {
	out := c.out
	b := bufio.NewWriterSize(out, outputBuffer)
	c.out = b
	f()
	c.out = out
	_ = b.Flush() // output keeps its first error
}

// printJSON prints one object. Its first member names the shape and version, which
// docs/json.md describes.
func (c *console) printJSON(shape string, v any) {
	// A file name need not be UTF-8. Invalid bytes become U+FFFD.
	body, err := json.Marshal(v, json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	if err == nil {
		head := fmt.Sprintf(`{"shape":"manicule/%s/1"`, shape)
		if len(body) > 2 {
			head += ","
		}
		body = append([]byte(head), body[1:]...)
		err = (*jsontext.Value)(&body).Indent(jsontext.WithIndent("  "), jsontext.AllowInvalidUTF8(true))
	}
	if err != nil {
		c.warn("print JSON: %v", err)
		return
	}
	c.printf("%s\n", body)
}

// paint colours a text on a terminal, unless NO_COLOR is set.
func (c *console) paint(code, text string) string {
	if !c.tty || c.env("NO_COLOR") != "" || c.env("TERM") == "dumb" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

// The colours in use.
const (
	bold   = "1"
	faint  = "2"
	red    = "31"
	green  = "32"
	yellow = "33"
)

// sentenceHandler formats log records for a person: the failed act and the reason.
type sentenceHandler struct {
	console *console
	attrs   []slog.Attr
}

// Enabled reports whether a level is printed.
func (s *sentenceHandler) Enabled(_ context.Context, l slog.Level) bool { return l >= slog.LevelWarn }

// Handle writes one record as one line.
func (s *sentenceHandler) Handle(_ context.Context, r slog.Record) error {
	var why, about []string
	var hint string
	each := func(at slog.Attr) bool {
		if at.Key == "err" {
			why = append(why, at.Value.String())
			if err, ok := at.Value.Any().(error); ok {
				hint = services.Hint(err)
			}
		} else {
			about = append(about, fmt.Sprintf("%s %s", at.Key, at.Value))
		}
		return true
	}
	for _, at := range s.attrs {
		each(at)
	}
	r.Attrs(each)
	text := r.Message
	if len(about) > 0 {
		text += " (" + strings.Join(about, ", ") + ")"
	}
	if len(why) > 0 {
		text += ": " + strings.Join(why, "; ")
	}
	if s.console.quiet {
		return nil
	}
	printWarning(s.console, "warning: "+text, hint)
	return nil
}

// WithAttrs returns a handler that adds attributes to each record.
func (s *sentenceHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &sentenceHandler{console: s.console, attrs: append(slices.Clone(s.attrs), attrs...)}
}

// WithGroup ignores groups, which a sentence does not have.
func (s *sentenceHandler) WithGroup(string) slog.Handler { return s }
