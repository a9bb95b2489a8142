package outcome_test

import (
	"slices"
	"testing"

	"manicule/hooks/observe/fold/foldtest"
	"manicule/hooks/observe/outcome"
	"manicule/memory/episode"
)

// TestJudge: the strongest evidence decides: what the person said last, then checks, then commits.
func TestJudge(t *testing.T) {
	const ask = "ask Make the retry wait longer"
	for _, c := range []struct {
		name     string
		lines    []string
		want     episode.Outcome
		evidence string
	}{
		{"praise before a check that fails", []string{ask, "edit a.go", "fail go test ./...", "said It fails.", "ask perfect, thanks"}, episode.Success, "the person's last words: perfect, thanks"},
		{"a complaint before a check that passes", []string{ask, "edit a.go", "run go test ./...", "said Done.", "ask it still fails"}, episode.Failure, "the person's last words: it still fails"},
		{"a check that fails", []string{ask, "edit a.go", "fail go test ./...", "said Done."}, episode.Partial, "fails at the end: go test"},
		{"a check that passes, and a commit", []string{ask, "edit a.go", "run go test ./...", "run git commit -m x", "said Done."}, episode.Success, "checks pass: go test"},
		{"changes that git took back", []string{ask, "edit a.go", "run git checkout -- a.go", "said Undone."}, episode.Failure, "its changes were undone"},
		{"a question", []string{"ask What does retry do?", "read a.go", "said It waits."}, episode.Success, "the question was answered"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var e episode.Episode
			outcome.Judge(&foldtest.Play(c.lines...).Session, &e)
			if e.Outcome != c.want || len(e.Evidence) == 0 || e.Evidence[0] != c.evidence {
				t.Errorf("%s by %q, want %s by %q", e.Outcome, e.Evidence, c.want, c.evidence)
			}
		})
	}
}

// TestEnds sorts checks by how they stand: a failure from before the last edit says nothing of the code as it is.
func TestEnds(t *testing.T) {
	ses := foldtest.Play("ask Do it", "fail npm run lint", "edit a.go", "run go vet ./...", "fail go test ./...", "lack vitest run")
	failing, passing, unknown := outcome.EndsOf(&ses.Session).Sorted()
	if !slices.Equal(failing, []string{"go test"}) || !slices.Equal(passing, []string{"go vet"}) || !slices.Equal(unknown, []string{"npm run lint"}) {
		t.Errorf("failing %q, passing %q, unknown %q", failing, passing, unknown)
	}
}

// TestListPaths names three, and counts the others.
func TestListPaths(t *testing.T) {
	if got := outcome.ListPaths([]string{"a", "b", "c", "d", "e"}); got != "a, b, c and 2 more" {
		t.Errorf("%q", got)
	}
}
