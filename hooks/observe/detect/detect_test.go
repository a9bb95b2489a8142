package detect_test

import (
	"slices"
	"testing"

	"manicule/hooks/observe/detect"
	"manicule/hooks/observe/failures"
	"manicule/hooks/observe/fold/foldtest"
	"manicule/hooks/observe/signal"
)

// TestSignals: each detector by itself reads the record, and says what it saw and where.
func TestSignals(t *testing.T) {
	for _, c := range []struct {
		name  string
		lines []string
		kind  signal.Kind
		want  signal.Detail // nil for no signal of the kind
	}{
		{"another command worked", []string{"ask Test it", "fail rtk bun run test => error: unrecognized subcommand 'bun'", "run bun run test"}, signal.ErrorRetry,
			signal.FailedCall{Key: "rtk bun run test", Failed: "rtk bun run test", Worked: "bun run test", Message: "unrecognized subcommand 'bun'"}},
		{"git took an edit back", []string{"ask Do it", "edit a.go", "run git checkout -- a.go"}, signal.Backtrack, signal.UndoneEdit{Path: "a.go", By: "git"}},
		{"git took another file back", []string{"ask Do it", "edit a.go", "run git checkout -- b.go"}, signal.Backtrack, nil},
		{"a rule", []string{"ask Do it", "stop", "ask Never edit the generated files by hand."}, signal.UserCorrection, signal.Instruction{Text: "Never edit the generated files by hand."}},
		{"a request", []string{"ask Do it", "ask Edit the next file"}, signal.UserCorrection, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			ses := &foldtest.Play(c.lines...).Session
			var got []signal.Detail
			for _, s := range detect.Signals(ses, failures.Of(ses)) {
				if s.Kind() == c.kind {
					got = append(got, s.Detail)
				}
			}
			if c.want == nil && len(got) > 0 || c.want != nil && !slices.Equal(got, []signal.Detail{c.want}) {
				t.Errorf("%+v, want %+v", got, c.want)
			}
		})
	}
}

// TestTaintedEvidence: a signal says whether what it rests on follows a stranger's text, and how often it was seen.
func TestTaintedEvidence(t *testing.T) {
	ses := &foldtest.Play("ask Do it", "edit a.go", "run git checkout -- a.go", "fetch https://example.org", "edit a.go", "run git checkout -- a.go").Session
	all := detect.Signals(ses, nil)
	i := slices.IndexFunc(all, func(s signal.Signal) bool { return s.Kind() == signal.Backtrack })
	if i < 0 || all[i].N != 2 || !all[i].Tainted || len(all[i].Evidence) != 4 {
		t.Fatalf("signals are %+v", all)
	}
}

// TestClusters: an error of the machine that three calls met, without a way out, is a signal; one that the code causes is none.
func TestClusters(t *testing.T) {
	failure := func(command, line, print string) failures.Failure {
		return failures.Failure{Tool: "shell", How: "left", Key: command, Line: line, Print: print, Count: 1, Seen: []int{1}}
	}
	const missing = "bash: docker: command not found"
	three := []failures.Failure{failure("make up", missing, "p"), failure("docker ps", missing, "p"), failure("make down", missing, "p")}
	if got := detect.Clusters(three); len(got) != 1 || got[0].N != 3 {
		t.Errorf("three calls: %+v", got)
	}
	if got := detect.Clusters(three[:2]); len(got) != 0 {
		t.Errorf("two calls: %+v", got)
	}
	code := failure("go test", "expected 3, got 4", "q")
	if got := detect.Clusters([]failures.Failure{code, code, code}); len(got) != 0 {
		t.Errorf("a test that fails: %+v", got)
	}
}
