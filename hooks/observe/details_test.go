package observe

import (
	"testing"

	"manicule/hooks/observe/signal"
	"manicule/memory/episode"
)

// TestPathIsNoCommand: what makes a command risky means nothing in a path.
func TestPathIsNoCommand(t *testing.T) {
	s := signal.Signal{Detail: signal.WrongPath{Path: "src/base64.ts", Found: "lib/base64.ts", Folder: false}, Key: "p", Paths: []string{"src/base64.ts"}, Agents: 1}
	h := History{Exists: func(string) bool { return false }, Signals: map[string]episode.PastSignal{signal.ID(s.Kind(), s.Key): {Sessions: 3}}}
	if j := judge(s, Report{}, h); j.Candidate == nil || j.Candidate.What != "There is no `src/base64.ts`: it is `lib/base64.ts`." {
		t.Errorf("%s: %s %+v", s.Subject(), j.Verdict, j.Candidate)
	}
}
