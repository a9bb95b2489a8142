package main

import (
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"testing"

	"manicule/indexer/must"
)

// modelInitBytes bounds what the packages that run models may allocate before
// main, in all. A hook starts this program for each call of a tool: libraries
// that prepare themselves when they are linked, used or not, cost every one of
// them. 175 KB in 60 packages when it was set, 0.4 ms.
const modelInitBytes = 260_000

// modelPackages are those that came with the models. Allocations are counted and
// not times: they are the same on every machine.
const modelPackages = `github\.com/(?:gomlx|knights-analytics|yalue|viant|daulet|hashicorp/go-retryablehttp|shirou)/|k8s\.io/klog|google\.golang\.org/protobuf|golang\.org/x/(?:crypto|image)|manicule/memory/embed`

func TestModelsCostNothingAtStart(t *testing.T) {
	total, n := initBytes(t, modelPackages)
	if n < 10 {
		t.Fatalf("only %d packages were found: is the list still right?", n)
	}
	if total > modelInitBytes {
		t.Errorf("%d packages that run models allocate %d bytes before main, at most %d may be: no hook needs them", n, total, modelInitBytes)
	}
}

// tuiInitBytes bounds what the packages that draw on a terminal may allocate before main: tables
// of theirs, 50 KB in 9 packages when it was set.
const tuiInitBytes = 60_000

const (
	tuiPackages = `charm\.land/|github\.com/(?:charmbracelet|muesli/cancelreader|xo|mattn/go-runewidth|rivo|clipperhouse|lucasb-eyer|sahilm)`
	// greedyPackages look at the terminal, start `tmux info` or search the path for programs of a
	// clipboard when they are linked.
	greedyPackages = `charm\.land/(?:lipgloss|bubbles)|github\.com/(?:charmbracelet/(?:lipgloss|bubble)|muesli/termenv|atotto)`
)

func TestTerminalCostsLittleAtStart(t *testing.T) {
	if total, n := initBytes(t, tuiPackages); n < 3 || total > tuiInitBytes {
		t.Errorf("%d packages that draw allocate %d bytes before main, at most %d may be: no hook needs them", n, total, tuiInitBytes)
	}
	if _, n := initBytes(t, greedyPackages); n > 0 {
		t.Errorf("%d packages are linked that look at the terminal before main", n)
	}
}

// initBytes returns what packages allocate before main, and how many do.
func initBytes(t *testing.T, packages string) (total, n int) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, m := range regexp.MustCompile(`(?m)^init (?:`+packages+`)\S* @.*, (\d+) bytes`).FindAllStringSubmatch(string(out), -1) {
		bytes, err := strconv.Atoi(m[1])
		must.OK(t, err)
		total, n = total+bytes, n+1
	}
	return total, n
}
