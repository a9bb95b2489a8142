package main

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

// The least processor time of a command in a workspace of 5,000 memories, as a multiple of the same
// command's at 500, measured in turns. What an answer needs does not grow; a stat of each file, and
// a list, do. Measured were 1.0 to 1.4, and 5 for a list.
const (
	flatRatio = 2.0
	listRatio = 9.0
)

// TestCommandsStayFlat: a command that shows a few memories reads those, however many there are.
func TestCommandsStayFlat(t *testing.T) {
	if testing.Short() || slowedDown {
		t.Skip("it writes thousands of files")
	}
	small, large := startWorkspace(t, 500), startWorkspace(t, 5000)
	for _, x := range []*startPlace{small, large} { // outside of git, a recall looks for all anchors
		if out, err := x.command("git", "init", "-q").CombinedOutput(); err != nil {
			t.Skipf("no git: %v\n%s", err, out)
		}
	}
	for _, c := range []struct {
		args []string
		most float64
	}{
		{[]string{"show", startID(77)}, flatRatio},
		{[]string{"recall", "src/m77/a.go"}, flatRatio},
		{[]string{"search", "77"}, flatRatio},
		{[]string{"list"}, flatRatio},
		{[]string{"list", "--limit", "0"}, listRatio},
	} {
		var err error
		for range 3 { // other work on the machine only adds
			a, b := leastCPU(t, small, large, c.args)
			ratio := float64(b) / float64(a)
			t.Logf("%v: %v at 500, %v at 5,000 memories, %.1f times", c.args, a, b, ratio)
			if err = nil; ratio <= c.most {
				break
			}
			err = fmt.Errorf("%v takes %.1f times as long with ten times the memories, at most %.1f it may", c.args, ratio, c.most)
		}
		if err != nil {
			t.Error(err)
		}
	}
}

// leastCPU runs a command in two workspaces in turns and returns its least processor time in each.
func leastCPU(t *testing.T, a, b *startPlace, args []string) (time.Duration, time.Duration) {
	t.Helper()
	const rounds = 8
	var took [2][]time.Duration
	for range rounds {
		for i, x := range []*startPlace{a, b} {
			cmd := x.command("manicule", args...)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v: %v\n%s", args, err, out)
			}
			took[i] = append(took[i], cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime())
		}
	}
	return slices.Min(took[0]), slices.Min(took[1])
}
