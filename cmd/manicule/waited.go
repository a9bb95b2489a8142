package main

import (
	"fmt"
	"time"

	"github.com/dustin/go-humanize"
)

// A person waits for so long before it is said what for, and so long between two
// lines of it.
const (
	waitQuiet = 2 * time.Second
	waitAgain = 3 * time.Second
)

// waited tells on standard error how far something has come that takes long, also
// where that is no terminal.
func (a *app) waited(act, what string) func(done, total int) {
	begun, said := time.Now(), time.Time{} // how long it takes, whatever the clock of a test says
	return func(done, total int) {
		now := time.Now()
		if a.quiet || now.Sub(begun) < waitQuiet || now.Sub(said) < waitAgain || done == total {
			return
		}
		said = now
		_, _ = fmt.Fprintf(a.err, "manicule: %s %s of %s %s\n", act, humanize.Comma(int64(done)), humanize.Comma(int64(total)), what) // nowhere left to complain
	}
}
