package main

import (
	"fmt"
	"io"
	"sync"
	"unicode/utf8"
)

// terminal passes text on but escapes characters that a terminal would obey or that would
// disguise text. Memories, names of files and branches, and settings may come from
// anybody. The escape sequences of paint pass through if colours are on. It is safe for concurrent
// use, because a server warns from several goroutines.
type terminal struct {
	w       io.Writer
	colours bool
	json    func() bool

	mu   sync.Mutex
	rest []byte // an incomplete character
}

// Write writes text. It returns the length of its input whatever the length of its
// output.
func (t *terminal) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	in := append(t.rest, p...)
	out := make([]byte, 0, len(in))
	t.rest = nil
	for len(in) > 0 {
		if n := printable(in); n > 0 {
			out, in = append(out, in[:n]...), in[n:]
			continue
		}
		if !utf8.FullRune(in) {
			t.rest = append([]byte(nil), in...)
			break
		}
		r, n := utf8.DecodeRune(in)
		switch {
		case r == 0x1b && t.colours && colour(in) > 0:
			n = colour(in)
			out = append(out, in[:n]...)
		case r == utf8.RuneError && n == 1:
			out = fmt.Appendf(out, `\x%02x`, in[0])
		case !controls(r):
			out = append(out, in[:n]...)
		case t.json != nil && t.json():
			out = fmt.Appendf(out, `\u%04x`, r) // in JSON it is escaped without changing the value
		default:
			out = fmt.Appendf(out, `\u{%x}`, r)
		}
		in = in[n:]
	}
	if _, err := t.w.Write(out); err != nil {
		return 0, err
	}
	return len(p), nil
}

// printable returns the length of the printable ASCII, with line feeds, at the start of text. Most text
// is nothing else.
func printable(text []byte) int {
	for i, b := range text {
		if b != '\n' && (b < ' ' || b > '~') {
			return i
		}
	}
	return len(text)
}

// controls reports a character that acts instead of being shown: control characters except
// tab and line feed, and characters that change the direction of text.
func controls(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case r < 0x20, r >= 0x7f && r < 0xa0:
		return true
	case r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069, r == 0x200e, r == 0x200f, r == 0x061c:
		return true
	}
	return false
}

// colour returns the length of a paint sequence at the start of text, or 0.
func colour(text []byte) int {
	for _, code := range []string{bold, faint, red, green, yellow, "0"} {
		if seq := "\x1b[" + code + "m"; len(text) >= len(seq) && string(text[:len(seq)]) == seq {
			return len(seq)
		}
	}
	return 0
}
