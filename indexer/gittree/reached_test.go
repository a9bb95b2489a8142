package gittree

import (
	"strings"
	"testing"
)

// TestReached: the work of a branch is found wherever a merge, a rebase or a squash put it.
func TestReached(t *testing.T) {
	lines := func(n int, change ...string) string {
		out := make([]string, n)
		for i := range out {
			out[i] = "line " + string(rune('a'+i))
		}
		for _, c := range change {
			at, text, _ := strings.Cut(c, "=")
			out[at[0]-'a'] = text
		}
		return strings.Join(out, "\n") + "\n"
	}
	for _, tc := range []struct {
		name  string
		then  func(r *repository) // on main, after the branch has two commits
		how   Reach
		ahead int
	}{
		{"nothing", func(*repository) {}, NotReached, 2},
		{"a merge", func(r *repository) { r.git("merge", "-q", "--no-ff", "-m", "m", "feat") }, Merged, 0},
		{"a fast forward", func(r *repository) { r.git("merge", "-q", "--ff-only", "feat") }, Merged, 0},
		{"a squash", func(r *repository) { r.git("merge", "-q", "--squash", "feat"); r.commit() }, Squashed, 2},
		{"a squash onto another change of the file", func(r *repository) {
			r.write("a", lines(9, "i=last"))
			r.commit()
			r.git("merge", "-q", "--squash", "feat")
			r.commit()
		}, Squashed, 2},
		{"a squash, and more changes", func(r *repository) {
			r.git("merge", "-q", "--squash", "feat")
			r.commit()
			r.write("a", lines(9, "a=one", "i=last"))
			r.write("b", "other\n")
			r.commit()
		}, Squashed, 2},
		{"a squash with something else", func(r *repository) {
			r.git("merge", "-q", "--squash", "feat")
			r.write("changelog", "new\n")
			r.commit()
		}, Squashed, 2},
		{"a rebase onto other changes", func(r *repository) {
			r.write("a", lines(9, "i=last"))
			r.commit()
			r.git("cherry-pick", "main..feat")
		}, Rebased, 2},
		{"a part of it", func(r *repository) {
			r.write("c", "another\n")
			r.commit()
			r.git("cherry-pick", "feat~1")
		}, NotReached, 2},
		{"its file, with other words", func(r *repository) {
			r.write("a", lines(9, "a=two"))
			r.write("b", "b\n")
			r.commit()
		}, NotReached, 2},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := newRepository(t)
			r.write("a", lines(9))
			r.commit()
			r.git("checkout", "-qb", "feat")
			r.write("a", lines(9, "a=one"))
			r.commit()
			r.write("b", "new\n")
			tip := r.commit()
			r.git("checkout", "-q", "main")
			tc.then(r)
			how, ahead, ok := r.open("").Reached(tip, []string{r.git("rev-parse", "main")}, func(int) bool { return false })
			if !ok || how != tc.how || ahead != tc.ahead {
				t.Errorf("%q, %d ahead, %t; want %q, %d ahead", how, ahead, ok, tc.how, tc.ahead)
			}
			if _, _, ok := r.open("").Reached(strings.Repeat("1", 40), []string{tip}, func(int) bool { return false }); ok {
				t.Error("a commit that is not there is known")
			}
		})
	}
}
