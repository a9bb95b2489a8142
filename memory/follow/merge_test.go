package follow

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"manicule/indexer/anchor"
	"manicule/indexer/anchoring"
	"manicule/indexer/gittree"
	"manicule/indexer/must"
	"manicule/memory/file"
)

// inHead resolves the only anchor of a memory in the last commit, as a fresh clone would.
func (x *world) inHead(m *file.Memory) anchoring.Resolution {
	x.t.Helper()
	dir := filepath.Join(x.root, ".git")
	repo := gittree.Open(dir, dir, "")
	out, err := InCommit(x.t.(interface{ Context() context.Context }).Context(), repo, x.git("rev-parse", "HEAD"), m.Anchors)
	must.OK(x.t, err)
	must.OK(x.t, repo.Close())
	return out[0]
}

// recorded is a world with a memory on Validate, committed.
func recordedWorld(t *testing.T) (*world, *file.Memory) {
	t.Helper()
	x := newWorld(t)
	x.write("auth/token.go", head+validate+other)
	x.commit("one")
	m := x.remember("auth/token.go#Validate")
	x.commit("remember")
	return x, m
}

// TestMergedBranch: code that was renamed and rewritten on a branch is followed through the merge
// that brings it, and only if the branch alone changed the file and still has the code.
func TestMergedBranch(t *testing.T) {
	if testing.Short() {
		t.Skip("in the whole form only")
	}
	branch := func(x *world, from string) {
		x.git("checkout", "-qb", "side", from)
		x.walks(func(int) {})
	}
	merge := func(x *world, args ...string) {
		x.git("checkout", "-q", "main")
		x.write("auth/z.go", head)
		x.commit("something else")
		x.git(append([]string{"merge", "-q", "-m", "merge", "side"}, args...)...)
	}
	for name, tc := range map[string]struct {
		change func(x *world)
		symbol string // "" for lost
	}{
		"merged": {func(x *world) { branch(x, "main"); merge(x) }, "Inspect"},
		"merged, then renamed": {func(x *world) {
			branch(x, "main")
			merge(x)
			x.git("mv", "auth/token.go", "auth/checks.go")
			x.commit("move")
		}, "Inspect"},
		"two branches": {func(x *world) {
			x.git("checkout", "-qb", "inner")
			x.walks(func(int) {})
			x.git("checkout", "-q", "-b", "side", "main")
			x.write("auth/y.go", head)
			x.commit("on the side")
			x.git("merge", "-q", "-m", "merge inner", "inner")
			merge(x)
		}, "Inspect"},
		"squashed": {func(x *world) {
			branch(x, "main")
			x.git("checkout", "-q", "main")
			x.git("merge", "-q", "--squash", "side")
			x.commit("squash")
		}, ""},
		"deleted on the branch": {func(x *world) {
			branch(x, "main")
			x.write("auth/token.go", head+other)
			x.commit("delete")
			merge(x)
		}, ""},
		"changed on both": {func(x *world) {
			branch(x, "main")
			x.git("checkout", "-q", "main")
			x.write("auth/token.go", head+validate+other+"\n// More.\n")
			x.commit("on main")
			merge(x, "-X", "theirs")
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			x, m := recordedWorld(t)
			tc.change(x)
			r := x.inHead(m)
			if lost(r) != (tc.symbol == "") || !lost(r) && r.Symbol != tc.symbol {
				t.Errorf("%s %s#%s by %s (%s)", r.State, r.Path, r.Symbol, r.Rung, r.Reason)
			}
		})
	}
}

// TestSearchedAgain: code that a commit removed is searched in the next six commits that change its
// file, and in the last one.
func TestSearchedAgain(t *testing.T) {
	for edits, found := range map[int]bool{0: true, maxAgain - 1: true, maxAgain: false} {
		t.Run(fmt.Sprintf("back after %d edits", edits), func(t *testing.T) {
			x, m := recordedWorld(t)
			x.write("auth/token.go", head+other)
			x.commit("delete")
			for i := range edits {
				x.write("auth/token.go", fmt.Sprintf("%s// Edit %d.\n%s", head, i, other))
				x.commit("edit")
				x.write("auth/z.go", fmt.Sprintf("%s// Edit %d.\n", head, i))
				x.commit("of another file")
			}
			x.walks(func(int) {})
			if r := x.inHead(m); lost(r) == found || found && r.Symbol != "Inspect" {
				t.Errorf("%s %s#%s by %s (%s)", r.State, r.Path, r.Symbol, r.Rung, r.Reason)
			}
		})
	}
}

// TestCopyFromBefore: a copy that was in another file all the time is not where the code went.
func TestCopyFromBefore(t *testing.T) {
	for name, there := range map[string]bool{"a copy from before": true, "moved": false} {
		t.Run(name, func(t *testing.T) {
			x := newWorld(t)
			was := ""
			if there {
				was = validate
			}
			x.write("auth/token.go", head+validate+other)
			x.write("form/form.go", "package form\n\n"+was)
			x.commit("one")
			m := x.remember("auth/token.go#Validate")
			x.commit("remember")
			x.write("auth/token.go", head+other)
			x.write("form/form.go", "package form\n\n"+validate+"\nvar n = 1\n")
			x.commit("two")
			r := x.inHead(m)
			if followed := r.State == anchor.Followed; followed == there {
				t.Errorf("%s %s#%s by %s, sure %v (%s) %+v", r.State, r.Path, r.Symbol, r.Rung, r.Confidence, r.Reason, r.Suggestion)
			}
		})
	}
}
