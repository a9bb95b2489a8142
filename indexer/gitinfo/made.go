package gitinfo

import (
	"os"
	"path/filepath"
	"strings"
	"time"

	"manicule/indexer/treefile"
)

// Bounds of [Made]: the reflogs that are read, and the size of each.
const (
	maxMadeLogs = 8
	maxMadeLog  = 1 << 20
)

// Made returns the commits that `git commit` made in this clone since a time, in any of its worktrees, as their
// reflogs tell of them. What was fetched, merged, picked or rebased is none of them.
func Made(commonDir string, since time.Time) map[string]bool {
	out, read := map[string]bool{}, 0
	for _, gitDir := range append([]string{commonDir}, treefile.Glob(filepath.Join(commonDir, "worktrees"), "*")...) {
		log := filepath.Join(gitDir, "logs", "HEAD")
		info, err := os.Lstat(log)
		if err != nil || info.ModTime().Before(since) || info.Size() > maxMadeLog {
			continue
		}
		if read++; read > maxMadeLogs {
			break
		}
		for _, s := range reflog(gitDir) {
			act, _, _ := strings.Cut(s.act, ":")
			if !s.at.Before(since) && (act == "commit" || act == "commit (amend)" || act == "commit (initial)") {
				out[s.is] = true
			}
		}
	}
	return out
}
