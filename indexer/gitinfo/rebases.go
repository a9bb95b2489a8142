package gitinfo

import (
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"manicule/indexer/treefile"
)

// Rebase is one that ended, as this clone's reflog tells of it.
type Rebase struct {
	Tip    string // the commit that was rebased
	Onto   string // what it was rebased onto
	Result string // where it ended
}

// maxReflog is the size in bytes above which a reflog is not read.
const maxReflog = 16 << 20

// Rebases lists the rebases of a worktree that began after a moment, newest first. The reflog is this clone's alone, and git
// drops entries of it after some months.
func Rebases(gitDir string, since time.Time) []Rebase {
	data, err := treefile.Read(filepath.Join(gitDir, "logs", "HEAD"), maxReflog)
	if err != nil {
		return nil
	}
	var out []Rebase
	var under Rebase // the one that has begun
	for line := range strings.Lines(string(data)) {
		head, act, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		fields := strings.Fields(head)
		if !ok || len(fields) < 4 {
			continue
		}
		was, is := fields[0], fields[1]
		switch {
		case strings.Contains(act, " (start): checkout "): // of rebase and of pull --rebase
			under = Rebase{}
			if at, err := strconv.ParseInt(fields[len(fields)-2], 10, 64); err == nil && !time.Unix(at, 0).Before(since) {
				under = Rebase{Tip: was, Onto: is}
			}
		case strings.Contains(act, " (abort): "):
			under = Rebase{}
		case strings.Contains(act, " (finish): returning to ") && under.Tip != "":
			under.Result = is
			out = append([]Rebase{under}, out...)
			under = Rebase{}
		}
	}
	return out
}
