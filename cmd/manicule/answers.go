package main

import (
	"bufio"
	"os"
	"strings"

	"golang.org/x/term"
)

// answers reads what a person answers to questions: at a terminal a key at a time, elsewhere a line.
type answers struct {
	*bufio.Reader
	tty *os.File // nil without a terminal
	c   *console
}

// newAnswers prepares to ask a person.
func newAnswers(c *cli) *answers {
	a := &answers{Reader: bufio.NewReader(c.in), c: c.console}
	if f, ok := c.streams.in.(*os.File); ok && c.inputTTY {
		a.tty = f
	}
	return a
}

// The keys that a terminal without line discipline hands over as they are.
const (
	ctrlC = '\x03'
	ctrlD = '\x04'
)

// key reads the answer to a question, in lower case: a key, or a line where there is no terminal.
// Ctrl-C ends the run as it does in a line. The key is printed.
func (a *answers) key() (string, error) {
	for a.tty != nil {
		b, err := a.rawByte()
		switch {
		case err != nil:
			return "", err
		case b == '\r' || b == '\n': // no answer: that of a person who is used to lines
			continue
		case b == ctrlD:
			a.c.printf("\n")
			return "q", nil
		}
		if b == ctrlC {
			if p, err := os.FindProcess(os.Getpid()); err == nil && p.Signal(os.Interrupt) == nil {
				return a.line() // which ends with the signal
			}
			return "q", nil
		}
		a.c.printf("%c\n", printableKey(b))
		return strings.ToLower(string(rune(b))), nil
	}
	text, err := a.line()
	return strings.ToLower(text), err
}

// line reads a line, without the space around it.
func (a *answers) line() (string, error) {
	text, err := a.ReadString('\n')
	return strings.TrimSpace(text), err
}

// rawByte reads a key before it makes a line.
func (a *answers) rawByte() (byte, error) {
	if old, err := term.MakeRaw(int(a.tty.Fd())); err == nil {
		defer func() { _ = term.Restore(int(a.tty.Fd()), old) }() // nothing else can be done about it
	}
	return a.ReadByte()
}

// printableKey shows a key that is no character as a question mark.
func printableKey(b byte) rune {
	if b < ' ' || b > '~' {
		return '?'
	}
	return rune(b)
}
