package memory

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"manicule/indexer/gittest"
	"manicule/indexer/must"
	"manicule/memory/file"
)

// TestNothingVanishes: a memory that no commit has can be brought back, whichever command of git's removed its file. What a commit
// of a branch has, or is there, is no such.
func TestNothingVanishes(t *testing.T) {
	const worktree = "its worktree was removed"
	for _, tt := range []struct {
		name     string
		personal bool
		after    []string // commands of git, run one after the other in the worktree, or the main one
		reason   string   // "" for a memory that isn't lost
	}{
		{"reset", false, []string{"add -A", "reset -q --hard"}, "its file vanished"},
		{"clean", false, []string{"clean -fdq"}, "its file vanished"},
		{"clean of what is ignored", true, []string{"clean -fdxq"}, "its file vanished"},
		{"worktree", false, []string{"main worktree remove --force ../tree"}, worktree},
		{"worktree without force", true, []string{"main worktree remove ../tree"}, worktree},
		{"committed in a worktree", false, []string{"add -A", "commit -qm x", "main worktree remove ../tree"}, ""},
		{"committed on a branch", false, []string{"switch -qc side", "add -A", "commit -qm x", "switch -q -"}, ""},
		{"removed by a commit", false, []string{"add -A", "commit -qm x", "rm -qr .manicule/memories/area_context", "commit -qm y"}, ""},
		{"stash that is dropped", false, []string{"stash -uq", "stash drop -q"}, "its file vanished"},
		{"stash and back", false, []string{"stash -uq", "stash pop -q"}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			main := filepath.Join(t.TempDir(), "repo")
			tree := filepath.Join(filepath.Dir(main), "tree")
			git := func(dir, line string) {
				t.Helper()
				gittest.Git(t, dir, strings.Fields(line)...)
			}
			if err := os.MkdirAll(filepath.Join(main, ".manicule", "memories"), 0o750); err != nil {
				t.Fatal(err)
			}
			must.Write(t, filepath.Join(main, ".manicule", "config.toml"), "")
			must.Write(t, filepath.Join(main, ".manicule", ".gitignore"), "/memories/*/personal/\n/memories/.tmp/\n")
			git(main, "init -q -b main")
			git(main, "add -A")
			git(main, "commit -qm first")
			git(main, "worktree add -q ../tree")
			w, _ := open(t, main, 1)
			in, dir := w, main
			if slices.ContainsFunc(tt.after, func(s string) bool { return strings.HasPrefix(s, "main ") }) {
				in, _ = open(t, tree, 2)
				dir = tree
			}
			d := Draft{Type: file.Gotcha, What: "Close the pool first", Scope: []string{"src/**"}, Origin: file.UserTaught}
			if tt.personal {
				d.Visibility = file.Personal
			}
			r, err := in.Remember(t.Context(), d)
			if err != nil || !r.Accepted {
				t.Fatalf("%+v, %v", r, err)
			}
			for _, line := range tt.after {
				at := dir
				if rest, ok := strings.CutPrefix(line, "main "); ok {
					at, line = main, rest
				}
				git(at, line)
				if _, err := w.Refresh(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			list, err := w.Forgotten().List(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if tt.reason == "" {
				if len(list) > 0 {
					t.Errorf("it isn't lost: %+v", list)
				}
				return
			}
			if len(list) != 1 || list[0].UUID != r.Memory.UUID || list[0].Reason != tt.reason {
				t.Fatalf("restorable: %+v", list)
			}
			back, err := w.Forgotten().Restore(t.Context(), r.Memory.UUID)
			if err != nil || !back.Accepted || back.Memory.What != d.What || back.Memory.Visibility != r.Memory.Visibility {
				t.Errorf("restored: %+v, %v", back, err)
			}
			if list, err := w.Forgotten().List(t.Context()); err != nil || len(list) > 0 {
				t.Errorf("afterwards: %+v, %v", list, err)
			}
		})
	}
}
