package main

import (
	"os"
	"os/exec"
	"testing"
)

// TestLowerPriority runs itself as another process, because a priority can't be raised again.
func TestLowerPriority(t *testing.T) {
	if os.Getenv("MANICULE_TEST_PRIORITY") != "" {
		before := niceOf(0)
		lowerPriority()
		if n := niceOf(0); n != max(backgroundNice, before) {
			t.Errorf("priority %d, before it was %d", n, before)
		}
		return
	}
	c := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestLowerPriority$")
	c.Env = append(os.Environ(), "MANICULE_TEST_PRIORITY=1")
	if out, err := c.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
