package main

import (
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"testing"
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
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	total, n := 0, 0
	for _, m := range regexp.MustCompile(`(?m)^init (?:`+modelPackages+`)\S* @.*, (\d+) bytes`).FindAllStringSubmatch(string(out), -1) {
		bytes, err := strconv.Atoi(m[1])
		if err != nil {
			t.Fatal(err)
		}
		total, n = total+bytes, n+1
	}
	if n < 10 {
		t.Fatalf("only %d packages were found: is the list still right?", n)
	}
	if total > modelInitBytes {
		t.Errorf("%d packages that run models allocate %d bytes before main, at most %d may be: no hook needs them", n, total, modelInitBytes)
	}
}
