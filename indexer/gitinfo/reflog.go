package gitinfo

import (
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"manicule/indexer/treefile"
)

// maxReflog is the size in bytes above which a reflog is not read.
const maxReflog = 16 << 20

// step is a line of a reflog: what HEAD was, what it is since, when, and what did it.
type step struct {
	was, is string
	at      time.Time // zero if the line doesn't say
	act     string
}

// reflog reads the reflog of a worktree's HEAD, oldest step first. It is this clone's alone, and git drops
// entries of it after some months.
func reflog(gitDir string) []step {
	data, err := treefile.Read(filepath.Join(gitDir, "logs", "HEAD"), maxReflog)
	if err != nil {
		return nil
	}
	var out []step
	for line := range strings.Lines(string(data)) {
		head, act, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		fields := strings.Fields(head)
		if !ok || len(fields) < 4 {
			continue
		}
		s := step{was: fields[0], is: fields[1], act: act}
		if at, err := strconv.ParseInt(fields[len(fields)-2], 10, 64); err == nil {
			s.at = time.Unix(at, 0)
		}
		out = append(out, s)
	}
	return out
}
