package observe

import (
	"strings"
	"testing"

	"manicule/hooks/observe/detect"
	"manicule/hooks/observe/failures"
	"manicule/hooks/observe/fold"
)

// TestCluster: errors of the machine that many calls of one session met, without a way out, are proposed after that one session; others
// are not.
func TestCluster(t *testing.T) {
	fault := "dial tcp 127.0.0.1:5432: connect: operation not permitted"
	x := func(key string, count int) failures.Failure {
		return failures.Failure{Tool: "shell", Key: key, Print: "p", Line: fault, Kind: fold.CommandFailed, Failed: key, How: "left", Count: count, Seen: []int{1}}
	}
	got := detect.Clusters([]failures.Failure{x("make seed", 2), x("psql", 1)})
	if len(got) != 1 || got[0].N != 3 {
		t.Fatalf("%+v", got)
	}
	var said string
	for _, j := range Promote(Report{Kind: buildSession, Signals: got}, History{}) {
		if j.Candidate != nil {
			said = j.Candidate.What
		}
	}
	if !strings.Contains(said, "`make seed`, `psql` fails here with") {
		t.Errorf("%q", said)
	}
	fixed, test, few, away := x("make seed", 5), x("go test", 5), x("make seed", 2), x("git show", 5)
	away.Line = "ssh: Could not resolve hostname github.com"
	fixed.Fix, fixed.How = "make seed DB=x", "changed"
	test.Line = "FAIL: TestX"
	if got := detect.Clusters([]failures.Failure{fixed, test, few, away}); len(got) > 0 {
		t.Errorf("%+v", got)
	}
}
