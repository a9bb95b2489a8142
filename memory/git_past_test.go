package memory

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"manicule/indexer/gittest"
	"manicule/indexer/must"
	"manicule/indexer/workspace"
)

// TestPastIsReadOnce: the versions of a memory in git are read once for a commit, which an editor asks for again and
// again, and again when another one is checked out. Who gets them may change them.
func TestPastIsReadOnce(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "repo")
	uuid := "0198f0c2-7a41-7c3e-9d7a-000000000001"
	commit := func(what string) {
		t.Helper()
		write(t, filepath.Join(dir, ".manicule/memories/area_context", uuid+".json"), `{"uuid": "`+uuid+`", "type": "gotcha", "what": "`+what+`", "created_at": "2026-05-04T11:00:00.000Z"}`)
		gittest.Git(t, dir, "add", ".")
		gittest.Git(t, dir, "commit", "-q", "-m", what)
	}
	must.Mkdir(t, dir)
	gittest.Git(t, dir, "init", "-q", "-b", "main")
	commit("first")
	commit("second")
	g := &Git{place: &workspace.Workspace{Root: dir, GitDir: filepath.Join(dir, ".git"), GitCommonDir: filepath.Join(dir, ".git")}}
	reads := 0
	ask := func() string {
		t.Helper()
		out := ""
		for _, v := range g.past.get(g.head(), uuid, func() ([]gitVersion, bool) {
			reads++
			repo, done := g.open()
			defer done()
			return versionsIn(repo, g.head(), uuid)
		}) {
			out += v.memory.What + " "
			v.memory.What = "changed by who asked"
		}
		return out
	}
	for range 3 {
		if got := ask(); got != "second first " || reads != 1 {
			t.Fatalf("%q after %d reads", got, reads)
		}
	}
	commit("third")
	if got := ask(); got != "third second first " || reads != 2 {
		t.Errorf("after a commit: %q after %d reads", got, reads)
	}
	for i := range 2 * maxPast {
		g.past.get(g.head(), strconv.Itoa(i), func() ([]gitVersion, bool) { return nil, true })
	}
	if len(g.past.of) > maxPast {
		t.Errorf("%d memories are kept", len(g.past.of))
	}
	if got := len(g.versions(uuid)); got != 3 {
		t.Errorf("%d versions", got)
	}
	// A version that can't be read now is asked for again, as in a partial clone that fetches it later.
	commit("fourth")
	repo, done := g.open()
	blob := repo.FileVersions(g.head(), memoryPaths(uuid), MaxCommits)[0].Blob
	done()
	object := filepath.Join(dir, ".git", "objects", blob[:2], blob[2:])
	must.OK(t, os.Rename(object, object+".away"))
	if got := ask(); got != "third second first " {
		t.Errorf("without the last: %q", got)
	}
	must.OK(t, os.Rename(object+".away", object))
	if got := ask(); got != "fourth third second first " {
		t.Errorf("with it again: %q", got)
	}
}
