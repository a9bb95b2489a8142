package branches

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"manicule/indexer/gittest"
	"manicule/indexer/must"
	"manicule/memory"
	"manicule/memory/file"
	"manicule/memory/memorytest"
)

// TestForgottenWithItsBranch: a week after a branch was deleted, what a person wrote about its code is
// forgotten, and what failed is not. What a fetch brought to the default branch meanwhile is kept.
func TestForgottenWithItsBranch(t *testing.T) {
	dir := memorytest.Folder(t, nil)
	git := func(args ...string) {
		t.Helper()
		gittest.Git(t, dir, args...)
	}
	commit := func(name string) {
		t.Helper()
		must.Write(t, filepath.Join(dir, name), name)
		git("add", name)
		git("commit", "-qm", name)
	}
	git("init", "-q", "-b", "main")
	commit("a.txt")
	w, now := memorytest.Open(t, dir)
	remember := func(typ file.Type, text string) {
		t.Helper()
		r, err := w.Remember(t.Context(), memory.Draft{Type: typ, What: text, At: []string{"a.txt"}, Personal: true})
		if err != nil || !r.Accepted {
			t.Fatalf("%+v, %v", r, err)
		}
	}
	settle := func() {
		t.Helper()
		if _, err := Of(w).Settle(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	texts := func() (out []string) {
		t.Helper()
		if _, err := w.Sync(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, h := range w.View().All() {
			branch := ""
			if p := h.Memory.Provenance; p != nil {
				branch = p.Branch
			}
			out = append(out, h.Memory.What+" @"+branch)
		}
		slices.Sort(out)
		return out
	}
	is := func(when string, want ...string) {
		t.Helper()
		if got := texts(); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", when, got, want)
		}
	}

	for _, name := range []string{"given-up", "fetched"} {
		git("checkout", "-q", "-b", name, "main")
		commit(name + ".txt")
		remember(file.Decision, "the way of "+name)
		remember(file.Gotcha, "the trap of "+name)
	}
	git("tag", "pr", "fetched")
	settle()
	is("with the branches", "the trap of fetched @fetched", "the trap of given-up @given-up", "the way of fetched @fetched", "the way of given-up @given-up")
	git("checkout", "-q", "main")
	git("branch", "-q", "-D", "given-up", "fetched")
	settle()
	after := []string{"the trap of fetched @", "the trap of given-up @", "the way of fetched @fetched", "the way of given-up @given-up"}
	is("once they are deleted", after...)
	now.Pass(forgetAfter - time.Hour)
	settle()
	is("within a week", after...)
	git("merge", "-q", "--squash", "pr")
	git("commit", "-qm", "squashed")
	now.Pass(2 * time.Hour)
	settle()
	is("after a week", "the trap of fetched @", "the trap of given-up @", "the way of fetched @")
	lost, err := w.State().Tombstones().List(t.Context())
	if err != nil || len(lost) != 1 {
		t.Fatalf("%d can be restored, %v", len(lost), err)
	}
	if want := "its branch given-up was deleted before it reached main"; lost[0].Reason != want {
		t.Errorf("the reason is %q, not %q", lost[0].Reason, want)
	}
	settle()
	is("and it stays so", "the trap of fetched @", "the trap of given-up @", "the way of fetched @")
}

// TestSecretInName: the name of a branch that holds a secret comes into no memory, neither when that is written nor when its
// branch gets the name.
func TestSecretInName(t *testing.T) {
	const secret = "fix/ghp_x8Kd02mZqLw7RtYvB3nHsJ5cFgPa6eU9iT1o"
	dir := memorytest.Folder(t, nil)
	git := func(args ...string) {
		t.Helper()
		gittest.Git(t, dir, args...)
	}
	git("init", "-q", "-b", "main")
	must.Write(t, filepath.Join(dir, "a.txt"), "a")
	git("add", "a.txt")
	git("commit", "-qm", "a")
	w, _ := memorytest.Open(t, dir)
	branchOf := func(text string) string {
		t.Helper()
		r, err := w.Remember(t.Context(), memory.Draft{Type: file.Gotcha, What: text, At: []string{"a.txt"}, Personal: true})
		if err != nil || !r.Accepted {
			t.Fatalf("%+v, %v", r, err)
		}
		return r.Memory.Provenance.Branch
	}
	git("checkout", "-q", "-b", secret)
	if got := branchOf("the trap of the secret"); got != "" {
		t.Errorf("written with the branch %q", got)
	}
	git("checkout", "-q", "-b", "feat", "main")
	if got := branchOf("the trap of the feature"); got != "feat" {
		t.Errorf("written with the branch %q", got)
	}
	if _, err := Of(w).Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	git("branch", "-q", "-D", secret)
	git("branch", "-q", "-m", "feat", secret)
	if _, err := Of(w).Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, h := range w.View().All() {
		data, err := h.Memory.Marshal()
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(data), "ghp_") || h.Memory.Provenance.Branch != "" {
			t.Errorf("after the branch was renamed: %s", data)
		}
	}
}
