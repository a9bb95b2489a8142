package main

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"testing"
)

// TestTerminal writes in two pieces at every place: what a terminal obeys is
// shown, and nothing else is changed.
func TestTerminal(t *testing.T) {
	for _, c := range []struct {
		colours, json bool
		in, want      string
	}{
		{in: "☞ plain\ttext\n", want: "☞ plain\ttext\n"},
		{in: "a\x1b[31mb\x1b]0;t\x07", want: `a\u{1b}[31mb\u{1b}]0;t\u{7}`},
		{in: "a\r\nb\x00\x7f", want: `a\u{d}` + "\n" + `b\u{0}\u{7f}`},
		{in: "\u009b31m \u202etfel \u2066x\u2069", want: `\u{9b}31m \u{202e}tfel \u{2066}x\u{2069}`},
		{in: "\x9b31m \xff", want: `\x9b31m \xff`},
		{colours: true, in: "\x1b[31mred\x1b[0m \x1b[8mhidden", want: "\x1b[31mred\x1b[0m " + `\u{1b}[8mhidden`},
		{json: true, in: "{\"a\":\"\u009b \u202e\"}\n", want: `{"a":"\u009b \u202e"}` + "\n"},
	} {
		for at := range len(c.in) + 1 {
			if c.colours && at != 0 {
				break // paint writes a sequence as a whole
			}
			var out bytes.Buffer
			w := &terminal{w: &out, colours: c.colours, json: func() bool { return c.json }}
			for _, part := range []string{c.in[:at], c.in[at:]} {
				if n, err := w.Write([]byte(part)); err != nil || n != len(part) {
					t.Fatalf("wrote %d of %d bytes, %v", n, len(part), err)
				}
			}
			if out.String() != c.want {
				t.Errorf("%q cut at %d: %q, want %q", c.in, at, out.String(), c.want)
			}
		}
	}
}

// TestTerminalFromSeveralGoroutines: a server's warnings come from several, and stay whole.
func TestTerminalFromSeveralGoroutines(t *testing.T) {
	var out bytes.Buffer
	w := &terminal{w: &out}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 100 {
				if _, err := fmt.Fprintf(w, "manicule: %s\n", "warnung: größer"); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if want := strings.Repeat("manicule: warnung: größer\n", 800); out.String() != want {
		t.Errorf("%d bytes, want %d", out.Len(), len(want))
	}
}
