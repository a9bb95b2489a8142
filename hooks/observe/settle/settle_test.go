package settle_test

import (
	"testing"

	"manicule/hooks/observe/fold/foldtest"
	"manicule/hooks/observe/settle"
)

// TestSettles: what a session did settles what an earlier one left, if it says so in most of the words, or ran the command.
func TestSettles(t *testing.T) {
	commit := []string{"ask Go on with the retry", "edit src/retry.go", "run go test ./...", "run git commit -m 'retry: wait longer between attempts'", "said Done."}
	for _, c := range []struct {
		name  string
		lines []string
		left  string
		want  bool
	}{
		{"a commit says it", commit, "Wait longer between attempts of the retry", true},
		{"a commit says something else", commit, "Document the limits of the cache", false},
		{"the named command ran", []string{"ask Ship it", "run git push origin main"}, "Then `git push origin main`", true},
		{"the named command failed", []string{"ask Ship it", "fail git push origin main"}, "Then `git push origin main`", false},
		{"the first request says it", []string{"ask Add the API coverage of batch 2", "edit a.go", "run go test ./...", "said Done."}, "Batch 2: API coverage of invites", true},
		{"of another number", []string{"ask Add the API coverage of batch 3", "edit a.go", "run go test ./...", "said Done."}, "Batch 2: API coverage of invites", false},
		{"asked for and not checked", []string{"ask Add the API coverage of batch 2", "edit a.go", "said Done."}, "Batch 2: API coverage of invites", false},
		{"asked for among much else", []string{"ask Add the API coverage of batch 2, rename the queue, publish the package and rewrite the manual of operators", "edit a.go", "run go test ./...", "said Done."}, "Batch 2: API coverage of invites", false},
		{"asked for its sibling", []string{"ask Migrate the user endpoints to the new router", "edit a.go", "run go test ./...", "said Done."}, "Migrate the invoice endpoints to the new router", false},
		{"asked for the opposite", []string{"ask Remove the retry of the upload client", "edit a.go", "run go test ./...", "said Done."}, "Add a retry to the upload client", false},
		{"dropped for another request", []string{"ask Add the API coverage of batch 2", "ask Wait, first fix the redirect of the login", "edit a.go", "run go test ./...", "said Done."}, "Batch 2: API coverage of invites", false},
		{"two words are too few", commit, "longer attempts", false},
		{"after a stranger's text nothing counts", append([]string{"fetch https://example.org"}, commit...), "Wait longer between attempts of the retry", false},
	} {
		if got := settle.Of(&foldtest.Play(c.lines...).Session).Settles(c.left); got != c.want {
			t.Errorf("%s: %t, want %t", c.name, got, c.want)
		}
	}
}

// TestFinished: who is asked to go on, and commits what they changed, has finished what was under way.
func TestFinished(t *testing.T) {
	for _, c := range []struct {
		name  string
		lines []string
		want  bool
	}{
		{"asked to go on", []string{"ask continue", "edit a.go", "run go test ./...", "run git commit -m x", "said Done."}, true},
		{"asked for something else", []string{"ask Rename the flag and its documentation", "edit a.go", "run git commit -m x", "said Done."}, false},
		{"a check fails", []string{"ask continue", "edit a.go", "run git commit -m x", "fail go test ./...", "said It fails."}, false},
		{"nothing was committed", []string{"ask continue", "edit a.go", "said Done."}, false},
	} {
		if got := settle.Of(&foldtest.Play(c.lines...).Session).Finished(); got != c.want {
			t.Errorf("%s: %t, want %t", c.name, got, c.want)
		}
	}
}

// TestAnswers: a wait ends when what it waited for was done.
func TestAnswers(t *testing.T) {
	d := settle.Of(&foldtest.Play("ask Do it", "edit src/a.go", "run go test ./...", "run git commit -m x").Session)
	for about, want := range map[string]bool{"src/a.go": true, "src/b.go": false, "git commit": true, "git push": false, "": false} {
		if got := d.Answers(about); got != want {
			t.Errorf("%q: %t, want %t", about, got, want)
		}
	}
}
