package gitinfo

import (
	"os"
	"path/filepath"
)

// Operation names the operation that git has in progress in a worktree ("rebase",
// "merge", "cherry-pick", "revert", "bisect"), or "". Until it ends, nobody meant the
// files to be as they are.
func Operation(gitDir string) string {
	if gitDir == "" {
		return ""
	}
	for _, o := range []struct{ file, name string }{
		{"rebase-merge", "rebase"},
		{"rebase-apply", "rebase"}, // and git am
		{"MERGE_HEAD", "merge"},
		{"CHERRY_PICK_HEAD", "cherry-pick"},
		{"REVERT_HEAD", "revert"},
		{"BISECT_LOG", "bisect"},
	} {
		if _, err := os.Lstat(filepath.Join(gitDir, o.file)); err == nil {
			return o.name
		}
	}
	return ""
}
